import type pg from "pg";
import type { SubtenantWithActivity } from "@crossdock/contract";
import { inTenant } from "../db.ts";

// TODO counts
export function listSubtenants(pool: pg.Pool, tenantId: number): Promise<SubtenantWithActivity[]> {
  return inTenant(pool, tenantId, async (client) => {
    const { rows } = await client.query<SubtenantWithActivity>(
      `
      select id, code, name, is_active as "isActive", debug_mode as "debugMode", incoming_paused as "incomingPaused",
        outgoing_paused as "outgoingPaused", version, 0 as incoming, 0 as outgoing,
        (select count(*)::integer from hub.integration_point point where point.tenant_id = $1 and point.subtenant_id = subtenant.id) as "integrationPoints"
      from hub.subtenant where tenant_id = $1 order by code`,
      [tenantId],
    );
    return rows;
  });
}
