-- Two operators at one job: the second is told who paused, resumed or cancelled it.
alter table hub.job add column state_by text;
