-- Who did what, to what, from where, when and why; and who was refused what. Written in the transaction of the change itself, and never
-- changed afterwards: the app role may add and read. Owned by the server.

create table hub.audit_event (
  -- Null: of the installation, not of one tenant.
  tenant_id integer references hub.tenant,
  id bigint not null generated always as identity,
  at timestamptz not null default clock_timestamp(),
  outcome text not null check (outcome in ('done', 'denied')),
  -- The operation as the API's description names it, e.g. createMapping.
  action text not null,
  -- The error's code where it was refused.
  code text,
  target_kind text,
  target_id text,
  -- Without references: the event outlives whom and what it tells of.
  user_id integer,
  api_key_id integer,
  actor_name text,
  address text,
  user_agent text,
  request_id uuid not null,
  reason text,
  -- What was there and what is now, secrets masked.
  before jsonb,
  after jsonb,
  unique nulls not distinct (tenant_id, id),
  check ((code is null) = (outcome = 'done'))
);
create index audit_event_by_id on hub.audit_event (id);
create index audit_event_by_request on hub.audit_event (request_id);

alter table hub.audit_event enable row level security;
-- Tenant 0 is the installation itself: it writes its own events and reads everybody's.
create policy read_own on hub.audit_event for select to crossdock_app
  using ((select hub.current_tenant()) = 0 or tenant_id = (select hub.current_tenant()));
create policy add_own on hub.audit_event for insert to crossdock_app
  with check (tenant_id is not distinct from nullif((select hub.current_tenant()), 0));
grant select, insert on hub.audit_event to crossdock_app;
