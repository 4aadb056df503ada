-- What waits, looked at several times a minute: nothing tells afterwards how much it was.

-- Looks at what waits now. Each state is counted up to 100,000 per queue.
create function hub.sample_depths(p_minute timestamptz) returns void
  language sql security definer
  set search_path = pg_catalog, pg_temp set enable_seqscan = off
begin atomic
  insert into hub.metric as known (tenant_id, grain, queue_id, at, depth_total, depth_max, depth_min, samples, oldest_seconds)
  select q.tenant_id, 1, q.id, p_minute, w.depth, w.depth, w.depth, 1,
    coalesce((select greatest(0, extract(epoch from clock_timestamp() - m.created_at)) from queue.message m
      where m.tenant_id = q.tenant_id and m.queue_id = q.id and m.id = w.oldest), 0)
  from queue.queue q
  cross join lateral (
    select sum(count) as depth, min(oldest) as oldest from (
      select count(*) as count, min(id) as oldest
      from (select id from queue.ready r where r.tenant_id = q.tenant_id and r.queue_id = q.id limit 100000) r
      union all
      select count(*), min(id) from (select id from queue.retrying r where r.tenant_id = q.tenant_id and r.queue_id = q.id order by id limit 100000) r
      union all
      select count(*), min(id) from (select id from queue.parked r where r.tenant_id = q.tenant_id and r.queue_id = q.id order by id limit 100000) r
    ) states
  ) w
  where w.depth > 0 or exists (
    select from hub.metric seen where seen.tenant_id = q.tenant_id and seen.grain = 1 and seen.queue_id = q.id and seen.at = p_minute
  )
  on conflict (tenant_id, grain, queue_id, at) do update
  set depth_total = (known.depth_total * known.samples + excluded.depth_total) / (known.samples + 1),
    depth_max = greatest(known.depth_max, excluded.depth_max),
    depth_min = case when known.samples = 0 then excluded.depth_min else least(known.depth_min, excluded.depth_min) end,
    samples = least(known.samples + 1, 30000), oldest_seconds = greatest(known.oldest_seconds, excluded.oldest_seconds);
end;
revoke execute on function hub.sample_depths(timestamptz) from public;
