-- Operators' verbs: remove and restore, requeue, replace by an edited copy, redirect.

-- Queue, lane and shard of messages, found through the tenant's queues: the primary key has the queue before the id.
create function queue.locate(p_tenant integer, p_ids bigint[]) returns table (id bigint, queue_id integer, lane bigint, shard smallint, collapses boolean)
language sql stable as $$
  select m.id, q.id, l.lane, (l.lane & (q.shards - 1))::smallint, q.mode = 'latest'
  from unnest(p_ids) as i (id)
  cross join queue.queue q
  cross join lateral (select m.id, m.key from queue.message m where m.tenant_id = p_tenant and m.queue_id = q.id and m.id = i.id offset 0) m
  cross join lateral (select queue.lane_of(m.key) as lane) l
  where q.tenant_id = p_tenant;
$$;

-- Takes waiting messages out of their lanes and frees what they blocked. What is in hand stays. Each is looked up by itself: with statistics
-- of an almost empty table a join would go through all of the tenant's rows for each, which takes minutes for some thousands.
create function queue.take_out(p_tenant integer, p_ids bigint[]) returns setof queue.removed
language plpgsql
set enable_seqscan = off
as $$
declare
  v_queue integer[];
  v_shard smallint[];
  v_lane bigint[];
  v_id bigint[];
begin
  select array_agg(l.queue_id), array_agg(l.shard), array_agg(l.lane), array_agg(l.id) into v_queue, v_shard, v_lane, v_id
  from queue.locate(p_tenant, p_ids) l;
  if v_id is null then return; end if;
  perform queue.lock_shards(p_tenant, v_queue, v_shard);
  return query
    with wanted as (
      select * from unnest(v_queue, v_shard, v_lane, v_id) as w (queue_id, shard, lane, id)
    ), from_ready as (
      delete from queue.ready r using wanted w
      cross join lateral (
        select o.ctid as place from queue.ready o where o.tenant_id = p_tenant and o.queue_id = w.queue_id and o.shard = w.shard and o.id = w.id
          and not exists (select from queue.shard s where s.tenant_id = p_tenant and s.queue_id = w.queue_id and s.shard = w.shard
            and s.owner is not null and s.lease_until > clock_timestamp() and w.id <= s.read_to)
          and not exists (select from queue.lease l where l.tenant_id = p_tenant and l.queue_id = w.queue_id and l.lane = w.lane and l.message_id = w.id)
        offset 0
      ) o
      where r.ctid = o.place and r.id = w.id
      returning r.*
    ), from_retrying as (
      delete from queue.retrying r using wanted w
      cross join lateral (
        select o.ctid as place from queue.retrying o where o.tenant_id = p_tenant and o.queue_id = w.queue_id and o.id = w.id offset 0
      ) o
      where r.ctid = o.place and r.id = w.id
      returning r.*
    ), from_parked as (
      delete from queue.parked r using wanted w
      cross join lateral (
        select o.ctid as place from queue.parked o where o.tenant_id = p_tenant and o.queue_id = w.queue_id and o.id = w.id offset 0
      ) o
      where r.ctid = o.place and r.id = w.id
      returning r.*
    ), from_dead as (
      delete from queue.dead r using wanted w
      cross join lateral (
        select o.ctid as place from queue.dead o where o.tenant_id = p_tenant and o.queue_id = w.queue_id and o.id = w.id offset 0
      ) o
      where r.ctid = o.place and r.id = w.id
      returning r.*
    )
    select id, lane, version, clock_timestamp(), tenant_id, queue_id, shard, attempts, attempt_limit, collapses, 'ready', null::text,
      null::timestamptz, null::timestamptz, null::text, null::text, null::text from from_ready
    union all
    select id, lane, version, clock_timestamp(), tenant_id, queue_id, shard, attempts, attempt_limit, collapses, 'retrying', null,
      due_at, failed_at, error_class, error_message, fingerprint from from_retrying
    union all
    select id, lane, version, clock_timestamp(), tenant_id, queue_id, shard, attempts, attempt_limit, false, 'parked', null,
      null, null, null, null, null from from_parked
    union all
    select id, lane, version, clock_timestamp(), tenant_id, queue_id, shard, attempts, null, collapses, 'dead', null,
      null, dead_at, error_class, error_message, fingerprint from from_dead;
  perform queue.free_lanes(p_tenant, array_agg(w.queue_id), array_agg(w.lane), array_agg(w.id))
  from unnest(v_queue, v_shard, v_lane, v_id) as w (queue_id, shard, lane, id)
  cross join lateral (
    select from queue.held h where h.tenant_id = p_tenant and h.queue_id = w.queue_id and h.lane = w.lane and h.message_id = w.id
      and not exists (select from queue.ready r where r.tenant_id = p_tenant and r.queue_id = w.queue_id and r.shard = w.shard and r.id = w.id)
    offset 0
  ) h
  having count(*) > 0;
end
$$;

create function queue.remove(p_tenant integer, p_ids bigint[], p_by text) returns setof bigint
language sql as $$
  insert into queue.removed
  select id, lane, version, removed_at, tenant_id, queue_id, shard, attempts, attempt_limit, collapses, removed_from, p_by,
    due_at, failed_at, error_class, error_message, fingerprint
  from queue.take_out(p_tenant, p_ids)
  returning id;
$$;

-- The first message of a chain of copies: with p_queue as far as it stayed in that queue.
create function queue.first_of(p_tenant integer, p_id bigint, p_queue integer default null) returns bigint
language sql stable
set enable_seqscan = off
as $$
  with recursive chain (id) as (
    select p_id
    union all
    select h.id from chain c cross join lateral (
      select h.id from queue.history h
      where h.tenant_id = p_tenant and h.successor_id = c.id and (p_queue is null or h.queue_id = p_queue) offset 0
    ) h
  )
  select min(id) from chain;
$$;

-- Those of messages of fifo lanes that a message has passed which comes after them, has no older data, and was delivered or is in hand: they would
-- overwrite it. The caller holds the shards. Each lane is gone through once.
create function queue.passed_of(p_tenant integer, p_queues integer[], p_ids bigint[]) returns setof bigint
language sql stable
set enable_seqscan = off
as $$
  with wanted as materialized (
    select m.*, queue.first_of(p_tenant, m.id, m.queue_id) as place from unnest(p_queues, p_ids) as wanted (queue_id, id)
    cross join lateral (
      select m.id, m.queue_id, m.key, coalesce(m.version, 0) as version from queue.message m
      where m.tenant_id = p_tenant and m.queue_id = wanted.queue_id and m.id = wanted.id offset 0
    ) m
    where exists (select from queue.queue q where q.tenant_id = p_tenant and q.id = wanted.queue_id and q.mode = 'fifo')
  ), lanes as (
    select w.queue_id, w.key, queue.lane_of(w.key) as lane, min(w.place) as place from wanted w group by w.queue_id, w.key
  ), ahead as materialized (
    select l.queue_id, l.key, o.version, queue.first_of(p_tenant, o.id, l.queue_id) as place
    from lanes l
    cross join lateral (
      select s.shard, case when s.owner is not null and s.lease_until > clock_timestamp() then s.read_to else 0 end as in_hand_to
      from queue.queue q
      join queue.shard s on s.tenant_id = p_tenant and s.queue_id = q.id and s.shard = l.lane & (q.shards - 1)
      where q.tenant_id = p_tenant and q.id = l.queue_id offset 0
    ) s
    cross join lateral (
      select o.id, coalesce(o.version, 0) as version from queue.messages_of(p_tenant, l.queue_id, l.key) o where o.id > l.place offset 0
    ) o
    where exists (select from queue.history h where h.tenant_id = p_tenant and h.queue_id = l.queue_id and h.id = o.id and h.outcome = 'delivered' offset 0)
      or exists (select from queue.lease e where e.tenant_id = p_tenant and e.queue_id = l.queue_id and e.lane = l.lane and e.message_id = o.id offset 0)
      or o.id <= s.in_hand_to and exists (
        select from queue.ready r where r.tenant_id = p_tenant and r.queue_id = l.queue_id and r.shard = s.shard and r.id = o.id offset 0)
  )
  select w.id from wanted w
  where exists (select from ahead a where a.queue_id = w.queue_id and a.key = w.key and a.place > w.place and a.version >= w.version);
$$;

-- Removed messages go back to where they were; one whose lane has newer data by now is settled as superseded.
create function queue.restore(p_tenant integer, p_ids bigint[]) returns setof bigint
language plpgsql
set enable_seqscan = off
as $$
declare
  v_queue integer[];
  v_shard smallint[];
  v_lane bigint[];
  v_id bigint[];
  v_passed bigint[];
  v_back bigint[];
  v_first record;
begin
  select array_agg(l.queue_id), array_agg(l.shard), array_agg(l.lane), array_agg(l.id) into v_queue, v_shard, v_lane, v_id
  from queue.locate(p_tenant, p_ids) l;
  if v_queue is null then return; end if;
  perform queue.lock_shards(p_tenant, v_queue, v_shard);
  v_passed := array(select queue.passed_of(p_tenant, v_queue, v_id));
  with back as (
    delete from queue.removed r where r.tenant_id = p_tenant and r.queue_id = any (v_queue) and r.id = any (p_ids) returning r.*
  ), judged as (
    select b.*, case when b.id = any (v_passed) or (b.collapses and queue.has_newer(p_tenant, b.queue_id, b.lane, b.version, b.id)) then 'superseded'
      -- What waited behind a blocker is ready; the next reader parks it again if the lane is still held.
      when b.removed_from = 'parked' then 'ready' else b.removed_from end as state
    from back b
  ), to_history as (
    insert into queue.history (tenant_id, queue_id, id, attempts, outcome)
    select tenant_id, queue_id, id, attempts, 'superseded' from judged where state = 'superseded'
  ), to_ready as (
    insert into queue.ready (tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit, collapses)
    select tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit, collapses from judged where state = 'ready'
  ), to_retrying as (
    insert into queue.retrying (tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit, collapses, due_at, failed_at, error_class, error_message,
      fingerprint)
    select tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit, collapses, due_at, failed_at, error_class, error_message, fingerprint
    from judged where state = 'retrying'
  ), to_dead as (
    insert into queue.dead (tenant_id, queue_id, shard, id, lane, version, dead_at, attempts, collapses, error_class, error_message, fingerprint)
    select tenant_id, queue_id, shard, id, lane, version, failed_at, attempts, collapses, error_class, error_message, fingerprint
    from judged where state = 'dead'
  ), to_held as (
    insert into queue.held (tenant_id, queue_id, lane, message_id)
    select distinct on (queue_id, lane) tenant_id, queue_id, lane, id from judged
    where not collapses and state in ('retrying', 'dead') order by queue_id, lane, id
    on conflict do nothing
  )
  select array_agg(id) into v_back from judged;
  if v_back is null then return; end if;
  perform queue.wake_shards(p_tenant, v_queue, v_shard);
  for v_first in
    select f.queue_id, f.shard, f.lane
    from (
      select u.queue_id, u.shard, u.lane, min(u.id) as id from unnest(v_queue, v_shard, v_lane, v_id) as u (queue_id, shard, lane, id) group by 1, 2, 3
    ) f
    where exists (select from queue.place p where p.tenant_id = p_tenant and p.queue_id = f.queue_id and p.lane = f.lane offset 0)
      or exists (
        select from queue.held h where h.tenant_id = p_tenant and h.queue_id = f.queue_id and h.lane = f.lane
          and (h.message_id > f.id or h.message_id = f.id and exists (select from queue.waiting_before(p_tenant, f.queue_id, f.shard, f.id) offset 0)) offset 0)
  loop
    perform queue.hold_first(p_tenant, v_first.queue_id, v_first.shard, v_first.lane);
  end loop;
  return query select unnest(v_back);
end
$$;

-- Dead letters become ready again with a fresh budget of attempts; the blocker of a lane stays its blocker. One whose lane has newer data by
-- now is settled as superseded.
create function queue.requeue_dead(p_tenant integer, p_ids bigint[])
returns setof bigint
language plpgsql
set enable_seqscan = off
as $$
declare
  v_queue integer[];
  v_shard smallint[];
  v_lane bigint[];
  v_id bigint[];
  v_passed bigint[];
  v_back bigint[];
  v_is_replaced boolean[];
begin
  select array_agg(d.queue_id), array_agg(d.shard), array_agg(d.id) into v_queue, v_shard, v_id
  from queue.dead d where d.tenant_id = p_tenant and d.id = any (p_ids);
  if v_queue is null then return; end if;
  perform queue.lock_shards(p_tenant, v_queue, v_shard);
  v_passed := array(select queue.passed_of(p_tenant, v_queue, v_id));
  with back as (
    -- What dies while another's shard is waited for is left to whoever holds its own.
    delete from queue.dead d where d.tenant_id = p_tenant and d.queue_id = any (v_queue) and d.id = any (v_id) returning d.*
  ), judged as (
    select b.*, q.max_attempts,
      b.id = any (v_passed) or (b.collapses and queue.has_newer(p_tenant, b.queue_id, b.lane, b.version, b.id)) as is_replaced
    from back b join queue.queue q on q.tenant_id = b.tenant_id and q.id = b.queue_id
  ), to_history as (
    insert into queue.history (tenant_id, queue_id, id, attempts, outcome)
    select tenant_id, queue_id, id, attempts, 'superseded' from judged where is_replaced
  ), to_ready as (
    insert into queue.ready (tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit, collapses)
    select tenant_id, queue_id, shard, id, lane, version, attempts, least(attempts::integer + max_attempts, 32766), collapses from judged where not is_replaced
  )
  select array_agg(queue_id), array_agg(shard), array_agg(lane), array_agg(id), array_agg(is_replaced)
  into v_queue, v_shard, v_lane, v_back, v_is_replaced from judged;
  if v_back is null then return; end if;
  perform queue.wake_shards(p_tenant, v_queue, v_shard);
  perform queue.free_lanes(p_tenant, array_agg(r.queue_id), array_agg(r.lane), array_agg(r.id))
  from unnest(v_queue, v_lane, v_back, v_is_replaced) as r (queue_id, lane, id, is_replaced) where r.is_replaced having count(*) > 0;
  return query select unnest(v_back);
end
$$;

-- Copies -------------------------------------------------------------------------------------------------------------------

-- Publishes a copy of a message, to the same queue or another, with its document or p_document, and settles the message as redirected to
-- it, unless that is in hand or settled (outcome 'refused') or the copy would be older than what its lane has by now, or, in another queue,
-- the same ('overtaken'): then nothing is changed. In a fifo lane of the same queue the copy takes the message's place.
create function queue.replace_message(p_tenant integer, p_id bigint, p_queue integer, p_document text, p_announce boolean)
returns table (outcome text, successor_id bigint)
language plpgsql
set enable_seqscan = off
as $$
declare
  v_old record;
  v_message queue.message;
  v_target queue.queue;
  v_stays boolean;
  v_lane bigint;
  v_place bigint;
  v_is_blocker boolean;
  v_attempts smallint;
  v_successor bigint;
begin
  select l.queue_id, l.lane, l.shard, l.collapses into v_old from queue.locate(p_tenant, array[p_id]) l;
  if not found then return; end if;
  select * into v_message from queue.message m where m.tenant_id = p_tenant and m.queue_id = v_old.queue_id and m.id = p_id;
  select * into v_target from queue.queue q where q.tenant_id = p_tenant and q.id = coalesce(p_queue, v_old.queue_id);
  if not found then
    raise exception 'Queue % does not exist in tenant %.', p_queue, p_tenant using errcode = 'foreign_key_violation';
  end if;
  v_stays := v_target.id = v_old.queue_id;
  v_lane := v_old.lane;
  perform queue.lock_shards(p_tenant, array[v_old.queue_id, v_target.id], array[v_old.shard, (v_lane & (v_target.shards - 1))::smallint]);

  if v_target.mode = 'latest' and (queue.has_newer(p_tenant, v_target.id, v_lane, v_message.version, p_id)
    -- In another queue what is newer goes by ids where versions don't tell; the same event's own message there is not newer.
    or (not v_stays and exists (
      select from queue.messages_of(p_tenant, v_target.id, v_message.key) o
      where o.id > p_id and (v_message.version is null or o.version = v_message.version)
        and (o.origin_id is null or o.origin_id is distinct from v_message.origin_id))))
    or exists (select from queue.overtaken_in(p_tenant, v_target.id, array[v_old.queue_id], array[p_id]))
    or v_stays and exists (select from queue.passed_of(p_tenant, array[v_old.queue_id], array[p_id])) and exists (
      select from queue.dead d where d.tenant_id = p_tenant and d.queue_id = v_old.queue_id and d.id = p_id
      union all
      select from queue.removed r where r.tenant_id = p_tenant and r.queue_id = v_old.queue_id and r.id = p_id)
  then return query select 'overtaken', null::bigint; return; end if;

  -- A blocker that is replaced in its lane does not free it: meanwhile nobody is the blocker.
  v_stays := v_stays and not v_old.collapses;
  update queue.held h set message_id = 0
  where v_stays and h.tenant_id = p_tenant and h.queue_id = v_old.queue_id and h.lane = v_lane and h.message_id = p_id;
  v_is_blocker := found;
  select t.attempts into v_attempts from queue.take_out(p_tenant, array[p_id]) t;
  if v_attempts is null then
    delete from queue.removed r where r.tenant_id = p_tenant and r.queue_id = v_old.queue_id and r.id = p_id returning r.attempts into v_attempts;
  end if;
  if v_attempts is null then
    update queue.held h set message_id = p_id
    where v_is_blocker and h.tenant_id = p_tenant and h.queue_id = v_old.queue_id and h.lane = v_lane and h.message_id = 0;
    return query select 'refused', null::bigint; return;
  end if;

  v_successor := (queue.publish(p_tenant, array[v_target.id], array[v_message.subtenant_id], array[v_message.entity_type], array[v_message.source],
    array[v_message.headers], array[1], array[v_message.key], array[coalesce(p_document, v_message.document)], array[v_message.version],
    array[v_message.origin_id], array[v_message.entity_version], p_announce))[1];
  insert into queue.history (tenant_id, queue_id, id, attempts, outcome, successor_id)
  values (p_tenant, v_old.queue_id, p_id, v_attempts, 'redirected', v_successor);
  delete from queue.place p where p.tenant_id = p_tenant and p.queue_id = v_old.queue_id and p.lane = v_lane and p.message_id = p_id
  returning p.place into v_place;
  if v_stays then
    insert into queue.place (tenant_id, queue_id, lane, message_id, place) values (p_tenant, v_old.queue_id, v_lane, v_successor, coalesce(v_place, p_id));
    perform queue.hold_first(p_tenant, v_old.queue_id, v_old.shard, v_lane);
  end if;
  return query select 'replaced', v_successor;
end
$$;

-- Publishes copies of waiting messages to another queue, in the order of their lanes, and settles each as redirected to its copy. What is
-- in hand or settled is left as it is and not answered; so is what newer data has overtaken (outcome 'overtaken').
create function queue.redirect_to(p_tenant integer, p_queue integer, p_queues integer[], p_ids bigint[], p_announce boolean)
returns table (message_id bigint, outcome text, successor_id bigint)
language plpgsql
set enable_seqscan = off
as $$
declare
  v_shards integer;
  v_overtaken bigint[];
  v_id bigint[];
  v_queue integer[];
  v_lane bigint[];
  v_attempts smallint[];
  v_subtenant integer[];
  v_entity_type text[];
  v_source text[];
  v_headers text[];
  v_key text[];
  v_document text[];
  v_version bigint[];
  v_origin bigint[];
  v_entity_version integer[];
  v_count integer;
  v_successor bigint[];
begin
  select q.shards into v_shards from queue.queue q where q.tenant_id = p_tenant and q.id = p_queue;
  if not found then
    raise exception 'Queue % does not exist in tenant %.', p_queue, p_tenant using errcode = 'foreign_key_violation';
  end if;
  -- All shards at once, as everywhere: one after the other, two operators could wait for each other in a circle.
  perform queue.lock_shards(p_tenant, array_agg(s.queue_id), array_agg(s.shard))
  from (
    select u.queue_id, u.shard
    from unnest(p_queues, p_ids) as wanted (queue_id, id)
    cross join lateral (
      select m.key from queue.message m where m.tenant_id = p_tenant and m.queue_id = wanted.queue_id and m.id = wanted.id offset 0
    ) m
    cross join lateral (select queue.lane_of(m.key) as lane) l
    join queue.queue q on q.tenant_id = p_tenant and q.id = wanted.queue_id
    cross join lateral (
      values (wanted.queue_id, (l.lane & (q.shards - 1))::smallint), (p_queue, (l.lane & (v_shards - 1))::smallint)
    ) u (queue_id, shard)
  ) s
  having count(*) > 0;
  v_overtaken := array(select queue.overtaken_for(p_tenant, p_queue, p_queues, p_ids));

  -- Before they are taken out: a lane forgets its places when it is left.
  select array_agg(m.id order by coalesce(p.place, m.id)) into v_id
  from unnest(p_queues, p_ids) as wanted (queue_id, id)
  cross join lateral (
    select m.id, m.key from queue.message m where m.tenant_id = p_tenant and m.queue_id = wanted.queue_id and m.id = wanted.id offset 0
  ) m
  cross join lateral (select queue.lane_of(m.key) as lane) l
  left join queue.place p on p.tenant_id = p_tenant and p.queue_id = wanted.queue_id and p.lane = l.lane and p.message_id = m.id
  where wanted.queue_id <> p_queue and m.id <> all (v_overtaken);

  select array_agg(t.id order by n.n), array_agg(t.queue_id order by n.n), array_agg(t.lane order by n.n), array_agg(t.attempts order by n.n),
    array_agg(m.subtenant_id order by n.n), array_agg(m.entity_type order by n.n), array_agg(m.source order by n.n),
    array_agg(m.headers order by n.n), array_agg(m.key order by n.n), array_agg(m.document order by n.n), array_agg(m.version order by n.n),
    array_agg(m.origin_id order by n.n), array_agg(m.entity_version order by n.n), count(*)
  into v_id, v_queue, v_lane, v_attempts, v_subtenant, v_entity_type, v_source, v_headers, v_key, v_document, v_version, v_origin,
    v_entity_version, v_count
  from queue.take_out(p_tenant, v_id) t
  join unnest(v_id) with ordinality as n (id, n) on n.id = t.id
  cross join lateral (
    select m.* from queue.message m where m.tenant_id = p_tenant and m.queue_id = t.queue_id and m.id = t.id offset 0
  ) m;
  if v_count > 0 then
    v_successor := queue.publish(p_tenant, array_fill(p_queue, array[v_count]), v_subtenant, v_entity_type, v_source, v_headers,
      array(select generate_series(1, v_count)), v_key, v_document, v_version, v_origin, v_entity_version, p_announce);
    insert into queue.history (tenant_id, queue_id, id, attempts, outcome, successor_id)
    select p_tenant, v_queue[i], v_id[i], v_attempts[i], 'redirected', v_successor[i] from generate_series(1, v_count) i;
    delete from queue.place p using unnest(v_queue, v_lane, v_id) as left_by (queue_id, lane, id)
    where p.tenant_id = p_tenant and p.queue_id = left_by.queue_id and p.lane = left_by.lane and p.message_id = left_by.id;
  end if;
  return query
    select v_id[i], 'redirected', v_successor[i] from generate_series(1, v_count) i
    union all
    select unnest(v_overtaken), 'overtaken', null::bigint;
end
$$;

-- Those of messages of other queues that a fifo queue has had, by the same event, or newer data of the same object: versions first, then ids. At
-- the end of its lane there they would come a second time, or after what replaced them. What an operator took out of that lane doesn't count,
-- so that a redirect can be undone, and a copy counts as what it was made from, so that a lane may go in parts.
create function queue.overtaken_in(p_tenant integer, p_queue integer, p_queues integer[], p_ids bigint[]) returns setof bigint
language sql stable
set enable_seqscan = off
as $$
  with wanted as materialized (
    select m.* from unnest(p_queues, p_ids) as wanted (queue_id, id)
    cross join lateral (
      select m.id, m.queue_id, m.key, m.origin_id, m.entity_version, coalesce(m.version, 0) as version from queue.message m
      where m.tenant_id = p_tenant and m.queue_id = wanted.queue_id and m.id = wanted.id offset 0
    ) m
    where wanted.queue_id <> p_queue and exists (select from queue.queue q where q.tenant_id = p_tenant and q.id = p_queue and q.mode = 'fifo')
  ), there as materialized (
    select o.key, o.origin_id, o.entity_version, o.version, queue.first_of(p_tenant, o.id) as id
    from (select distinct key from wanted) k
    cross join lateral (
      select o.id, o.key, o.origin_id, o.entity_version, coalesce(o.version, 0) as version
      from queue.messages_of(p_tenant, p_queue, k.key) o offset 0
    ) o
    where not exists (
        select from queue.history h where h.tenant_id = p_tenant and h.queue_id = p_queue and h.id = o.id and h.outcome = 'redirected' offset 0)
      and not exists (select from queue.removed r where r.tenant_id = p_tenant and r.queue_id = p_queue and r.id = o.id offset 0)
  ), newest as (
    select distinct on (key) key, version, id from there order by key, version desc, id desc
  )
  select w.id from wanted w
  join there t on t.key = w.key and t.origin_id = w.origin_id and t.entity_version is not distinct from w.entity_version
  union
  select w.id from wanted w join newest n on n.key = w.key and (n.version, n.id) > (w.version, queue.first_of(p_tenant, w.id, w.queue_id));
$$;

-- Those of messages that newer data of their object has overtaken, in their own queue or in the one they shall go to. Both settle by
-- versions first, then by ids; what the same event brought to the other queue is not newer where the latest wins: of two it drops one.
create function queue.overtaken_for(p_tenant integer, p_queue integer, p_queues integer[], p_ids bigint[]) returns setof bigint
language sql stable
set enable_seqscan = off
as $$
  select m.id
  from unnest(p_queues, p_ids) as wanted (queue_id, id)
  cross join lateral (
    select m.id, m.key, m.version, m.origin_id from queue.message m
    where m.tenant_id = p_tenant and m.queue_id = wanted.queue_id and m.id = wanted.id offset 0
  ) m
  cross join lateral (select queue.lane_of(m.key) as lane) l
  join queue.queue source on source.tenant_id = p_tenant and source.id = wanted.queue_id
  join queue.queue target on target.tenant_id = p_tenant and target.id = p_queue
  where source.mode = 'latest' and queue.has_newer(p_tenant, source.id, l.lane, m.version, m.id)
    or target.mode = 'latest' and (queue.has_newer(p_tenant, target.id, l.lane, m.version, m.id)
      or exists (
        select from queue.messages_of(p_tenant, p_queue, m.key) o
        where o.id > m.id and (m.version is null or o.version = m.version)
          and (o.origin_id is null or o.origin_id is distinct from m.origin_id)))
  union all
  select queue.overtaken_in(p_tenant, p_queue, p_queues, p_ids);
$$;
