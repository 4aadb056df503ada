-- What the engine does beside others: days that are made and dropped, upkeep that meets publications and operators.

-- Makes the partitions of today and the next three days and moves ids into today. Run it more often than daily.
-- A partition is made apart and attached: made in place it would lock its parent against everybody, and wait for a backup with all others behind it.
create or replace function queue.roll_partitions() returns integer
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_parent text;
  v_name text;
  v_today integer := (clock_timestamp() at time zone 'utc')::date - date '1970-01-01';
  v_made integer := 0;
begin
  perform pg_advisory_xact_lock(7265642);
  for v_parent in select parent from queue.day_partitioned order by parent loop
    for v_day in v_today .. v_today + 3 loop
      v_name := queue.partition_name(v_parent, v_day);
      if to_regclass(v_name) is null then
        execute format('create table %s (like %s including all)', v_name, v_parent);
        execute format('alter table %s attach partition %s for values from (%s) to (%s)',
          v_parent, v_name, v_day * 10000000000, (v_day + 1) * 10000000000);
        v_made := v_made + 1;
      end if;
    end loop;
  end loop;
  if (select last_value from queue.message_id) < v_today * 10000000000 then
    perform setval('queue.message_id', v_today * 10000000000);
  end if;
  return v_made;
end
$$;

-- Whether a message with an id of these waits. Looked up queue by queue, as a drop asks it while everybody waits for the drop.
create function queue.is_waited_for(p_from bigint, p_to bigint) returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select exists (
      select from queue.shard s cross join lateral (
        select from queue.ready r
        where r.tenant_id = s.tenant_id and r.queue_id = s.queue_id and r.shard = s.shard and r.id >= p_from and r.id < p_to limit 1
      ) r)
    or exists (
      select from queue.queue q cross join lateral (
        (select from queue.retrying r where r.tenant_id = q.tenant_id and r.queue_id = q.id and r.id >= p_from and r.id < p_to limit 1)
        union all
        (select from queue.parked r where r.tenant_id = q.tenant_id and r.queue_id = q.id and r.id >= p_from and r.id < p_to limit 1)
        union all
        (select from queue.dead r where r.tenant_id = q.tenant_id and r.queue_id = q.id and r.id >= p_from and r.id < p_to limit 1)
      ) r);
$$;

-- Drops the oldest partition of a day older than p_days (attempts: p_detail_days) in which nothing waits any more. Returns its name; null when
-- there is none. One in each transaction: whoever publishes or settles takes locks on these tables in orders of their own.
drop function queue.drop_expired(integer, integer);
create function queue.drop_expired(p_days integer, p_detail_days integer) returns text
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '2s'
as $$
declare
  v_today integer := (clock_timestamp() at time zone 'utc')::date - date '1970-01-01';
  v_old record;
  v_from bigint;
  v_to bigint;
begin
  perform pg_advisory_xact_lock(7265642);
  for v_old in
    select p.parent, d.day, d.name
    from queue.day_partitioned p
    cross join lateral (
      select c.relname as leaf, i.inhrelid::regclass::text as name, (substring(c.relname from '_(\d{8})$')::date - date '1970-01-01') as day
      from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = to_regclass(p.parent)
    ) d
    where d.day < v_today - case when p.is_detail then p_detail_days else p_days end
    order by d.day, p.parent
  loop
    v_from := v_old.day * 10000000000;
    v_to := v_from + 10000000000;
    continue when queue.is_waited_for(v_from, v_to);
    execute format('lock table only %s in access exclusive mode', v_old.parent);
    -- Restored, or claimed again, before the lock was granted.
    if queue.is_waited_for(v_from, v_to) then return null; end if;
    if v_old.parent = 'queue.message' then
      delete from queue.removed where id >= v_from and id < v_to;
    end if;
    execute format('drop table %s', v_old.name);
    return v_old.name;
  end loop;
  return null;
end
$$;
revoke all on function queue.is_waited_for(bigint, bigint), queue.drop_expired(integer, integer) from public;
grant execute on function queue.drop_expired(integer, integer) to crossdock_worker;

-- What failed of these lanes of 'latest' queues is superseded by what is published. Whoever has such a row locked moves it to where it is compared with
-- what is ready, or takes it out: to wait for them, row by row in any order and without the shard, could end in a circle.
create or replace function queue.supersede_failed(p_tenant integer, p_queue integer[], p_lane bigint[], p_version bigint[]) returns void
language plpgsql as $$
begin
  if not exists (
    select from unnest(p_queue, p_lane) as n (queue_id, lane) cross join lateral (
      select from queue.retrying f where f.tenant_id = p_tenant and f.queue_id = n.queue_id and f.lane = n.lane offset 0
    ) f
  ) and not exists (
    select from unnest(p_queue, p_lane) as n (queue_id, lane) cross join lateral (
      select from queue.dead f where f.tenant_id = p_tenant and f.queue_id = n.queue_id and f.lane = n.lane offset 0
    ) f
  ) then return; end if;
  with newest as (
    select queue_id, lane, max(coalesce(version, 0)) as version from unnest(p_queue, p_lane, p_version) as n (queue_id, lane, version)
    group by queue_id, lane
  ), retried as (
    select f.ctid as place, f.id from newest n cross join lateral (
      select f.ctid, f.id from queue.retrying f
      where f.tenant_id = p_tenant and f.queue_id = n.queue_id and f.lane = n.lane and coalesce(f.version, 0) <= n.version
      for update skip locked offset 0
    ) f
  ), replaced as (
    delete from queue.retrying f using retried r where f.ctid = r.place and f.id = r.id returning f.queue_id, f.id, f.attempts
  ), died as (
    select f.ctid as place, f.id from newest n cross join lateral (
      select f.ctid, f.id from queue.dead f
      where f.tenant_id = p_tenant and f.queue_id = n.queue_id and f.lane = n.lane and coalesce(f.version, 0) <= n.version
      for update skip locked offset 0
    ) f
  ), buried as (
    delete from queue.dead f using died d where f.ctid = d.place and f.id = d.id returning f.queue_id, f.id, f.attempts
  )
  insert into queue.history (tenant_id, queue_id, id, attempts, outcome)
  select p_tenant, queue_id, id, attempts, 'superseded' from (select * from replaced union all select * from buried) r;
end
$$;

-- Lets a trial through to a target whose circuit was open long enough. One in each transaction: of several, their shards would be locked out of order.
drop function queue.try_circuits();
create function queue.try_circuit(p_tenant integer, p_target integer) returns boolean
language plpgsql
set enable_seqscan = off
as $$
begin
  update queue.target t set circuit = 'half-open', circuit_open_until = null
  where t.tenant_id = p_tenant and t.id = p_target and t.circuit = 'open' and t.circuit_open_until <= clock_timestamp();
  if not found then return false; end if;
  perform queue.refresh_blocks(p_tenant, p_target);
  return true;
end
$$;

-- Reads what workers are to deliver of lanes that are held, or of which the latest wins: parks what is behind a blocker, settles what a newer message
-- replaces. p_known: ids in the worker's hand above the cursors. p_open_from: see queue.step. What it moves is behind its reader then, so it is committed
-- for good before the reader goes on: undone by a crash of the database, it would be ready once more behind what came later.
create or replace function queue.read_choosing(p_tenant integer, p_slots queue.slot[], p_known bigint[], p_open_from bigint, p_lease_seconds double precision)
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
      m.document, m.version, m.origin_id, date_part('epoch', m.created_at) * 1000
    from unnest(v_slot, v_queue, v_id, v_attempts, v_place, v_message_place) as c (slot, queue_id, id, attempts, place, message_place)
    cross join lateral queue.message_at(p_tenant, c.queue_id, c.id, c.message_place, v_above) m;
end
$$;

-- Settles what was not delivered: for a retry, as dead, superseded, or released for later. Attempts are counted up to what their column holds.
create or replace function queue.settle_failed(p_tenant integer, p_failures jsonb)
returns integer
language plpgsql
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  v_settled integer;
begin
  with failure as (
    select f.*, q.base_delay_ms, q.max_delay_ms, q.max_attempts
    from jsonb_to_recordset(p_failures) as f ("queueId" integer, shard smallint, id bigint, kind text, "delayMs" double precision,
      "errorClass" text, "errorMessage" text, fingerprint text)
    join queue.queue q on q.tenant_id = p_tenant and q.id = f."queueId"
    where f.kind <> 'released' or f."delayMs" > 0
  ), gone as (
    delete from queue.ready r using failure f
    where r.tenant_id = p_tenant and r.queue_id = f."queueId" and r.shard = f.shard and r.id = f.id
    returning r.*, f.kind, f."delayMs" as delay_ms, f."errorClass" as error_class, f."errorMessage" as error_message, f.fingerprint,
      f.base_delay_ms, f.max_delay_ms, f.max_attempts, least(r.attempts + (f.kind in ('retry', 'dead'))::integer, 32766) as tries
  ), judged as (
    select g.*, case
        when g.kind = 'superseded' or (g.collapses and queue.has_newer(p_tenant, g.queue_id, g.lane, g.version, g.id)) then 'superseded'
        when g.kind = 'dead' or (g.kind = 'retry' and g.tries >= coalesce(g.attempt_limit, g.max_attempts)) then 'dead'
        else 'retrying'
      end as state
    from gone g
  ), to_history as (
    insert into queue.history (tenant_id, queue_id, id, attempts, outcome)
    select p_tenant, queue_id, id, tries, 'superseded' from judged where state = 'superseded'
  ), to_dead as (
    insert into queue.dead (tenant_id, queue_id, shard, id, lane, version, attempts, collapses, error_class, error_message, fingerprint)
    select p_tenant, queue_id, shard, id, lane, version, tries, collapses, error_class, error_message, fingerprint
    from judged where state = 'dead'
  ), to_retrying as (
    insert into queue.retrying (tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit, collapses, due_at, error_class, error_message, fingerprint)
    -- Full jitter: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
    -- Put off before its first try it blocks its lane all the same; settle_delivered knows it by a limit of its own.
    select p_tenant, queue_id, shard, id, lane, version, tries, case when tries = 0 then coalesce(attempt_limit, max_attempts) else attempt_limit end, collapses,
      clock_timestamp() + interval '1 millisecond' * coalesce(delay_ms, random() * least(max_delay_ms, base_delay_ms * 2 ^ least(tries - 1, 30))),
      error_class, error_message, fingerprint
    from judged where state = 'retrying'
  ), to_held as (
    insert into queue.held (tenant_id, queue_id, lane, message_id)
    select p_tenant, queue_id, lane, id from judged where state in ('dead', 'retrying') and not collapses
    on conflict do nothing
  )
  select count(*) into v_settled from judged;
  return v_settled;
end
$$;

-- Dead letters become ready again with a fresh budget of attempts; the blocker of a lane stays its blocker.
create or replace function queue.requeue_dead(p_tenant integer, p_ids bigint[])
returns setof bigint
language plpgsql
set enable_seqscan = off
as $$
declare
  v_queue integer[];
  v_shard smallint[];
  v_back bigint[];
begin
  select array_agg(d.queue_id), array_agg(d.shard) into v_queue, v_shard from queue.dead d where d.tenant_id = p_tenant and d.id = any (p_ids);
  if v_queue is null then return; end if;
  perform queue.lock_shards(p_tenant, v_queue, v_shard);
  with back as (
    delete from queue.dead d where d.tenant_id = p_tenant and d.queue_id = any (v_queue) and d.id = any (p_ids) returning d.*
  ), judged as (
    select b.*, q.max_attempts, b.collapses and queue.has_newer(p_tenant, b.queue_id, b.lane, b.version, b.id) as is_replaced
    from back b join queue.queue q on q.tenant_id = b.tenant_id and q.id = b.queue_id
  ), to_history as (
    insert into queue.history (tenant_id, queue_id, id, attempts, outcome)
    select tenant_id, queue_id, id, attempts, 'superseded' from judged where is_replaced
  ), to_ready as (
    insert into queue.ready (tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit, collapses)
    select tenant_id, queue_id, shard, id, lane, version, attempts, least(attempts::integer + max_attempts, 32766), collapses from judged where not is_replaced
  )
  select array_agg(id) into v_back from judged;
  if v_back is null then return; end if;
  perform queue.wake_shards(p_tenant, v_queue, v_shard);
  return query select unnest(v_back);
end
$$;

-- Puts a message of a pull queue, whatever became of it, at the head of its lane and leases it. Nothing when the lane is leased.
create or replace function queue.claim_again(p_tenant integer, p_queue integer, p_id bigint, p_lease_seconds double precision, p_worker text)
returns setof queue.leased_delivery
language plpgsql
set enable_seqscan = off
as $$
declare
  v_place record;
  v_attempts smallint;
begin
  select l.lane, l.shard, l.collapses, q.max_attempts into v_place
  from queue.locate(p_tenant, array[p_id]) l join queue.queue q on q.tenant_id = p_tenant and q.id = l.queue_id
  where l.queue_id = p_queue and q.delivery = 'pull';
  if not found then return; end if;
  -- All of the queue's, as leases of others may have run out.
  perform from queue.shard where tenant_id = p_tenant and queue_id = p_queue order by shard for no key update;
  perform queue.rescue_leases(p_tenant, p_queue);
  if exists (select from queue.lease l where l.tenant_id = p_tenant and l.queue_id = p_queue and l.lane = v_place.lane) then return; end if;
  with a as (delete from queue.ready r where r.tenant_id = p_tenant and r.queue_id = p_queue and r.shard = v_place.shard and r.id = p_id returning r.attempts),
    b as (delete from queue.retrying r where r.tenant_id = p_tenant and r.queue_id = p_queue and r.id = p_id returning r.attempts),
    c as (delete from queue.parked r where r.tenant_id = p_tenant and r.queue_id = p_queue and r.id = p_id returning r.attempts),
    d as (delete from queue.dead r where r.tenant_id = p_tenant and r.queue_id = p_queue and r.id = p_id returning r.attempts),
    e as (delete from queue.removed r where r.tenant_id = p_tenant and r.queue_id = p_queue and r.id = p_id returning r.attempts),
    f as (delete from queue.history r where r.tenant_id = p_tenant and r.queue_id = p_queue and r.id = p_id returning r.attempts)
  select attempts into v_attempts
  from (select * from a union all select * from b union all select * from c union all select * from d union all select * from e union all select * from f) found;
  insert into queue.ready (tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit, collapses)
  select p_tenant, p_queue, v_place.shard, p_id, v_place.lane, m.version, least(v_attempts, 32766), least(v_attempts::integer + v_place.max_attempts, 32766), v_place.collapses
  from queue.message m where m.tenant_id = p_tenant and m.queue_id = p_queue and m.id = p_id;
  return query select * from queue.lease_messages(p_tenant, p_queue, array[p_id], p_lease_seconds, p_worker);
end
$$;

-- Frees lanes that these blockers have left, or hands them on; what waited behind the blocker is ready then.
create or replace function queue.free_lanes(p_tenant integer, p_queue integer[], p_lane bigint[], p_blocker bigint[])
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
    join queue.place p on p.tenant_id = p_tenant and p.queue_id = b.queue_id and p.lane = b.lane
  loop
    perform queue.hold_next(p_tenant, v_noted.queue_id, v_noted.lane, v_noted.id);
  end loop;
  -- What came back from removed while another held the lane is its blocker next: what follows it would go first.
  update queue.held h set message_id = n.id
  from unnest(p_queue, p_lane, p_blocker) as b (queue_id, lane, id)
  cross join lateral (
    select min(w.id) as id from (
      select r.id from queue.retrying r where r.tenant_id = p_tenant and r.queue_id = b.queue_id and r.lane = b.lane
      union all
      select d.id from queue.dead d where d.tenant_id = p_tenant and d.queue_id = b.queue_id and d.lane = b.lane
    ) w
  ) n
  where h.tenant_id = p_tenant and h.queue_id = b.queue_id and h.lane = b.lane and h.message_id = b.id and n.id is not null;
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
