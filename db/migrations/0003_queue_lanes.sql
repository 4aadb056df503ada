-- Shards and lanes of the message engine: who locks and wakes the ones, who goes first in the others.

-- In the lock order that holds everywhere.
create function queue.lock_shards(p_tenant integer, p_queue integer[], p_shard smallint[]) returns void
language plpgsql
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  perform from (select distinct queue_id, shard from unnest(p_queue, p_shard) as u (queue_id, shard) order by queue_id, shard) u
  cross join lateral (
    select from queue.shard s where s.tenant_id = p_tenant and s.queue_id = u.queue_id and s.shard = u.shard for no key update offset 0
  ) s;
end
$$;

-- Older messages came back to ready in these shards: their readers start again at the head, sleeping ones are woken.
-- The caller holds the shard rows.
create function queue.wake_shards(p_tenant integer, p_queue integer[], p_shard smallint[]) returns void
language plpgsql
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  update queue.shard s
  set generation = generation + 1, cursor = 0, is_fresh = is_fresh or not is_active, is_active = true
  from (select distinct queue_id, shard from unnest(p_queue, p_shard) as u (queue_id, shard)) w
  where s.tenant_id = p_tenant and s.queue_id = w.queue_id and s.shard = w.shard;
  perform pg_notify('queue_ready', p_tenant::text);
end
$$;

-- Wakes shards that have ready messages but sleep: a publish that committed while its shard was put to sleep.
create function queue.sweep_shards() returns integer
language plpgsql
set enable_seqscan = off
as $$
declare
  v_shard record;
  v_woken integer := 0;
begin
  for v_shard in
    with recursive waiting as (
      (select tenant_id, queue_id, shard from queue.ready order by tenant_id, queue_id, shard limit 1)
      union all
      select n.* from waiting w cross join lateral (
        select r.tenant_id, r.queue_id, r.shard from queue.ready r
        where (r.tenant_id, r.queue_id, r.shard) > (w.tenant_id, w.queue_id, w.shard) order by r.tenant_id, r.queue_id, r.shard limit 1
      ) n
    )
    select s.tenant_id, s.queue_id, s.shard from waiting w
    join queue.shard s using (tenant_id, queue_id, shard) where not s.is_active
  loop
    update queue.shard s set is_active = true, is_fresh = true, cursor = 0, generation = generation + 1
    where s.tenant_id = v_shard.tenant_id and s.queue_id = v_shard.queue_id and s.shard = v_shard.shard and not s.is_active;
    v_woken := v_woken + 1;
  end loop;
  if v_woken > 0 then perform pg_notify('queue_ready', ''); end if;
  return v_woken;
end
$$;

-- The messages of a key in a queue, by the index of keys whatever the statistics say. The sum keeps the planner from the primary key, by which it
-- would read all of the queue. Statistics that know a few keys only say that any key has most of the messages; of a range whose ends it doesn't
-- know it takes one in two hundred. Inlined by the planner.
create function queue.messages_of(p_tenant integer, p_queue integer, p_key text) returns setof queue.message
language sql stable
as $$
  select * from queue.message m
  where m.tenant_id = p_tenant and m.key = p_key and m.key between p_key and p_key and m.queue_id + 0 = p_queue;
$$;

-- Whether a newer message of the lane was delivered, or failed and waits.
create function queue.is_overtaken(p_tenant integer, p_queue integer, p_lane bigint, p_version bigint, p_id bigint) returns boolean
language sql stable
as $$
  select exists (select from queue.delivered_version o where o.tenant_id = p_tenant and o.queue_id = p_queue and o.lane = p_lane
      and o.version > p_version)
    or exists (select from queue.retrying o where o.tenant_id = p_tenant and o.queue_id = p_queue and o.lane = p_lane
      and (coalesce(o.version, 0), o.id) > (coalesce(p_version, 0), p_id))
    or exists (select from queue.dead o where o.tenant_id = p_tenant and o.queue_id = p_queue and o.lane = p_lane
      and (coalesce(o.version, 0), o.id) > (coalesce(p_version, 0), p_id));
$$;

-- Whether a lane of a 'latest' queue has a newer message than this one, ready or past ready. Versions first, then ids.
create function queue.has_newer(p_tenant integer, p_queue integer, p_lane bigint, p_version bigint, p_id bigint) returns boolean
language sql stable
set enable_seqscan = off
as $$
  select queue.is_overtaken(p_tenant, p_queue, p_lane, p_version, p_id)
    or exists (select from queue.ready o where o.tenant_id = p_tenant and o.queue_id = p_queue and o.lane = p_lane and o.collapses
      and (coalesce(o.version, 0), o.id) > (coalesce(p_version, 0), p_id))
    -- Without versions, or with the same one, a newer one may have been delivered already.
    or ((p_version is null or exists (select from queue.delivered_version o where o.tenant_id = p_tenant and o.queue_id = p_queue
        and o.lane = p_lane and o.version = p_version))
      and exists (
        select from queue.message m
        cross join lateral (
          select from queue.messages_of(p_tenant, p_queue, m.key) o
          where o.id > p_id and (p_version is null or o.version = p_version) offset 0
        ) o
        where m.tenant_id = p_tenant and m.queue_id = p_queue and m.id = p_id));
$$;

-- What comes before a message of a fifo lane and waits for its turn. Inlined by the planner.
create function queue.waiting_before(p_tenant integer, p_queue integer, p_shard smallint, p_id bigint) returns setof bigint
language sql stable
as $$
  select o.id from queue.message m
  cross join lateral queue.messages_of(p_tenant, p_queue, m.key) o
  where m.tenant_id = p_tenant and m.queue_id = p_queue and m.id = p_id and o.id < p_id and (
    exists (select from queue.ready r where r.tenant_id = p_tenant and r.queue_id = p_queue and r.shard = p_shard and r.id = o.id offset 0)
    or exists (select from queue.parked k where k.tenant_id = p_tenant and k.queue_id = p_queue and k.id = o.id offset 0));
$$;

-- Hands a lane on from its blocker to the first of it in the order of places, while something of it has failed, or has a place other than its
-- id's, be it removed; else changes nothing. The caller holds the shard rows, and the blocker has left or was never there.
create function queue.hold_next(p_tenant integer, p_queue integer, p_lane bigint, p_blocker bigint) returns void
language plpgsql
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  v_head bigint;
  v_has_place boolean;
  v_has_failed boolean;
  v_max_attempts smallint;
  v_shard smallint;
begin
  with apart as materialized (
    select k.id, false as has_failed from queue.parked k where k.tenant_id = p_tenant and k.queue_id = p_queue and k.lane = p_lane
    union all
    select k.id, true from queue.retrying k where k.tenant_id = p_tenant and k.queue_id = p_queue and k.lane = p_lane
    union all
    select k.id, true from queue.dead k where k.tenant_id = p_tenant and k.queue_id = p_queue and k.lane = p_lane
  ), waiting as (
    select id, has_failed from apart
    union all
    -- Ready messages have no index by lane where the queue is fifo: the index by key finds them.
    select r.id, false
    from (
      select m.key
      from (
        select id from apart
        union all
        select p.message_id from queue.place p where p.tenant_id = p_tenant and p.queue_id = p_queue and p.lane = p_lane
      ) known
      join queue.message m on m.tenant_id = p_tenant and m.queue_id = p_queue and m.id = known.id limit 1
    ) keyed
    cross join lateral queue.messages_of(p_tenant, p_queue, keyed.key) m
    join queue.queue q on q.tenant_id = p_tenant and q.id = p_queue
    join queue.ready r on r.tenant_id = p_tenant and r.queue_id = p_queue and r.shard = p_lane & (q.shards - 1) and r.id = m.id
  )
  select (array_agg(w.id order by coalesce(p.place, w.id)))[1], count(p.place) > 0, bool_or(w.has_failed) into v_head, v_has_place, v_has_failed
  from waiting w
  left join queue.place p on p.tenant_id = p_tenant and p.queue_id = p_queue and p.lane = p_lane and p.message_id = w.id;
  if not v_has_place then
    -- What was removed, or is just being, may come back to its place.
    delete from queue.place p
    where p.tenant_id = p_tenant and p.queue_id = p_queue and p.lane = p_lane and not exists (
      select from queue.message m where m.tenant_id = p_tenant and m.queue_id = p_queue and m.id = p.message_id
        and not exists (select from queue.history h where h.tenant_id = p_tenant and h.queue_id = p_queue and h.id = m.id)
    );
    if v_head is null or not v_has_failed and not exists (
      select from queue.place p where p.tenant_id = p_tenant and p.queue_id = p_queue and p.lane = p_lane
    ) then return; end if;
  end if;

  update queue.held set message_id = v_head where tenant_id = p_tenant and queue_id = p_queue and lane = p_lane and message_id = p_blocker;
  if not found then return; end if;
  select max_attempts, (p_lane & (shards - 1))::smallint into v_max_attempts, v_shard from queue.queue where tenant_id = p_tenant and id = p_queue;
  with returned as (
    delete from queue.parked where tenant_id = p_tenant and queue_id = p_queue and id = v_head returning *
  )
  insert into queue.ready (tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit, collapses)
  select tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit, false from returned;
  -- A limit of its own marks a blocker that has not failed: settle_delivered goes by it.
  update queue.ready set attempt_limit = coalesce(attempt_limit, v_max_attempts)
  where tenant_id = p_tenant and queue_id = p_queue and shard = v_shard and id = v_head;
  perform queue.wake_shards(p_tenant, array[p_queue], array[v_shard]);
end
$$;

-- The blockers left their lanes: what is parked behind them becomes ready, in its old place. A lane in which places are noted, or another
-- message waits for a retry or an operator, goes on to its first alone. The caller holds the shard rows.
create function queue.free_lanes(p_tenant integer, p_queue integer[], p_lane bigint[], p_blocker bigint[])
returns void
language plpgsql
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  v_queue integer[];
  v_shard smallint[];
  v_noted record;
begin
  for v_noted in
    select distinct b.queue_id, b.lane, b.id from unnest(p_queue, p_lane, p_blocker) as b (queue_id, lane, id)
    -- Each by itself: without 'offset 0' the planner may read all of the tenant's.
    where exists (select from queue.place p where p.tenant_id = p_tenant and p.queue_id = b.queue_id and p.lane = b.lane offset 0)
      or exists (select from queue.retrying r where r.tenant_id = p_tenant and r.queue_id = b.queue_id and r.lane = b.lane offset 0)
      or exists (select from queue.dead d where d.tenant_id = p_tenant and d.queue_id = b.queue_id and d.lane = b.lane offset 0)
  loop
    perform queue.hold_next(p_tenant, v_noted.queue_id, v_noted.lane, v_noted.id);
  end loop;
  -- A lane that was handed on has another blocker now.
  with freed as (
    delete from queue.held h using unnest(p_queue, p_lane, p_blocker) as b (queue_id, lane, id)
    where h.tenant_id = p_tenant and h.queue_id = b.queue_id and h.lane = b.lane and h.message_id = b.id
    returning h.queue_id, h.lane
  ), returned as (
    delete from queue.parked p using freed f
    where p.tenant_id = p_tenant and p.queue_id = f.queue_id and p.lane = f.lane
    returning p.*
  ), waiting as (
    insert into queue.ready (tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit, collapses)
    select tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit, false from returned
    returning queue_id, shard
  )
  select array_agg(queue_id), array_agg(shard) into v_queue, v_shard from waiting;
  if v_queue is not null then perform queue.wake_shards(p_tenant, v_queue, v_shard); end if;
end
$$;

-- Something came to a lane of which something has failed, or has a place of its own: the first of the lane holds it, unless what holds it is in hand.
-- The caller holds the shard.
create function queue.hold_first(p_tenant integer, p_queue integer, p_shard smallint, p_lane bigint) returns void
language plpgsql
set enable_seqscan = off
as $$
begin
  insert into queue.held as h (tenant_id, queue_id, lane, message_id) values (p_tenant, p_queue, p_lane, 0)
  on conflict (tenant_id, queue_id, lane) do update set message_id = 0
  where not exists (select from queue.lease l
      where l.tenant_id = p_tenant and l.queue_id = p_queue and l.lane = p_lane and l.message_id = h.message_id)
    and not exists (select from queue.ready r
      join queue.shard s on s.tenant_id = p_tenant and s.queue_id = p_queue and s.shard = p_shard
      where r.tenant_id = p_tenant and r.queue_id = p_queue and r.shard = p_shard and r.id = h.message_id
        and s.owner is not null and s.lease_until > clock_timestamp() and h.message_id <= s.read_to);
  perform queue.free_lanes(p_tenant, array[p_queue], array[p_lane], array[0]);
end
$$;
