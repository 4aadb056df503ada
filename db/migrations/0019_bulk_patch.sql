-- Bulk patch: edited copies take the places of many dead letters, a few at first. Each stage waits for the deliveries of its copies, and the
-- job stops by itself when too many of them fail.

alter table hub.job drop constraint job_kind_check;
alter table hub.job add constraint job_kind_check check (kind in ('retry-now', 'requeue', 'remove', 'restore', 'patch'));
alter table hub.job
  -- JSON: what is changed in each document.
  add patch jsonb,
  -- Per cent of a stage's copies that may fail before the job stops.
  add failure_limit smallint check (failure_limit between 0 and 100),
  -- From 0; the last one takes all that is left.
  add stage smallint check (stage between 0 and 3),
  -- Copies of this stage, and those of them that failed.
  add stage_sent integer not null default 0,
  add stage_failed integer not null default 0,
  -- Copies of all stages whose delivery is still awaited.
  add in_flight integer not null default 0,
  -- Stopped by itself, as too many of a stage's copies failed.
  add is_halted boolean not null default false,
  -- As the tenant's operators know who created it.
  add actor_name text not null default '',
  add constraint job_patch check ((kind = 'patch') = (num_nonnulls(patch, failure_limit, stage) = 3) and num_nonnulls(patch, failure_limit, stage) in (0, 3)),
  add constraint job_in_flight check (done + skipped + failed + in_flight <= total);

-- sent: the copy was published, and what becomes of it is awaited.
alter table hub.job_item drop constraint job_item_outcome_check;
alter table hub.job_item add constraint job_item_outcome_check check (outcome in ('sent', 'done', 'skipped', 'failed'));
alter table hub.job_item add successor_id bigint;
create index job_item_sent on hub.job_item (tenant_id, job_id, message_id) where outcome = 'sent';

-- A job notes what it did to a message as a person's own call does, and who put the copies in their places.
alter table hub.message_action drop constraint message_action_verb_check;
alter table hub.message_action add constraint message_action_verb_check check (verb in ('requeue', 'retry', 'remove', 'restore', 'replace'));
grant insert, update on hub.message_action to crossdock_worker;
grant insert on hub.repair to crossdock_worker;
