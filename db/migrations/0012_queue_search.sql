-- Substring search of messages.

-- Text of the documents' values, filled behind the publish.
create table queue.search_text (
  id bigint not null,
  tenant_id integer not null,
  queue_id integer not null,
  text text not null,
  primary key (tenant_id, id)
) partition by range (id);
create index search_text_trigram on queue.search_text using gin (text public.gin_trgm_ops);
insert into queue.day_partitioned values ('queue.search_text');

create table queue.search_cursor (
  is_only boolean primary key default true check (is_only),
  filled_to bigint not null default 0,
  -- An id below which some message may still be on its way to its commit, as of the transaction id seen_xid.
  seen_to bigint,
  seen_xid bigint
);
insert into queue.search_cursor default values;

alter table queue.search_text enable row level security;
create policy of_tenant on queue.search_text to crossdock_app
  using (tenant_id = (select queue.current_tenant())) with check (tenant_id = (select queue.current_tenant()));
create policy of_all on queue.search_text to crossdock_worker using (true) with check (true);
grant select, insert, update, delete on queue.search_text, queue.search_cursor to crossdock_app, crossdock_worker;

select queue.roll_partitions();

-- Filling ------------------------------------------------------------------------------------------------------------------

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
  -- One that is not given out yet was noted before a restore, in a cluster that was further on.
  elsif v_cursor.seen_xid is null or v_cursor.seen_xid > v_next or v_oldest >= v_cursor.seen_xid then
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

revoke all on function queue.unsearchable(integer) from public;
grant execute on function queue.unsearchable(integer) to crossdock_worker;

-- Searching ----------------------------------------------------------------------------------------------------------------
-- LIKE may leak values, so under row-level security it must not run before the policy does, and the trigram index goes unused. search_ids
-- therefore runs as the owner of the tables, whom policies do not bind, and keeps to the tenant itself. It takes no tenant from its caller.

-- Messages with all of p_words (lower case) in their text, newest first, below the id p_before; of all queues when p_queues is null.
-- A common word is found among the tenant's newest texts: while it comes often enough, further texts are read, as many as its frequency asks
-- for. A rare one is found by the trigram index, which alone would collect every message with a common word before it sorts them. The index
-- is asked for one part of the words, and the texts that it gives are looked at for all of them: what each document has in front of an
-- article's number costs the index more than it spares. The longest run of letters or digits is the rarest as a rule; of a long run only
-- the part that few texts have: what all of them share, as the first digits of barcodes, it would go through for nothing. Words of fewer
-- than three characters have no trigram: past the newest they are slow.
create function queue.search_ids(p_words text[], p_queues integer[], p_before bigint, p_limit integer)
returns table (queue_id integer, id bigint)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
-- Which index is right depends on the text and on the size of the tenant.
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
  v_run constant text := (
    select run from unnest(p_words) word cross join regexp_split_to_table(word, '[^[:alnum:]]+') run
    where length(run) > 2 order by length(run) desc limit 1
  );
  v_rare text;
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

  v_rare := coalesce('%' || queue.rare_part(v_tenant, v_run) || '%', v_patterns[1]);
  -- Materialized, so that the limit does not tempt the planner to walk through all of the tenant's texts.
  return query
    with older as materialized (
      select t.queue_id, t.id from queue.search_text t
      -- The concatenation keeps the words from the index.
      where t.tenant_id = v_tenant and t.id < v_before and t.text like v_rare and (t.text || '') like all (v_patterns)
        and (p_queues is null or t.queue_id = any (p_queues))
    )
    select o.queue_id, o.id from older o order by o.id desc limit v_left;
end
$$;

-- The longest part of a run of letters and digits of which no three in a row stand in more than a tenth of the tenant's newest texts; all of it
-- where there is none.
create function queue.rare_part(p_tenant integer, p_run text) returns text
language sql stable
set search_path = pg_catalog, pg_temp
begin atomic
  with newest as materialized (
    select t.text from queue.search_text t where t.tenant_id = p_tenant order by t.id desc limit 200
  ), rare as (
    select place from generate_series(1, length(p_run) - 2) place
    where 10 * (select count(*) from newest where position(substr(p_run, place, 3) in text) > 0) <= (select count(*) from newest)
  ), part as (
    select min(place) as first, max(place) as last
    from (select place, place - row_number() over (order by place) as part from rare) parted group by part
  )
  select coalesce((select substr(p_run, first::integer, (last - first + 3)::integer) from part order by last - first desc limit 1), p_run);
end;

revoke all on function queue.rare_part(integer, text), queue.search_ids(text[], integer[], bigint, integer) from public;
grant execute on function queue.search_ids(text[], integer[], bigint, integer) to crossdock_app, crossdock_worker;
