-- A message's way through the engine with few looks and few writes (packages/queue/README.md, "A step").
--
-- Rows of ready are settled by the place (ctid) they were read from, messages are read where they were stored, and a shard's row is
-- written once a step at most and only when something in it has to change: every version of it stays while a transaction elsewhere is
-- open, and publish, lease and step walk past all of them.
--
-- What is read goes to the worker as it is found: one statement reads the rows of ready, notes what was read in their shards and brings the
-- messages. Gathering in arrays, sending these as text, unnesting and joining was a third of what a message cost between its settling and its
-- reading. Only where lanes are held or collapse does a read gather first: which rows stay is known after that.
--
-- A lease reads nothing: the step that follows at once does. Reads leave out the days that are behind them when they start, rather
-- than pass all partitions for each message.
--
-- A snapshot's upper bound is one past the highest transaction that has ended: one that is open may have that id or a higher one, and an id of
-- a message lower than what the read saw. A reader that takes the bound for the next transaction's id passes such a message.

-- What a worker gets: rows with a header (JSON), then messages. place: where the row of ready stands.
create type queue.delivery as (
  header text, slot smallint, attempts smallint, place tid, id bigint, subtenant_id integer, key text, entity_type text, headers text,
  document text, version bigint, origin_id bigint,
  -- Milliseconds since 1970: a date costs the worker ten times as much to read.
  created_ms double precision,
  -- Bytes of a large document, which is not among them: it is read when its delivery starts.
  large_bytes integer
);

-- Of a small document a worker can hold a thousand. The length stands beside a long text, which is not read for it.
create function queue.is_large(p_document text) returns boolean
language sql immutable
return octet_length(p_document) > 16384;

create function queue.header_row(p_header text) returns queue.delivery
language sql immutable
return row(p_header, null, null, null, null, null, null, null, null, null, null, null, null, null)::queue.delivery;

-- What a worker asks of one of its shards: see queue.step.
create type queue.slot as (
  slot smallint, queue_id integer, shard smallint, generation integer, cursor bigint, room integer, held integer, above integer, reached bigint,
  cost double precision, is_release boolean, is_resting boolean
);

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
      -- Outside of the limited scan, so that it is one hash look-up per row; no join, which may bring them in any order.
      where r.id not in (select k.id from unnest(p_known) as k (id))
    ), noted as (
      select queue.note_read(p_tenant, v_slots, array_agg(n.slot), array_agg(n.found), array_agg(n.read_to),
        greatest(v_open_from, pg_snapshot_xmin(pg_current_snapshot())::text::bigint), v_lease_seconds) as header
      from (select c.slot, count(*) as found, max(c.id) as read_to from chosen c group by c.slot) n
    )
    select (queue.header_row(header)).* from noted
    union all
    select null::text, c.slot, c.attempts, c.place, m.id, m.subtenant_id, m.key, m.entity_type, m.headers,
      case when not queue.is_large(m.document) then m.document end, m.version, m.origin_id, date_part('epoch', m.created_at) * 1000,
      case when queue.is_large(m.document) then octet_length(m.document) end
    from chosen c cross join lateral queue.message_at(p_tenant, c.queue_id, c.id, c.message_place, v_above) m;
end
$$;

-- What a read did to the shards of p_slots, which the caller has locked, as JSON for the worker; it found p_found rows up to p_read_to in
-- those named by p_slot.
--
-- A commit may come late with an id lower than others that were read. So the answer says which transactions this read may have
-- missed, those from openFrom on, and its own transaction's id (ownXid), if it has one: whoever drew message ids before an earlier read of the
-- same reader has a lower one. A later read from the same cursor whose openFrom has reached that sees every id up to the highest of the earlier read,
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
  select json_build_object('openFrom', p_open_from::text, 'ownXid', pg_current_xact_id_if_assigned()::text, 'slots', json_agg(json_build_object(
    'slot', slot, 'isRead', room > 0, 'isEmpty', is_empty, 'isAsleep', is_empty and is_resting, 'isWhole', is_whole, 'readTo', read_to,
    'isNoted', exists (select from noted where noted.slot = read.slot))))
  into v_header from read;
  return v_header;
end
$$;

-- Reads what workers are to deliver of lanes that are held, or of which the latest wins: parks what is behind a blocker, settles what a newer message
-- replaces. p_known: ids in the worker's hand above the cursors. p_open_from: see queue.step. What it moves is behind its reader then, so it is committed
-- for good before the reader goes on: undone by a crash of the database, it would be ready once more behind what came later.
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
  -- Checksums of ids, before and after some were replaced.
  v_found bigint;
  v_left bigint;
  v_open_from bigint;
  v_above bigint;
begin
  select array_agg(slot), array_agg(queue_id), array_agg(id), array_agg(attempts), array_agg(place), array_agg(message_place), array_agg(lane), bool_or(collapses), bit_xor(id),
    greatest(p_open_from, pg_snapshot_xmin(pg_current_snapshot())::text::bigint)
  into v_slot, v_queue, v_id, v_attempts, v_place, v_message_place, v_lane, v_collapses, v_found, v_open_from
  from (
    select s.slot, r.*
    from unnest(p_slots) as s
    cross join lateral (
      select r.queue_id, r.id, r.lane, r.attempts, r.collapses, r.ctid as place, r.message_place from queue.ready r
      where r.tenant_id = p_tenant and r.queue_id = s.queue_id and r.shard = s.shard and r.id > s.cursor
      order by r.id limit case when s.room > 0 then s.room + s.above else 0 end
    ) r
    -- Outside of the limited scan, so that it is one hash look-up per row; no join, which may bring them in any order.
    where r.id not in (select k.id from unnest(p_known) as k (id))
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
    set local synchronous_commit to default;
    select array_agg(c.slot), array_agg(c.queue_id), array_agg(c.id), array_agg(c.attempts), array_agg(c.place), array_agg(c.message_place)
    into v_slot, v_queue, v_id, v_attempts, v_place, v_message_place
    from unnest(v_slot, v_queue, v_id, v_attempts, v_place, v_message_place) as c (slot, queue_id, id, attempts, place, message_place) where c.id <> all (v_behind);
  end if;

  if v_collapses then
    -- By number, as queue.collapse wants its shards.
    select array_agg(i.slot), array_agg(c.queue_id), array_agg(c.id), array_agg(c.attempts), array_agg(c.place), array_agg(c.message_place), bit_xor(c.id)
    into v_slot, v_queue, v_id, v_attempts, v_place, v_message_place, v_left
    from (
      select array_agg(p.queue_id) as queues, array_agg(p.shard) as shards, array_agg(p.slot) as slots from unnest(p_slots) as p
    ) a
    cross join lateral queue.collapse(p_tenant, a.queues, a.shards,
      array(select array_position(a.slots, u.slot)::smallint from unnest(v_slot) with ordinality as u (slot, n) order by u.n), v_id, p_known) c
    cross join lateral (select a.slots[c.slot] as slot) i;
    if v_left is distinct from v_found then
      set local synchronous_commit to default;
    end if;
  end if;

  select min(u.id) - 1 into v_above from unnest(v_id) as u (id);
  return query
    select null::text, c.slot, c.attempts, c.place, m.id, m.subtenant_id, m.key, m.entity_type, m.headers,
      case when not queue.is_large(m.document) then m.document end, m.version, m.origin_id, date_part('epoch', m.created_at) * 1000,
      case when queue.is_large(m.document) then octet_length(m.document) end
    from unnest(v_slot, v_queue, v_id, v_attempts, v_place, v_message_place) as c (slot, queue_id, id, attempts, place, message_place)
    cross join lateral queue.message_at(p_tenant, c.queue_id, c.id, c.message_place, v_above) m;
end
$$;

-- Latest wins, row by row: a join would let the planner read all of the tenant's ready rows, dead ones included.
-- Of the candidates' lanes in 'latest' queues keeps the newest message that is ready, and settles the others as superseded.
-- Candidates of fifo queues pass through. Messages in hand (p_known) are left alone.
create function queue.collapse(p_tenant integer, p_queue integer[], p_shard smallint[], p_slot smallint[], p_id bigint[], p_known bigint[])
returns table (slot smallint, queue_id integer, id bigint, attempts smallint, place tid, message_place tid)
language sql
set enable_seqscan = off
as $$
  with candidate as materialized (
    select c.slot, r.queue_id, r.shard, r.id, r.lane, r.attempts, r.collapses, r.ctid as place, r.message_place
    from unnest(p_slot, p_id) as c (slot, id)
    cross join lateral (
      select r.*, r.ctid from queue.ready r
      where r.tenant_id = p_tenant and r.queue_id = p_queue[c.slot] and r.shard = p_shard[c.slot] and r.id = c.id offset 0
    ) r
  ), ranked as materialized (
    select l.slot, r.queue_id, r.shard, r.id, r.attempts, r.version, r.ctid as place, r.message_place,
      row_number() over (partition by r.queue_id, r.lane order by coalesce(r.version, 0) desc, r.id desc) > 1
        or queue.is_overtaken(p_tenant, r.queue_id, r.lane, r.version, r.id) as is_replaced
    from (select distinct slot, queue_id, lane from candidate where collapses) l
    cross join lateral (
      select r.*, r.ctid from queue.ready r
      where r.tenant_id = p_tenant and r.queue_id = l.queue_id and r.lane = l.lane and r.collapses offset 0
    ) r
    where not exists (select from unnest(p_known) as k (id) where k.id = r.id)
  ), replaced as (
    delete from queue.ready r using ranked x
    where x.is_replaced and r.ctid = x.place and r.id = x.id
    returning r.queue_id, r.id, r.attempts
  ), kept as (
    insert into queue.history (tenant_id, queue_id, id, attempts, outcome)
    select p_tenant, r.queue_id, r.id, r.attempts, 'superseded' from replaced r
  )
  select c.slot, c.queue_id, c.id, c.attempts, c.place, c.message_place from candidate c where not c.collapses
  union all
  select x.slot, x.queue_id, x.id, x.attempts, x.place, x.message_place from ranked x where not x.is_replaced;
$$;
