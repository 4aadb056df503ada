import type { FastifyInstance } from "fastify";
import type pg from "pg";
import { routes, type ObjectTrace } from "@crossdock/contract";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { readMasking } from "../masking/masking.ts";
import { findMessage } from "./rows.ts";
import { addRoute } from "../api/route.ts";
import { readRelated } from "../related-objects.ts";
import { readObjectTrace, type Traced } from "./object-trace.ts";
import { readTrace } from "./trace.ts";
import { findTraced, objectOf } from "./traced.ts";

/** The way of a message, and that of an object through all its messages. */
export function registerTraces(app: FastifyInstance, { pools, keys }: Deps): void {
  addRoute(app, routes.getMessageTrace, ({ tenant: { tenantId }, params }) =>
    inTenant(pools.readOnly, tenantId, async (client) =>
      readTrace(client, tenantId, await findMessage(client, tenantId, params.messageId)),
    ),
  );

  const answerTrace = async (client: pg.ClientBase, tenantId: number, traced: Traced): Promise<ObjectTrace> => {
    const trace = await readObjectTrace(client, tenantId, traced);
    const { maskText } = await readMasking(client, tenantId, keys.masking);
    const related = traced.object ? await readRelated(client, tenantId, traced.object, maskText) : [];
    return { ...trace, related, versions: trace.versions.map((version) => ({ ...version, document: maskText(version.document) })) };
  };

  addRoute(app, routes.getObjectTrace, ({ tenant: { tenantId }, params }) =>
    inTenant(pools.readOnly, tenantId, async (client) =>
      answerTrace(client, tenantId, await objectOf(client, tenantId, await findMessage(client, tenantId, params.messageId))),
    ),
  );

  addRoute(app, routes.traceObject, ({ tenant: { tenantId }, query }) =>
    inTenant(pools.readOnly, tenantId, async (client) => answerTrace(client, tenantId, await findTraced(client, tenantId, query))),
  );
}
