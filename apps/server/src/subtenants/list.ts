import type pg from "pg";
import type { SubtenantWithActivity } from "@crossdock/contract";
import { inTenant } from "../db.ts";

const listSql = `
  select
    id, code, name, is_active as "isActive", debug_mode as "debugMode", incoming_paused as "incomingPaused", outgoing_paused as "outgoingPaused",
    version,
    (select count(*)::integer from hub.integration_point point where point.tenant_id = $1 and point.subtenant_id = subtenant.id) as "integrationPoints"
  from hub.subtenant
  where tenant_id = $1
  order by code`;

// The newest 10,001 of the tenant bound the work, so the counts are exact up to 10,000 an hour and a floor above.
const incomingSql = `
  select subtenant_id as id, count(*)::integer as count
  from (select subtenant_id, received_at from hub.external_message where tenant_id = $1 order by id desc limit 10001) newest
  where received_at > now() - interval '1 hour'
  group by subtenant_id`;

// LATERAL per queue walks each queue's index from its end. A message that waited behind 10,000 newer ones is missed, which a count of what
// went out in the last hour can bear.
const outgoingSql = `
  select point.subtenant_id as id, sum(delivered.count)::integer as count
  from queue.queue
  join hub.integration_point point on point.tenant_id = $1 and point.id = queue.target_id
  cross join lateral (
    select count(*) filter (where newest.outcome = 'delivered' and newest.finished_at > now() - interval '1 hour') as count
    from (
      select outcome, finished_at from queue.history
      where history.tenant_id = $1 and history.queue_id = queue.id
      order by history.id desc
      limit 10001
    ) newest
  ) delivered
  where queue.tenant_id = $1
  group by point.subtenant_id`;

type Count = { id: number; count: number };

/** The tenant's subtenants with their last hour's traffic. */
export function listSubtenants(pool: pg.Pool, tenantId: number): Promise<SubtenantWithActivity[]> {
  return inTenant(pool, tenantId, async (client) => {
    const { rows } = await client.query<Omit<SubtenantWithActivity, "incoming" | "outgoing">>(listSql, [tenantId]);
    const count = async (sql: string) => new Map((await client.query<Count>(sql, [tenantId])).rows.map((row) => [row.id, row.count]));
    const incoming = await count(incomingSql);
    const outgoing = await count(outgoingSql);
    return rows.map((row) => ({ ...row, incoming: incoming.get(row.id) ?? 0, outgoing: outgoing.get(row.id) ?? 0 }));
  });
}
