-- Counts that are kept rather than counted: of dead letters by their cause, and of what waits in long queues. And a search that leaves out
-- what every text has.

-- The first and the last failure of a cause in a queue; what died of nothing named has the cause ''. Under row-level security the planner takes
-- a coalesce for something that may leak, and a case for nothing of the kind.
create index dead_failed on queue.dead (tenant_id, queue_id, (case when fingerprint is null then '' else fingerprint end), dead_at);

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

insert into queue.dead_change (tenant_id, queue_id, fingerprint, hour, count)
select tenant_id, queue_id, coalesce(fingerprint, ''), queue.hour_of(dead_at), count(*) from queue.dead group by 1, 2, 3, 4;
select queue.fold_deaths();

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
  next_at timestamptz not null default '-infinity'
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
  perform from queue.depth_count where next_at <= v_begun for update skip locked;
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
  update queue.depth_count set next_at = clock_timestamp() + 50 * (clock_timestamp() - v_begun);
  return true;
end $$;

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

-- As in 0028, but of a long run of characters the index is asked only for the part that few texts have: what all of them share, as the first
-- digits of barcodes, it would go through for nothing.
create or replace function queue.search_ids(p_words text[], p_queues integer[], p_before bigint, p_limit integer)
returns table (queue_id integer, id bigint)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  -- What the index takes for a word that frequent is as much work as reading ten times as many texts.
  c_read_max constant integer := 100000;
  v_tenant constant integer := queue.current_tenant();
  v_patterns constant text[] := array(
    select '%' || regexp_replace(word, '([\\%_])', '\\\1', 'g') || '%' from unnest(p_words) word order by length(word) desc
  );
  v_run constant text := (
    select run from unnest(p_words) word cross join regexp_split_to_table(word, '[^[:alnum:]]+') run
    where length(run) > 2 order by length(run) desc limit 1
  );
  v_rare text;
  v_before bigint := coalesce(p_before, 9223372036854775807);
  v_window integer := 5000;
  v_read integer := 0;
  v_found integer;
  v_left integer := p_limit;
begin
  if v_tenant is null then
    raise exception 'search_ids wants a tenant: crossdock.tenant_id is not set' using errcode = 'insufficient_privilege';
  end if;

  loop
    return query
      select n.queue_id, n.id
      from (
        select t.queue_id, t.id, t.text from queue.search_text t where t.tenant_id = v_tenant and t.id < v_before order by t.id desc limit v_window
      ) n
      where n.text like all (v_patterns) and (p_queues is null or n.queue_id = any (p_queues))
      order by n.id desc limit v_left;
    get diagnostics v_found = row_count;
    v_left := v_left - v_found;
    if v_left = 0 then return; end if;
    select t.id into v_before from queue.search_text t
    where t.tenant_id = v_tenant and t.id < v_before order by t.id desc offset v_window - 1 limit 1;
    if not found then return; end if;
    v_read := v_read + v_window;
    exit when v_left = p_limit;
    v_window := least(c_read_max, ceil(1.3 * v_read * v_left / (p_limit - v_left)));
    exit when v_read + v_window > c_read_max;
  end loop;

  v_rare := coalesce('%' || queue.rare_part(v_tenant, v_run) || '%', v_patterns[1]);
  -- Materialized, so that the limit does not tempt the planner to walk through all of the tenant's texts.
  return query
    with older as materialized (
      select t.queue_id, t.id from queue.search_text t
      -- The concatenation keeps the words from the index.
      where t.tenant_id = v_tenant and t.id < v_before and t.text like v_rare and (t.text || '') like all (v_patterns)
        and (p_queues is null or t.queue_id = any (p_queues))
    )
    select o.queue_id, o.id from older o order by o.id desc limit v_left;
end
$$;

-- The longest part of a run of letters and digits of which no three in a row stand in more than a tenth of the tenant's newest texts; all of it
-- where there is none.
create function queue.rare_part(p_tenant integer, p_run text) returns text
language sql stable
set search_path = pg_catalog, pg_temp
begin atomic
  with newest as materialized (
    select t.text from queue.search_text t where t.tenant_id = p_tenant order by t.id desc limit 200
  ), rare as (
    select place from generate_series(1, length(p_run) - 2) place
    where 10 * (select count(*) from newest where position(substr(p_run, place, 3) in text) > 0) <= (select count(*) from newest)
  ), part as (
    select min(place) as first, max(place) as last
    from (select place, place - row_number() over (order by place) as part from rare) parted group by part
  )
  select coalesce((select substr(p_run, first::integer, (last - first + 3)::integer) from part order by last - first desc limit 1), p_run);
end;
revoke all on function queue.rare_part(integer, text) from public;
