-- A message's way through the engine with fewer looks and fewer writes (packages/queue/README.md, "A step").
--
-- Rows of ready are settled by the place (ctid) they were read from, messages are read by sorted arrays of ids, and a shard's row is
-- written once a step at most and only when something in it has to change: every version of it stays while a transaction elsewhere is
-- open, and publish, lease and step walk past all of them.

drop function queue.step(integer, double precision, boolean, integer[], smallint[], bigint[], integer[], bigint[], integer[], integer[],
  double precision[], boolean[], bigint[], boolean, smallint[], bigint[], jsonb, jsonb);
drop function queue.lease_shards(text, integer, double precision, integer, integer[], integer[]);
drop function queue.read_shards(integer, integer[], smallint[], bigint[], integer[], integer[], bigint[], boolean);
drop function queue.messages_of(integer, queue.selection);
drop function queue.collapse(integer, integer[], smallint[], smallint[], bigint[], bigint[]);
drop function queue.settle_delivered(integer, integer[], smallint[], bigint[]);
drop function queue.wake_idle(integer, integer[], smallint[]);
drop type queue.selection;
drop type queue.delivery;

-- Where the message's row is in its partition, as long as nothing has moved it: messages are never updated.
alter table queue.ready add message_place tid;

-- Publishing ---------------------------------------------------------------------------------------------------------------

-- Stores messages of one tenant and makes them ready. Attributes that repeat (queue, subtenant, entity type, source, headers)
-- come once per distinct profile. Returns the ids in the order given.
create or replace function queue.publish(
  p_tenant integer,
  p_profile_queue integer[], p_profile_subtenant integer[], p_profile_entity_type text[], p_profile_source text[], p_profile_headers text[],
  p_profile integer[], p_key text[], p_document text[], p_version bigint[], p_origin bigint[], p_entity_version integer[],
  p_announce boolean
) returns bigint[]
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  v_count integer := cardinality(p_profile);
  v_id bigint[];
  v_lane bigint[];
  v_place tid[];
  -- Per profile: a lane's shard is lane & (shards - 1).
  v_mask integer[];
  v_collapses boolean[];
  v_queue integer[];
  v_shard smallint[];
  v_call text;
begin
  select array_agg(q.shards - 1 order by p.n), array_agg(q.mode = 'latest' order by p.n) into v_mask, v_collapses
  from unnest(p_profile_queue) with ordinality as p (id, n) join queue.queue q on q.tenant_id = p_tenant and q.id = p.id;
  if cardinality(v_mask) is distinct from cardinality(p_profile_queue) then
    raise exception 'A queue of these messages does not exist in tenant %.', p_tenant using errcode = 'foreign_key_violation';
  end if;

  -- Before the ids are taken: readers go by the transaction's id and this lock. See queue.read_shards.
  perform pg_current_xact_id(), pg_advisory_xact_lock_shared(7265643, p_tenant);
  v_id := array(select nextval('queue.message_id') from generate_series(1, v_count));
  v_lane := array(select queue.lane_of(p_key[i]) from generate_series(1, v_count) i);

  -- Arrays indexed by number rather than unnested: unnest copies each document once more, 0.3 µs of a message's 8.
  with stored as (
    insert into queue.message (id, tenant_id, queue_id, subtenant_id, key, entity_type, source, headers, document, version, origin_id, entity_version)
    select v_id[i], p_tenant, p_profile_queue[p_profile[i]], p_profile_subtenant[p_profile[i]], p_key[i],
      p_profile_entity_type[p_profile[i]], p_profile_source[p_profile[i]], p_profile_headers[p_profile[i]],
      p_document[i], p_version[i], p_origin[i], p_entity_version[i]
    from generate_series(1, v_count) i
    returning ctid
  )
  select array_agg(ctid) into v_place from stored;

  with waiting as (
    insert into queue.ready (tenant_id, queue_id, shard, id, lane, version, collapses, message_place)
    select p_tenant, p_profile_queue[p_profile[i]], (v_lane[i] & v_mask[p_profile[i]])::smallint, v_id[i], v_lane[i], p_version[i],
      v_collapses[p_profile[i]], v_place[i]
    from generate_series(1, v_count) i
    returning queue_id, shard
  ), touched as (
    select queue_id, shard from waiting group by queue_id, shard
  )
  select array_agg(queue_id), array_agg(shard) into v_queue, v_shard from touched;
  v_call := queue.wake_idle(p_tenant, v_queue, v_shard);

  if true = any (v_collapses) then
    perform queue.supersede_failed(p_tenant, array_agg(p_profile_queue[p_profile[i]]), array_agg(v_lane[i]), array_agg(p_version[i]))
    from generate_series(1, v_count) i where v_collapses[p_profile[i]];
  end if;
  if v_call is not null then perform pg_notify('queue_ready', v_call); end if;
  if p_announce then perform pg_notify('queue_changed', p_tenant::text); end if;
  return v_id;
end
$$;

-- Activates those of the shards that sleep. Returns what workers have to be told, or null: 'tenant' when something may be leased, else
-- 'tenant queue.shard …' with the leased shards of which everything was read.
create function queue.wake_idle(p_tenant integer, p_queue integer[], p_shard smallint[]) returns text
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  v_waiting text;
  v_waiting_count integer;
  v_queue integer[];
  v_shard smallint[];
  v_is_leasable boolean;
begin
  select string_agg(u.queue_id || '.' || u.shard, ' ') filter (where s.is_waiting), count(*) filter (where s.is_waiting),
    array_agg(u.queue_id) filter (where not s.is_active), array_agg(u.shard) filter (where not s.is_active)
  into v_waiting, v_waiting_count, v_queue, v_shard
  from unnest(p_queue, p_shard) as u (queue_id, shard)
  cross join lateral (
    select s.is_waiting, s.is_active from queue.shard s where s.tenant_id = p_tenant and s.queue_id = u.queue_id and s.shard = u.shard offset 0
  ) s;
  if v_queue is not null then
    -- Skipping locked rows: whoever holds one is activating it too, or is a worker about to look once more.
    select array_agg(u.queue_id), array_agg(u.shard) into v_queue, v_shard
    from unnest(v_queue, v_shard) as u (queue_id, shard)
    cross join lateral (
      select from queue.shard s where s.tenant_id = p_tenant and s.queue_id = u.queue_id and s.shard = u.shard and not s.is_active
      for no key update skip locked offset 0
    ) s;
    with woken as (
      update queue.shard s set is_active = true, is_fresh = true
      from unnest(v_queue, v_shard) as u (queue_id, shard)
      cross join lateral (
        select w.ctid as place from queue.shard w where w.tenant_id = p_tenant and w.queue_id = u.queue_id and w.shard = u.shard offset 0
      ) w
      where s.ctid = w.place
      returning s.is_blocked
    )
    select coalesce(bool_or(not is_blocked), false) into v_is_leasable from woken;
  end if;
  -- A notification holds 8,000 bytes.
  return case when v_is_leasable or v_waiting_count > 200 then p_tenant::text when v_waiting is not null then p_tenant || ' ' || v_waiting end;
end
$$;

-- Delivering ---------------------------------------------------------------------------------------------------------------

-- Settles messages that are ready; p_place: where their rows stood when they were read. Unknown ids are passed over: they were settled
-- before. The caller holds the shard rows.
create function queue.settle_delivered(p_tenant integer, p_queue integer[], p_shard smallint[], p_id bigint[], p_place tid[] default null) returns integer
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
      -- Another row may stand there by now.
      delete from queue.ready r using unnest(p_queue, p_shard, p_id, v_place) as d (queue_id, shard, id, place)
      where r.ctid = d.place and r.id = d.id and r.tenant_id = p_tenant and r.queue_id = d.queue_id and r.shard = d.shard
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
    join queue.ready r on r.tenant_id = p_tenant and r.queue_id = p_queue[c.slot] and r.shard = p_shard[c.slot] and r.id = c.id
  ), ranked as materialized (
    select l.slot, r.queue_id, r.shard, r.id, r.attempts, r.version, r.ctid as place, r.message_place,
      row_number() over (partition by r.queue_id, r.lane order by coalesce(r.version, 0) desc, r.id desc) > 1
        or queue.is_overtaken(p_tenant, r.queue_id, r.lane, r.version, r.id) as is_replaced
    from (select distinct slot, queue_id, lane from candidate where collapses) l
    join queue.ready r on r.tenant_id = p_tenant and r.queue_id = l.queue_id and r.lane = l.lane and r.collapses
    where not exists (select from unnest(p_known) as k (id) where k.id = r.id)
  ), replaced as (
    delete from queue.ready r using ranked x
    where x.is_replaced and r.tenant_id = p_tenant and r.queue_id = x.queue_id and r.shard = x.shard and r.id = x.id
    returning r.queue_id, r.id, r.attempts
  ), kept as (
    insert into queue.history (tenant_id, queue_id, id, attempts, outcome)
    select p_tenant, r.queue_id, r.id, r.attempts, 'superseded' from replaced r
  )
  select c.slot, c.queue_id, c.id, c.attempts, c.place, c.message_place from candidate c where not c.collapses
  union all
  select x.slot, x.queue_id, x.id, x.attempts, x.place, x.message_place from ranked x where not x.is_replaced;
$$;

-- What a worker gets: rows with a header (JSON), then messages, which the header of their read names by id.
create type queue.delivery as (
  header text, id bigint, subtenant_id integer, key text, entity_type text, headers text, document text, version bigint, origin_id bigint,
  -- Milliseconds since 1970: a date costs the worker ten times as much to read.
  created_ms double precision
);

-- What a read has chosen.
create type queue.selection as (header text, queue_id integer[], id bigint[], message_place tid[]);

create function queue.header_row(p_header text) returns queue.delivery
language sql immutable
return row(p_header, null, null, null, null, null, null, null, null, null)::queue.delivery;

-- The messages of a selection, where they were stored. Inlined, so that documents are copied once on their way to the client.
create function queue.messages_at(p_tenant integer, p_selection queue.selection) returns setof queue.delivery
language sql stable
as $$
  select null::text, m.id, m.subtenant_id, m.key, m.entity_type, m.headers, m.document, m.version, m.origin_id, date_part('epoch', m.created_at) * 1000
  from unnest(p_selection.queue_id, p_selection.id, p_selection.message_place) as c (queue_id, id, place)
  cross join lateral (
    select * from queue.message m where m.ctid = c.place and m.id = c.id and m.tenant_id = p_tenant and m.queue_id = c.queue_id offset 0
  ) m;
$$;

-- The same by their keys: of messages that failed, came back or were moved, of which no place is known.
create function queue.messages_of(p_tenant integer, p_selection queue.selection) returns setof queue.delivery
language sql stable
as $$
  select null::text, m.id, m.subtenant_id, m.key, m.entity_type, m.headers, m.document, m.version, m.origin_id, date_part('epoch', m.created_at) * 1000
  from unnest(p_selection.queue_id, p_selection.id) as c (queue_id, id)
  cross join lateral (
    select * from queue.message m where m.tenant_id = p_tenant and m.queue_id = c.queue_id and m.id = c.id offset 0
  ) m;
$$;

-- What a worker asks of one of its shards: see queue.step.
create type queue.slot as (
  slot smallint, queue_id integer, shard smallint, generation integer, cursor bigint, room integer, held integer, above integer, reached bigint,
  cost double precision, is_release boolean, is_resting boolean
);

-- Reads the next messages of shards the caller has locked and leased. Parks what waits behind a blocker, settles what a newer
-- message replaces, puts an empty shard to sleep where it may rest. p_known: ids in the worker's hand above the cursors.
--
-- A commit may come late with an id lower than others that were read. So the answer says which transactions this read may have
-- missed: those from openFrom on. A later read from the same cursor whose openFrom has reached nextXid sees every id up to the
-- highest of this one, and a cursor may stand there; unless it took its limit of rows before (not isWhole). A transaction elsewhere
-- that is open for long keeps openFrom back: with p_look those that publish for this tenant are told from the others, which costs a
-- look at all locks.
--
-- The one write of the shards' rows, where something changes: leases renewed or ended, waiting or not, more in hand than noted. Where all
-- there is was read, what comes next is noted ahead, and the costs wait in the worker, so that most reads change nothing.
create function queue.read_shards(p_tenant integer, p_slots queue.slot[], p_known bigint[], p_look boolean, p_lease_seconds double precision)
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
  v_next_xid bigint;
begin
  -- Before the read: what has ended by now is seen by it.
  if p_look then
    select pg_snapshot_xmax(pg_current_snapshot())::text::bigint, queue.oldest_publish(p_tenant) into v_open_from, v_oldest;
    v_open_from := coalesce(v_oldest, v_open_from);
  end if;
  -- The filter on p_known stands outside of the limited scan, so that it is one hash look-up per row.
  select array_agg(slot), array_agg(queue_id), array_agg(id), array_agg(attempts), array_agg(place), array_agg(message_place), array_agg(lane), coalesce(bool_or(collapses), false),
    greatest(v_open_from, pg_snapshot_xmin(pg_current_snapshot())::text::bigint), pg_snapshot_xmax(pg_current_snapshot())::text::bigint
  into v_slot, v_queue, v_id, v_attempts, v_place, v_message_place, v_lane, v_collapses, v_open_from, v_next_xid
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
  select json_build_object('openFrom', v_open_from::text, 'nextXid', v_next_xid::text, 'slots', json_agg(json_build_object(
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

-- Leases up to p_max shards of the tenant whose turn it is, least virtual time first, and reads them.
-- Start-time fair queuing: a shard that wakes starts at the clock of those being served; see README, "Fairness".
create function queue.lease_shards(
  p_worker text, p_max integer, p_lease_seconds double precision, p_room integer, p_skip_tenant integer[], p_skip_target integer[]
) returns setof queue.delivery
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  v_clock double precision;
  v_tenant integer;
  v_slots queue.slot[];
  v_lost integer[];
  v_lost_shard smallint[];
  v_header text;
  v_read queue.selection;
  v_found integer;
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
  if v_tenant is null then return; end if;

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
    select l.*, row_number() over (order by l.queue_id, l.shard)::smallint as slot, count(*) over () as slots, w.weight, q.name, q.mode, q.target_id,
      t.concurrency, t.circuit, t.rate_per_second
    from leased l
    join weights w on w.queue_id = l.queue_id
    join queue.queue q on q.tenant_id = v_tenant and q.id = l.queue_id
    join queue.target t on t.tenant_id = v_tenant and t.id = q.target_id
  )
  select array_agg(row(slot, queue_id, shard, generation, cursor, greatest(1, p_room / slots), 0, 0, 0, 0, false, true)::queue.slot order by slot),
    array_agg(queue_id order by slot) filter (where is_lost), array_agg(shard order by slot) filter (where is_lost),
    json_agg(json_build_object('tenantId', v_tenant, 'queueId', queue_id, 'shard', shard, 'epoch', epoch::text, 'generation', generation,
      'carefulTo', careful_to::text, 'cursor', cursor::text, 'weight', weight, 'queueName', name, 'mode', mode, 'targetId', target_id,
      'concurrency', concurrency, 'circuit', circuit, 'ratePerSecond', rate_per_second, 'isLost', is_lost) order by slot)::text
  into v_slots, v_lost, v_lost_shard, v_header from slots;
  if v_slots is null then return; end if;
  if v_lost is not null then perform queue.charge_suspects(v_tenant, v_lost, v_lost_shard); end if;
  return next queue.header_row(v_header);
  v_read := queue.read_shards(v_tenant, v_slots, '{}', false, 0);
  return next queue.header_row(v_read.header);
  if v_read.id is null then return; end if;
  return query select * from queue.messages_at(v_tenant, v_read);
  get diagnostics v_found = row_count;
  if v_found < cardinality(v_read.id) then return query select * from queue.messages_of(v_tenant, v_read); end if;
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
  left join lateral (
    select max(r.id) as id from (
      select r.id from queue.ready r where r.tenant_id = p_tenant and r.queue_id = p_queue[u.slot] and r.shard = p_shard[u.slot]
      order by r.id limit p_limit[u.slot] + p_held[u.slot]
    ) r
  ) h on s.generation <> p_generation[u.slot] and not p_release[u.slot];
  return next queue.header_row(v_states);
  v_read := queue.read_shards(p_tenant, v_slots, p_known, p_look, case when p_renew then p_lease_seconds else 0 end);
  return next queue.header_row(v_read.header);
  if v_read.id is null then return; end if;
  return query select * from queue.messages_at(p_tenant, v_read);
  get diagnostics v_found = row_count;
  if v_found < cardinality(v_read.id) then return query select * from queue.messages_of(p_tenant, v_read); end if;
end
$$;

-- Search -------------------------------------------------------------------------------------------------------------------

-- Messages with all of p_words (lower case) in their text, newest first, below the id p_before; of all queues when p_queues is null.
-- A common word is found among the tenant's newest texts, a rare one by the trigram index; the latter alone would collect every
-- message with a common word before it sorts them. The index is asked for the longest run of letters or digits in a word, which is the
-- rarest as a rule, and the texts that it gives are looked at for the words: what each document has in front of an article's number
-- costs the index more than it spares. Words of fewer than three characters have no trigram: past the newest they are slow.
create or replace function queue.search_ids(p_words text[], p_queues integer[], p_before bigint, p_limit integer)
returns table (queue_id integer, id bigint)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
-- Which index is right depends on the text and on the size of the tenant.
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  c_newest constant integer := 5000;
  v_tenant constant integer := queue.current_tenant();
  v_patterns constant text[] := array(
    select '%' || regexp_replace(word, '([\\%_])', '\\\1', 'g') || '%' from unnest(p_words) word order by length(word) desc
  );
  v_run constant text := coalesce((
    select '%' || run || '%' from unnest(p_words) word cross join regexp_split_to_table(word, '[^[:alnum:]]+') run
    where length(run) > 2 order by length(run) desc limit 1
  ), v_patterns[1]);
  v_before bigint := coalesce(p_before, 9223372036854775807);
  v_found integer;
begin
  if v_tenant is null then
    raise exception 'search_ids wants a tenant: crossdock.tenant_id is not set' using errcode = 'insufficient_privilege';
  end if;

  return query
    select n.queue_id, n.id
    from (
      select t.queue_id, t.id, t.text from queue.search_text t where t.tenant_id = v_tenant and t.id < v_before order by t.id desc limit c_newest
    ) n
    where n.text like all (v_patterns) and (p_queues is null or n.queue_id = any (p_queues))
    order by n.id desc limit p_limit;
  get diagnostics v_found = row_count;
  if v_found = p_limit then return; end if;

  select t.id into v_before from queue.search_text t
  where t.tenant_id = v_tenant and t.id < v_before order by t.id desc offset c_newest - 1 limit 1;
  if not found then return; end if;

  -- Materialized, so that the limit does not tempt the planner to walk through all of the tenant's texts.
  return query
    with older as materialized (
      select t.queue_id, t.id from queue.search_text t
      -- The concatenation keeps the words from the index.
      where t.tenant_id = v_tenant and t.id < v_before and t.text like v_run and (t.text || '') like all (v_patterns)
        and (p_queues is null or t.queue_id = any (p_queues))
    )
    select o.queue_id, o.id from older o order by o.id desc limit p_limit - v_found;
end
$$;
