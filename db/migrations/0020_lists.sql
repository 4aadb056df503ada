-- Lists: what their filters look into.

-- A body as JSON; null where it is none, so that one that is not cannot end a search.
create function hub.external_json(body bytea) returns jsonb
  language plpgsql immutable parallel safe
  set search_path = pg_catalog, pg_temp
as $$
begin
  return convert_from(body, 'UTF8')::jsonb;
exception when others then
  return null;
end $$;

-- Jobs over external messages and external items.
alter table hub.job drop constraint job_kind_check;
alter table hub.job add constraint job_kind_check check (kind in ('retry-now', 'requeue', 'remove', 'restore', 'patch', 'replay'));
alter table hub.job add subject text not null default 'messages' check (subject in ('messages', 'external-messages', 'external-items'));
-- message_id is the id of an external message, the number of a removed external item, or counts the items of a job that removes such.
alter table hub.job_item
  alter queue_id drop not null,
  add integration_point_id integer,
  add entity_type text,
  add business_key text;
grant update (removed_at, removed_by) on hub.external_message to crossdock_worker;
