-- Latest wins, row by row: a join let the planner read all of the tenant's ready rows, dead ones included, of which there are many while a
-- transaction elsewhere is open for long. See 0001_queue.sql on look-ups behind `offset 0`.

-- Of the candidates' lanes in 'latest' queues keeps the newest message that is ready, and settles the others as superseded.
-- Candidates of fifo queues pass through. Messages in hand (p_known) are left alone.
create function queue.collapse(p_tenant integer, p_queue integer[], p_shard smallint[], p_slot smallint[], p_id bigint[], p_known bigint[])
returns table (slot smallint, queue_id integer, id bigint, attempts smallint, place tid, message_place tid)
language sql
set enable_seqscan = off
as $$
  with candidate as materialized (
    select c.slot, r.queue_id, r.shard, r.id, r.lane, r.attempts, r.collapses, r.ctid as place, r.message_place
    from unnest(p_slot, p_id) as c (slot, id)
    cross join lateral (
      select r.*, r.ctid from queue.ready r
      where r.tenant_id = p_tenant and r.queue_id = p_queue[c.slot] and r.shard = p_shard[c.slot] and r.id = c.id offset 0
    ) r
  ), ranked as materialized (
    select l.slot, r.queue_id, r.shard, r.id, r.attempts, r.version, r.ctid as place, r.message_place,
      row_number() over (partition by r.queue_id, r.lane order by coalesce(r.version, 0) desc, r.id desc) > 1
        or queue.is_overtaken(p_tenant, r.queue_id, r.lane, r.version, r.id) as is_replaced
    from (select distinct slot, queue_id, lane from candidate where collapses) l
    cross join lateral (
      select r.*, r.ctid from queue.ready r
      where r.tenant_id = p_tenant and r.queue_id = l.queue_id and r.lane = l.lane and r.collapses offset 0
    ) r
    where not exists (select from unnest(p_known) as k (id) where k.id = r.id)
  ), replaced as (
    delete from queue.ready r using ranked x
    where x.is_replaced and r.ctid = x.place and r.id = x.id
    returning r.queue_id, r.id, r.attempts
  ), kept as (
    insert into queue.history (tenant_id, queue_id, id, attempts, outcome)
    select p_tenant, r.queue_id, r.id, r.attempts, 'superseded' from replaced r
  )
  select c.slot, c.queue_id, c.id, c.attempts, c.place, c.message_place from candidate c where not c.collapses
  union all
  select x.slot, x.queue_id, x.id, x.attempts, x.place, x.message_place from ranked x where not x.is_replaced;
$$;
