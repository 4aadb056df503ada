-- Mappings: every change makes a version of the tenant's whole set, so that it can be seen who changed what and taken back. Owned by the server.

alter table hub.mapping
  add column version integer not null default 1,
  add column changed_at timestamptz not null default now();
-- Filters of the list, newest first.
create index mapping_by_field on hub.mapping (tenant_id, field_name, id);

-- What one transaction made of the set.
create table hub.mapping_version (
  tenant_id integer not null references hub.tenant,
  version integer not null,
  made_at timestamptz not null default now(),
  made_by text not null,
  reason text,
  -- The version whose set was put back.
  restored integer,
  xid xid8 not null default pg_current_xact_id(),
  primary key (tenant_id, version)
);

-- A mapping before and after a version; null where there was or is none. Rolling back reads the first `before` after a version.
create table hub.mapping_change (
  tenant_id integer not null,
  version integer not null,
  mapping_id integer not null,
  before jsonb,
  after jsonb,
  primary key (tenant_id, version, mapping_id),
  foreign key (tenant_id, version) references hub.mapping_version on delete cascade
);
create index mapping_change_by_mapping on hub.mapping_change (tenant_id, mapping_id, version);

create function hub.mapping_content(subtenant_id integer, field_name text, source text, source_value text, target text, target_value text) returns jsonb
  language sql immutable parallel safe
  set search_path = pg_catalog, pg_temp
  return jsonb_build_object('subtenantId', subtenant_id, 'fieldName', field_name, 'source', source, 'sourceValue', source_value, 'target', target,
    'targetValue', target_value);

-- The version that the transaction is making. Whoever changes mappings waits for the other one who does, so versions have no gaps; the
-- author, the reason and the restored version come from settings of the transaction.
create function hub.mapping_version_under_way(p_tenant integer) returns integer
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_version integer;
begin
  select version into v_version from hub.mapping_version where tenant_id = p_tenant and xid = pg_current_xact_id()
  order by version desc limit 1;
  if found then return v_version; end if;
  perform from hub.tenant where id = p_tenant for no key update;
  insert into hub.mapping_version (tenant_id, version, made_by, reason, restored)
  select p_tenant, coalesce(max(version), 0) + 1, coalesce(nullif(current_setting('crossdock.actor', true), ''), '–'),
    nullif(current_setting('crossdock.reason', true), ''), nullif(current_setting('crossdock.restored', true), '')::integer
  from hub.mapping_version where tenant_id = p_tenant
  returning version into v_version;
  return v_version;
end $$;

-- Statement by statement, as an import changes thousands of rows with one. What comes back to what it was is no change.
create function hub.keep_mapping_change(p_tenant integer, p_ids integer[], p_before jsonb[], p_after jsonb[]) returns void
  language plpgsql
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_version constant integer := hub.mapping_version_under_way(p_tenant);
begin
  insert into hub.mapping_change as change (tenant_id, version, mapping_id, before, after)
  select p_tenant, v_version, * from unnest(p_ids, p_before, p_after)
  on conflict (tenant_id, version, mapping_id) do update set after = excluded.after;
  delete from hub.mapping_change
  where tenant_id = p_tenant and version = v_version and mapping_id = any(p_ids) and before is not distinct from after;
end $$;

-- As the owner, so that nobody else writes versions.
create function hub.keep_mapping_version() returns trigger
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_row record;
begin
  if tg_op = 'INSERT' then
    for v_row in
      select n.tenant_id, array_agg(n.id) as ids, array_agg(null::jsonb) as before, array_agg(hub.mapping_content(n.subtenant_id, n.field_name, n.source, n.source_value, n.target, n.target_value)) as after
      from new_rows n group by n.tenant_id
    loop perform hub.keep_mapping_change(v_row.tenant_id, v_row.ids, v_row.before, v_row.after); end loop;
  elsif tg_op = 'DELETE' then
    for v_row in
      select o.tenant_id, array_agg(o.id) as ids, array_agg(hub.mapping_content(o.subtenant_id, o.field_name, o.source, o.source_value, o.target, o.target_value)) as before, array_agg(null::jsonb) as after
      from old_rows o group by o.tenant_id
    loop perform hub.keep_mapping_change(v_row.tenant_id, v_row.ids, v_row.before, v_row.after); end loop;
  else
    for v_row in
      select o.tenant_id, array_agg(o.id) as ids, array_agg(o.content) as before, array_agg(n.content) as after
      from (select o.tenant_id, o.id, hub.mapping_content(o.subtenant_id, o.field_name, o.source, o.source_value, o.target, o.target_value) as content from old_rows o) o
      join (select n.tenant_id, n.id, hub.mapping_content(n.subtenant_id, n.field_name, n.source, n.source_value, n.target, n.target_value) as content from new_rows n) n on n.tenant_id = o.tenant_id and n.id = o.id and n.content <> o.content
      group by o.tenant_id
    loop perform hub.keep_mapping_change(v_row.tenant_id, v_row.ids, v_row.before, v_row.after); end loop;
  end if;
  return null;
end $$;

create trigger keep_version_insert after insert on hub.mapping referencing new table as new_rows
  for each statement execute function hub.keep_mapping_version();
create trigger keep_version_update after update on hub.mapping referencing old table as old_rows new table as new_rows
  for each statement execute function hub.keep_mapping_version();
create trigger keep_version_delete after delete on hub.mapping referencing old table as old_rows
  for each statement execute function hub.keep_mapping_version();

-- What is there already is the first version.
insert into hub.mapping_version (tenant_id, version, made_by) select distinct tenant_id, 1, '–' from hub.mapping;
insert into hub.mapping_change (tenant_id, version, mapping_id, after) select tenant_id, 1, id, hub.mapping_content(subtenant_id, field_name, source, source_value, target, target_value)
from hub.mapping;

do $$
declare name text;
begin
  foreach name in array array['mapping_version', 'mapping_change'] loop
    execute format('alter table hub.%I enable row level security', name);
    execute format(
      'create policy own_tenant on hub.%I using (tenant_id = (select hub.current_tenant())) with check (tenant_id = (select hub.current_tenant()))',
      name
    );
  end loop;
end $$;

revoke execute on function hub.mapping_version_under_way(integer), hub.keep_mapping_change(integer, integer[], jsonb[], jsonb[]) from public;
grant select on hub.mapping_version, hub.mapping_change to crossdock_app, crossdock_worker;
