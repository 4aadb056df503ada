import type pg from "pg";
import type { ExternalMessageGroup, Fault } from "@crossdock/contract";
import { withName } from "../errors/arrival-faults.ts";
import { faultSql, newestRejectedSql, rejectedLookedAt, type Filter } from "./matching.ts";

type Asked = Pick<Filter, "subtenant" | "integrationPointId" | "entityType" | "source" | "from" | "to">;

const groupsMax = 200;

/**
 * The newest rejected are read once by their index, whatever the filter, so that the cost is that of so many rows among any number of
 * messages; the filter and the groups are of what was read.
 */
const groupsSql = `
  with newest as materialized (${newestRejectedSql}),
  told as (
    select newest.id, newest.received_at, newest.integration_point_id, newest.reasons::json->0 as reason, ${faultSql("newest")} as fault
    from newest
    join hub.integration_point point on point.tenant_id = $1 and point.id = newest.integration_point_id
    join hub.subtenant on subtenant.tenant_id = $1 and subtenant.id = newest.subtenant_id
    where ($2::text is null or subtenant.code = $2) and ($3::integer is null or newest.integration_point_id = $3)
      and ($4::text is null or newest.entity_type = $4) and ($5::text is null or point.connector = $5)
      and ($6::timestamptz is null or newest.received_at >= $6) and ($7::timestamptz is null or newest.received_at < $7)
  ),
  grouped as (
    select integration_point_id, fault, count(*)::integer as count, min(received_at) as first_at, max(received_at) as last_at, max(id) as newest_id
    from told group by integration_point_id, fault
    order by count desc, newest_id desc limit ${groupsMax}
  )
  select grouped.integration_point_id as "integrationPointId", point.name as "integrationPointName", point.connector as source,
    subtenant.code as "subtenantCode", grouped.fault, told.reason, grouped.count,
    queue.iso(grouped.first_at) as "firstAt", queue.iso(grouped.last_at) as "lastAt"
  from grouped
  join told on told.id = grouped.newest_id
  join hub.integration_point point on point.tenant_id = $1 and point.id = grouped.integration_point_id
  join hub.subtenant on subtenant.tenant_id = $1 and subtenant.id = point.subtenant_id
  order by grouped.count desc, grouped.newest_id desc`;

type GroupRow = Omit<ExternalMessageGroup, "reason"> & { reason: Fault | null };

/** Rejected external messages by who sent them and what was wrong first, the most first. */
export async function groupRejected(
  client: pg.ClientBase,
  tenantId: number,
  { subtenant, integrationPointId, entityType, source, from, to }: Asked,
): Promise<{ items: ExternalMessageGroup[]; isFloor: boolean }> {
  const filters = [subtenant, integrationPointId, entityType, source, from, to].map((value) => value ?? null);
  const { rows } = await client.query<GroupRow>(groupsSql, [tenantId, ...filters]);
  const read = await client.query<{ count: number }>(`select count(*)::integer as count from (${newestRejectedSql}) newest`, [tenantId]);
  return {
    items: rows.map((row) => ({ ...row, reason: row.reason && withName(row.reason) })),
    isFloor: read.rows[0]?.count === rejectedLookedAt,
  };
}
