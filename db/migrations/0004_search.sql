-- Substring search of the message engine. LIKE may leak values, so under row-level security it must not run before the policy does, and
-- the trigram index goes unused. search_ids therefore runs as the owner of the tables, whom policies do not bind, and keeps to the tenant
-- itself. It takes no tenant from its caller.

-- A tenant's texts, newest first.
create index search_text_newest on queue.search_text (tenant_id, id);

-- Messages with p_text (lower case) in their text, newest first, below the id p_before; of all queues when p_queues is null.
-- A common word is found among the tenant's newest texts, a rare one by the trigram index; the latter alone would collect every
-- message with a common word before it sorts them. Texts of fewer than three characters have no trigram: past the newest they are slow.
create function queue.search_ids(p_text text, p_queues integer[], p_before bigint, p_limit integer)
returns table (queue_id integer, id bigint)
language plpgsql stable security definer
set search_path = pg_catalog, pg_temp
-- Which index is right depends on the text and on the size of the tenant.
set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  c_newest constant integer := 5000;
  v_tenant constant integer := queue.current_tenant();
  v_pattern constant text := '%' || regexp_replace(p_text, '([\\%_])', '\\\1', 'g') || '%';
  v_before bigint := coalesce(p_before, 9223372036854775807);
  v_found integer;
begin
  if v_tenant is null then
    raise exception 'search_ids wants a tenant: crossdock.tenant_id is not set' using errcode = 'insufficient_privilege';
  end if;

  return query
    select n.queue_id, n.id
    from (
      select t.queue_id, t.id, t.text from queue.search_text t where t.tenant_id = v_tenant and t.id < v_before order by t.id desc limit c_newest
    ) n
    where n.text like v_pattern and (p_queues is null or n.queue_id = any (p_queues))
    order by n.id desc limit p_limit;
  get diagnostics v_found = row_count;
  if v_found = p_limit then return; end if;

  select t.id into v_before from queue.search_text t
  where t.tenant_id = v_tenant and t.id < v_before order by t.id desc offset c_newest - 1 limit 1;
  if not found then return; end if;

  -- Materialized, so that the limit does not tempt the planner to walk through all of the tenant's texts.
  return query
    with older as materialized (
      select t.queue_id, t.id from queue.search_text t
      where t.tenant_id = v_tenant and t.id < v_before and t.text like v_pattern and (p_queues is null or t.queue_id = any (p_queues))
    )
    select o.queue_id, o.id from older o order by o.id desc limit p_limit - v_found;
end
$$;
revoke all on function queue.search_ids(text, integer[], bigint, integer) from public;
grant execute on function queue.search_ids(text, integer[], bigint, integer) to crossdock_app, crossdock_worker;
