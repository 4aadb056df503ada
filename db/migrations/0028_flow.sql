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

-- As in 0013, but common words of which more are wanted than the newest texts hold: while they come often enough, further texts are read,
-- as many as their frequency asks for. The index would collect and sort every message with them.
create or replace function queue.search_ids(p_words text[], p_queues integer[], p_before bigint, p_limit integer)
returns table (queue_id integer, id bigint)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  -- What the index takes for a word that frequent is as much work as reading ten times as many texts.
  c_read_max constant integer := 100000;
  v_tenant constant integer := queue.current_tenant();
  v_patterns constant text[] := array(
    select '%' || regexp_replace(word, '([\\%_])', '\\\1', 'g') || '%' from unnest(p_words) word order by length(word) desc
  );
  v_run constant text := coalesce((
    select '%' || run || '%' from unnest(p_words) word cross join regexp_split_to_table(word, '[^[:alnum:]]+') run
    where length(run) > 2 order by length(run) desc limit 1
  ), v_patterns[1]);
  v_before bigint := coalesce(p_before, 9223372036854775807);
  v_window integer := 5000;
  v_read integer := 0;
  v_found integer;
  v_left integer := p_limit;
begin
  if v_tenant is null then
    raise exception 'search_ids wants a tenant: crossdock.tenant_id is not set' using errcode = 'insufficient_privilege';
  end if;

  loop
    return query
      select n.queue_id, n.id
      from (
        select t.queue_id, t.id, t.text from queue.search_text t where t.tenant_id = v_tenant and t.id < v_before order by t.id desc limit v_window
      ) n
      where n.text like all (v_patterns) and (p_queues is null or n.queue_id = any (p_queues))
      order by n.id desc limit v_left;
    get diagnostics v_found = row_count;
    v_left := v_left - v_found;
    if v_left = 0 then return; end if;
    select t.id into v_before from queue.search_text t
    where t.tenant_id = v_tenant and t.id < v_before order by t.id desc offset v_window - 1 limit 1;
    if not found then return; end if;
    v_read := v_read + v_window;
    exit when v_left = p_limit;
    v_window := least(c_read_max, ceil(1.3 * v_read * v_left / (p_limit - v_left)));
    exit when v_read + v_window > c_read_max;
  end loop;

  -- Materialized, so that the limit does not tempt the planner to walk through all of the tenant's texts.
  return query
    with older as materialized (
      select t.queue_id, t.id from queue.search_text t
      -- The concatenation keeps the words from the index.
      where t.tenant_id = v_tenant and t.id < v_before and t.text like v_run and (t.text || '') like all (v_patterns)
        and (p_queues is null or t.queue_id = any (p_queues))
    )
    select o.queue_id, o.id from older o order by o.id desc limit v_left;
end
$$;
