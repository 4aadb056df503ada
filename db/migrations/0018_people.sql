-- People as admins see them: invitations, grants, when somebody was here last; and what a key may do and when it was used.

alter table hub."user" add column last_seen_at timestamptz;

-- A session begins, or its access token is renewed (every few minutes): somebody is here. What only ends a session is no sign of life.
create function hub.note_presence() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if new.revoked_at is null then
    update hub."user" set last_seen_at = now() where id = new.user_id and (last_seen_at is null or last_seen_at < now() - interval '1 minute');
  end if;
  return null;
end $$;
create trigger note_presence after insert or update on hub.session for each row execute function hub.note_presence();

-- One link per person at a time: the newest. Whoever follows it chooses a password.
create table hub.invitation (
  user_id integer primary key references hub."user" on delete cascade,
  -- SHA-256 of the link's secret, which holds 256 random bits.
  token_hash bytea not null unique,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
grant select, insert, update, delete on hub.invitation to crossdock_app;

-- Scopes are permissions. A key without any noted may what its role may.
alter table hub.api_key
  add column scopes text[] check (scopes <@ array['read', 'operate', 'configure', 'gateway'] and scopes <> '{}'),
  add column last_used_at timestamptz;

create function hub.api_key_tenant(key_hash bytea)
  returns table (tenant_id integer, tenant_code text, api_key_id integer, role text, scopes text[], is_use_due boolean)
  language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select tenant.id, tenant.code, api_key.id, api_key.role, api_key.scopes, coalesce(api_key.last_used_at < now() - interval '1 minute', true)
  from hub.api_key join hub.tenant on tenant.id = api_key.tenant_id
  where api_key.hash = key_hash and api_key.revoked_at is null and (api_key.expires_at is null or api_key.expires_at > now()) and tenant.is_active;
end;

-- Grants of many tenants at once, which row-level security would not show -----------------------------------------------------------------

create function hub.grants_of_users(people integer[]) returns table (user_id integer, tenant_code text)
  language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select grant_.user_id, tenant.code
  from hub.user_tenant grant_ join hub.tenant on tenant.id = grant_.tenant_id
  where grant_.user_id = any (people) order by tenant.code;
end;

-- Answers how many of the codes are known: with fewer than were named the caller takes everything back.
create function hub.set_grants(person integer, codes text[]) returns bigint
  language sql security definer set search_path = pg_catalog, pg_temp
begin atomic
  delete from hub.user_tenant grant_ using hub.tenant
  where grant_.user_id = person and tenant.id = grant_.tenant_id and tenant.code <> all (codes);
  insert into hub.user_tenant (tenant_id, user_id) select id, person from hub.tenant where code = any (codes) on conflict do nothing;
  select count(*) from hub.tenant where code = any (codes);
end;

revoke execute on function hub.api_key_tenant(bytea), hub.grants_of_users(integer[]), hub.set_grants(integer, text[]), hub.note_presence() from public;
grant execute on function hub.api_key_tenant(bytea), hub.grants_of_users(integer[]), hub.set_grants(integer, text[]) to crossdock_app;
