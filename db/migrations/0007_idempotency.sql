-- Answers to creating requests that carried an Idempotency-Key, so that the same request sent again creates nothing and is told the same.
-- Written in the transaction that created the object: there is an answer exactly if there is an object.

create table hub.idempotent_answer (
  -- 0: the installation's own, as the creation of a tenant, which happens in none.
  tenant_id integer not null,
  -- SHA-256 of the caller, the route's address and the key.
  hash bytea not null,
  -- SHA-256 of the request's body: one key with two bodies is a mistake of the caller.
  request_hash bytea not null,
  -- JSON. Null where it held a secret that is shown once and kept nowhere; then the explanation says what became of the request.
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
  using (tenant_id = 0 or tenant_id = (select hub.current_tenant())) with check (tenant_id = 0 or tenant_id = (select hub.current_tenant()));

grant select, insert, update on hub.idempotent_answer to crossdock_app;
grant select, delete on hub.idempotent_answer to crossdock_worker;

-- For the scheduler, which goes through the tenants one by one. What grows old in a tenant that is not active has to go too.
create function hub.all_tenants() returns setof integer
  language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select id from hub.tenant order by id;
end;
revoke execute on function hub.all_tenants() from public;
grant execute on function hub.all_tenants() to crossdock_worker;
