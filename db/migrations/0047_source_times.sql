-- Times of change far in the future were once taken in, and made every later change of their objects look old. Intake refuses them now;
-- what they left behind counts as a source that gives no time.
create function hub.source_version_max() returns bigint language sql stable as $$
  select (extract(epoch from now() + interval '1 day') * 1000000)::bigint
$$;

update hub.entity set source_version = null where source_version > hub.source_version_max();
delete from queue.delivered_version where version > hub.source_version_max();
update queue.ready set version = null where version > hub.source_version_max();
update queue.retrying set version = null where version > hub.source_version_max();
update queue.parked set version = null where version > hub.source_version_max();
update queue.dead set version = null where version > hub.source_version_max();
update queue.removed set version = null where version > hub.source_version_max();

drop function hub.source_version_max();
