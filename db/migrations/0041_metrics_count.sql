-- The one call that counts: what happened, what waits (0024), how long deliveries took (0035), then the coarser grains.

-- Counts the minutes that are not settled, and answers whether some were left for the next call. One call at a time; the others wait for
-- its row and then find its work done. A commit may come late with rows of an earlier minute, so a minute is settled only once every
-- transaction has ended that was open when it was looked at two minutes after its end. Transactions elsewhere in the cluster that are open
-- for long make more minutes be counted anew, and nothing wrong.
create function hub.collect_metrics(p_now timestamptz default clock_timestamp(), p_most interval default '6 hours') returns boolean
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
revoke execute on function hub.collect_metrics(timestamptz, interval) from public;
grant execute on function hub.collect_metrics(timestamptz, interval) to crossdock_worker;
