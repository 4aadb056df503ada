-- Push delivery: workers lease shards. What they do there is a step (0007_queue_step.sql).

-- Leases up to p_max shards of the tenant whose turn it is, least virtual time first. Returns what the worker has to know of them, as JSON,
-- or null.
-- Start-time fair queuing: a shard that wakes starts at the clock of those being served; see README, "Fairness".
create function queue.lease_shards(
  p_worker text, p_max integer, p_lease_seconds double precision, p_skip_tenant integer[], p_skip_target integer[]
) returns text
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  v_clock double precision;
  v_tenant integer;
  v_lost integer[];
  v_lost_shard smallint[];
  v_header text;
begin
  with leasable as materialized (
    select tenant_id, queue_id, virtual_time, is_fresh, lease_until from queue.shard where is_active and not is_blocked
  ), clock as (
    select coalesce(min(virtual_time) filter (where not is_fresh), max(virtual_time)) as now from leasable
  )
  select s.tenant_id, c.now into v_tenant, v_clock
  from clock c cross join leasable s join queue.queue q on q.tenant_id = s.tenant_id and q.id = s.queue_id
  where s.lease_until < clock_timestamp()
    and not exists (select from unnest(p_skip_tenant, p_skip_target) as k (tenant_id, target_id) where k.tenant_id = s.tenant_id and k.target_id = q.target_id)
  order by s.virtual_time limit 1;
  if v_tenant is null then return null; end if;

  with pick as (
    select s.queue_id, s.shard, s.owner is not null as is_lost
    from queue.shard s join queue.queue q on q.tenant_id = s.tenant_id and q.id = s.queue_id
    where s.tenant_id = v_tenant and s.is_active and not s.is_blocked and s.lease_until < clock_timestamp()
      and not exists (select from unnest(p_skip_tenant, p_skip_target) as k (tenant_id, target_id) where k.tenant_id = s.tenant_id and k.target_id = q.target_id)
    order by s.virtual_time limit p_max for no key update of s skip locked
  ), leased as (
    update queue.shard s
    set owner = p_worker, lease_until = clock_timestamp() + interval '1 second' * p_lease_seconds, epoch = s.epoch + 1, is_fresh = false,
      virtual_time = case when s.is_fresh then greatest(s.virtual_time, v_clock) else s.virtual_time end,
      careful_to = case when p.is_lost then greatest(s.careful_to, s.read_to) else s.careful_to end,
      cursor = case when p.is_lost then 0 else s.cursor end,
      read_to = 0, is_waiting = false
    from pick p where s.tenant_id = v_tenant and s.queue_id = p.queue_id and s.shard = p.shard
    returning s.queue_id, s.shard, s.epoch, s.generation, s.careful_to, s.cursor, p.is_lost
  ), weights as (
    select queue_id, count(*) * count(*) over () as weight from queue.shard
    where tenant_id = v_tenant and is_active and not is_blocked group by queue_id
  ), slots as (
    select l.*, w.weight, q.name, q.mode, q.target_id, t.concurrency, t.circuit, t.rate_per_second
    from leased l
    join weights w on w.queue_id = l.queue_id
    join queue.queue q on q.tenant_id = v_tenant and q.id = l.queue_id
    join queue.target t on t.tenant_id = v_tenant and t.id = q.target_id
  )
  select array_agg(queue_id) filter (where is_lost), array_agg(shard) filter (where is_lost),
    json_agg(json_build_object('tenantId', v_tenant, 'queueId', queue_id, 'shard', shard, 'epoch', epoch::text, 'generation', generation,
      'carefulTo', careful_to::text, 'cursor', cursor::text, 'weight', weight, 'queueName', name, 'mode', mode, 'targetId', target_id,
      'concurrency', concurrency, 'circuit', circuit, 'ratePerSecond', rate_per_second, 'isLost', is_lost) order by queue_id, shard)::text
  into v_lost, v_lost_shard, v_header from slots;
  if v_lost is not null then perform queue.charge_suspects(v_tenant, v_lost, v_lost_shard); end if;
  return v_header;
end
$$;

-- The messages that were being delivered, in careful mode, when their worker ended: an attempt each.
create function queue.charge_suspects(p_tenant integer, p_queue integer[], p_shard smallint[]) returns void
language plpgsql
set enable_seqscan = off
as $$
declare
  v_failures jsonb;
begin
  with suspect as (
    delete from queue.suspect s using unnest(p_queue, p_shard) as u (queue_id, shard)
    where s.tenant_id = p_tenant and s.queue_id = u.queue_id and s.shard = u.shard
    returning s.queue_id, s.shard, s.message_id
  )
  select jsonb_agg(jsonb_build_object('queueId', queue_id, 'shard', shard, 'id', message_id)) into v_failures from suspect;
  if v_failures is not null then perform queue.charge_lost(p_tenant, v_failures); end if;
end
$$;

-- Marks a message as the one being delivered, in careful mode. False: the lease is lost.
create function queue.mark_suspect(p_tenant integer, p_queue integer, p_shard smallint, p_epoch bigint, p_id bigint) returns boolean
language plpgsql
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  perform from queue.shard s where s.tenant_id = p_tenant and s.queue_id = p_queue and s.shard = p_shard and s.epoch = p_epoch for no key update;
  if not found then return false; end if;
  insert into queue.suspect (tenant_id, queue_id, shard, message_id) values (p_tenant, p_queue, p_shard, p_id)
  on conflict (tenant_id, queue_id, shard) do update set message_id = excluded.message_id;
  return true;
end
$$;
