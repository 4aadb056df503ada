/**
 * Who paused the row `point` of hub.integration_point, when and why, as JSON; null while it is not paused. Each change is kept as a version, so
 * the first one since it last ran tells.
 */
export const pauseOfPointSql = (point: string): string => `
  case when ${point}.is_paused then (
    select jsonb_build_object('by', paused.made_by, 'at', queue.iso(paused.made_at), 'reason', paused.reason)
    from hub.integration_point_version paused
    where paused.tenant_id = ${point}.tenant_id and paused.integration_point_id = ${point}.id
      and paused.version > coalesce((
        select running.version from hub.integration_point_version running
        where running.tenant_id = ${point}.tenant_id and running.integration_point_id = ${point}.id
          and not (running.content ->> 'isPaused')::boolean
        order by running.version desc limit 1), 0)
    order by paused.version limit 1) end`;
