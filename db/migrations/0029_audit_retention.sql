-- Audit events are kept for a time of their own, which the installation sets. Nobody may delete one: the worker calls a function that
-- removes what is older, and never what is younger than 30 days, whatever it is told. Owned by the server.

-- Events come in the order of their times, so a few pages tell where the old ones end.
create index audit_event_by_time on hub.audit_event using brin (at);

create function hub.prune_audit_events(kept_days integer, batch_size integer) returns integer
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  removed integer;
begin
  delete from hub.audit_event
  where ctid in (
    select ctid from hub.audit_event where at < clock_timestamp() - make_interval(days => greatest(kept_days, 30)) limit batch_size);
  get diagnostics removed = row_count;
  return removed;
end $$;
revoke execute on function hub.prune_audit_events(integer, integer) from public;
grant execute on function hub.prune_audit_events(integer, integer) to crossdock_worker;
