-- What is read goes to the worker as it is found: one statement reads the rows of ready, notes what was read in their shards and brings the
-- messages. It was gathered in arrays, sent as their text, unnested and joined again, a third of what a message cost between its settling
-- and its reading. Only where lanes are held or collapse does a read still gather first: which rows stay is known after that.
--
-- A lease reads nothing any more: the step that follows at once does. Reads leave out the days that are behind them when they start, rather
-- than pass all partitions for each message.
--
-- A snapshot's upper bound is one past the highest transaction that has ended: one that is open may have that id or a higher one, and an id of
-- a message lower than what the read saw. A reader that took the bound for the next transaction's id passed such a message.

drop function queue.step(integer, double precision, boolean, integer[], smallint[], bigint[], integer[], bigint[], integer[], integer[],
  integer[], bigint[], double precision[], boolean[], boolean[], bigint[], boolean, smallint[], bigint[], tid[], jsonb, jsonb);
drop function queue.lease_shards(text, integer, double precision, integer, integer[], integer[]);
drop function queue.read_shards(integer, queue.slot[], bigint[], boolean, double precision);
drop function queue.messages_at(integer, queue.selection);
drop function queue.messages_of(integer, queue.selection);
drop function queue.header_row(text);
drop function queue.settle_delivered(integer, integer[], smallint[], bigint[], tid[]);
-- Nothing asks for it any more.
drop function queue.day_of(bigint);
drop type queue.selection;
drop type queue.delivery;

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

-- A message where it was stored; by its key when no place is known, or it was moved. Inlined, so that documents are copied once on their
-- way to the client, and the look-up by key is made only when it is needed. p_above: a lower id than any asked for, by a variable.
create function queue.message_at(p_tenant integer, p_queue integer, p_id bigint, p_place tid, p_above bigint) returns setof queue.message
language sql stable
as $$
  select * from queue.message m where m.ctid = p_place and m.id = p_id and m.id > p_above and m.tenant_id = p_tenant and m.queue_id = p_queue
  union all
  select * from queue.message m where m.tenant_id = p_tenant and m.queue_id = p_queue and m.id = p_id and m.id > p_above
  limit 1;
$$;

-- What a read did to the shards of p_slots, which the caller has locked, as JSON for the worker; it found p_found rows up to p_read_to in
-- those named by p_slot.
--
-- A commit may come late with an id lower than others that were read. So the answer says which transactions this read may have
-- missed, those from openFrom on, and its own transaction's id (ownXid): whoever drew message ids before an earlier read of the same reader
-- has a lower one. A later read from the same cursor whose openFrom has reached that sees every id up to the highest of the earlier read,
-- and a cursor may stand there; unless it took its limit of rows before (not isWhole).
--
-- The one write of the shards' rows, where something changes: leases renewed or ended, waiting or not, more in hand than noted. Where all
-- there is was read, what comes next is noted ahead, and the costs wait in the worker, so that most reads change nothing.
create function queue.note_read(
  p_tenant integer, p_slots queue.slot[], p_slot smallint[], p_found bigint[], p_read_to bigint[], p_open_from bigint,
  p_lease_seconds double precision
) returns text
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_mergejoin = off
as $$
declare
  -- After a lost lease messages up to so many ids further, of all shards together, are read in careful mode.
  c_ahead constant integer := 2000;
  v_header text;
begin
  with seen as (
    select * from unnest(p_slot, p_found, p_read_to) as u (slot, found, read_to)
  ), read as (
    select i.*, greatest(n.read_to, i.reached) as reached_to, n.read_to, i.room > 0 and coalesce(n.found, 0) < i.room as is_whole,
      i.room > 0 and n.found is null and i.held = 0 as is_empty
    from unnest(p_slots) as i left join seen n on n.slot = i.slot
  ), noted as (
    update queue.shard s
    set read_to = case when not n.is_whole then n.reached_to when n.reached_to > s.read_to then n.reached_to + c_ahead else s.read_to end,
      cursor = case
        when n.is_empty and n.is_resting then n.cursor
        when n.is_release then case when s.generation = n.generation then n.cursor else 0 end
        else s.cursor
      end,
      is_active = s.is_active and not (n.is_empty and n.is_resting),
      is_waiting = case
        when n.is_release or (n.is_empty and n.is_resting) then false
        when n.room > 0 then n.is_whole
        else s.is_waiting
      end,
      owner = case when n.is_release or (n.is_empty and n.is_resting) then null else s.owner end,
      lease_until = case
        when n.is_release or (n.is_empty and n.is_resting) then '-infinity'
        when p_lease_seconds > 0 then clock_timestamp() + interval '1 second' * p_lease_seconds
        else s.lease_until
      end,
      virtual_time = s.virtual_time + n.cost
    from read n
    cross join lateral (
      select w.ctid as place from queue.shard w where w.tenant_id = p_tenant and w.queue_id = n.queue_id and w.shard = n.shard offset 0
    ) w
    where s.ctid = w.place
      and (n.is_release or p_lease_seconds > 0 or (n.is_empty and n.is_resting) or n.reached_to > s.read_to
        or (not n.is_whole and n.reached_to < s.read_to) or (n.room > 0 and s.is_waiting <> n.is_whole))
    returning n.slot
  )
  select json_build_object('openFrom', p_open_from::text, 'ownXid', pg_current_xact_id()::text, 'slots', json_agg(json_build_object(
    'slot', slot, 'isRead', room > 0, 'isEmpty', is_empty, 'isAsleep', is_empty and is_resting, 'isWhole', is_whole, 'readTo', read_to,
    'isNoted', exists (select from noted where noted.slot = read.slot))))
  into v_header from read;
  return v_header;
end
$$;

-- Reads the next messages of shards the caller has locked and leased, of queues with held lanes or of mode 'latest'. Parks what waits behind
-- a blocker, settles what a newer message replaces. p_known: ids in the worker's hand above the cursors. p_open_from: see queue.step.
create function queue.read_choosing(p_tenant integer, p_slots queue.slot[], p_known bigint[], p_open_from bigint, p_lease_seconds double precision)
returns setof queue.delivery
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_mergejoin = off
as $$
declare
  v_slot smallint[];
  v_id bigint[];
  v_attempts smallint[];
  v_queue integer[];
  v_place tid[];
  v_message_place tid[];
  v_lane bigint[];
  v_behind bigint[];
  v_collapses boolean;
  v_open_from bigint;
  v_above bigint;
begin
  select array_agg(slot), array_agg(queue_id), array_agg(id), array_agg(attempts), array_agg(place), array_agg(message_place), array_agg(lane), bool_or(collapses),
    greatest(p_open_from, pg_snapshot_xmin(pg_current_snapshot())::text::bigint)
  into v_slot, v_queue, v_id, v_attempts, v_place, v_message_place, v_lane, v_collapses, v_open_from
  from (
    select s.slot, r.*
    from unnest(p_slots) as s
    cross join lateral (
      select r.queue_id, r.id, r.lane, r.attempts, r.collapses, r.ctid as place, r.message_place from queue.ready r
      where r.tenant_id = p_tenant and r.queue_id = s.queue_id and r.shard = s.shard and r.id > s.cursor
      order by r.id limit case when s.room > 0 then s.room + s.above else 0 end
    ) r
    -- Outside of the limited scan, so that it is one hash look-up per row.
    where not exists (select from unnest(p_known) as k (id) where k.id = r.id)
  ) c;
  return next queue.header_row((
    select queue.note_read(p_tenant, p_slots, array_agg(n.slot), array_agg(n.found), array_agg(n.read_to), v_open_from, p_lease_seconds)
    from (select u.slot, count(*) as found, max(u.id) as read_to from unnest(v_slot, v_id) as u (slot, id) group by u.slot) n
  ));

  select array_agg(c.id) into v_behind
  from unnest(v_queue, v_id, v_lane) as c (queue_id, id, lane)
  cross join lateral (
    select h.message_id from queue.held h where h.tenant_id = p_tenant and h.queue_id = c.queue_id and h.lane = c.lane offset 0
  ) h
  where h.message_id <> c.id;
  if v_behind is not null then
    with moved as (
      delete from queue.ready r using unnest(v_id, v_place) as c (id, place)
      where c.id = any (v_behind) and r.ctid = c.place and r.id = c.id
      returning r.*
    )
    insert into queue.parked (tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit)
    select tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit from moved;
    select array_agg(c.slot), array_agg(c.queue_id), array_agg(c.id), array_agg(c.attempts), array_agg(c.place), array_agg(c.message_place)
    into v_slot, v_queue, v_id, v_attempts, v_place, v_message_place
    from unnest(v_slot, v_queue, v_id, v_attempts, v_place, v_message_place) as c (slot, queue_id, id, attempts, place, message_place) where c.id <> all (v_behind);
  end if;

  if v_collapses then
    -- By number, as queue.collapse wants its shards.
    select array_agg(i.slot), array_agg(c.queue_id), array_agg(c.id), array_agg(c.attempts), array_agg(c.place), array_agg(c.message_place)
    into v_slot, v_queue, v_id, v_attempts, v_place, v_message_place
    from (
      select array_agg(p.queue_id) as queues, array_agg(p.shard) as shards, array_agg(p.slot) as slots from unnest(p_slots) as p
    ) a
    cross join lateral queue.collapse(p_tenant, a.queues, a.shards,
      array(select array_position(a.slots, u.slot)::smallint from unnest(v_slot) with ordinality as u (slot, n) order by u.n), v_id, p_known) c
    cross join lateral (select a.slots[c.slot] as slot) i;
  end if;

  select min(u.id) - 1 into v_above from unnest(v_id) as u (id);
  return query
    select null::text, c.slot, c.attempts, c.place, m.id, m.subtenant_id, m.key, m.entity_type, m.headers,
      m.document, m.version, m.origin_id, date_part('epoch', m.created_at) * 1000
    from unnest(v_slot, v_queue, v_id, v_attempts, v_place, v_message_place) as c (slot, queue_id, id, attempts, place, message_place)
    cross join lateral queue.message_at(p_tenant, c.queue_id, c.id, c.message_place, v_above) m;
end
$$;

-- Leases up to p_max shards of the tenant whose turn it is, least virtual time first. Returns what the worker has to know of them, as JSON,
-- or null.
-- Start-time fair queuing: a shard that wakes starts at the clock of those being served; see README, "Fairness".
create function queue.lease_shards(
  p_worker text, p_max integer, p_lease_seconds double precision, p_skip_tenant integer[], p_skip_target integer[]
) returns text
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  v_clock double precision;
  v_tenant integer;
  v_lost integer[];
  v_lost_shard smallint[];
  v_header text;
begin
  with leasable as materialized (
    select tenant_id, queue_id, virtual_time, is_fresh, lease_until from queue.shard where is_active and not is_blocked
  ), clock as (
    select coalesce(min(virtual_time) filter (where not is_fresh), max(virtual_time)) as now from leasable
  )
  select s.tenant_id, c.now into v_tenant, v_clock
  from clock c cross join leasable s join queue.queue q on q.tenant_id = s.tenant_id and q.id = s.queue_id
  where s.lease_until < clock_timestamp()
    and not exists (select from unnest(p_skip_tenant, p_skip_target) as k (tenant_id, target_id) where k.tenant_id = s.tenant_id and k.target_id = q.target_id)
  order by case when s.is_fresh then greatest(s.virtual_time, c.now) else s.virtual_time end limit 1;
  if v_tenant is null then return null; end if;

  with pick as (
    select s.queue_id, s.shard, s.owner is not null as is_lost
    from queue.shard s join queue.queue q on q.tenant_id = s.tenant_id and q.id = s.queue_id
    where s.tenant_id = v_tenant and s.is_active and not s.is_blocked and s.lease_until < clock_timestamp()
      and not exists (select from unnest(p_skip_tenant, p_skip_target) as k (tenant_id, target_id) where k.tenant_id = s.tenant_id and k.target_id = q.target_id)
    order by case when s.is_fresh then greatest(s.virtual_time, v_clock) else s.virtual_time end
    limit p_max for no key update of s skip locked
  ), leased as (
    update queue.shard s
    set owner = p_worker, lease_until = clock_timestamp() + interval '1 second' * p_lease_seconds, epoch = s.epoch + 1, is_fresh = false,
      virtual_time = case when s.is_fresh then greatest(s.virtual_time, v_clock) else s.virtual_time end,
      careful_to = case when p.is_lost then greatest(s.careful_to, s.read_to) else s.careful_to end,
      cursor = case when p.is_lost then 0 else s.cursor end,
      read_to = 0, is_waiting = false
    from pick p where s.tenant_id = v_tenant and s.queue_id = p.queue_id and s.shard = p.shard
    returning s.queue_id, s.shard, s.epoch, s.generation, s.careful_to, s.cursor, p.is_lost
  ), weights as (
    select queue_id, count(*) * count(*) over () as weight from queue.shard
    where tenant_id = v_tenant and is_active and not is_blocked group by queue_id
  ), slots as (
    select l.*, w.weight, q.name, q.mode, q.target_id, t.concurrency, t.circuit, t.rate_per_second
    from leased l
    join weights w on w.queue_id = l.queue_id
    join queue.queue q on q.tenant_id = v_tenant and q.id = l.queue_id
    join queue.target t on t.tenant_id = v_tenant and t.id = q.target_id
  )
  select array_agg(queue_id) filter (where is_lost), array_agg(shard) filter (where is_lost),
    json_agg(json_build_object('tenantId', v_tenant, 'queueId', queue_id, 'shard', shard, 'epoch', epoch::text, 'generation', generation,
      'carefulTo', careful_to::text, 'cursor', cursor::text, 'weight', weight, 'queueName', name, 'mode', mode, 'targetId', target_id,
      'concurrency', concurrency, 'circuit', circuit, 'ratePerSecond', rate_per_second, 'isLost', is_lost) order by queue_id, shard)::text
  into v_lost, v_lost_shard, v_header from slots;
  if v_lost is not null then perform queue.charge_suspects(v_tenant, v_lost, v_lost_shard); end if;
  return v_header;
end
$$;

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

create or replace function queue.settle_lease(p_tenant integer, p_token uuid, p_kind text, p_failure jsonb, p_attempt jsonb) returns boolean
language plpgsql
set enable_seqscan = off
as $$
declare
  v_lease queue.lease;
begin
  select * into v_lease from queue.lease where tenant_id = p_tenant and token = p_token;
  if not found then return false; end if;
  perform queue.lock_shards(p_tenant, array[v_lease.queue_id], array[v_lease.shard]);
  delete from queue.lease where tenant_id = p_tenant and token = p_token;
  if not found then return false; end if;
  if p_attempt is not null then
    perform queue.record_attempts(p_tenant, array[1::smallint], array[v_lease.queue_id], array[v_lease.shard],
      jsonb_build_array(p_attempt || jsonb_build_object('slot', 1, 'id', v_lease.message_id)));
  end if;
  if p_kind = 'delivered' then
    perform queue.settle_delivered(p_tenant, array[v_lease.queue_id], array[v_lease.shard], array[1::smallint], array[v_lease.message_id]);
  else
    perform queue.settle_failed(p_tenant, jsonb_build_array(
      p_failure || jsonb_build_object('kind', p_kind, 'queueId', v_lease.queue_id, 'shard', v_lease.shard, 'id', v_lease.message_id)));
  end if;
  return true;
end
$$;
