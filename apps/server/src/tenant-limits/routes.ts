import { routes, type TenantLimits, type Fault } from "@crossdock/contract";
import type { FastifyInstance } from "fastify";
import { change } from "../api/change.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { ApiError } from "../errors/errors.ts";
import { faultBecause } from "../errors/faults.ts";
import { addRoute } from "../api/route.ts";
import { readRetention, retentionOf } from "../retention.ts";
import { countExpired } from "./expired.ts";
import { type Limits, readLimits, readUsage, writeLimits } from "./rows.ts";

export function registerTenantLimits(app: FastifyInstance, { pools, config }: Deps): void {
  const bounds = { days: config.retentionDays, messageBytes: config.bodyLimitBytes };

  addRoute(app, routes.getTenantLimits, ({ tenant: { tenantId } }) =>
    inTenant(pools.readOnly, tenantId, async (client) => ({ ...(await readLimits(client, tenantId)), bounds })),
  );

  addRoute(app, routes.updateTenantLimits, ({ tenant: { tenantId }, body, request }) =>
    change(pools.app, request, async (client, trail) => {
      refuseBeyond(body, bounds);
      trail.before = await readLimits(client, tenantId);
      const written = await writeLimits(client, tenantId, body);
      if (written === null) throw new ApiError("changed-meanwhile");
      return { ...written, bounds };
    }),
  );

  addRoute(app, routes.getExpired, ({ tenant: { tenantId }, query }) => {
    const wanted = retentionOf(query, bounds.days);
    return inTenant(pools.readOnly, tenantId, async (client) => {
      const present = await readRetention(client, tenantId, bounds.days);
      return { items: await countExpired(client, tenantId, { present, wanted }) };
    });
  });

  addRoute(app, routes.getTenantUsage, ({ tenant: { tenantId } }) =>
    inTenant(pools.readOnly, tenantId, async (client) => ({ items: await readUsage(client, tenantId) })),
  );
}

const days = ["historyDays", "attemptDays", "rawMessageDays", "removedDays", "runDays"] as const;

/** Throws validation-failed with the path of each value that the installation does not permit. */
function refuseBeyond(limits: Limits, bounds: TenantLimits["bounds"]): void {
  const errors: Fault[] = days.flatMap((name) =>
    (limits[name] ?? 0) > bounds.days ? [faultBecause(name, "days-beyond", { max: bounds.days })] : [],
  );
  if ((limits.messageBytes ?? 0) > bounds.messageBytes)
    errors.push(faultBecause("messageBytes", "bytes-beyond", { max: bounds.messageBytes }));
  if (errors.length > 0) throw new ApiError("validation-failed", { errors });
}
