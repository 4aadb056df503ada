-- The same as before, at a third of its cost. Nobody knows how many rows the minutes have that nobody has counted yet; the planner guessed few, sorted
-- them on disk and looked each delivery's message up by its key. Now they are added up in memory, and messages of about the same time, which
-- most of what was delivered are, are read once beside the deliveries.

-- Counts the time to delivery of minutes from p_from to p_to whose deliveries have become more since it was counted.
create function hub.count_latencies(p_from timestamptz, p_to timestamptz) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_nestloop = off set enable_mergejoin = off set enable_sort = off
  set jit = off set work_mem = '32MB' set timezone = 'UTC'
as $$
declare
  v_queues integer[];
  v_from timestamptz;
  v_to timestamptz;
begin
  select array_agg(distinct minute.queue_id), min(minute.at), max(minute.at) + interval '1 minute' into v_queues, v_from, v_to
  from hub.metric minute
  cross join lateral (
    select sum(known.count) as count from hub.metric_latency known
    where known.tenant_id = minute.tenant_id and known.grain = 1 and known.queue_id = minute.queue_id and known.at = minute.at
  ) counted
  where minute.grain = 1 and minute.at >= p_from and minute.at < p_to and minute.delivered > 0 and minute.delivered is distinct from counted.count;
  if v_queues is null then return; end if;

  insert into hub.metric_latency as known (tenant_id, grain, queue_id, at, bucket, count)
  select tenant_id, 1, queue_id, date_trunc('minute', finished_at),
    least(27, floor(ln(greatest(1::float8, extract(epoch from finished_at - created_at)::float8 * 1000)) / ln(2::float8)))::smallint, count(*)
  from (
    select h.tenant_id, h.queue_id, h.finished_at, coalesce(near.created_at, (
      select m.created_at from queue.message m where m.tenant_id = h.tenant_id and m.queue_id = h.queue_id and m.id = h.id
    )) as created_at
    from queue.history h
    left join queue.message near on near.created_at >= v_from - interval '1 minute' and near.created_at < v_to
      and near.tenant_id = h.tenant_id and near.queue_id = h.queue_id and near.id = h.id
    where h.finished_at >= v_from and h.finished_at < v_to and h.outcome = 'delivered' and h.queue_id = any (v_queues)
    offset 0
  ) delivered
  where created_at is not null
  group by 1, 3, 4, 5
  on conflict (tenant_id, grain, queue_id, at, bucket) do update set count = excluded.count where excluded.count <> known.count;
end $$;
revoke execute on function hub.count_latencies(timestamptz, timestamptz) from public;

create or replace function hub.collect_metrics(p_now timestamptz default clock_timestamp(), p_most interval default '6 hours') returns boolean
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_sort = off set jit = off set timezone = 'UTC'
as $$
declare
  v_from timestamptz;
  v_to timestamptz;
  v_open xid8;
  v_next xid8;
  v_safe timestamptz;
  v_grain integer;
  v_under integer := 1;
  v_start timestamptz;
  v_whole timestamptz;
begin
  select settled_to into v_from from hub.metric_progress for update;
  select pg_snapshot_xmin(s), pg_snapshot_xmax(s) into v_open, v_next from pg_current_snapshot() s;
  select max(read_at) into v_safe from hub.metric_mark where next_xid <= v_open;
  v_to := least(date_trunc('minute', p_now) + interval '1 minute', v_from + p_most);
  v_whole := least(v_to, date_trunc('minute', p_now));

  insert into hub.metric as known (tenant_id, grain, queue_id, at, subtenant_id, added, delivered, failed, dead, superseded, redirected, added_max, added_min)
  select tenant_id, 1, queue_id, at, max(subtenant_id), sum(added), sum(delivered), sum(failed), sum(dead), sum(superseded), sum(redirected), sum(added), sum(added)
  from (
    select tenant_id, queue_id, date_trunc('minute', created_at) as at, max(subtenant_id) as subtenant_id, count(*) as added, 0 as delivered, 0 as failed,
      0 as dead, 0 as superseded, 0 as redirected
    from queue.message where created_at >= v_from and created_at < v_to group by 1, 2, 3
    union all
    select tenant_id, queue_id, date_trunc('minute', finished_at), null, 0, count(*) filter (where outcome = 'delivered'), 0, 0,
      count(*) filter (where outcome = 'superseded'), count(*) filter (where outcome = 'redirected')
    from queue.history where finished_at >= v_from and finished_at < v_to group by 1, 2, 3
    union all
    -- By its end. None takes an hour.
    select tenant_id, queue_id, date_trunc('minute', started_at + interval '1 millisecond' * duration_ms), null, 0, 0, count(*), 0, 0, 0
    from queue.attempt
    where error_class is not null and started_at >= v_from - interval '1 hour' and started_at < v_to
      and started_at + interval '1 millisecond' * duration_ms >= v_from and started_at + interval '1 millisecond' * duration_ms < v_to
    group by 1, 2, 3
    union all
    select tenant_id, queue_id, date_trunc('minute', died_at), null, 0, 0, 0, count(*), 0, 0
    from hub.death where died_at >= v_from and died_at < v_to group by 1, 2, 3
  ) counted
  group by tenant_id, queue_id, at
  on conflict (tenant_id, grain, queue_id, at) do update
  set subtenant_id = coalesce(excluded.subtenant_id, known.subtenant_id), added = excluded.added, delivered = excluded.delivered, failed = excluded.failed,
    dead = excluded.dead, superseded = excluded.superseded, redirected = excluded.redirected, added_max = excluded.added, added_min = excluded.added
  where (excluded.added, excluded.delivered, excluded.failed, excluded.dead, excluded.superseded, excluded.redirected)
    is distinct from (known.added, known.delivered, known.failed, known.dead, known.superseded, known.redirected);

  perform hub.count_latencies(v_from, v_whole);

  if v_to > p_now then perform hub.sample_depths(date_trunc('minute', p_now)); end if;
  -- Queues whose first message is older than what is counted: the subtenant of their point.
  update hub.metric set subtenant_id = point.subtenant_id
  from queue.queue join hub.integration_point point on point.tenant_id = queue.tenant_id and point.id = queue.target_id
  where metric.grain = 1 and metric.at >= v_from and metric.subtenant_id is null and queue.tenant_id = metric.tenant_id and queue.id = metric.queue_id;

  foreach v_grain in array array[15, 60, 1440] loop
    v_start := date_bin(make_interval(mins => v_grain), v_from, 'epoch');
    insert into hub.metric as known (tenant_id, grain, queue_id, at, subtenant_id, added, delivered, failed, dead, superseded, redirected, minutes,
      added_max, added_min, depth_total, depth_max, depth_min, samples, oldest_seconds)
    select tenant_id, v_grain, queue_id, date_bin(make_interval(mins => v_grain), at, 'epoch'), max(subtenant_id), sum(added), sum(delivered), sum(failed),
      sum(dead), sum(superseded), sum(redirected), sum(minutes), max(added_max), min(added_min), sum(depth_total), max(depth_max), min(depth_min), max(samples),
      max(oldest_seconds)
    from hub.metric
    where grain = v_under and at >= v_start and at < v_to
    group by 1, 3, 4
    on conflict (tenant_id, grain, queue_id, at) do update
    set subtenant_id = excluded.subtenant_id, added = excluded.added, delivered = excluded.delivered, failed = excluded.failed, dead = excluded.dead,
      superseded = excluded.superseded, redirected = excluded.redirected, minutes = excluded.minutes, added_max = excluded.added_max, added_min = excluded.added_min,
      depth_total = excluded.depth_total, depth_max = excluded.depth_max, depth_min = excluded.depth_min, samples = excluded.samples,
      oldest_seconds = excluded.oldest_seconds
    where known is distinct from excluded;
    insert into hub.metric_latency as known (tenant_id, grain, queue_id, at, bucket, count)
    select tenant_id, v_grain, queue_id, date_bin(make_interval(mins => v_grain), at, 'epoch'), bucket, sum(count)
    from hub.metric_latency
    where grain = v_under and at >= v_start and at < v_to
    group by 1, 3, 4, 5
    on conflict (tenant_id, grain, queue_id, at, bucket) do update set count = excluded.count where excluded.count <> known.count;
    v_under := v_grain;
  end loop;

  if v_safe is not null then
    update hub.metric_progress set settled_to = greatest(v_from, least(v_to, date_trunc('minute', v_safe - interval '2 minutes')));
    delete from hub.metric_mark where read_at <= v_safe;
  end if;
  insert into hub.metric_mark values (p_now, v_next);
  return v_to < p_now;
end $$;
