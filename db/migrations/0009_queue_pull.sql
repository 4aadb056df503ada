-- Pull delivery: others claim messages, one at a time of each lane, and settle them by a token.

create type queue.leased_delivery as (
  token uuid, lease_until timestamptz, queue_name text, target_id integer, id bigint, attempts smallint, subtenant_id integer,
  key text, entity_type text, headers text, document text, version bigint, origin_id bigint, created_at timestamptz
);

-- Leases the given ready messages of one queue; the caller holds their shards and knows their lanes to be free.
create function queue.lease_messages(p_tenant integer, p_queue integer, p_ids bigint[], p_lease_seconds double precision)
returns setof queue.leased_delivery
language sql as $$
  with chosen as (
    select r.id, r.lane, r.shard, r.attempts
    from queue.shard s
    cross join unnest(p_ids) as c (id)
    join queue.ready r on r.tenant_id = s.tenant_id and r.queue_id = s.queue_id and r.shard = s.shard and r.id = c.id
    where s.tenant_id = p_tenant and s.queue_id = p_queue
  ), leased as (
    insert into queue.lease (tenant_id, queue_id, shard, lane, message_id, lease_until)
    select p_tenant, p_queue, shard, lane, id, clock_timestamp() + interval '1 second' * p_lease_seconds from chosen
    returning message_id, token, lease_until
  )
  select l.token, l.lease_until, q.name, q.target_id, c.id, c.attempts, m.subtenant_id, m.key, m.entity_type, m.headers, m.document,
    m.version, m.origin_id, m.created_at
  from leased l join chosen c on c.id = l.message_id
  join queue.queue q on q.tenant_id = p_tenant and q.id = p_queue
  join queue.message m on m.tenant_id = p_tenant and m.queue_id = p_queue and m.id = c.id
  order by c.id;
$$;

-- Whether a queue's messages may be leased one by one: it is a pull queue, and neither it nor its target is paused.
create function queue.may_claim(p_tenant integer, p_queue integer) returns boolean
language sql stable
return exists (
  select from queue.queue q join queue.target t on t.tenant_id = q.tenant_id and t.id = q.target_id
  where q.tenant_id = p_tenant and q.id = p_queue and q.delivery = 'pull' and not q.is_paused and not t.is_paused
);

-- The next messages of a pull queue, one per lane: p_max at most, and fewer where their documents are large.
create function queue.claim(p_tenant integer, p_queue integer, p_max integer, p_lease_seconds double precision)
returns setof queue.leased_delivery
language plpgsql
set enable_seqscan = off
as $$
declare
  v_shard smallint[];
  v_slot smallint[];
  v_id bigint[];
  v_due bigint[];
begin
  -- The queue's shards are locked throughout: two claimers take turns.
  perform from queue.shard where tenant_id = p_tenant and queue_id = p_queue order by shard for no key update;
  if not queue.may_claim(p_tenant, p_queue) then return; end if;
  perform queue.rescue_leases(p_tenant, p_queue);
  select array_agg(id) into v_due
  from (select id from queue.retrying where tenant_id = p_tenant and queue_id = p_queue and due_at <= clock_timestamp() limit 1000) d;
  if v_due is not null then perform queue.promote_retries(p_tenant, 1000, v_due); end if;
  select array_agg(shard order by shard) into v_shard from queue.shard where tenant_id = p_tenant and queue_id = p_queue;
  select array_agg(slot order by id), array_agg(id order by id) into v_slot, v_id
  from (
    select distinct on (r.lane) s.slot::smallint as slot, r.id
    from unnest(v_shard) with ordinality as s (shard, slot)
    cross join lateral (
      select r.id, r.lane from queue.ready r
      left join queue.held h on h.tenant_id = p_tenant and h.queue_id = p_queue and h.lane = r.lane
      where r.tenant_id = p_tenant and r.queue_id = p_queue and r.shard = s.shard and (h.lane is null or h.message_id = r.id)
        and not exists (select from queue.lease l where l.tenant_id = p_tenant and l.queue_id = p_queue and l.lane = r.lane)
        -- Pushed a moment ago and still in a worker's hand.
        and not exists (select from queue.shard x where x.tenant_id = p_tenant and x.queue_id = p_queue and x.shard = s.shard
          and x.owner is not null and x.lease_until > clock_timestamp())
      -- Enough rows to find p_max lanes in, unless few lanes have very many messages.
      order by r.id limit 200 + 10 * p_max
    ) r
    order by r.lane, r.id
  ) head;
  if v_id is null then return; end if;
  select array_agg(id order by id) into v_id
  from (
    select c.id, sum(octet_length(m.document)) over (order by c.id rows between unbounded preceding and 1 preceding) as bytes_before
    from (
      -- None of these lanes has a message in hand.
      select c.id, c.message_place from queue.collapse(p_tenant, array_fill(p_queue, array[cardinality(v_shard)]), v_shard, v_slot, v_id, '{}') c
      order by c.id limit p_max
    ) c
    cross join lateral queue.message_at(p_tenant, p_queue, c.id, c.message_place, v_id[1] - 1) m
  ) c
  -- A batch that holds as much is long enough; the length stands beside a long text, which is not read for it.
  where coalesce(bytes_before, 0) < 8388608;
  return query select * from queue.lease_messages(p_tenant, p_queue, v_id, p_lease_seconds);
end
$$;

-- Puts a message of a pull queue, delivered or not, at the head of its lane and leases it. Nothing when the lane is leased, while the queue or
-- its target is paused, or where a copy has taken the message's place: of the two that one alone is ever delivered.
create function queue.claim_again(p_tenant integer, p_queue integer, p_id bigint, p_lease_seconds double precision)
returns setof queue.leased_delivery
language plpgsql
set enable_seqscan = off
as $$
declare
  v_place record;
  v_attempts smallint;
begin
  select l.lane, l.shard, l.collapses, q.max_attempts into v_place
  from queue.locate(p_tenant, array[p_id]) l join queue.queue q on q.tenant_id = p_tenant and q.id = l.queue_id
  where l.queue_id = p_queue;
  if not found then return; end if;
  -- All of the queue's, as leases of others may have run out.
  perform from queue.shard where tenant_id = p_tenant and queue_id = p_queue order by shard for no key update;
  if not queue.may_claim(p_tenant, p_queue) then return; end if;
  perform queue.rescue_leases(p_tenant, p_queue);
  if exists (select from queue.lease l where l.tenant_id = p_tenant and l.queue_id = p_queue and l.lane = v_place.lane)
    or exists (select from queue.history h where h.tenant_id = p_tenant and h.queue_id = p_queue and h.id = p_id and h.outcome = 'redirected')
  then return; end if;
  with a as (delete from queue.ready r where r.tenant_id = p_tenant and r.queue_id = p_queue and r.shard = v_place.shard and r.id = p_id returning r.attempts),
    b as (delete from queue.retrying r where r.tenant_id = p_tenant and r.queue_id = p_queue and r.id = p_id returning r.attempts),
    c as (delete from queue.parked r where r.tenant_id = p_tenant and r.queue_id = p_queue and r.id = p_id returning r.attempts),
    d as (delete from queue.dead r where r.tenant_id = p_tenant and r.queue_id = p_queue and r.id = p_id returning r.attempts),
    e as (delete from queue.removed r where r.tenant_id = p_tenant and r.queue_id = p_queue and r.id = p_id returning r.attempts),
    f as (delete from queue.history r where r.tenant_id = p_tenant and r.queue_id = p_queue and r.id = p_id returning r.attempts)
  select attempts into v_attempts
  from (select * from a union all select * from b union all select * from c union all select * from d union all select * from e union all select * from f) found;
  insert into queue.ready (tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit, collapses)
  select p_tenant, p_queue, v_place.shard, p_id, v_place.lane, m.version, least(v_attempts, 32766), least(v_attempts::integer + v_place.max_attempts, 32766), v_place.collapses
  from queue.message m where m.tenant_id = p_tenant and m.queue_id = p_queue and m.id = p_id;
  -- Not delivered it has its turn by its place, also where that was forgotten as it had been.
  insert into queue.place (tenant_id, queue_id, lane, message_id, place)
  select p_tenant, p_queue, v_place.lane, p_id, f.id from queue.first_of(p_tenant, p_id, p_queue) as f (id)
  where f.id < p_id and not v_place.collapses
  on conflict do nothing;
  if exists (
    select from queue.held h where h.tenant_id = p_tenant and h.queue_id = p_queue and h.lane = v_place.lane
    union all
    select from queue.place p where p.tenant_id = p_tenant and p.queue_id = p_queue and p.lane = v_place.lane
  ) then
    perform queue.hold_first(p_tenant, p_queue, v_place.shard, v_place.lane);
  end if;
  return query select * from queue.lease_messages(p_tenant, p_queue, array[p_id], p_lease_seconds);
end
$$;

-- Settles by token, as 'delivered' or of a kind of settle_failed, whose JSON p_failure is. False: the token is stale, nothing was changed.
create function queue.settle_lease(p_tenant integer, p_token uuid, p_kind text, p_failure jsonb, p_attempt jsonb) returns boolean
language plpgsql
set enable_seqscan = off
as $$
declare
  v_lease queue.lease;
begin
  select * into v_lease from queue.lease where tenant_id = p_tenant and token = p_token;
  if not found then return false; end if;
  perform queue.lock_shards(p_tenant, array[v_lease.queue_id], array[v_lease.shard]);
  delete from queue.lease where tenant_id = p_tenant and token = p_token;
  if not found then return false; end if;
  if p_attempt is not null then
    perform queue.record_attempts(p_tenant, array[1::smallint], array[v_lease.queue_id], array[v_lease.shard],
      jsonb_build_array(p_attempt || jsonb_build_object('slot', 1, 'id', v_lease.message_id)));
  end if;
  if p_kind = 'delivered' then
    perform queue.settle_delivered(p_tenant, array[v_lease.queue_id], array[v_lease.shard], array[1::smallint], array[v_lease.message_id]);
  else
    perform queue.settle_failed(p_tenant, jsonb_build_array(
      p_failure || jsonb_build_object('kind', p_kind, 'queueId', v_lease.queue_id, 'shard', v_lease.shard, 'id', v_lease.message_id)));
  end if;
  return true;
end
$$;

-- Ends the leases of a tenant that ran out: an attempt each.
create function queue.rescue_leases(p_tenant integer, p_queue integer default null) returns integer
language plpgsql
set enable_seqscan = off
as $$
declare
  v_queue integer[];
  v_shard smallint[];
  v_lost jsonb;
begin
  select array_agg(queue_id), array_agg(shard) into v_queue, v_shard
  from queue.lease where tenant_id = p_tenant and lease_until < clock_timestamp() and (p_queue is null or queue_id = p_queue);
  if v_queue is null then return 0; end if;
  perform queue.lock_shards(p_tenant, v_queue, v_shard);
  with lost as (
    -- In those shards alone: others may have run out since, and who holds their shards is at work there.
    delete from queue.lease l
    where l.tenant_id = p_tenant and l.lease_until < clock_timestamp()
      and (l.queue_id, l.shard) in (select u.queue_id, u.shard from unnest(v_queue, v_shard) as u (queue_id, shard))
    returning l.queue_id, l.shard, l.message_id
  )
  select jsonb_agg(jsonb_build_object('queueId', queue_id, 'shard', shard, 'id', message_id)) into v_lost from lost;
  return case when v_lost is null then 0 else queue.charge_lost(p_tenant, v_lost) end;
end
$$;
