-- Counts that are kept rather than counted: of dead letters by their cause, and of what waits in long queues.

-- Dead letters -------------------------------------------------------------------------------------------------------------

-- What came to queue.dead and went, a row for each statement, queue, cause and hour: who lets messages die or takes them back waits for nobody
-- who does the same. queue.fold_deaths adds them up in queue.dead_tally, so both together are the present count, whoever reads.
create table queue.dead_change (
  tenant_id integer not null,
  queue_id integer not null,
  fingerprint text not null,
  -- Since 1970, of the failure.
  hour integer not null,
  count integer not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index dead_change_of on queue.dead_change (tenant_id);

create table queue.dead_tally (
  tenant_id integer not null,
  queue_id integer not null,
  fingerprint text not null,
  count integer not null,
  -- How many of them failed in each of 24 hours, of which the last is to_hour.
  hours integer[] not null,
  to_hour integer not null,
  primary key (tenant_id, queue_id, fingerprint)
) with (fillfactor = 70);

-- Two such rows of hours added up, from the 24th hour before p_to on.
create function queue.sum_hours(p_left integer[], p_left_to integer, p_right integer[], p_right_to integer, p_to integer) returns integer[]
language sql immutable parallel safe
begin atomic
  select array_agg(coalesce(p_left[hour - p_left_to + 24], 0) + coalesce(p_right[hour - p_right_to + 24], 0) order by hour)
  from generate_series(p_to - 23, p_to) hour;
end;

-- Of immutable parts alone, so that it is inlined.
create function queue.hour_of(p_at timestamptz) returns integer
language sql immutable parallel safe
return floor(date_part('epoch', p_at at time zone 'UTC') / 3600)::integer;

create function queue.note_dead() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if tg_op = 'TRUNCATE' then
    delete from queue.dead_change;
    delete from queue.dead_tally;
    return null;
  end if;
  if tg_op <> 'INSERT' then
    insert into queue.dead_change (tenant_id, queue_id, fingerprint, hour, count)
    select tenant_id, queue_id, coalesce(fingerprint, ''), queue.hour_of(dead_at), -count(*) from gone group by 1, 2, 3, 4;
  end if;
  if tg_op <> 'DELETE' then
    insert into queue.dead_change (tenant_id, queue_id, fingerprint, hour, count)
    select tenant_id, queue_id, coalesce(fingerprint, ''), queue.hour_of(dead_at), count(*) from come group by 1, 2, 3, 4;
  end if;
  return null;
end $$;
create trigger note_dead_come after insert on queue.dead referencing new table as come for each statement execute function queue.note_dead();
create trigger note_dead_gone after delete on queue.dead referencing old table as gone for each statement execute function queue.note_dead();
create trigger note_dead_changed after update on queue.dead referencing old table as gone new table as come
  for each statement execute function queue.note_dead();
create trigger note_dead_emptied after truncate on queue.dead for each statement execute function queue.note_dead();

-- Adds the changes up. Several may run at once: each change is taken by one of them. Returns how many there were.
create function queue.fold_deaths() returns integer
language plpgsql
as $$
declare
  v_now constant integer := queue.hour_of(clock_timestamp());
  v_folded integer;
begin
  with gone as (
    delete from queue.dead_change returning *
  ), hourly as (
    select tenant_id, queue_id, fingerprint, hour, sum(count) as count, count(*) as changes from gone group by 1, 2, 3, 4
  ), sums as (
    select tenant_id, queue_id, fingerprint, sum(count) as count, sum(changes) as changes, array_agg(hour) as hours, array_agg(count) as counts
    from hourly group by 1, 2, 3
  ), folded as (
    insert into queue.dead_tally as known (tenant_id, queue_id, fingerprint, count, hours, to_hour)
    select s.tenant_id, s.queue_id, s.fingerprint, s.count, array(
        select coalesce(sum(c.count), 0)::integer
        from generate_series(v_now - 23, v_now) slot left join unnest(s.hours, s.counts) c (hour, count) on c.hour = slot
        group by slot order by slot
      ), v_now
    from sums s order by 1, 2, 3
    on conflict (tenant_id, queue_id, fingerprint) do update
    set count = known.count + excluded.count, to_hour = greatest(known.to_hour, excluded.to_hour),
      hours = queue.sum_hours(known.hours, known.to_hour, excluded.hours, excluded.to_hour, greatest(known.to_hour, excluded.to_hour))
  )
  select coalesce(sum(changes), 0) into v_folded from sums;
  if v_folded > 0 then delete from queue.dead_tally where count = 0; end if;
  return v_folded;
end $$;

-- What waits ---------------------------------------------------------------------------------------------------------------

-- What waited in a queue when it was last counted; no row where it was little. See queue.count_waiting.
create table queue.depth (
  tenant_id integer not null,
  queue_id integer not null,
  ready integer not null,
  retrying integer not null,
  parked integer not null,
  primary key (tenant_id, queue_id)
) with (fillfactor = 50);

create table queue.depth_count (
  is_only boolean primary key default true check (is_only),
  counted_at timestamptz not null default '-infinity',
  rests interval not null default '0'
);
insert into queue.depth_count default values;

-- Counts what waits in every queue and keeps it where a state has more than p_over messages. One at a time, and so seldom that counting
-- takes no more than a fiftieth of the time. Returns whether it counted.
create function queue.count_waiting(p_over integer) returns boolean
language plpgsql
set enable_seqscan = off
as $$
declare
  v_begun constant timestamptz := clock_timestamp();
begin
  -- By a clock that has been set back since, the count was in the future: no reason to rest until then.
  perform from queue.depth_count where v_begun not between counted_at and counted_at + rests for update skip locked;
  if not found then return false; end if;
  with counted as (
    select tenant_id, queue_id, count(*) as ready, 0 as retrying, 0 as parked from queue.ready group by 1, 2
    union all select tenant_id, queue_id, 0, count(*), 0 from queue.retrying group by 1, 2
    union all select tenant_id, queue_id, 0, 0, count(*) from queue.parked group by 1, 2
  ), much as (
    select tenant_id, queue_id, sum(ready)::integer as ready, sum(retrying)::integer as retrying, sum(parked)::integer as parked from counted
    group by 1, 2 having greatest(sum(ready), sum(retrying), sum(parked)) > p_over
  ), little as (
    delete from queue.depth d where not exists (select from much m where m.tenant_id = d.tenant_id and m.queue_id = d.queue_id)
  )
  insert into queue.depth as known select * from much
  on conflict (tenant_id, queue_id) do update set ready = excluded.ready, retrying = excluded.retrying, parked = excluded.parked
  where (known.ready, known.retrying, known.parked) is distinct from (excluded.ready, excluded.retrying, excluded.parked);
  update queue.depth_count set counted_at = clock_timestamp(), rests = 50 * (clock_timestamp() - v_begun);
  return true;
end $$;

-- Access -------------------------------------------------------------------------------------------------------------------

do $$
declare name text;
begin
  foreach name in array array['dead_change', 'dead_tally', 'depth'] loop
    execute format('alter table queue.%I enable row level security', name);
    execute format('create policy of_tenant on queue.%I to crossdock_app using (tenant_id = (select queue.current_tenant()))', name);
    execute format('create policy of_all on queue.%I to crossdock_worker using (true) with check (true)', name);
    execute format('grant select on queue.%I to crossdock_app', name);
    execute format('grant select, insert, update, delete on queue.%I to crossdock_worker', name);
  end loop;
end $$;
grant select, update on queue.depth_count to crossdock_worker;
revoke execute on function queue.note_dead(), queue.fold_deaths(), queue.count_waiting(integer) from public;
grant execute on function queue.fold_deaths(), queue.count_waiting(integer) to crossdock_worker;
