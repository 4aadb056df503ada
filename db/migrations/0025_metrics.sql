-- What happened per queue and minute, rolled up to quarters, hours and days. Derived behind the engine from what it keeps anyway (message,
-- history, attempt), so that no delivery pays for it and the sums are those of the rows: a minute that may still change is counted anew,
-- not added to. What is settled is never counted again, and outlives the rows it came from.

-- Dead letters leave their table when they are requeued, so their deaths are noted: one narrow row each, kept until they are counted.
create table hub.death (
  tenant_id integer not null,
  queue_id integer not null,
  died_at timestamptz not null
);
create index death_by_time on hub.death (died_at);

create function hub.note_deaths() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  -- What an operator restored died before, and was noted then.
  insert into hub.death (tenant_id, queue_id, died_at) select tenant_id, queue_id, dead_at from died where dead_at >= now();
  return null;
end $$;
create trigger note_deaths after insert on queue.dead referencing new table as died for each statement execute function hub.note_deaths();

-- grain: minutes that a row stands for. A row is here only where something happened or waited: without one all is nought.
create table hub.metric (
  tenant_id integer not null,
  grain smallint not null check (grain in (1, 15, 60, 1440)),
  queue_id integer not null,
  at timestamptz not null,
  subtenant_id integer,
  added integer not null default 0,
  delivered integer not null default 0,
  attempts integer not null default 0,
  -- Attempts that failed, whatever became of the message.
  failed integer not null default 0,
  dead integer not null default 0,
  superseded integer not null default 0,
  redirected integer not null default 0,
  -- Of the minutes in it: those with a row, the most and the fewest added in one of these.
  minutes smallint not null default 1,
  added_max integer not null default 0,
  added_min integer not null default 0,
  -- Waiting (ready, in hand, retrying, parked), as it was looked at several times a minute: the sum of the minutes' means.
  depth_total double precision not null default 0,
  depth_max integer not null default 0,
  depth_min integer not null default 0,
  samples smallint not null default 0,
  -- The greatest age, seconds, of the oldest waiting message.
  oldest_seconds integer not null default 0,
  primary key (tenant_id, grain, queue_id, at)
) with (fillfactor = 80);
create index metric_by_time on hub.metric (grain, at);

-- Deliveries by how long the message had been here, and attempts by how long they took: bucket n is from 2^n to 2^(n+1) milliseconds.
create table hub.metric_latency (
  tenant_id integer not null,
  grain smallint not null,
  queue_id integer not null,
  at timestamptz not null,
  bucket smallint not null,
  count integer not null default 0,
  attempts integer not null default 0,
  primary key (tenant_id, grain, queue_id, at, bucket)
) with (fillfactor = 80);
create index metric_latency_by_time on hub.metric_latency (grain, at);

-- Minutes before settled_to are final.
create table hub.metric_progress (
  is_only boolean primary key default true check (is_only),
  settled_to timestamptz not null,
  -- Days before it are in the totals (0026_metric_totals.sql).
  totalled_to timestamptz not null default '-infinity'
);
insert into hub.metric_progress (settled_to) values (date_trunc('minute', now()));

-- When it was looked at, and the first transaction id that was not given out then: whatever bears an older time was written by an older one.
create table hub.metric_mark (
  read_at timestamptz not null,
  next_xid xid8 not null
);

select hub.keep_to_tenant('death', 'metric', 'metric_latency');
grant select on hub.metric, hub.metric_latency to crossdock_app, crossdock_worker;
-- Whether the metrics are counted up to now: what isn't counted yet is no silence.
grant select on hub.metric_mark, hub.metric_progress to crossdock_app;

-- Counting --------------------------------------------------------------------------------------------------------------------------------
-- The one call that counts: what happened, what waits, how long deliveries took, then the coarser grains.

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
  -- What a clock that has been set back says to be settled and read is still to come.
  update hub.metric_progress set settled_to = least(settled_to, date_trunc('minute', p_now)) returning settled_to into v_from;
  delete from hub.metric_mark where read_at > p_now;
  select pg_snapshot_xmin(s), pg_snapshot_xmax(s) into v_open, v_next from pg_current_snapshot() s;
  select max(read_at) into v_safe from hub.metric_mark where next_xid <= v_open;
  v_to := least(date_trunc('minute', p_now) + interval '1 minute', v_from + p_most);
  v_whole := least(v_to, date_trunc('minute', p_now));

  insert into hub.metric as known (tenant_id, grain, queue_id, at, subtenant_id, added, delivered, attempts, failed, dead, superseded, redirected, added_max,
    added_min)
  select tenant_id, 1, queue_id, at, max(subtenant_id), sum(added), sum(delivered), sum(attempts), sum(failed), sum(dead), sum(superseded), sum(redirected),
    sum(added), sum(added)
  from (
    select tenant_id, queue_id, date_trunc('minute', created_at) as at, max(subtenant_id) as subtenant_id, count(*) as added, 0 as delivered, 0 as attempts,
      0 as failed, 0 as dead, 0 as superseded, 0 as redirected
    from queue.message where created_at >= v_from and created_at < v_to group by 1, 2, 3
    union all
    select tenant_id, queue_id, date_trunc('minute', finished_at), null, 0, count(*) filter (where outcome = 'delivered'), 0, 0, 0,
      count(*) filter (where outcome = 'superseded'), count(*) filter (where outcome = 'redirected')
    from queue.history where finished_at >= v_from and finished_at < v_to group by 1, 2, 3
    union all
    -- By its end. None takes more than an hour: what workers report is noted as that at most.
    select tenant_id, queue_id, date_trunc('minute', started_at + interval '1 millisecond' * duration_ms), null, 0, 0, count(*), count(error_class), 0, 0, 0
    from queue.attempt
    where started_at >= v_from - interval '1 hour' and started_at < v_to
      and started_at + interval '1 millisecond' * duration_ms >= v_from and started_at + interval '1 millisecond' * duration_ms < v_to
    group by 1, 2, 3
    union all
    select tenant_id, queue_id, date_trunc('minute', died_at), null, 0, 0, 0, 0, count(*), 0, 0
    from hub.death where died_at >= v_from and died_at < v_to group by 1, 2, 3
  ) counted
  group by tenant_id, queue_id, at
  on conflict (tenant_id, grain, queue_id, at) do update
  set subtenant_id = coalesce(excluded.subtenant_id, known.subtenant_id), added = excluded.added, delivered = excluded.delivered,
    attempts = excluded.attempts, failed = excluded.failed, dead = excluded.dead, superseded = excluded.superseded, redirected = excluded.redirected,
    added_max = excluded.added, added_min = excluded.added
  where (excluded.added, excluded.delivered, excluded.attempts, excluded.failed, excluded.dead, excluded.superseded, excluded.redirected)
    is distinct from (known.added, known.delivered, known.attempts, known.failed, known.dead, known.superseded, known.redirected);

  perform hub.count_latencies(v_from, v_whole);

  if v_to > p_now then perform hub.sample_depths(date_trunc('minute', p_now)); end if;
  -- Queues whose first message is older than what is counted: the subtenant of their point.
  update hub.metric set subtenant_id = point.subtenant_id
  from queue.queue join hub.integration_point point on point.tenant_id = queue.tenant_id and point.id = queue.target_id
  where metric.grain = 1 and metric.at >= v_from and metric.subtenant_id is null and queue.tenant_id = metric.tenant_id and queue.id = metric.queue_id;

  foreach v_grain in array array[15, 60, 1440] loop
    v_start := date_bin(make_interval(mins => v_grain), v_from, 'epoch');
    insert into hub.metric as known (tenant_id, grain, queue_id, at, subtenant_id, added, delivered, attempts, failed, dead, superseded, redirected, minutes,
      added_max, added_min, depth_total, depth_max, depth_min, samples, oldest_seconds)
    select tenant_id, v_grain, queue_id, date_bin(make_interval(mins => v_grain), at, 'epoch'), max(subtenant_id), sum(added), sum(delivered), sum(attempts),
      sum(failed), sum(dead), sum(superseded), sum(redirected), sum(minutes), max(added_max), min(added_min), sum(depth_total), max(depth_max), min(depth_min), max(samples),
      max(oldest_seconds)
    from hub.metric
    where grain = v_under and at >= v_start and at < v_to
    group by 1, 3, 4
    on conflict (tenant_id, grain, queue_id, at) do update
    set subtenant_id = excluded.subtenant_id, added = excluded.added, delivered = excluded.delivered, attempts = excluded.attempts,
      failed = excluded.failed, dead = excluded.dead, superseded = excluded.superseded, redirected = excluded.redirected, minutes = excluded.minutes, added_max = excluded.added_max, added_min = excluded.added_min,
      depth_total = excluded.depth_total, depth_max = excluded.depth_max, depth_min = excluded.depth_min, samples = excluded.samples,
      oldest_seconds = excluded.oldest_seconds
    where known is distinct from excluded;
    insert into hub.metric_latency as known (tenant_id, grain, queue_id, at, bucket, count, attempts)
    select tenant_id, v_grain, queue_id, date_bin(make_interval(mins => v_grain), at, 'epoch'), bucket, sum(count), sum(attempts)
    from hub.metric_latency
    where grain = v_under and at >= v_start and at < v_to
    group by 1, 3, 4, 5
    on conflict (tenant_id, grain, queue_id, at, bucket) do update set count = excluded.count, attempts = excluded.attempts
    where (excluded.count, excluded.attempts) <> (known.count, known.attempts);
    v_under := v_grain;
  end loop;

  if v_safe is not null then
    update hub.metric_progress set settled_to = greatest(v_from, least(v_to, date_trunc('minute', v_safe - interval '2 minutes')));
    delete from hub.metric_mark where read_at <= v_safe;
  end if;
  insert into hub.metric_mark values (p_now, v_next);
  return v_to < p_now;
end $$;

-- What waits, looked at several times a minute: nothing tells afterwards how much it was. Each state is counted up to 100,000 per queue.
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

-- The queues and the span of the minutes from p_from to p_to whose deliveries, or attempts, have become more since their times were counted.
create function hub.untimed_minutes(p_from timestamptz, p_to timestamptz, p_of_attempt boolean, out queues integer[], out first timestamptz, out past timestamptz)
  language sql stable security definer set search_path = pg_catalog, pg_temp
begin atomic
  select array_agg(distinct minute.queue_id), min(minute.at), max(minute.at) + interval '1 minute'
  from hub.metric minute
  cross join lateral (select case when p_of_attempt then minute.attempts else minute.delivered end as count) happened
  cross join lateral (
    select sum(case when p_of_attempt then known.attempts else known.count end) as count from hub.metric_latency known
    where known.tenant_id = minute.tenant_id and known.grain = 1 and known.queue_id = minute.queue_id and known.at = minute.at
  ) timed
  where minute.grain = 1 and minute.at >= p_from and minute.at < p_to and happened.count > 0 and happened.count is distinct from timed.count;
end;

create function hub.bucket_of(p_ms double precision) returns smallint
  language sql immutable parallel safe set search_path = pg_catalog, pg_temp
begin atomic
  select least(27, floor(ln(greatest(1::float8, p_ms)) / ln(2::float8)))::smallint;
end;

-- Times take most of the time that counting takes: a minute's are counted when the minute is over, and anew only when they have become more.
-- Nobody knows how many rows the minutes have that nobody has counted yet; left to choose, the planner guesses few, sorts them on disk and looks
-- each delivery's message up by its key. So they are added up in memory, and messages of about the same time, which most of what was delivered
-- are, are read once beside the deliveries.
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
  select queues, first, past into v_queues, v_from, v_to from hub.untimed_minutes(p_from, p_to, false);
  insert into hub.metric_latency as known (tenant_id, grain, queue_id, at, bucket, count)
  select tenant_id, 1, queue_id, date_trunc('minute', finished_at), hub.bucket_of(extract(epoch from finished_at - created_at)::float8 * 1000), count(*)
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

  select queues, first, past into v_queues, v_from, v_to from hub.untimed_minutes(p_from, p_to, true);
  insert into hub.metric_latency as known (tenant_id, grain, queue_id, at, bucket, attempts)
  select tenant_id, 1, queue_id, date_trunc('minute', started_at + interval '1 millisecond' * duration_ms), hub.bucket_of(duration_ms), count(*)
  from queue.attempt
  where started_at >= v_from - interval '1 hour' and started_at < v_to
    and started_at + interval '1 millisecond' * duration_ms >= v_from and started_at + interval '1 millisecond' * duration_ms < v_to
    and queue_id = any (v_queues)
  group by 1, 3, 4, 5
  on conflict (tenant_id, grain, queue_id, at, bucket) do update set attempts = excluded.attempts where excluded.attempts <> known.attempts;
end $$;

-- Minutes are kept for 8 days, quarters for 100, hours for 400, days for five years.
create function hub.prune_metrics() returns void
  language sql security definer set search_path = pg_catalog, pg_temp
begin atomic
  delete from hub.metric where (grain = 1 and at < now() - interval '8 days') or (grain = 15 and at < now() - interval '100 days')
    or (grain = 60 and at < now() - interval '400 days') or (grain = 1440 and at < now() - interval '5 years');
  delete from hub.metric_latency where (grain = 1 and at < now() - interval '8 days') or (grain = 15 and at < now() - interval '100 days')
    or (grain = 60 and at < now() - interval '400 days') or (grain = 1440 and at < now() - interval '5 years');
  delete from hub.death where died_at < (select settled_to - interval '1 day' from hub.metric_progress);
end;

revoke execute on function hub.note_deaths(), hub.collect_metrics(timestamptz, interval), hub.sample_depths(timestamptz), hub.bucket_of(double precision),
  hub.untimed_minutes(timestamptz, timestamptz, boolean), hub.count_latencies(timestamptz, timestamptz), hub.prune_metrics() from public;
grant execute on function hub.collect_metrics(timestamptz, interval), hub.prune_metrics() to crossdock_worker;
