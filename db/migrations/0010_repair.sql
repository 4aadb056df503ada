-- Repair: an edited copy takes the place of a message that waits (packages/queue/src/replace-message.ts).
--
-- A lane's order is that of ids, and the copy's id is the newest. So of a fifo lane its place is noted, and until it has had its turn the
-- lane's messages go one at a time: each is the lane's blocker in its turn, and hands on to the next in the order of places.

create table queue.place (
  lane bigint not null,
  message_id bigint not null,
  -- The id in whose place it stands: that of the first message of a chain of copies.
  place bigint not null,
  tenant_id integer not null,
  queue_id integer not null,
  primary key (tenant_id, queue_id, lane, message_id)
);
alter table queue.place enable row level security;
create policy of_tenant on queue.place to crossdock_app
  using (tenant_id = (select queue.current_tenant())) with check (tenant_id = (select queue.current_tenant()));
create policy of_all on queue.place to crossdock_worker using (true) with check (true);
grant select, insert, update, delete on queue.place to crossdock_app, crossdock_worker;

-- What a message was made from.
create index history_successor on queue.history (tenant_id, successor_id) where successor_id is not null;

-- Hands a lane on from its blocker to the next in the order of places, while a message in it has a place other than its id's; else
-- changes nothing. The caller holds the shard rows, and the blocker has left or was never there.
create function queue.hold_next(p_tenant integer, p_queue integer, p_lane bigint, p_blocker bigint) returns void
language plpgsql
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  v_head bigint;
  v_has_place boolean;
  v_max_attempts smallint;
  v_shard smallint;
begin
  -- Ready messages have no index by lane where the queue is fifo: the index by key finds them.
  with waiting as (
    select k.id from queue.parked k where k.tenant_id = p_tenant and k.queue_id = p_queue and k.lane = p_lane
    union all
    select r.id
    from (
      select m.key from queue.place p
      join queue.message m on m.tenant_id = p_tenant and m.queue_id = p_queue and m.id = p.message_id
      where p.tenant_id = p_tenant and p.queue_id = p_queue and p.lane = p_lane limit 1
    ) keyed
    join queue.message m on m.tenant_id = p_tenant and m.key = keyed.key and m.queue_id = p_queue
    join queue.queue q on q.tenant_id = p_tenant and q.id = p_queue
    join queue.ready r on r.tenant_id = p_tenant and r.queue_id = p_queue and r.shard = p_lane & (q.shards - 1) and r.id = m.id
  )
  select (array_agg(w.id order by coalesce(p.place, w.id)))[1], count(p.place) > 0 into v_head, v_has_place
  from waiting w
  left join queue.place p on p.tenant_id = p_tenant and p.queue_id = p_queue and p.lane = p_lane and p.message_id = w.id;
  if not v_has_place then
    -- A removed message may come back to its place.
    delete from queue.place p
    where p.tenant_id = p_tenant and p.queue_id = p_queue and p.lane = p_lane
      and not exists (select from queue.removed r where r.tenant_id = p_tenant and r.queue_id = p_queue and r.id = p.message_id);
    return;
  end if;

  update queue.held set message_id = v_head where tenant_id = p_tenant and queue_id = p_queue and lane = p_lane and message_id = p_blocker;
  if not found then return; end if;
  delete from queue.place where tenant_id = p_tenant and queue_id = p_queue and lane = p_lane and message_id = v_head;
  select max_attempts, (p_lane & (shards - 1))::smallint into v_max_attempts, v_shard from queue.queue where tenant_id = p_tenant and id = p_queue;
  with returned as (
    delete from queue.parked where tenant_id = p_tenant and queue_id = p_queue and id = v_head returning *
  )
  insert into queue.ready (tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit, collapses)
  select tenant_id, queue_id, shard, id, lane, version, attempts, attempt_limit, false from returned;
  -- A limit of its own marks a blocker that has not failed: settle_delivered goes by it.
  update queue.ready set attempt_limit = coalesce(attempt_limit, v_max_attempts)
  where tenant_id = p_tenant and queue_id = p_queue and shard = v_shard and id = v_head;
  perform queue.wake_shards(p_tenant, array[p_queue], array[v_shard]);
end
$$;

-- Publishes a copy of a message, to the same queue or another, with its document or p_document, and settles the message as redirected to
-- it, unless that is in hand or settled (outcome 'refused') or the copy would be older than what its lane has by now ('overtaken'):
-- then nothing is changed. In a fifo lane of the same queue the copy takes the message's place.
create function queue.replace_message(p_tenant integer, p_id bigint, p_queue integer, p_document text, p_announce boolean)
returns table (outcome text, successor_id bigint)
language plpgsql
set enable_seqscan = off
as $$
declare
  v_old record;
  v_message queue.message;
  v_target queue.queue;
  v_stays boolean;
  v_lane bigint;
  v_place bigint;
  v_is_blocker boolean;
  v_attempts smallint;
  v_successor bigint;
begin
  select l.queue_id, l.lane, l.shard, l.collapses into v_old from queue.locate(p_tenant, array[p_id]) l;
  if not found then return; end if;
  select * into v_message from queue.message m where m.tenant_id = p_tenant and m.queue_id = v_old.queue_id and m.id = p_id;
  select * into v_target from queue.queue q where q.tenant_id = p_tenant and q.id = coalesce(p_queue, v_old.queue_id);
  if not found then
    raise exception 'Queue % does not exist in tenant %.', p_queue, p_tenant using errcode = 'foreign_key_violation';
  end if;
  v_stays := v_target.id = v_old.queue_id;
  v_lane := v_old.lane;
  perform queue.lock_shards(p_tenant, array[v_old.queue_id, v_target.id], array[v_old.shard, (v_lane & (v_target.shards - 1))::smallint]);

  if v_target.mode = 'latest' and (queue.has_newer(p_tenant, v_target.id, v_lane, v_message.version, p_id)
    -- In another queue what is newer goes by ids alone; the same event's own message there is not newer.
    or (v_message.version is null and not v_stays and exists (
      select from queue.message o where o.tenant_id = p_tenant and o.key = v_message.key and o.id > p_id and o.queue_id = v_target.id
        and (o.origin_id is null or o.origin_id is distinct from v_message.origin_id))))
  then return query select 'overtaken', null::bigint; return; end if;

  -- A blocker that is replaced in its lane does not free it: meanwhile nobody is the blocker.
  v_stays := v_stays and not v_old.collapses;
  update queue.held h set message_id = 0
  where v_stays and h.tenant_id = p_tenant and h.queue_id = v_old.queue_id and h.lane = v_lane and h.message_id = p_id;
  v_is_blocker := found;
  select t.attempts into v_attempts from queue.take_out(p_tenant, array[p_id]) t;
  if v_attempts is null then
    delete from queue.removed r where r.tenant_id = p_tenant and r.queue_id = v_old.queue_id and r.id = p_id returning r.attempts into v_attempts;
  end if;
  if v_attempts is null then
    update queue.held h set message_id = p_id
    where v_is_blocker and h.tenant_id = p_tenant and h.queue_id = v_old.queue_id and h.lane = v_lane and h.message_id = 0;
    return query select 'refused', null::bigint; return;
  end if;

  v_successor := (queue.publish(p_tenant, array[v_target.id], array[v_message.subtenant_id], array[v_message.entity_type], array[v_message.source],
    array[v_message.headers], array[1], array[v_message.key], array[coalesce(p_document, v_message.document)], array[v_message.version],
    array[v_message.origin_id], array[v_message.entity_version], p_announce))[1];
  insert into queue.history (tenant_id, queue_id, id, attempts, outcome, successor_id)
  values (p_tenant, v_old.queue_id, p_id, v_attempts, 'redirected', v_successor);
  delete from queue.place p where p.tenant_id = p_tenant and p.queue_id = v_old.queue_id and p.lane = v_lane and p.message_id = p_id
  returning p.place into v_place;
  if v_is_blocker then v_place := 0; end if;
  if v_stays then
    insert into queue.place (tenant_id, queue_id, lane, message_id, place) values (p_tenant, v_old.queue_id, v_lane, v_successor, coalesce(v_place, p_id));
    insert into queue.held (tenant_id, queue_id, lane, message_id) values (p_tenant, v_old.queue_id, v_lane, 0) on conflict do nothing;
    -- Nothing happens where another message is the blocker.
    perform queue.hold_next(p_tenant, v_old.queue_id, v_lane, 0);
  end if;
  return query select 'replaced', v_successor;
end
$$;

-- Who put which copy in a message's place, and why. Owned by the server.
create table hub.repair (
  tenant_id integer not null references hub.tenant,
  message_id bigint not null,
  successor_id bigint not null,
  actor_name text not null,
  reason text not null check (length(reason) between 1 and 500),
  is_edited boolean not null,
  made_at timestamptz not null default now(),
  primary key (tenant_id, message_id),
  unique (tenant_id, successor_id)
);
alter table hub.repair enable row level security;
create policy own_tenant on hub.repair using (tenant_id = (select hub.current_tenant())) with check (tenant_id = (select hub.current_tenant()));
grant select, insert on hub.repair to crossdock_app;
grant select, delete on hub.repair to crossdock_worker;
