-- What the metrics of a queue add up to since ever, for those who watch counters grow: whole days that are settled are added here once, so that
-- neither the reader adds up years each time nor does a counter fall when old days are pruned.
create table hub.metric_total (
  tenant_id integer not null,
  queue_id integer not null,
  added bigint not null,
  delivered bigint not null,
  failed bigint not null,
  dead bigint not null,
  superseded bigint not null,
  primary key (tenant_id, queue_id)
);

create table hub.metric_latency_total (
  tenant_id integer not null,
  queue_id integer not null,
  bucket smallint not null,
  count bigint not null,
  primary key (tenant_id, queue_id, bucket)
);

select hub.keep_to_tenant('metric_total', 'metric_latency_total');

-- Adds the days that were settled since. Safe beside the same in another process, which waits for the row.
create function hub.total_metrics() returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  v_from timestamptz;
  v_to timestamptz;
begin
  select totalled_to, date_bin('1 day', settled_to, 'epoch') into v_from, v_to from hub.metric_progress for update;
  if v_to <= v_from then return; end if;
  insert into hub.metric_total as known (tenant_id, queue_id, added, delivered, failed, dead, superseded)
  select tenant_id, queue_id, sum(added), sum(delivered), sum(failed), sum(dead), sum(superseded)
  from hub.metric where grain = 1440 and at >= v_from and at < v_to group by 1, 2
  on conflict (tenant_id, queue_id) do update
  set added = known.added + excluded.added, delivered = known.delivered + excluded.delivered, failed = known.failed + excluded.failed,
    dead = known.dead + excluded.dead, superseded = known.superseded + excluded.superseded;
  insert into hub.metric_latency_total as known (tenant_id, queue_id, bucket, count)
  select tenant_id, queue_id, bucket, sum(count)
  from hub.metric_latency where grain = 1440 and count > 0 and at >= v_from and at < v_to group by 1, 2, 3
  on conflict (tenant_id, queue_id, bucket) do update set count = known.count + excluded.count;
  update hub.metric_progress set totalled_to = v_to;
end $$;

-- The counters of every queue up to the last count, and what it looked like then. Nothing waits in a queue that has no row of the last two minutes.
create function hub.queue_counters() returns table (
  tenant_code text, subtenant_code text, point_code text, queue_id integer, queue_name text, added bigint, delivered bigint, failed bigint,
  dead bigint, superseded bigint, depth double precision, oldest_seconds integer, dead_letters integer, is_paused boolean
)
  language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  with day as (
    select metric.tenant_id, metric.queue_id, sum(metric.added) as added, sum(metric.delivered) as delivered, sum(metric.failed) as failed,
      sum(metric.dead) as dead, sum(metric.superseded) as superseded
    from hub.metric_progress progress join hub.metric on metric.grain = 1440 and metric.at >= progress.totalled_to
    group by 1, 2
  ), seen as (
    select distinct on (metric.tenant_id, metric.queue_id) metric.tenant_id, metric.queue_id, metric.depth_total, metric.oldest_seconds
    from hub.metric where metric.grain = 1 and metric.at > now() - interval '2 minutes' and metric.samples > 0
    order by metric.tenant_id, metric.queue_id, metric.at desc
  )
  select tenant.code, subtenant.code, point.code, queue.id, queue.name, coalesce(total.added, 0) + coalesce(day.added, 0),
    coalesce(total.delivered, 0) + coalesce(day.delivered, 0), coalesce(total.failed, 0) + coalesce(day.failed, 0),
    coalesce(total.dead, 0) + coalesce(day.dead, 0), coalesce(total.superseded, 0) + coalesce(day.superseded, 0), coalesce(seen.depth_total, 0),
    coalesce(seen.oldest_seconds, 0),
    (select count(*) from (select from queue.dead where dead.tenant_id = queue.tenant_id and dead.queue_id = queue.id limit 100000) died)::integer,
    target.is_paused
  from queue.queue
  join queue.target on target.tenant_id = queue.tenant_id and target.id = queue.target_id
  join hub.integration_point point on point.tenant_id = queue.tenant_id and point.id = queue.target_id
  join hub.subtenant on subtenant.tenant_id = point.tenant_id and subtenant.id = point.subtenant_id
  join hub.tenant on tenant.id = queue.tenant_id
  left join hub.metric_total total on total.tenant_id = queue.tenant_id and total.queue_id = queue.id
  left join day on day.tenant_id = queue.tenant_id and day.queue_id = queue.id
  left join seen on seen.tenant_id = queue.tenant_id and seen.queue_id = queue.id
  order by queue.tenant_id, queue.id;
end;

-- Deliveries of every tenant by how long the message had been here, in the buckets of hub.metric_latency.
create function hub.latency_counters() returns table (tenant_code text, bucket smallint, count bigint)
  language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select tenant.code, counted.bucket, sum(counted.count)::bigint
  from (
    select total.tenant_id, total.bucket, sum(total.count) as count from hub.metric_latency_total total group by 1, 2
    union all
    select latency.tenant_id, latency.bucket, sum(latency.count)
    from hub.metric_progress progress join hub.metric_latency latency on latency.grain = 1440 and latency.count > 0 and latency.at >= progress.totalled_to
    group by 1, 2
  ) counted
  join hub.tenant on tenant.id = counted.tenant_id
  group by tenant.id, counted.bucket order by tenant.id, counted.bucket;
end;

-- Minutes before it are final.
create function hub.metrics_settled_to() returns timestamptz
  language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select settled_to from hub.metric_progress;
end;

revoke execute on function hub.total_metrics(), hub.queue_counters(), hub.latency_counters(), hub.metrics_settled_to() from public;
grant execute on function hub.total_metrics(), hub.queue_counters(), hub.latency_counters(), hub.metrics_settled_to() to crossdock_worker;
