-- A shared view is changed by several people: whoever has read an older version is told who was faster, and overwrites nothing.
alter table hub.saved_view
  add column version integer not null default 1,
  add column changed_by integer references hub."user" on delete set null;
