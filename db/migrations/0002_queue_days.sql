-- Days: tables partitioned by day on the id, whose partitions are made ahead and dropped when nothing in them is needed any more. Partitions
-- are reached through their parents only: nobody is granted anything on them.

-- Other schemas may register theirs.
create table queue.day_partitioned (parent text primary key);
insert into queue.day_partitioned values ('queue.message'), ('queue.history'), ('queue.attempt');
grant select, insert, update, delete on queue.day_partitioned to crossdock_worker;

create function queue.partition_name(p_parent text, p_day integer) returns text
language sql immutable
return p_parent || '_' || to_char(date '1970-01-01' + p_day, 'YYYYMMDD');

-- Makes the partitions of today and the next three days and moves ids into today. Run it more often than daily.
-- A partition is made apart and attached: made in place it would lock its parent against everybody, and wait for a backup with all others behind it.
-- Statistics that name all tenants say of one that came after them that it has no rows, so that any index leads to a single one: the planner then
-- reads all that a new tenant has to find one key. Where they name the largest only, another is taken to be like the others.
create function queue.roll_partitions() returns integer
language plpgsql security definer
set search_path = pg_catalog, pg_temp
as $$
declare
  v_parent text;
  v_name text;
  v_today integer := (clock_timestamp() at time zone 'utc')::date - date '1970-01-01';
  v_made integer := 0;
begin
  perform pg_advisory_xact_lock(7265642);
  for v_parent in select parent from queue.day_partitioned order by parent loop
    for v_day in v_today .. v_today + 3 loop
      v_name := queue.partition_name(v_parent, v_day);
      if to_regclass(v_name) is null then
        execute format('create table %s (like %s including all)', v_name, v_parent);
        execute format('alter table %s alter column tenant_id set statistics 1', v_name);
        execute format('alter table %s attach partition %s for values from (%s) to (%s)',
          v_parent, v_name, v_day * 10000000000, (v_day + 1) * 10000000000);
        v_made := v_made + 1;
      end if;
    end loop;
  end loop;
  if (select last_value from queue.message_id) < v_today * 10000000000 then
    perform setval('queue.message_id', v_today * 10000000000);
  end if;
  return v_made;
end
$$;

-- Whether one of the messages with these ids has finished since. By the index of ranges alone: a plan for any time would go through all of the
-- day for a first row, and in a day that is to be dropped there is none.
create function queue.has_finished(p_from bigint, p_to bigint, p_since timestamptz) returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_indexscan = off
as $$
  select exists (select from queue.history h where h.id >= p_from and h.id < p_to and h.finished_at >= p_since);
$$;

-- Whether one of the messages with these ids waits, or was removed since, and so may come back, or finished since. Looked up queue by queue, as
-- a drop asks it while everybody waits for the drop.
create function queue.is_needed(p_from bigint, p_to bigint, p_since timestamptz) returns boolean
language sql stable
set search_path = pg_catalog, pg_temp
as $$
  select exists (
      select from queue.shard s cross join lateral (
        select from queue.ready r
        where r.tenant_id = s.tenant_id and r.queue_id = s.queue_id and r.shard = s.shard and r.id >= p_from and r.id < p_to limit 1
      ) r)
    or exists (
      select from queue.queue q cross join lateral (
        (select from queue.retrying r where r.tenant_id = q.tenant_id and r.queue_id = q.id and r.id >= p_from and r.id < p_to limit 1)
        union all
        (select from queue.parked r where r.tenant_id = q.tenant_id and r.queue_id = q.id and r.id >= p_from and r.id < p_to limit 1)
        union all
        (select from queue.dead r where r.tenant_id = q.tenant_id and r.queue_id = q.id and r.id >= p_from and r.id < p_to limit 1)
        union all
        (select from queue.removed r where r.tenant_id = q.tenant_id and r.queue_id = q.id and r.id >= p_from and r.id < p_to
          and r.removed_at >= p_since limit 1)
      ) r)
    or queue.has_finished(p_from, p_to, p_since);
$$;

-- Drops the oldest partition of a day older than p_days in which nothing waits any more and nothing was removed or
-- finished within that time: an old dead letter may be removed, or delivered after all, today. Returns its name; null when there is none. One in
-- each transaction: whoever publishes or settles takes locks on these tables in orders of their own. Of a day the messages go first, as rounds
-- end in between, and a message without its history would look as if it were not finished.
create function queue.drop_expired(p_days integer) returns text
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '2s'
as $$
declare
  v_today integer := (clock_timestamp() at time zone 'utc')::date - date '1970-01-01';
  v_old record;
  v_from bigint;
  v_to bigint;
  v_since timestamptz := clock_timestamp() - make_interval(days => p_days);
begin
  perform pg_advisory_xact_lock(7265642);
  for v_old in
    select p.parent, d.day, d.name
    from queue.day_partitioned p
    cross join lateral (
      select c.relname as leaf, i.inhrelid::regclass::text as name, (substring(c.relname from '_(\d{8})$')::date - date '1970-01-01') as day
      from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = to_regclass(p.parent)
    ) d
    where d.day < v_today - p_days
    order by d.day, p.parent <> 'queue.message', p.parent
  loop
    v_from := v_old.day * 10000000000;
    v_to := v_from + 10000000000;
    continue when queue.is_needed(v_from, v_to, v_since);
    execute format('lock table only %s in access exclusive mode', v_old.parent);
    -- Restored, or claimed again, before the lock was granted.
    if queue.is_needed(v_from, v_to, v_since) then return null; end if;
    if v_old.parent = 'queue.message' then
      delete from queue.removed where id >= v_from and id < v_to;
    end if;
    execute format('drop table %s', v_old.name);
    return v_old.name;
  end loop;
  return null;
end
$$;

revoke all on function queue.roll_partitions(), queue.is_needed(bigint, bigint, timestamptz), queue.has_finished(bigint, bigint, timestamptz),
  queue.drop_expired(integer) from public;
grant execute on function queue.roll_partitions(), queue.drop_expired(integer) to crossdock_worker;

select queue.roll_partitions();
