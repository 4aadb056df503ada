import type { HandedDocument, ToolboxRequest, ToolboxResult } from "@crossdock/contract";
import type pg from "pg";
import type { AppParts } from "../app-parts.ts";
import { testConnection } from "../delivery/connection-test.ts";
import type { Egress } from "../egress/egress.ts";
import { ApiError, notFound } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import type { TenantDirectory } from "../intake/directory.ts";
import { handIn, previewDocuments, tryPayload, type Trial } from "./hand-in.ts";
import { fetchNext, resend, type Bench } from "./messages.ts";
import { startRebuild } from "./rebuild.ts";

type Tools = Pick<AppParts, "directory" | "intake"> & { egress: Egress; pool: pg.Pool };
type Tried = { trial: Trial; documents: HandedDocument[] };
type Prepared = { tried: Tried | null; connection: ToolboxResult | null };

/** What an operation needs of other systems and of connectors, before its transaction. */
export async function prepare(tools: Tools, directory: TenantDirectory, tenantId: number, body: ToolboxRequest): Promise<Prepared> {
  switch (body.operation) {
    case "publish-test":
    case "validate": {
      const trial = await tryPayload(tools, tenantId, body);
      return { tried: { trial, documents: await previewDocuments(tools.pool, tenantId, directory, trial) }, connection: null };
    }
    case "test-connection":
      return { tried: null, connection: await testStored(tools.egress, directory, body.integrationPointId) };
    default:
      return { tried: null, connection: null };
  }
}

/** With the stored address and the stored credentials, so that no secret goes anywhere else. */
async function testStored(egress: Egress, directory: TenantDirectory, id: number): Promise<ToolboxResult> {
  const point = directory.points.get(id);
  if (!point) throw notFound();
  const { connector, settings, credentials } = point;
  if (credentials === null) throw new ApiError("conflict", because("credentials-closed"));
  return { kind: "connection", test: await testConnection(egress, { connector, settings, credentials }) };
}

/** In the operation's transaction. */
export async function carryOut(
  bench: Bench,
  intake: Tools["intake"],
  body: ToolboxRequest,
  { tried, connection }: Prepared,
): Promise<ToolboxResult> {
  const { client, tenantId, principal, directory } = bench;
  switch (body.operation) {
    case "fetch-next":
      return fetchNext(bench, body);
    case "resend":
      return resend(bench, body);
    case "rebuild-external-items":
      return { kind: "run", runId: await startRebuild(client, tenantId, principal, directory, body) };
    case "test-connection":
      if (!connection) throw new Error("the connection was not tested");
      return connection;
    default:
      if (!tried) throw new Error("the payload was not read");
      return takeIn(bench, intake, tried, body.operation === "validate" || body.isDryRun);
  }
}

/** What would come of a payload; when it is no mere trial, it also does. */
async function takeIn(
  { client, directory }: Bench,
  intake: Tools["intake"],
  { trial, documents }: Tried,
  isTrial: boolean,
): Promise<ToolboxResult> {
  const { translation } = trial;
  const state = translation.kind === "documents" ? ("accepted" as const) : translation.kind;
  const reasons = translation.kind === "documents" ? [] : translation.reasons;
  const outcome = isTrial ? { state, reasons, externalMessageId: null, messageIds: [] } : await handIn(intake, client, directory, trial);
  return { kind: "handed-in", ...outcome, documents };
}
