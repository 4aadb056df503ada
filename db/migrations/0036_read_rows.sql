-- What is read goes to the worker as it is found: one statement reads the rows of ready, notes what was read in their shards and brings the
-- messages. Gathering in arrays, sending these as text, unnesting and joining was a third of what a message cost between its settling and its
-- reading. Only where lanes are held or collapse does a read gather first: which rows stay is known after that.
--
-- A lease reads nothing: the step that follows at once does. Reads leave out the days that are behind them when they start, rather
-- than pass all partitions for each message.
--
-- A snapshot's upper bound is one past the highest transaction that has ended: one that is open may have that id or a higher one, and an id of
-- a message lower than what the read saw. A reader that takes the bound for the next transaction's id passes such a message.

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
