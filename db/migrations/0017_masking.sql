-- Which fields of documents are shown masked. A tenant without a row has the server's own list. Owned by the server.

create table hub.masking (
  tenant_id integer primary key references hub.tenant,
  -- Names, wherever they stand, and paths such as $.customer.name.
  fields text[] not null,
  version integer not null default 1,
  changed_at timestamptz not null default now()
);
alter table hub.masking enable row level security;
create policy own_tenant on hub.masking
  using (tenant_id = (select hub.current_tenant())) with check (tenant_id = (select hub.current_tenant()));
grant select, insert, update on hub.masking to crossdock_app;
-- Errors are masked where they are written, which is in deliveries, too.
grant select on hub.masking to crossdock_worker;

create trigger tell_change after insert or update or delete on hub.masking for each row execute function hub.tell_change();
