-- What operators make of failures: who looks into an error, how far it has come, and who acted on which message last, so that of two people
-- who reach for the same row the second is told by whom it was taken. Owned by the server.

-- One row per error that somebody took in hand; an error without one is new. It stays when its dead letters are gone: the next ones that die
-- of the same are met by what is known.
create table hub.dead_letter_triage (
  tenant_id integer not null references hub.tenant,
  fingerprint text not null check (length(fingerprint) between 1 and 300),
  status text not null check (status in ('new', 'investigating', 'waiting-for-partner', 'ignored', 'resolved')),
  ignored_until timestamptz,
  -- The newest failure that its resolver had seen: a later one makes the error new again.
  resolved_up_to timestamptz,
  owner_id integer references hub."user" on delete set null,
  comment text not null default '' check (length(comment) <= 2000),
  -- Counts changes; one based on an older version is refused.
  version integer not null default 1,
  changed_by text not null,
  changed_at timestamptz not null default now(),
  primary key (tenant_id, fingerprint),
  check ((status = 'ignored') = (ignored_until is not null)),
  check ((status = 'resolved') = (resolved_up_to is not null))
);

-- The last thing that a person or a program did to a message.
create table hub.message_action (
  tenant_id integer not null references hub.tenant,
  message_id bigint not null,
  verb text not null check (verb in ('requeue', 'retry', 'remove', 'restore')),
  actor_name text not null,
  acted_at timestamptz not null default now(),
  primary key (tenant_id, message_id)
) with (fillfactor = 80);

do $$
declare name text;
begin
  foreach name in array array['dead_letter_triage', 'message_action'] loop
    execute format('alter table hub.%I enable row level security', name);
    execute format(
      'create policy own_tenant on hub.%I using (tenant_id = (select hub.current_tenant())) with check (tenant_id = (select hub.current_tenant()))',
      name
    );
  end loop;
end $$;

grant select, insert, update on hub.dead_letter_triage, hub.message_action to crossdock_app;
grant select, delete on hub.message_action to crossdock_worker;

-- Consoles that show the groups ask again, as they do when a message moves.
create function hub.tell_triage() returns trigger
  language plpgsql
as $$
begin
  perform pg_notify('queue_changed', new.tenant_id::text);
  return null;
end $$;

create trigger tell_triage after insert or update on hub.dead_letter_triage for each row execute function hub.tell_triage();
