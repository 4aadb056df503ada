import type pg from "pg";
import type { TenantHealth } from "@crossdock/contract";
import { queueDepths, targets } from "@crossdock/queue";
import { inTenant } from "../db.ts";

const alertsSql = "select count(*)::integer as count from hub.alert where tenant_id = $1 and state = 'firing'";

/** Sums the depths of all queues of a tenant, and counts its targets that are cut off and its alerts. */
export function readHealth(pool: pg.Pool, tenantId: number): Promise<TenantHealth> {
  return inTenant(pool, tenantId, async (client) => {
    const depths = await queueDepths(client, { tenantId });
    const states = await targets(client, { tenantId });
    const alerts = await client.query<{ count: number }>(alertsSql, [tenantId]);
    const health: TenantHealth = { waiting: 0, dead: 0, oldestWaitingAt: null, openCircuits: 0, alerts: alerts.rows[0]?.count ?? 0 };
    for (const depth of depths) {
      health.waiting += depth.ready + depth.inHand + depth.retrying + depth.parked;
      health.dead += depth.dead;
      const oldest = depth.oldestWaitingAt?.toISOString() ?? null;
      if (oldest !== null && (health.oldestWaitingAt === null || oldest < health.oldestWaitingAt)) health.oldestWaitingAt = oldest;
    }
    health.openCircuits = states.filter((target) => target.circuit.state === "open").length;
    return health;
  });
}
