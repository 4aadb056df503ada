-- Imports: a file in parts, as it came, and how its columns are read. Kept until its run is pruned, so that a run goes on after a crash.

create table hub.import_file (
  tenant_id integer not null,
  run_id integer not null,
  name text not null check (length(name) <= 300),
  format text not null check (format in ('csv', 'ndjson', 'xml')),
  -- The element of one record, in XML.
  element text not null check (length(element) <= 100),
  -- Canonical path → column.
  mapping jsonb not null,
  -- Rows of the source that have their outcome; it moves in the transaction that stores their documents.
  row_count integer not null default 0,
  is_complete boolean not null default false,
  primary key (tenant_id, run_id),
  foreign key (tenant_id, run_id) references hub.run on delete cascade
);

create table hub.import_part (
  tenant_id integer not null,
  run_id integer not null,
  number integer not null check (number between 1 and 10000),
  content text not null check (length(content) <= 600000),
  primary key (tenant_id, run_id, number),
  foreign key (tenant_id, run_id) references hub.import_file on delete cascade
);

do $$
declare name text;
begin
  foreach name in array array['import_file', 'import_part'] loop
    execute format('alter table hub.%I enable row level security', name);
    execute format(
      'create policy own_tenant on hub.%I using (tenant_id = (select hub.current_tenant())) with check (tenant_id = (select hub.current_tenant()))',
      name
    );
  end loop;
end $$;

grant select, insert, update on hub.import_file, hub.import_part to crossdock_app;
grant select, update, delete on hub.import_file, hub.import_part to crossdock_worker;
