-- What lists of dead letters go by, beside them: a look at the message of each took longer than all the rest. A message never changes, so
-- neither does this.
alter table queue.dead add column published_at timestamptz, add column source text, add column key text;

create function queue.name_dead() returns trigger
language plpgsql security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
begin
  select m.created_at, m.source, m.key into new.published_at, new.source, new.key
  from queue.message m where m.tenant_id = new.tenant_id and m.queue_id = new.queue_id and m.id = new.id;
  return new;
end $$;
revoke execute on function queue.name_dead() from public;
create trigger name_dead before insert on queue.dead for each row execute function queue.name_dead();

update queue.dead d set published_at = m.created_at, source = m.source, key = m.key
from queue.message m where m.tenant_id = d.tenant_id and m.queue_id = d.queue_id and m.id = d.id;
