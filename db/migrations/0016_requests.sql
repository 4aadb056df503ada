-- Requests: who did what, and what a request that is sent again is told.

-- Who did what, to what, from where, when and why; and who was refused what. Written in the transaction of the change itself, and never
-- changed afterwards: the app role may add and read.
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
-- Events come in the order of their times, so a few pages tell where the old ones end.
create index audit_event_by_time on hub.audit_event using brin (at);

alter table hub.audit_event enable row level security;
-- Tenant 0 is the installation itself: it writes its own events and reads everybody's.
create policy read_own on hub.audit_event for select to crossdock_app
  using ((select queue.current_tenant()) = 0 or tenant_id = (select queue.current_tenant()));
create policy add_own on hub.audit_event for insert to crossdock_app
  with check (tenant_id is not distinct from nullif((select queue.current_tenant()), 0));
grant select, insert on hub.audit_event to crossdock_app;

-- Audit events are kept for a time of their own, which the installation sets. Nobody may delete one: the worker calls a function that
-- removes what is older, and never what is younger than 30 days, whatever it is told.
create function hub.prune_audit_events(kept_days integer, batch_size integer) returns integer
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  removed integer;
begin
  delete from hub.audit_event
  where ctid in (
    select ctid from hub.audit_event where at < clock_timestamp() - make_interval(days => greatest(kept_days, 30)) limit batch_size);
  get diagnostics removed = row_count;
  return removed;
end $$;
revoke execute on function hub.prune_audit_events(integer, integer) from public;
grant execute on function hub.prune_audit_events(integer, integer) to crossdock_worker;

-- Answers to creating requests that carried an Idempotency-Key, so that the same request sent again creates nothing and is told the same.
-- Written in the transaction that created the object: there is an answer exactly if there is an object.
create table hub.idempotent_answer (
  -- 0: the installation's own, as the creation of a tenant, which happens in none.
  tenant_id integer not null,
  -- SHA-256 of the caller, the route's address and the key.
  hash bytea not null,
  -- SHA-256 of the request's body: one key with two bodies is a mistake of the caller.
  request_hash bytea not null,
  -- JSON, both. Null where it held a secret that is shown once and kept nowhere; then the explanation says what became of the request.
  answer text,
  explanation text,
  etag text,
  created_at timestamptz not null default now(),
  primary key (tenant_id, hash),
  check ((answer is null) <> (explanation is null))
);
-- Pruning asks for the oldest, and rows are stored in the order of their time.
create index idempotent_answer_by_age on hub.idempotent_answer using brin (created_at);

alter table hub.idempotent_answer enable row level security;
-- The installation's rows are found by a hash that only their caller's request gives.
create policy own_tenant on hub.idempotent_answer
  using (tenant_id = 0 or tenant_id = (select queue.current_tenant())) with check (tenant_id = 0 or tenant_id = (select queue.current_tenant()));
grant select, insert, update on hub.idempotent_answer to crossdock_app;
grant select, delete on hub.idempotent_answer to crossdock_worker;
