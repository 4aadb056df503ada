-- Steps that stay quick while a transaction elsewhere keeps dead rows: each row is settled at its place, and nothing is looked up in vain.

-- Settles messages that are ready; p_place: where their rows stood when they were read. Unknown ids are passed over: they were settled
-- before. The caller holds the shard rows.
create or replace function queue.settle_delivered(p_tenant integer, p_queue integer[], p_shard smallint[], p_id bigint[], p_place tid[] default null) returns integer
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
        select (select w.ctid from queue.ready w where w.tenant_id = p_tenant and w.queue_id = p_queue[i] and w.shard = p_shard[i] and w.id = p_id[i])
        from generate_series(1, cardinality(p_id)) i);
      p_place := null;
    end if;
    with gone as (
      -- Another row may stand there by now. Equality would let the planner read all of the tenant's rows by the index instead.
      delete from queue.ready r using unnest(p_queue, p_shard, p_id, v_place) as d (queue_id, shard, id, place)
      where r.ctid = d.place and (r.tenant_id, r.queue_id, r.shard, r.id) is not distinct from (p_tenant, d.queue_id, d.shard, d.id)
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

-- Settle, renew and fetch next of some of one worker's shards of one tenant. Slots whose epoch is not the shard's any more, or that were
-- given back or put to sleep by a call whose answer was lost, are left out of everything and of the answer. p_release: give the shard
-- back, whose next lease reads from p_cursor. p_resting: put it to sleep when it is empty; else it stays leased, and publish tells its
-- worker. p_renew: lengthen the leases. p_held: messages in the worker's hand, p_above: how many of them are above the cursor, whose ids
-- are in p_known; p_reached: the highest id it was given under this lease. p_cost: virtual time since a write that the answer told of (isNoted).
create or replace function queue.step(
  p_tenant integer, p_lease_seconds double precision, p_renew boolean,
  p_queue integer[], p_shard smallint[], p_epoch bigint[], p_generation integer[], p_cursor bigint[], p_limit integer[], p_held integer[],
  p_above integer[], p_reached bigint[], p_cost double precision[], p_release boolean[], p_resting boolean[], p_known bigint[], p_look boolean,
  p_done_slot smallint[], p_done_id bigint[], p_done_place tid[],
  p_failures jsonb, p_attempts jsonb
) returns setof queue.delivery
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  v_slot smallint[];
  v_slots queue.slot[];
  v_states text;
  v_read queue.selection;
  v_found integer;
begin
  -- Nothing that anybody was told is lost with it: a read or a renewal that a crash of the database undoes is a lease that ends sooner.
  if cardinality(p_done_id) = 0 and p_failures is null and p_attempts is null then
    perform set_config('synchronous_commit', 'off', true);
  end if;
  perform queue.lock_shards(p_tenant, p_queue, p_shard);
  select array_agg(i.slot::smallint order by i.slot) into v_slot
  from unnest(p_queue, p_shard, p_epoch) with ordinality as i (queue_id, shard, epoch, slot)
  cross join lateral (
    select from queue.shard s
    where s.tenant_id = p_tenant and s.queue_id = i.queue_id and s.shard = i.shard and s.epoch = i.epoch and s.owner is not null offset 0
  ) s;
  if v_slot is null then return; end if;

  if p_attempts is not null then
    perform queue.record_attempts(p_tenant, v_slot, array(select p_queue[s] from unnest(v_slot) s), array(select p_shard[s] from unnest(v_slot) s), p_attempts);
  end if;
  if cardinality(p_done_id) > 0 then
    perform queue.settle_delivered(p_tenant, array_agg(p_queue[d.slot]), array_agg(p_shard[d.slot]), array_agg(d.id), array_agg(d.place))
    from unnest(p_done_slot, p_done_id, p_done_place) as d (slot, id, place) where d.slot = any (v_slot);
  end if;
  if p_failures is not null then
    perform queue.settle_failed(p_tenant, jsonb_agg(f || jsonb_build_object('queueId', p_queue[(f ->> 'slot')::int], 'shard', p_shard[(f ->> 'slot')::int])))
    from jsonb_array_elements(p_failures) f where (f ->> 'slot')::smallint = any (v_slot);
  end if;

  -- After the settling, which may have made what was parked behind a blocker ready again: then the worker has to start at the head first,
  -- and what it will find there counts as in its hand. Else operators who change a shard without pause would keep it from ever reading.
  select array_agg(row(u.slot, p_queue[u.slot], p_shard[u.slot], p_generation[u.slot], p_cursor[u.slot],
      case when p_release[u.slot] or s.is_blocked or s.generation <> p_generation[u.slot] then 0 else p_limit[u.slot] end,
      p_held[u.slot], p_above[u.slot], greatest(p_reached[u.slot], h.id), p_cost[u.slot], p_release[u.slot], p_resting[u.slot])::queue.slot order by u.slot),
    json_agg(json_build_object('slot', u.slot, 'generation', s.generation, 'isBlocked', s.is_blocked, 'reachedTo', h.id) order by u.slot)::text
  into v_slots, v_states
  from unnest(v_slot) as u (slot)
  cross join lateral (
    select s.generation, s.is_blocked from queue.shard s
    where s.tenant_id = p_tenant and s.queue_id = p_queue[u.slot] and s.shard = p_shard[u.slot] offset 0
  ) s
  -- A condition of the join would be looked at after the rows.
  cross join lateral (
    select case when s.generation <> p_generation[u.slot] and not p_release[u.slot] then (
      select max(r.id) from (
        select r.id from queue.ready r where r.tenant_id = p_tenant and r.queue_id = p_queue[u.slot] and r.shard = p_shard[u.slot]
        order by r.id limit p_limit[u.slot] + p_held[u.slot]
      ) r
    ) end as id
  ) h;
  return next queue.header_row(v_states);
  v_read := queue.read_shards(p_tenant, v_slots, p_known, p_look, case when p_renew then p_lease_seconds else 0 end);
  return next queue.header_row(v_read.header);
  if v_read.id is null then return; end if;
  return query select * from queue.messages_at(p_tenant, v_read);
  get diagnostics v_found = row_count;
  if v_found < cardinality(v_read.id) then return query select * from queue.messages_of(p_tenant, v_read); end if;
end
$$;
