-- Time to delivery takes most of the time that counting takes: a minute's is counted when the minute is over, and anew only when its deliveries
-- have become more. Nobody knows how many rows the minutes have that nobody has counted yet; left to choose, the planner guesses few, sorts
-- them on disk and looks each delivery's message up by its key. So they are added up in memory, and messages of about the same time, which
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
