-- Intake: what came in as it came in, the business objects it describes, and what the targets know them as. Owned by the server.

-- Insert-only: the state is decided before the row is written. Ids come from queue.message_id, so that a range of ids is a range of time
-- here too, and the engine makes and drops the days of both: a day is kept as long as a message of it waits.
create table hub.external_message (
  tenant_id integer not null,
  id bigint not null,
  subtenant_id integer not null,
  integration_point_id integer not null,
  received_at timestamptz not null default now(),
  channel text not null check (channel in ('hook', 'gateway')),
  entity_type text,
  -- Of the first document found in it.
  business_key text,
  state text not null check (state in ('accepted', 'unchanged', 'rejected', 'ignored')),
  signature text not null check (signature in ('valid', 'invalid', 'missing', 'stale', 'none-configured', 'not-applicable')),
  content_type text,
  -- A JSON object. Text, as nothing asks for its parts and jsonb would cost the hot path its parsing.
  headers text not null,
  body bytea not null,
  -- A JSON array of {path, message}: why it was rejected or ignored.
  reasons text,
  primary key (tenant_id, id)
) partition by range (id);
-- The embedded PostgreSQL compresses with pglz only, which costs more time than the disk it saves.
alter table hub.external_message alter column body set storage external;
create index external_message_by_point on hub.external_message (tenant_id, integration_point_id, id);
create index external_message_by_key on hub.external_message (tenant_id, business_key, id);
create index external_message_rejected on hub.external_message (tenant_id, id) where state = 'rejected';
insert into queue.day_partitioned (parent) values ('hub.external_message');
select queue.roll_partitions();

-- Names under which a sender may repeat a message: its webhook id, or an Idempotency-Key.
create table hub.intake_key (
  tenant_id integer not null,
  -- SHA-256 of the place it was sent to and the sender's key.
  hash bytea not null,
  external_message_id bigint not null,
  -- SHA-256 of the body: one key with two bodies is a mistake of the sender.
  body_hash bytea not null,
  primary key (tenant_id, hash)
);
-- Pruning asks for the oldest ids, and rows are stored in the order of their ids.
create index intake_key_by_age on hub.intake_key using brin (external_message_id);

-- The newest canonical state of one business object. Narrow, as it is updated with each change; the document is in entity_version.
-- Test data never mixes with real data: what development integration points bring in are objects of their own.
create table hub.entity (
  tenant_id integer not null,
  subtenant_id integer not null,
  entity_type text not null check (entity_type in ('item', 'price', 'stock', 'order', 'shipment', 'customer')),
  business_key text not null,
  is_development boolean not null,
  version integer not null check (version > 0),
  -- SHA-256 of the document without its time of change.
  hash bytea not null,
  -- The source's time of change in microseconds since 1970: an older one never overwrites a newer one.
  source_version bigint,
  integration_point_id integer not null,
  changed_at timestamptz not null default now(),
  primary key (tenant_id, subtenant_id, entity_type, business_key, is_development)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

create table hub.entity_version (
  tenant_id integer not null,
  subtenant_id integer not null,
  entity_type text not null,
  business_key text not null,
  is_development boolean not null,
  version integer not null,
  external_message_id bigint not null,
  integration_point_id integer not null,
  document text not null,
  created_at timestamptz not null default now(),
  primary key (tenant_id, subtenant_id, entity_type, business_key, is_development, version)
);
alter table hub.entity_version alter column document set storage external;
-- Which objects an external message changed; also the order in which versions grow old.
create index entity_version_by_origin on hub.entity_version (tenant_id, external_message_id);

-- What a target calls a business object, and what it was told last.
create table hub.external_item (
  tenant_id integer not null,
  integration_point_id integer not null,
  entity_type text not null,
  business_key text not null,
  subtenant_id integer not null,
  -- Null where the target takes our key and gives none of its own.
  external_id text,
  -- SHA-256 of the mapped document and the integration point's version: the same again need not be sent.
  delivered_hash bytea not null,
  message_id bigint not null,
  delivered_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  primary key (tenant_id, integration_point_id, entity_type, business_key)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
create index external_item_by_external_id on hub.external_item (tenant_id, integration_point_id, entity_type, external_id) where external_id is not null;

-- Isolation -------------------------------------------------------------------------------------------------------------------------------

do $$
declare name text;
begin
  foreach name in array array['external_message', 'intake_key', 'entity', 'entity_version', 'external_item'] loop
    execute format('alter table hub.%I enable row level security', name);
    execute format(
      'create policy own_tenant on hub.%I using (tenant_id = (select hub.current_tenant())) with check (tenant_id = (select hub.current_tenant()))',
      name
    );
  end loop;
end $$;

grant select, insert on hub.external_message, hub.entity_version to crossdock_app;
grant select, insert, update on hub.entity to crossdock_app;
grant select, insert on hub.intake_key to crossdock_app;
grant select, insert, update, delete on hub.external_item to crossdock_app, crossdock_worker;
grant select, delete on hub.intake_key, hub.entity_version to crossdock_worker;
grant select on hub.external_message, hub.entity to crossdock_worker;

-- News ------------------------------------------------------------------------------------------------------------------------------------
-- Processes keep integration points and mappings in memory; the payload names the tenant whose copy is no longer true.

create function hub.tell_change() returns trigger
  language plpgsql
as $$
begin
  perform pg_notify('hub_changed', case tg_table_name when 'tenant' then to_jsonb(coalesce(new, old)) ->> 'id' else to_jsonb(coalesce(new, old)) ->> 'tenant_id' end);
  return null;
end $$;

create trigger tell_change after insert or update or delete on hub.tenant for each row execute function hub.tell_change();
create trigger tell_change after insert or update or delete on hub.subtenant for each row execute function hub.tell_change();
create trigger tell_change after insert or update or delete on hub.integration_point for each row execute function hub.tell_change();
create trigger tell_change after insert or update or delete on hub.mapping for each row execute function hub.tell_change();
