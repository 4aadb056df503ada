-- Reading on, exactly. A snapshot's upper bound is one past the highest transaction that has ended: one that is open may have that id or a higher
-- one, and an id of a message lower than what the read saw. A reader that took the bound for the next transaction's id passed such a message.

-- Reads the next messages of shards the caller has locked and leased. Parks what waits behind a blocker, settles what a newer
-- message replaces, puts an empty shard to sleep where it may rest. p_known: ids in the worker's hand above the cursors.
--
-- A commit may come late with an id lower than others that were read. So the answer says which transactions this read may have
-- missed, those from openFrom on, and its own transaction's id (ownXid): whoever drew message ids before an earlier read of the same reader
-- has a lower one. A later read from the same cursor whose openFrom has reached that sees every id up to the highest of the earlier read,
-- and a cursor may stand there; unless it took its limit of rows before (not isWhole). A transaction elsewhere that is open for long keeps
-- openFrom back: with p_look those that publish for this tenant are told from the others, which costs a look at all locks.
--
-- The one write of the shards' rows, where something changes: leases renewed or ended, waiting or not, more in hand than noted. Where all
-- there is was read, what comes next is noted ahead, and the costs wait in the worker, so that most reads change nothing.
create or replace function queue.read_shards(p_tenant integer, p_slots queue.slot[], p_known bigint[], p_look boolean, p_lease_seconds double precision)
returns queue.selection
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_mergejoin = off
as $$
declare
  -- After a lost lease messages up to so many ids further, of all shards together, are read in careful mode.
  c_ahead constant integer := 2000;
  v_slot smallint[];
  v_id bigint[];
  v_attempts smallint[];
  v_queue integer[];
  v_place tid[];
  v_message_place tid[];
  v_lane bigint[];
  v_behind bigint[];
  v_collapses boolean;
  v_header json;
  v_open_from bigint := 0;
  v_oldest bigint;
begin
  -- Before the read: what has ended by now is seen by it.
  if p_look then
    select pg_snapshot_xmax(pg_current_snapshot())::text::bigint, queue.oldest_publish(p_tenant) into v_open_from, v_oldest;
    v_open_from := coalesce(v_oldest, v_open_from);
  end if;
  -- The filter on p_known stands outside of the limited scan, so that it is one hash look-up per row.
  select array_agg(slot), array_agg(queue_id), array_agg(id), array_agg(attempts), array_agg(place), array_agg(message_place), array_agg(lane), coalesce(bool_or(collapses), false),
    greatest(v_open_from, pg_snapshot_xmin(pg_current_snapshot())::text::bigint)
  into v_slot, v_queue, v_id, v_attempts, v_place, v_message_place, v_lane, v_collapses, v_open_from
  from (
    select s.slot, r.queue_id, r.id, r.attempts, r.collapses, r.lane, r.place, r.message_place
    from unnest(p_slots) as s
    cross join lateral (
      select r.ctid as place, r.message_place, r.queue_id, r.id, r.attempts, r.collapses, r.lane from queue.ready r
      where r.tenant_id = p_tenant and r.queue_id = s.queue_id and r.shard = s.shard and r.id > s.cursor
      order by r.id limit case when s.room > 0 then s.room + s.above else 0 end
    ) r
    where not exists (select from unnest(p_known) as k (id) where k.id = r.id)
  ) c;

  with seen as (
    select u.slot, count(*) as found, max(u.id) as read_to from unnest(v_slot, v_id) as u (slot, id) group by u.slot
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
  select json_build_object('openFrom', v_open_from::text, 'ownXid', pg_current_xact_id()::text, 'slots', json_agg(json_build_object(
    'slot', slot, 'isRead', room > 0, 'isEmpty', is_empty, 'isAsleep', is_empty and is_resting, 'isWhole', is_whole, 'readTo', read_to,
    'isNoted', exists (select from noted where noted.slot = read.slot))))
  into v_header from read;

  if v_id is not null and exists (
    select from queue.held h where h.tenant_id = p_tenant and h.queue_id = any (array(select distinct u.id from unnest(v_queue) as u (id)))
  ) then
    select array_agg(c.id) into v_behind
    from unnest(v_queue, v_id, v_lane) as c (queue_id, id, lane)
    cross join lateral (
      select h.message_id from queue.held h where h.tenant_id = p_tenant and h.queue_id = c.queue_id and h.lane = c.lane offset 0
    ) h
    where h.message_id <> c.id;
  end if;
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

  if v_id is not null and v_collapses then
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

  return row(json_build_object('read', v_header, 'slot', v_slot::text, 'id', v_id::text, 'attempts', v_attempts::text, 'place', v_place::text)::text,
    v_queue, v_id, v_message_place)::queue.selection;
end
$$;
