-- Targets: pauses, circuit breakers and rates.

-- Brings the shards' is_blocked in line with their queue and target. Call it in the statement's transaction that changed these.
create function queue.refresh_blocks(p_tenant integer, p_target integer) returns void
language plpgsql
set enable_seqscan = off
as $$
declare
  v_opened integer;
begin
  -- Who pauses a queue and who changes the circuit take turns: each would go by the other's old state.
  perform from queue.target where tenant_id = p_tenant and id = p_target for no key update;
  with state as (
    select q.id, q.is_paused or t.is_paused or t.circuit = 'open' or q.delivery = 'pull' as is_blocked
    from queue.queue q join queue.target t on t.tenant_id = q.tenant_id and t.id = q.target_id
    where q.tenant_id = p_tenant and q.target_id = p_target
  ), locked as (
    select s.queue_id, s.shard, x.is_blocked from queue.shard s join state x on x.id = s.queue_id
    where s.tenant_id = p_tenant and s.is_blocked <> x.is_blocked order by s.queue_id, s.shard for no key update of s
  ), changed as (
    update queue.shard s set is_blocked = l.is_blocked, is_fresh = true
    from locked l where s.tenant_id = p_tenant and s.queue_id = l.queue_id and s.shard = l.shard
    returning s.is_active and not s.is_blocked as is_open
  )
  select count(*) filter (where is_open) into v_opened from changed;
  if v_opened > 0 then perform pg_notify('queue_ready', ''); end if;
end
$$;

-- Until the transaction ends nobody else is at work in the targets' queues. For who changes several, or several queues of one: what each change locks is
-- in order, and what all of them lock is not.
create function queue.lock_targets(p_tenant integer, p_targets integer[]) returns void
language plpgsql
set enable_seqscan = off
as $$
begin
  perform from queue.target where tenant_id = p_tenant and id = any (p_targets) order by id for no key update;
  perform queue.lock_shards(p_tenant, array_agg(s.queue_id), array_agg(s.shard))
  from queue.queue q join queue.shard s on s.tenant_id = q.tenant_id and s.queue_id = q.id
  where q.tenant_id = p_tenant and q.target_id = any (p_targets);
end
$$;

-- Opens a circuit for p_pause_ms, doubled with each opening since the last success, at most p_pause_ms_max. False: it was open.
-- p_fault's message stays that of the first opening: a trial that fails leaves no attempt to look at.
create function queue.open_circuit(p_tenant integer, p_target integer, p_pause_ms integer, p_pause_ms_max integer, p_fault jsonb default null)
returns boolean
language plpgsql
set enable_seqscan = off
as $$
begin
  update queue.target t
  set circuit = 'open', circuit_trips = least(t.circuit_trips + 1, 30),
    circuit_open_until = clock_timestamp() + interval '1 millisecond' * least(p_pause_ms_max, p_pause_ms * 2 ^ t.circuit_trips) * (0.75 + random() / 4),
    circuit_fault = jsonb_build_object('since', queue.iso(clock_timestamp())) || p_fault || coalesce(t.circuit_fault - '{errorClass,status}'::text[], '{}')
  where t.tenant_id = p_tenant and t.id = p_target and t.circuit <> 'open';
  if not found then return false; end if;
  perform queue.refresh_blocks(p_tenant, p_target);
  return true;
end
$$;

-- Lets a trial through to a target whose circuit was open long enough, or at once where somebody wants it. One in each transaction: of several, their shards would be locked
-- out of order.
create function queue.try_circuit(p_tenant integer, p_target integer, p_at_once boolean default false) returns boolean
language plpgsql
set enable_seqscan = off
as $$
begin
  update queue.target t set circuit = 'half-open', circuit_open_until = null
  where t.tenant_id = p_tenant and t.id = p_target and t.circuit = 'open' and (p_at_once or t.circuit_open_until <= clock_timestamp());
  if not found then return false; end if;
  perform queue.refresh_blocks(p_tenant, p_target);
  return true;
end
$$;

-- Reserves p_count requests of a rate-limited target: milliseconds to wait before they may start.
-- Generic cell rate algorithm, https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm
-- Whoever holds the target's row for long must not hold a worker's connections as well: those who ask give up (55P03) and ask again later.
create function queue.reserve_rate(p_tenant integer, p_target integer, p_count integer) returns double precision
language plpgsql
set enable_seqscan = off
set lock_timeout = '200ms'
as $$
declare
  v_now timestamptz;
  v_start timestamptz;
begin
  perform from queue.target where tenant_id = p_tenant and id = p_target for no key update;
  v_now := clock_timestamp();
  update queue.target t
  -- As far ahead as it was, also of a clock that has been set back: the target would stand still until that is where it was.
  set rate_free_at = greatest(t.rate_free_at - (greatest(t.rate_moved_at, v_now) - v_now), v_now) + interval '1 second' * p_count / t.rate_per_second,
    rate_moved_at = v_now
  where t.tenant_id = p_tenant and t.id = p_target and t.rate_per_second is not null
  returning t.rate_free_at - interval '1 second' * p_count / t.rate_per_second into v_start;
  return coalesce(extract(epoch from v_start - v_now) * 1000, 0);
end
$$;
