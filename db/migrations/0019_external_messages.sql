-- Intake: what came in, as it came in.

-- Written once, with its state decided before; removing it is the one thing that happens to it later. Ids come from queue.message_id, so
-- that a range of ids is a range of time here too, and the engine makes and drops the days of both: a day is kept as long as a message of
-- it waits.
create table hub.external_message (
  tenant_id integer not null,
  id bigint not null,
  subtenant_id integer not null,
  integration_point_id integer not null,
  received_at timestamptz not null default now(),
  channel text not null check (channel in ('hook', 'gateway', 'poll', 'import')),
  entity_type text,
  -- Of the first document found in it.
  business_key text collate "C",
  state text not null check (state in ('accepted', 'unchanged', 'rejected', 'ignored')),
  signature text not null check (signature in ('valid', 'invalid', 'missing', 'stale', 'none-configured', 'not-applicable')),
  content_type text,
  -- A JSON object. Text, as nothing asks for its parts and jsonb would cost the hot path its parsing.
  headers text not null,
  -- Stored as it is, as documents are (0001_queue_tables.sql).
  body bytea storage external not null,
  -- A JSON array of {path, message}: why it was rejected or ignored.
  reasons text,
  -- The one that an operator corrected, or sent through again.
  replay_of bigint,
  removed_at timestamptz,
  -- Who removed it, as people read it: a name that holds even when the person is gone.
  removed_by text,
  -- The job that removed it or put it back last; null if that was done by hand. Its Undo takes back only what bears it.
  changed_by_job integer,
  primary key (tenant_id, id)
) partition by range (id);
-- Lists show what was not removed. An index that leaves the removed out keeps them instant after a million was removed; all lists but those
-- of one state are merged from the points' and types' newest, so the hot path pays for no further index.
create index external_message_by_point on hub.external_message (tenant_id, integration_point_id, entity_type, id) where removed_at is null;
create index external_message_by_state on hub.external_message (tenant_id, state, id) where state <> 'accepted' and removed_at is null;
create index external_message_removed on hub.external_message (tenant_id, id) where removed_at is not null;
create index external_message_by_key on hub.external_message (tenant_id, business_key, id);
create index external_message_by_replayed on hub.external_message (tenant_id, replay_of, id) where replay_of is not null;
insert into queue.day_partitioned (parent) values ('hub.external_message');

-- Names under which a sender may repeat a message: its webhook id, an Idempotency-Key, or what a poll calls an object.
create table hub.intake_key (
  tenant_id integer not null,
  -- SHA-256 of the place it was sent to and the sender's key.
  hash bytea not null,
  external_message_id bigint not null,
  -- SHA-256 of the body: one key with two bodies is a mistake of the sender, or the next state of a polled object.
  body_hash bytea not null,
  primary key (tenant_id, hash)
);
-- Pruning asks for the oldest ids, and rows are stored in the order of their ids.
create index intake_key_by_age on hub.intake_key using brin (external_message_id);

select hub.keep_to_tenant('external_message', 'intake_key');

grant select, insert, update (removed_at, removed_by, changed_by_job) on hub.external_message to crossdock_app;
-- What a tenant keeps for a shorter time than the installation goes row by row.
grant select, update (removed_at, removed_by, changed_by_job), delete on hub.external_message to crossdock_worker;
grant select, insert, update (external_message_id, body_hash) on hub.intake_key to crossdock_app;
grant select, delete on hub.intake_key to crossdock_worker;

-- Searching -------------------------------------------------------------------------------------------------------------------------------

-- The start of a body as text in small letters; null where it is none.
create function hub.external_text(body bytea) returns text
  language plpgsql immutable parallel safe
  set search_path = pg_catalog, pg_temp
as $$
begin
  return lower(left(convert_from(body, 'UTF8'), 8000));
exception when others then
  return null;
end $$;

-- What was accepted is found by the documents that were published from it; what was rejected has none.
create index external_message_rejected_text on hub.external_message using gin (hub.external_text(body) public.gin_trgm_ops) where state = 'rejected';

-- LIKE may leak values, so under row-level security the index above goes unused (see 0012_queue_search.sql). This runs as the owner and keeps to
-- the tenant itself; it takes none from its caller. What of a filter leaves out many stands here, as only so many of the newest are answered.
create function hub.search_rejected(p_text text, p_before bigint, p_limit integer, p_points integer[], p_entity_type text, p_is_removed boolean,
  p_to timestamptz) returns setof bigint
  language plpgsql stable security definer
  set search_path = pg_catalog, pg_temp
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_tenant constant integer := queue.current_tenant();
  v_pattern constant text := '%' || regexp_replace(lower(p_text), '([\\%_])', '\\\1', 'g') || '%';
begin
  if v_tenant is null then
    raise exception 'search_rejected wants a tenant: crossdock.tenant_id is not set' using errcode = 'insufficient_privilege';
  end if;
  return query
    select message.id from hub.external_message message
    where message.tenant_id = v_tenant and message.state = 'rejected' and message.id < coalesce(p_before, 9223372036854775807)
      and hub.external_text(message.body) like v_pattern
      and (p_points is null or message.integration_point_id = any (p_points)) and (p_entity_type is null or message.entity_type = p_entity_type)
      and (message.removed_at is not null) = p_is_removed and (p_to is null or message.received_at < p_to)
    order by message.id desc limit p_limit;
end $$;
revoke execute on function hub.search_rejected(text, bigint, integer, integer[], text, boolean, timestamptz) from public;
grant execute on function hub.search_rejected(text, bigint, integer, integer[], text, boolean, timestamptz) to crossdock_app;

-- A body as JSON; null where it is none, so that one that is not cannot end a search.
create function hub.external_json(body bytea) returns jsonb
  language plpgsql immutable parallel safe
  set search_path = pg_catalog, pg_temp
as $$
begin
  return convert_from(body, 'UTF8')::jsonb;
exception when others then
  return null;
end $$;

select queue.roll_partitions();
