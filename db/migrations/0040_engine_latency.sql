-- Publishing to a shard that sleeps is told apart: the worker is to lease and read the one, not to look at all that it has leased of the tenant.

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
