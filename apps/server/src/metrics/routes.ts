import type { FastifyInstance } from "fastify";
import { routes } from "@crossdock/contract";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { ApiError } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import { selectQueues } from "../messages/queue-selection.ts";
import { addRoute } from "../api/route.ts";
import { findSubtenantId } from "../subtenants/codes.ts";
import { grainOf, readMetrics, sourceOf } from "./rows.ts";

const minuteMs = 60_000;
/** Of a queue, when the caller says how long they are to be. */
const rowsMax = 2_400;
const rangeMsMax = 5 * 366 * 24 * 3_600_000;

export function registerMetrics(app: FastifyInstance, { pools }: Deps): void {
  addRoute(app, routes.listMetrics, ({ tenant: { tenantId }, query }) => {
    const [from, to] = [new Date(query.from), new Date(query.to)];
    const rangeMs = to.getTime() - from.getTime();
    if (rangeMs <= 0 || rangeMs > rangeMsMax) throw new ApiError("bad-request", because("range-invalid"));
    if (query.by === "queue" && query.subtenant === undefined && query.queueId === undefined) {
      throw new ApiError("bad-request", { detail: "Name a subtenant or a queue to get a row for each queue." });
    }
    const grain = query.grain ?? grainOf({ from, to });
    const source = query.grain === undefined ? grain : sourceOf(grain, from);
    if (source === null)
      throw new ApiError("bad-request", { detail: "Rows of minutes start at a whole minute, longer ones at a whole quarter of UTC." });
    if (rangeMs > grain * minuteMs * rowsMax)
      throw new ApiError("bad-request", { detail: `The range has more than ${rowsMax} rows of this length.` });
    return inTenant(pools.readOnly, tenantId, async (client) => {
      if (query.subtenant !== undefined) await findSubtenantId(client, tenantId, query.subtenant);
      const queueId = query.queueId === undefined ? undefined : [query.queueId];
      const queueIds = (await selectQueues(client, tenantId, { subtenant: query.subtenant, queueId })) ?? null;
      const found = await readMetrics(client, tenantId, { from, to, grain, source, queueIds, isByQueue: query.by === "queue" });
      return { grain, from: from.toISOString(), to: to.toISOString(), ...found };
    });
  });
}
