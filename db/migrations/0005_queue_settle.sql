-- Settling: what becomes of a message that was tried.

-- Records tries of messages that are ready; p_attempts is JSON [{slot, id, ageMs, durationMs, errorClass, errorMessage, fingerprint,
-- exchange}], ageMs: since its end. Slots refer to p_slot, whose shards the caller holds. Before the settle: it counts on from there.
create function queue.record_attempts(p_tenant integer, p_slot smallint[], p_queue integer[], p_shard smallint[], p_attempts jsonb) returns void
language sql
set enable_seqscan = off
as $$
  insert into queue.attempt (tenant_id, queue_id, id, number, started_at, duration_ms, error_class, error_message, fingerprint, exchange)
  select p_tenant, r.queue_id, r.id, r.attempts + 1, clock_timestamp() - interval '1 millisecond' * (a."ageMs" + a."durationMs"), a."durationMs",
    a."errorClass", a."errorMessage", a.fingerprint, a.exchange
  from jsonb_to_recordset(p_attempts) as a (slot smallint, id bigint, "ageMs" double precision, "durationMs" double precision,
    "errorClass" text, "errorMessage" text, fingerprint text, exchange text)
  join unnest(p_slot, p_queue, p_shard) as s (slot, queue_id, shard) on s.slot = a.slot
  join queue.ready r on r.tenant_id = p_tenant and r.queue_id = s.queue_id and r.shard = s.shard and r.id = a.id
  on conflict do nothing;
$$;

-- Settles messages that are ready; p_slot: their place in p_queue and p_shard; p_place: where their rows stood when they were read. Unknown
-- ids are passed over: they were settled before. The caller holds the shard rows.
create function queue.settle_delivered(
  p_tenant integer, p_queue integer[], p_shard smallint[], p_slot smallint[], p_id bigint[], p_place tid[] default null
) returns integer
language plpgsql
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  v_place tid[] := p_place;
  v_gone integer;
  v_settled integer := 0;
  v_queue integer[];
  v_lane bigint[];
  v_id bigint[];
begin
  loop
    if v_place is null then
      v_place := array(
        select (select w.ctid from queue.ready w where w.tenant_id = p_tenant and w.queue_id = p_queue[p_slot[i]] and w.shard = p_shard[p_slot[i]] and w.id = p_id[i])
        from generate_series(1, cardinality(p_id)) i);
      p_place := null;
    end if;
    with gone as (
      -- Another row may stand there by now. All places at once: a look at each by itself asks for the table's size every time. In their order,
      -- which is that of publication, history is written faster. Equality of the tenant would let the planner read all of its rows by the
      -- index instead, and without 'is true' it would join what is a look-up in a hash table.
      delete from queue.ready r
      where r.ctid = any (v_place) and r.tenant_id is not distinct from p_tenant
        and ((r.queue_id, r.shard, r.id) in (select p_queue[p_slot[i]], p_shard[p_slot[i]], p_id[i] from generate_series(1, cardinality(p_id)) i)) is true
      returning r.queue_id, r.id, r.lane, r.version, r.attempts, r.collapses,
        not r.collapses and (r.attempts > 0 or r.attempt_limit is not null) as may_block
    ), kept as (
      insert into queue.history (tenant_id, queue_id, id, attempts, outcome)
      select p_tenant, queue_id, id, attempts + 1, 'delivered' from gone
    ), versions as (
      insert into queue.delivered_version (tenant_id, queue_id, lane, version)
      select p_tenant, queue_id, lane, max(version) from gone where collapses and version is not null group by queue_id, lane
      on conflict (tenant_id, queue_id, lane) do update set version = excluded.version
      where excluded.version > delivered_version.version
    )
    -- A lane's blocker has failed before, or, as an edited copy's place makes it one, has a limit of its own.
    select count(*), array_agg(queue_id) filter (where may_block), array_agg(lane) filter (where may_block), array_agg(id) filter (where may_block)
    into v_gone, v_queue, v_lane, v_id from gone;
    if v_queue is not null then perform queue.free_lanes(p_tenant, v_queue, v_lane, v_id); end if;
    v_settled := v_settled + v_gone;
    if v_settled = cardinality(p_id) or p_place is null then return v_settled; end if;
    -- Some rows were moved: those are looked up.
    v_place := null;
  end loop;
end
$$;

-- Settles what was not delivered; p_failures is JSON [{queueId, shard, id, kind, delayMs, errorClass, errorMessage, fingerprint}],
-- kind: 'retry', 'dead', 'released' (not tried) or 'superseded'. The caller holds the shard rows. Attempts are counted up to what their
-- column holds.
create function queue.settle_failed(p_tenant integer, p_failures jsonb)
returns integer
language plpgsql
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  v_settled integer;
  v_queue integer[];
  v_shard smallint[];
  v_lane bigint[];
  v_id bigint[];
  v_tried record;
begin
  with failure as (
    select f.*, q.base_delay_ms, q.max_delay_ms, q.max_attempts
    from jsonb_to_recordset(p_failures) as f ("queueId" integer, shard smallint, id bigint, kind text, "delayMs" double precision,
      "errorClass" text, "errorMessage" text, fingerprint text)
    join queue.queue q on q.tenant_id = p_tenant and q.id = f."queueId"
    where f.kind <> 'released' or f."delayMs" > 0
  ), gone as (
    delete from queue.ready r using failure f
    where r.tenant_id = p_tenant and r.queue_id = f."queueId" and r.shard = f.shard and r.id = f.id
    returning r.*, f.kind, f."delayMs" as delay_ms, f."errorClass" as error_class, f."errorMessage" as error_message, f.fingerprint,
      f.base_delay_ms, f.max_delay_ms, f.max_attempts, least(r.attempts + (f.kind in ('retry', 'dead'))::integer, 32766) as tries
  ), judged as (
    select g.*, case
        when g.kind = 'superseded' or (g.collapses and queue.has_newer(p_tenant, g.queue_id, g.lane, g.version, g.id)) then 'superseded'
        when g.kind = 'dead' or (g.kind = 'retry' and g.tries >= coalesce(g.attempt_limit, g.max_attempts)) then 'dead'
        else 'retrying'
      end as state
    from gone g
  ), to_history as (
    insert into queue.history (tenant_id, queue_id, id, attempts, outcome)
    select p_tenant, queue_id, id, tries, 'superseded' from judged where state = 'superseded'
  ), to_dead as (
    insert into queue.dead (tenant_id, queue_id, shard, id, lane, version, attempts, collapses, error_class, error_message, fingerprint)
    select p_tenant, queue_id, shard, id, lane, version, tries, collapses, error_class, error_message, fingerprint
    from judged where state = 'dead'
  ), to_retrying as (
    insert into queue.retrying (tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit, collapses, due_at, error_class, error_message, fingerprint)
    -- Full jitter: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
    -- Put off before its first try it blocks its lane all the same; settle_delivered knows it by a limit of its own.
    select p_tenant, queue_id, shard, id, lane, version, tries, case when tries = 0 then coalesce(attempt_limit, max_attempts) else attempt_limit end, collapses,
      clock_timestamp() + interval '1 millisecond' * coalesce(delay_ms, random() * least(max_delay_ms, base_delay_ms * 2 ^ least(tries - 1, 30))),
      error_class, error_message, fingerprint
    from judged where state = 'retrying'
  ), to_held as (
    insert into queue.held as h (tenant_id, queue_id, lane, message_id)
    select p_tenant, queue_id, lane, min(id) from judged where state in ('dead', 'retrying') and not collapses group by queue_id, lane
    -- What came back behind it while it was in hand holds the lane already, and gives way.
    on conflict (tenant_id, queue_id, lane) do update set message_id = excluded.message_id
    where excluded.message_id < h.message_id
      and not exists (select from queue.place p where p.tenant_id = p_tenant and p.queue_id = h.queue_id and p.lane = h.lane)
  )
  -- Only what has a limit of its own may have been tried before its turn.
  select count(*), array_agg(queue_id) filter (where may_be_early), array_agg(shard) filter (where may_be_early),
    array_agg(lane) filter (where may_be_early), array_agg(id) filter (where may_be_early)
  into v_settled, v_queue, v_shard, v_lane, v_id
  from (select j.*, state in ('dead', 'retrying') and not collapses and attempt_limit is not null as may_be_early from judged j) j;
  -- It gives way to what waits before it.
  for v_tried in
    select u.queue_id, u.shard, u.lane from unnest(v_queue, v_shard, v_lane, v_id) as u (queue_id, shard, lane, id)
    where exists (select from queue.waiting_before(p_tenant, u.queue_id, u.shard, u.id) offset 0)
      or exists (select from queue.place p where p.tenant_id = p_tenant and p.queue_id = u.queue_id and p.lane = u.lane offset 0)
  loop
    perform queue.hold_first(p_tenant, v_tried.queue_id, v_tried.shard, v_tried.lane);
  end loop;
  return v_settled;
end
$$;

-- A lost lease is a failed attempt: of JSON [{queueId, shard, id}], due again at once, dead when it was the last.
create function queue.charge_lost(p_tenant integer, p_messages jsonb) returns integer
language plpgsql
set enable_seqscan = off
as $$
begin
  insert into queue.attempt (tenant_id, queue_id, id, number, started_at, duration_ms, error_class, error_message)
  select p_tenant, r.queue_id, r.id, r.attempts + 1, clock_timestamp(), 0, 'lease-lost', 'The worker ended or stopped answering during the delivery.'
  from jsonb_to_recordset(p_messages) as l ("queueId" integer, shard smallint, id bigint)
  join queue.ready r on r.tenant_id = p_tenant and r.queue_id = l."queueId" and r.shard = l.shard and r.id = l.id
  on conflict do nothing;
  return queue.settle_failed(p_tenant, (
    select jsonb_agg(l.message || jsonb_build_object('kind', 'retry', 'delayMs', 0, 'errorClass', 'lease-lost',
      'errorMessage', 'The worker ended or stopped answering during the delivery.', 'fingerprint', 'lease-lost'))
    from jsonb_array_elements(p_messages) as l (message)));
end
$$;

-- Due retries of a tenant become ready, in their old place; with p_ids only those and others of their shards, which the caller may hold.
create function queue.promote_retries(p_tenant integer, p_limit integer, p_ids bigint[] default null) returns integer
language plpgsql
set enable_seqscan = off
as $$
declare
  v_queue integer[];
  v_shard smallint[];
  v_promoted integer;
begin
  select array_agg(queue_id), array_agg(shard) into v_queue, v_shard
  from (
    select distinct queue_id, shard
    from (
      select queue_id, shard from queue.retrying
      where tenant_id = p_tenant and due_at <= clock_timestamp() and (p_ids is null or id = any (p_ids)) order by due_at limit p_limit
    ) d
  ) s;
  if v_queue is null then return 0; end if;
  perform queue.lock_shards(p_tenant, v_queue, v_shard);
  with due as (
    delete from queue.retrying r using unnest(v_queue, v_shard) as s (queue_id, shard)
    where r.tenant_id = p_tenant and r.queue_id = s.queue_id and r.shard = s.shard and r.due_at <= clock_timestamp()
    returning r.*
  ), judged as (
    select d.*, d.collapses and queue.has_newer(p_tenant, d.queue_id, d.lane, d.version, d.id) as is_replaced from due d
  ), replaced as (
    insert into queue.history (tenant_id, queue_id, id, attempts, outcome)
    select p_tenant, queue_id, id, attempts, 'superseded' from judged where is_replaced
  ), returned as (
    insert into queue.ready (tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit, collapses)
    select tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit, collapses from judged where not is_replaced
    returning queue_id, shard
  )
  select (select count(*) from judged), array_agg(queue_id), array_agg(shard) into v_promoted, v_queue, v_shard from returned;
  if v_queue is not null then perform queue.wake_shards(p_tenant, v_queue, v_shard); end if;
  return v_promoted;
end
$$;
