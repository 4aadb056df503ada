import type pg from "pg";
import type { TenantHealth } from "@crossdock/contract";
import { queueDepths, targets } from "@crossdock/queue";
import { countFiring } from "../firing-alerts.ts";
import { inTenant } from "../db.ts";

/** Sums the depths of all queues of a tenant, and counts its targets that are cut off and its alerts. */
export function readHealth(pool: pg.Pool, tenantId: number): Promise<TenantHealth> {
  return inTenant(pool, tenantId, async (client) => {
    const depths = await queueDepths(client, { tenantId });
    const states = await targets(client, { tenantId });
    const alerts = await countFiring(client, tenantId);
    const health: TenantHealth = { waiting: 0, dead: 0, oldestWaitingAt: null, openCircuits: 0, alerts };
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
