-- Search texts filled by what is new instead of by what is missing, and lists that find rare things among a million.

-- seen_to: an id below which some message may still be on its way to its commit, as of the transaction id seen_xid.
alter table queue.search_cursor add column seen_to bigint, add column seen_xid bigint;

-- The oldest transaction of this database, if any, that publishes and has not ended. See queue.oldest_publish, which asks of one tenant.
create function queue.oldest_publish() returns bigint
language sql
as $$
  with publish as (
    select pid from pg_locks
    where locktype = 'advisory' and classid = 7265643 and objsubid = 2 and granted
      and database = (select oid from pg_database where datname = current_database())
  )
  select min(pg_current_xact_id()::text::bigint - age(l.transactionid))
  from publish join pg_locks l using (pid) where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted;
$$;

-- The ids whose messages want search texts next: above from_id, up to to_id; is_cut: there are more, more than p_span after the first. Who
-- publishes has a transaction id and a lock before it draws ids, so once all that held the lock when an id was noted have ended, every
-- message up to that id that will ever be seen is seen.
create function queue.unsearchable(p_span integer, out from_id bigint, out to_id bigint, out is_cut boolean)
language plpgsql
set enable_seqscan = off
as $$
declare
  v_cursor queue.search_cursor;
  v_last bigint := coalesce(pg_sequence_last_value('queue.message_id'), 0);
  -- After the line above: whoever drew an id that old has a lower transaction id.
  v_next bigint := pg_current_xact_id()::text::bigint;
  v_oldest bigint := queue.oldest_publish();
  v_first bigint;
begin
  select * into v_cursor from queue.search_cursor;
  from_id := v_cursor.filled_to;
  if coalesce(v_oldest >= v_next, true) then
    to_id := v_last;
  elsif v_cursor.seen_xid is null or v_oldest >= v_cursor.seen_xid then
    to_id := coalesce(v_cursor.seen_to, from_id);
    update queue.search_cursor set seen_to = v_last, seen_xid = v_next;
  else
    -- Somebody has been publishing since before then.
    to_id := from_id;
  end if;
  is_cut := false;
  if to_id <= from_id then return; end if;
  select min(m.id) into v_first
  from queue.queue q
  cross join lateral (
    select m.id from queue.message m where m.tenant_id = q.tenant_id and m.queue_id = q.id and m.id > from_id and m.id <= to_id order by m.id limit 1
  ) m;
  is_cut := coalesce(v_first + p_span < to_id, false);
  if is_cut then to_id := v_first + p_span; end if;
end
$$;

revoke all on function queue.oldest_publish(), queue.unsearchable(integer) from public;
grant execute on function queue.oldest_publish(), queue.unsearchable(integer) to crossdock_worker;

update queue.search_cursor set filled_to = greatest(filled_to, coalesce(
  (select min(m.id) - 1 from queue.message m
   where not exists (select from queue.search_text t where t.tenant_id = m.tenant_id and t.queue_id = m.queue_id and t.id = m.id)),
  (select max(m.id) from queue.message m), 0));

-- Else a list of what was superseded, removed or redirected reads all that was delivered in between, and where there is nothing of the kind everything.
create index history_undelivered on queue.history (tenant_id, queue_id, outcome, id) where outcome <> 'delivered';
