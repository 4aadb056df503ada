import type { FastifyInstance } from "fastify";
import { routes, type Overview } from "@crossdock/contract";
import { personOf } from "../access/access.ts";
import type { Deps } from "../deps.ts";
import { addRoute } from "../api/route.ts";
import { databaseNow } from "../clocks.ts";
import { overviewOf, type Seen } from "./overview.ts";
import { readTenant } from "./read-tenant.ts";

/** Wallboards ask every few seconds; all of them share one look. */
const freshMs = 4_000;
/** Tenants that are looked at at a time, so that the pool is left to others. */
const atATime = 4;

const tenantsSql = `
  select tenant_id as "tenantId", tenant_code as code, name from hub.tenants_of_user($1) where is_active order by tenant_id`;

export function registerOverview(app: FastifyInstance, { pools }: Deps): void {
  let latest: { until: number; overview: Promise<Overview> } | null = null;

  // An admin reaches every tenant, so what one sees all see.
  async function look(userId: number): Promise<Overview> {
    const { rows } = await pools.app.query<{ tenantId: number; code: string; name: string }>(tenantsSql, [userId]);
    const seen: Seen[] = [];
    for (let start = 0; start < rows.length; start += atATime) {
      const some = rows.slice(start, start + atATime);
      seen.push(
        ...(await Promise.all(
          some.map(async ({ tenantId, code, name }) => ({ code, name, state: await readTenant(pools.readOnly, tenantId) })),
        )),
      );
    }
    return overviewOf(seen, await databaseNow(pools.readOnly));
  }

  addRoute(app, routes.getOverview, ({ principal }) => {
    const { userId } = personOf(principal);
    if (latest === null || latest.until < performance.now()) {
      const overview = look(userId);
      latest = { until: performance.now() + freshMs, overview };
      overview.catch(() => (latest = null));
    }
    return latest.overview;
  });
}
