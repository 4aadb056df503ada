-- Steps that stay quick while a transaction elsewhere keeps dead rows: each row is settled at its place, and nothing is looked up in vain.

-- Settles messages that are ready; p_slot: their place in p_queue and p_shard; p_place: where their rows stood when they were read. Unknown
-- ids are passed over: they were settled before. The caller holds the shard rows.
create function queue.settle_delivered(
  p_tenant integer, p_queue integer[], p_shard smallint[], p_slot smallint[], p_id bigint[], p_place tid[] default null
) returns integer
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  v_place tid[] := p_place;
  v_gone integer;
  v_settled integer := 0;
  v_queue integer[];
  v_lane bigint[];
  v_id bigint[];
begin
  loop
    if v_place is null then
      v_place := array(
        select (select w.ctid from queue.ready w where w.tenant_id = p_tenant and w.queue_id = p_queue[p_slot[i]] and w.shard = p_shard[p_slot[i]] and w.id = p_id[i])
        from generate_series(1, cardinality(p_id)) i);
      p_place := null;
    end if;
    with gone as (
      -- Another row may stand there by now. Equality would let the planner read all of the tenant's rows by the index instead.
      delete from queue.ready r using unnest(p_slot, p_id, v_place) as d (slot, id, place)
      where r.ctid = d.place
        and (r.tenant_id, r.queue_id, r.shard, r.id) is not distinct from (p_tenant, p_queue[d.slot], p_shard[d.slot], d.id)
      returning r.queue_id, r.id, r.lane, r.version, r.attempts, r.collapses,
        not r.collapses and (r.attempts > 0 or r.attempt_limit is not null) as may_block
    ), kept as (
      insert into queue.history (tenant_id, queue_id, id, attempts, outcome)
      select p_tenant, queue_id, id, attempts + 1, 'delivered' from gone
    ), versions as (
      insert into queue.delivered_version (tenant_id, queue_id, lane, version)
      select p_tenant, queue_id, lane, max(version) from gone where collapses and version is not null group by queue_id, lane
      on conflict (tenant_id, queue_id, lane) do update set version = excluded.version
      where excluded.version > delivered_version.version
    )
    -- A lane's blocker has failed before, or, as an edited copy's place makes it one, has a limit of its own.
    select count(*), array_agg(queue_id) filter (where may_block), array_agg(lane) filter (where may_block), array_agg(id) filter (where may_block)
    into v_gone, v_queue, v_lane, v_id from gone;
    if v_queue is not null then perform queue.free_lanes(p_tenant, v_queue, v_lane, v_id); end if;
    v_settled := v_settled + v_gone;
    if v_settled = cardinality(p_id) or p_place is null then return v_settled; end if;
    -- Some rows were moved: those are looked up.
    v_place := null;
  end loop;
end
$$;
