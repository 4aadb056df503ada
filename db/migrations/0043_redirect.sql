-- Redirect in bulk: waiting messages leave their lanes for those of another queue (packages/queue/src/redirect-messages.ts).

-- Those of messages that newer data of their object has overtaken, in their own queue or in the one they shall go to. Both settle by
-- versions first, then by ids; what the same event brought to the other queue is not newer.
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
      or m.version is null and exists (
        select from queue.message o where o.tenant_id = p_tenant and o.key = m.key and o.id > m.id and o.queue_id = target.id
          and (o.origin_id is null or o.origin_id is distinct from m.origin_id)));
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

  -- Before they are taken out: a lane forgets its places when it is left. What holds a lane is the first of it.
  select array_agg(m.id order by case when h.message_id = m.id then 0 else coalesce(p.place, m.id) end, m.id) into v_id
  from unnest(p_queues, p_ids) as wanted (queue_id, id)
  cross join lateral (
    select m.id, m.key from queue.message m where m.tenant_id = p_tenant and m.queue_id = wanted.queue_id and m.id = wanted.id offset 0
  ) m
  cross join lateral (select queue.lane_of(m.key) as lane) l
  left join queue.held h on h.tenant_id = p_tenant and h.queue_id = wanted.queue_id and h.lane = l.lane
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

-- Where the job's messages go; a job that takes such a one back has none, as each copy goes back to where its message was.
alter table hub.job drop constraint job_kind_check;
alter table hub.job add constraint job_kind_check
  check (kind in ('retry-now', 'requeue', 'remove', 'restore', 'patch', 'replay', 'redirect'));
alter table hub.job add target_queue_id integer;
alter table hub.job add constraint job_target
  check (kind = 'redirect' and (target_queue_id is not null or undo_of is not null) or kind <> 'redirect' and target_queue_id is null);
