import type { FastifyInstance } from "fastify";
import { routes, type ToolboxResult } from "@crossdock/contract";
import { z } from "zod";
import type { AppParts } from "../app-parts.ts";
import { pageAfter, readCursor } from "../api/cursors.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { parseAllowList } from "../egress/addresses.ts";
import { createEgress } from "../egress/egress.ts";
import { createOnce } from "../api/idempotency.ts";
import type { Masking } from "../masking/masking.ts";
import { addRoute } from "../api/route.ts";
import { noteToolboxRun } from "../toolbox-history.ts";
import { carryOut, prepare } from "./operations.ts";
import { listToolboxRuns } from "./rows.ts";

const RunCursor = z.object({ id: z.int() });

/** A question that takes longer would not be answered to the person who waits for it. */
const testTimeoutMs = 15_000;
/** Of a payload, so much is kept in the history. */
const payloadLengthMax = 2_000;

export function registerToolbox(app: FastifyInstance, { pools, config }: Deps, parts: Pick<AppParts, "directory" | "intake">): void {
  const egress = createEgress({ allow: parseAllowList(config.egressAllow), totalTimeoutMs: testTimeoutMs });
  app.addHook("onClose", () => egress.close());
  const tools = { ...parts, egress, pool: pools.readOnly };

  addRoute(app, routes.listToolboxRuns, ({ tenant: { tenantId }, query: { cursor, limit, operation } }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      const before = readCursor(RunCursor, cursor)?.id ?? null;
      return pageAfter(await listToolboxRuns(client, tenantId, { operation, before, limit: limit + 1 }), limit, ({ id }) => ({ id }));
    }),
  );

  addRoute(app, routes.runOperation, async (context) => {
    const { tenant, principal, body } = context;
    const { tenantId } = tenant;
    const directory = await parts.directory.fresh(tenantId);
    // Before the transaction: no connection of the database waits for another system.
    const prepared = await prepare(tools, directory, tenantId, body);
    return createOnce(pools.app, tenantId, context, async (client, trail) => {
      const bench = { client, tenantId, principal, directory };
      const result = await carryOut(bench, parts.intake, body, prepared);
      const { operation, ...given } = body;
      const isDryRun = "isDryRun" in body && body.isDryRun;
      const parameters = parametersOf(given, directory.masking);
      const kept = summaryOf(result);
      const runId = result.kind === "run" ? { runId: result.runId } : {};
      const id = await noteToolboxRun(client, tenantId, principal, { operation, parameters, isDryRun, result: kept, ...runId });
      trail.target = { kind: "toolbox-runs", id: String(id) };
      trail.after = { operation, parameters, result: kept };
      return { id, result };
    });
  });
}

/** As the history keeps them. */
function parametersOf(given: Record<string, unknown>, masking: Masking): Record<string, unknown> {
  const { payload, isDryRun: _, ...others } = given;
  if (typeof payload !== "string") return others;
  const masked = masking.maskText(payload);
  return { ...others, payload: masked.length > payloadLengthMax ? `${masked.slice(0, payloadLengthMax)}…` : masked };
}

/** Without documents, tokens and answers. */
function summaryOf(result: ToolboxResult): Record<string, unknown> {
  switch (result.kind) {
    case "message":
      return { messageId: result.message?.id ?? null, key: result.message?.key ?? null, isLeased: result.lease !== null };
    case "resent":
      return { way: result.way, state: result.state, messageId: result.messageId };
    case "handed-in": {
      const { state, reasons, documents, externalMessageId, messageIds } = result;
      const targets = documents.flatMap((document) => document.targets);
      const failing = targets.filter(({ error }) => error !== null).length;
      return {
        state,
        reasons: reasons.slice(0, 5),
        documents: documents.length,
        failing,
        externalMessageId,
        messageIds: messageIds.slice(0, 20),
      };
    }
    case "connection": {
      const { result: outcome, url, status, durationMs } = result.test;
      return { result: outcome, url, status, durationMs };
    }
    default:
      return { runId: result.runId };
  }
}
