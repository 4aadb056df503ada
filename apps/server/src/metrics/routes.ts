import type { FastifyInstance } from "fastify";
import { routes } from "@crossdock/contract";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { ApiError } from "../errors.ts";
import { addRoute } from "../route.ts";
import { grainOf, queuesOfSubtenant, readMetrics } from "./rows.ts";

const rangeMsMax = 5 * 366 * 24 * 3_600_000;

export function registerMetrics(app: FastifyInstance, { pools }: Deps): void {
  addRoute(app, routes.listMetrics, ({ tenant: { tenantId }, query }) => {
    const [from, to] = [new Date(query.from), new Date(query.to)];
    const rangeMs = to.getTime() - from.getTime();
    if (rangeMs <= 0 || rangeMs > rangeMsMax)
      throw new ApiError("bad-request", { detail: "The range must end after its start, within five years." });
    if (query.by === "queue" && query.subtenant === undefined && query.queueId === undefined) {
      throw new ApiError("bad-request", { detail: "Name a subtenant or a queue to get a row for each queue." });
    }
    return inTenant(pools.readOnly, tenantId, async (client) => {
      const ofSubtenant = query.subtenant === undefined ? null : await queuesOfSubtenant(client, tenantId, query.subtenant);
      if (query.subtenant !== undefined && ofSubtenant === null) throw new ApiError("unknown-subtenant");
      const queueIds = query.queueId === undefined ? ofSubtenant : [query.queueId].filter((id) => ofSubtenant?.includes(id) ?? true);
      const grain = grainOf(rangeMs);
      const found = await readMetrics(client, tenantId, { grain, from, to, queueIds, isByQueue: query.by === "queue" });
      return { grain, from: from.toISOString(), to: to.toISOString(), ...found };
    });
  });
}
