-- Publishing.

-- Stores messages of one tenant and makes them ready. Attributes that repeat (queue, subtenant, entity type, source, headers)
-- come once per distinct profile. Returns the ids in the order given.
create function queue.publish(
  p_tenant integer,
  p_profile_queue integer[], p_profile_subtenant integer[], p_profile_entity_type text[], p_profile_source text[], p_profile_headers text[],
  p_profile integer[], p_key text[], p_document text[], p_version bigint[], p_origin bigint[], p_entity_version integer[],
  p_announce boolean
) returns bigint[]
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  v_count integer := cardinality(p_profile);
  v_id bigint[];
  v_lane bigint[];
  v_place tid[];
  -- Per profile: a lane's shard is lane & (shards - 1).
  v_mask integer[];
  v_collapses boolean[];
  v_queue integer[];
  v_shard smallint[];
  v_call text;
begin
  select array_agg(q.shards - 1 order by p.n), array_agg(q.mode = 'latest' order by p.n) into v_mask, v_collapses
  from unnest(p_profile_queue) with ordinality as p (id, n) join queue.queue q on q.tenant_id = p_tenant and q.id = p.id;
  if cardinality(v_mask) is distinct from cardinality(p_profile_queue) then
    raise exception 'A queue of these messages does not exist in tenant %.', p_tenant using errcode = 'foreign_key_violation';
  end if;

  -- Before the ids are taken: readers go by the transaction's id and this lock. See queue.note_read.
  perform pg_current_xact_id(), pg_advisory_xact_lock_shared(7265643, p_tenant);
  v_id := array(select nextval('queue.message_id') from generate_series(1, v_count));
  v_lane := array(select queue.lane_of(p_key[i]) from generate_series(1, v_count) i);

  -- Arrays indexed by number rather than unnested: unnest copies each document once more, 0.3 µs of a message's 8.
  with stored as (
    insert into queue.message (id, tenant_id, queue_id, subtenant_id, key, entity_type, source, headers, document, version, origin_id, entity_version)
    select v_id[i], p_tenant, p_profile_queue[p_profile[i]], p_profile_subtenant[p_profile[i]], p_key[i],
      p_profile_entity_type[p_profile[i]], p_profile_source[p_profile[i]], p_profile_headers[p_profile[i]],
      p_document[i], p_version[i], p_origin[i], p_entity_version[i]
    from generate_series(1, v_count) i
    returning ctid
  )
  select array_agg(ctid) into v_place from stored;

  with waiting as (
    insert into queue.ready (tenant_id, queue_id, shard, id, lane, version, collapses, message_place)
    select p_tenant, p_profile_queue[p_profile[i]], (v_lane[i] & v_mask[p_profile[i]])::smallint, v_id[i], v_lane[i], p_version[i],
      v_collapses[p_profile[i]], v_place[i]
    from generate_series(1, v_count) i
    returning queue_id, shard
  ), touched as (
    select queue_id, shard from waiting group by queue_id, shard
  )
  select array_agg(queue_id), array_agg(shard) into v_queue, v_shard from touched;
  v_call := queue.wake_idle(p_tenant, v_queue, v_shard);

  if true = any (v_collapses) then
    perform queue.supersede_failed(p_tenant, array_agg(p_profile_queue[p_profile[i]]), array_agg(v_lane[i]), array_agg(p_version[i]))
    from generate_series(1, v_count) i where v_collapses[p_profile[i]];
  end if;
  if v_call is not null then perform pg_notify('queue_ready', v_call); end if;
  if p_announce then perform pg_notify('queue_changed', p_tenant::text); end if;
  return v_id;
end
$$;

-- Activates those of the shards that sleep. Returns what workers have to be told, or null: 'tenant', then '*' when something may be leased,
-- then 'queue.shard' of each leased shard of which everything was read; 'tenant' alone when these are too many to name.
create function queue.wake_idle(p_tenant integer, p_queue integer[], p_shard smallint[]) returns text
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  v_waiting text;
  v_waiting_count integer;
  v_queue integer[];
  v_shard smallint[];
  v_is_leasable boolean := false;
begin
  select string_agg(u.queue_id || '.' || u.shard, ' ') filter (where s.is_waiting), count(*) filter (where s.is_waiting),
    array_agg(u.queue_id) filter (where not s.is_active), array_agg(u.shard) filter (where not s.is_active)
  into v_waiting, v_waiting_count, v_queue, v_shard
  from unnest(p_queue, p_shard) as u (queue_id, shard)
  cross join lateral (
    select s.is_waiting, s.is_active from queue.shard s where s.tenant_id = p_tenant and s.queue_id = u.queue_id and s.shard = u.shard offset 0
  ) s;
  if v_queue is not null then
    -- Skipping locked rows: whoever holds one is activating it too, or is a worker about to look once more.
    select array_agg(u.queue_id), array_agg(u.shard) into v_queue, v_shard
    from unnest(v_queue, v_shard) as u (queue_id, shard)
    cross join lateral (
      select from queue.shard s where s.tenant_id = p_tenant and s.queue_id = u.queue_id and s.shard = u.shard and not s.is_active
      for no key update skip locked offset 0
    ) s;
    with woken as (
      update queue.shard s set is_active = true, is_fresh = true
      from unnest(v_queue, v_shard) as u (queue_id, shard)
      cross join lateral (
        select w.ctid as place from queue.shard w where w.tenant_id = p_tenant and w.queue_id = u.queue_id and w.shard = u.shard offset 0
      ) w
      where s.ctid = w.place
      returning s.is_blocked
    )
    select coalesce(bool_or(not is_blocked), false) into v_is_leasable from woken;
  end if;
  if not v_is_leasable and v_waiting is null then return null; end if;
  -- A notification holds 8,000 bytes.
  if v_waiting_count > 200 then return p_tenant::text; end if;
  return concat_ws(' ', p_tenant, case when v_is_leasable then '*' end, v_waiting);
end
$$;

-- What failed of these lanes of 'latest' queues is superseded by what is published. Whoever has such a row locked moves it to where it is compared with
-- what is ready, or takes it out: to wait for them, row by row in any order and without the shard, could end in a circle.
create function queue.supersede_failed(p_tenant integer, p_queue integer[], p_lane bigint[], p_version bigint[]) returns void
language plpgsql as $$
begin
  if not exists (
    select from unnest(p_queue, p_lane) as n (queue_id, lane) cross join lateral (
      select from queue.retrying f where f.tenant_id = p_tenant and f.queue_id = n.queue_id and f.lane = n.lane offset 0
    ) f
  ) and not exists (
    select from unnest(p_queue, p_lane) as n (queue_id, lane) cross join lateral (
      select from queue.dead f where f.tenant_id = p_tenant and f.queue_id = n.queue_id and f.lane = n.lane offset 0
    ) f
  ) then return; end if;
  with newest as (
    select queue_id, lane, max(coalesce(version, 0)) as version from unnest(p_queue, p_lane, p_version) as n (queue_id, lane, version)
    group by queue_id, lane
  ), retried as (
    select f.ctid as place, f.id from newest n cross join lateral (
      select f.ctid, f.id from queue.retrying f
      where f.tenant_id = p_tenant and f.queue_id = n.queue_id and f.lane = n.lane and coalesce(f.version, 0) <= n.version
      for update skip locked offset 0
    ) f
  ), replaced as (
    delete from queue.retrying f using retried r where f.ctid = r.place and f.id = r.id returning f.queue_id, f.id, f.attempts
  ), died as (
    select f.ctid as place, f.id from newest n cross join lateral (
      select f.ctid, f.id from queue.dead f
      where f.tenant_id = p_tenant and f.queue_id = n.queue_id and f.lane = n.lane and coalesce(f.version, 0) <= n.version
      for update skip locked offset 0
    ) f
  ), buried as (
    delete from queue.dead f using died d where f.ctid = d.place and f.id = d.id returning f.queue_id, f.id, f.attempts
  )
  insert into queue.history (tenant_id, queue_id, id, attempts, outcome)
  select p_tenant, queue_id, id, attempts, 'superseded' from (select * from replaced union all select * from buried) r;
end
$$;

-- The oldest transaction that publishes, for the tenant or for any where none is named, and is still open; null where there is none.
create function queue.oldest_publish(p_tenant integer default null) returns bigint
language sql
as $$
  with publish as (
    select pid from pg_locks
    where locktype = 'advisory' and classid = 7265643 and (p_tenant is null or objid = p_tenant) and objsubid = 2 and granted
      and database = (select oid from pg_database where datname = current_database())
  )
  select min(pg_current_xact_id()::text::bigint - age(l.transactionid))
  from publish join pg_locks l using (pid) where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted;
$$;

revoke all on function queue.oldest_publish(integer) from public;
grant execute on function queue.oldest_publish(integer) to crossdock_worker;
