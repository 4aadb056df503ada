-- Refresh tokens one by one: a session is the family, these are its members. A token is exchanged once for the next one; the old ones stay
-- known, so that a copy that turns up later is recognised and ends the family.

create table hub.refresh_token (
  -- SHA-256 of its secret, which holds 256 random bits, so a slow hash would add nothing.
  hash bytea primary key,
  session_id uuid not null references hub.session on delete cascade,
  created_at timestamptz not null default now(),
  used_at timestamptz
);
create index refresh_token_by_session on hub.refresh_token (session_id, used_at);
-- A family has one newest member: it never splits into two lines.
create unique index refresh_token_newest on hub.refresh_token (session_id) where used_at is null;

insert into hub.refresh_token (hash, session_id, created_at) select refresh_hash, id, refreshed_at from hub.session where revoked_at is null;
alter table hub.session drop column refresh_hash;
-- From where the person signed in, as the server saw it.
alter table hub.session add column address text;

grant select, insert, update, delete on hub.refresh_token to crossdock_app;

-- Who loses or gains a right is told to every process at once: open streams are checked again, and copies of keys are dropped.
create function hub.tell_access() returns trigger
  language plpgsql
as $$
begin
  -- The kind of holder, and the column with its id.
  perform pg_notify('access_changed', tg_argv[0] || ' ' || (to_jsonb(coalesce(new, old)) ->> tg_argv[1]));
  return null;
end $$;

create trigger tell_access_ended after update on hub.session for each row
  when (new.revoked_at is distinct from old.revoked_at) execute function hub.tell_access('user', 'user_id');
create trigger tell_access_deleted after delete on hub.session for each row
  when (old.revoked_at is null) execute function hub.tell_access('user', 'user_id');
create trigger tell_access_changed after update on hub."user" for each row
  when (new.role <> old.role or new.is_active <> old.is_active) execute function hub.tell_access('user', 'id');
create trigger tell_access_granted after insert or update or delete on hub.user_tenant for each row execute function hub.tell_access('user', 'user_id');
create trigger tell_access_changed after update on hub.api_key for each row
  when ((new.revoked_at, new.expires_at, new.role) is distinct from (old.revoked_at, old.expires_at, old.role))
  execute function hub.tell_access('key', 'id');
create trigger tell_access_deleted after delete on hub.api_key for each row execute function hub.tell_access('key', 'id');
create trigger tell_access_changed after update on hub.tenant for each row
  when (new.is_active <> old.is_active) execute function hub.tell_access('tenant', 'id');
