-- What happened per queue and minute, rolled up to quarters, hours and days. Derived behind the engine from what it keeps anyway (message,
-- history, attempt), so that no delivery pays for it and the sums are those of the rows: a minute that may still change is counted anew,
-- not added to. What is settled is never counted again, and outlives the rows it came from.

-- Times are in the order of the rows, so an index of ranges finds a minute's and costs writers next to nothing.
create index message_created on queue.message using brin (created_at) with (pages_per_range = 128, autosummarize = on);
create index history_finished on queue.history using brin (finished_at) with (pages_per_range = 128, autosummarize = on);
create index attempt_started on queue.attempt using brin (started_at) with (pages_per_range = 128, autosummarize = on);

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
  insert into hub.death (tenant_id, queue_id, died_at) select tenant_id, queue_id, dead_at from died;
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

-- Deliveries by how long the message had been here: bucket n is from 2^n to 2^(n+1) milliseconds.
create table hub.metric_latency (
  tenant_id integer not null,
  grain smallint not null,
  queue_id integer not null,
  at timestamptz not null,
  bucket smallint not null,
  count integer not null,
  primary key (tenant_id, grain, queue_id, at, bucket)
) with (fillfactor = 80);
create index metric_latency_by_time on hub.metric_latency (grain, at);

-- Minutes before settled_to are final.
create table hub.metric_progress (
  is_only boolean primary key default true check (is_only),
  settled_to timestamptz not null
);
insert into hub.metric_progress (settled_to)
select date_trunc('minute', coalesce((select min(created_at) from queue.message), now()));

-- When it was looked at, and the first transaction id that was not given out then: whatever bears an older time was written by an older one.
create table hub.metric_mark (
  read_at timestamptz not null,
  next_xid xid8 not null
);

do $$
declare name text;
begin
  foreach name in array array['death', 'metric', 'metric_latency'] loop
    execute format('alter table hub.%I enable row level security', name);
    execute format('create policy own_tenant on hub.%I using (tenant_id = (select hub.current_tenant()))', name);
  end loop;
end $$;
grant select on hub.metric, hub.metric_latency to crossdock_app, crossdock_worker;

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

revoke execute on function hub.note_deaths(), hub.prune_metrics() from public;
grant execute on function hub.prune_metrics() to crossdock_worker;
