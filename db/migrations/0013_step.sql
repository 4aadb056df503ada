-- A message's way through the engine with few looks and few writes (packages/queue/README.md, "A step").
--
-- Rows of ready are settled by the place (ctid) they were read from (0027_engine_pace.sql), messages are read where they were stored, and a
-- shard's row is written once a step at most and only when something in it has to change (0036_read_rows.sql): every version of it stays
-- while a transaction elsewhere is open, and publish, lease and step walk past all of them.

-- What a worker gets: rows with a header (JSON), then messages. place: where the row of ready stands.
create type queue.delivery as (
  header text, slot smallint, attempts smallint, place tid, id bigint, subtenant_id integer, key text, entity_type text, headers text,
  document text, version bigint, origin_id bigint,
  -- Milliseconds since 1970: a date costs the worker ten times as much to read.
  created_ms double precision
);

create function queue.header_row(p_header text) returns queue.delivery
language sql immutable
return row(p_header, null, null, null, null, null, null, null, null, null, null, null, null)::queue.delivery;

-- What a worker asks of one of its shards: see queue.step.
create type queue.slot as (
  slot smallint, queue_id integer, shard smallint, generation integer, cursor bigint, room integer, held integer, above integer, reached bigint,
  cost double precision, is_release boolean, is_resting boolean
);

-- Settle, renew and fetch next of some of one worker's shards of one tenant. Slots whose epoch is not the shard's any more, or that were
-- given back or put to sleep by a call whose answer was lost, are left out of everything and of the answer. p_release: give the shard
-- back, whose next lease reads from p_cursor. p_resting: put it to sleep when it is empty; else it stays leased, and publish tells its
-- worker. p_renew: lengthen the leases. p_held: messages in the worker's hand, p_above: how many of them are above the cursor, whose ids
-- are in p_known; p_reached: the highest id it was given under this lease. p_cost: virtual time since a write that the answer told of (isNoted).
create function queue.step(
  p_tenant integer, p_lease_seconds double precision, p_renew boolean,
  p_queue integer[], p_shard smallint[], p_epoch bigint[], p_generation integer[], p_cursor bigint[], p_limit integer[], p_held integer[],
  p_above integer[], p_reached bigint[], p_cost double precision[], p_release boolean[], p_resting boolean[], p_known bigint[], p_look boolean,
  p_done_slot smallint[], p_done_id bigint[], p_done_place tid[],
  p_failures jsonb, p_attempts jsonb
) returns setof queue.delivery
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_mergejoin = off
as $$
declare
  v_slot smallint[];
  v_slots queue.slot[];
  v_states text;
  -- p_queue, null for slots that are left out.
  v_queue integer[];
  v_open_from bigint := 0;
  v_above bigint := (select min(c) from unnest(p_cursor) as u (c));
  v_lease_seconds double precision := case when p_renew then p_lease_seconds else 0 end;
begin
  -- Nothing that anybody was told is lost with it: a read or a renewal that a crash of the database undoes is a lease that ends sooner.
  if cardinality(p_done_id) = 0 and p_failures is null and p_attempts is null then
    perform set_config('synchronous_commit', 'off', true);
  end if;
  perform queue.lock_shards(p_tenant, p_queue, p_shard);
  select array_agg(i.slot::smallint order by i.slot) filter (where s.is_ours), array_agg(case when s.is_ours then i.queue_id end order by i.slot)
  into v_slot, v_queue
  from unnest(p_queue, p_shard, p_epoch) with ordinality as i (queue_id, shard, epoch, slot)
  left join lateral (
    select s.epoch = i.epoch and s.owner is not null as is_ours from queue.shard s
    where s.tenant_id = p_tenant and s.queue_id = i.queue_id and s.shard = i.shard offset 0
  ) s on true;
  if v_slot is null then return; end if;

  if p_attempts is not null then
    perform queue.record_attempts(p_tenant, v_slot, array(select p_queue[s] from unnest(v_slot) s), array(select p_shard[s] from unnest(v_slot) s), p_attempts);
  end if;
  if cardinality(p_done_id) > 0 then
    perform queue.settle_delivered(p_tenant, v_queue, p_shard, p_done_slot, p_done_id, p_done_place);
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

  -- Before the read: what has ended by now is seen by it. A transaction elsewhere that is open for long would keep the reader from moving on:
  -- those that publish for this tenant are told from the others, which costs a look at all locks.
  if p_look then
    v_open_from := coalesce(queue.oldest_publish(p_tenant), pg_snapshot_xmax(pg_current_snapshot())::text::bigint);
  end if;
  -- Nobody else can hold a lane of these shards meanwhile.
  if exists (
    select from queue.queue q
    where q.tenant_id = p_tenant and q.id = any (p_queue)
      and (q.mode = 'latest' or exists (select from queue.held h where h.tenant_id = p_tenant and h.queue_id = q.id))
  ) then
    return query select * from queue.read_choosing(p_tenant, v_slots, p_known, v_open_from, v_lease_seconds);
    return;
  end if;
  return query
    with chosen as materialized (
      select s.slot, r.*
      from unnest(v_slots) as s
      cross join lateral (
        select r.queue_id, r.id, r.attempts, r.ctid as place, r.message_place from queue.ready r
        where r.tenant_id = p_tenant and r.queue_id = s.queue_id and r.shard = s.shard and r.id > s.cursor
        order by r.id limit case when s.room > 0 then s.room + s.above else 0 end
      ) r
      -- Outside of the limited scan, so that it is one hash look-up per row.
      where not exists (select from unnest(p_known) as k (id) where k.id = r.id)
    ), noted as (
      select queue.note_read(p_tenant, v_slots, array_agg(n.slot), array_agg(n.found), array_agg(n.read_to),
        greatest(v_open_from, pg_snapshot_xmin(pg_current_snapshot())::text::bigint), v_lease_seconds) as header
      from (select c.slot, count(*) as found, max(c.id) as read_to from chosen c group by c.slot) n
    )
    select (queue.header_row(header)).* from noted
    union all
    select null::text, c.slot, c.attempts, c.place, m.id, m.subtenant_id, m.key, m.entity_type, m.headers,
      m.document, m.version, m.origin_id, date_part('epoch', m.created_at) * 1000
    from chosen c cross join lateral queue.message_at(p_tenant, c.queue_id, c.id, c.message_place, v_above) m;
end
$$;
