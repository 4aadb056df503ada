import { routes, type Permission } from "@crossdock/contract";
import type { FastifyInstance, FastifyReply } from "fastify";
import { mayCaller } from "../access/access.ts";
import { writeAuditEvent } from "../api/audit-event.ts";
import { byteOrderMark, csvLine } from "../api/csv.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { ApiError } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import { readMasking } from "../masking/masking.ts";
import { addRoute } from "../api/route.ts";
import { getRun } from "../runs/rows.ts";
import { streamAnswer } from "../http/streaming.ts";
import { csvRecord } from "./lines.ts";
import { readPart, readState } from "./rows.ts";
import { ExportState } from "./run-export.ts";

type Format = "csv" | "ndjson";
type Wanted = Pick<ExportState, "parts" | "columns"> & {
  tenantId: number;
  runId: number;
  format: Format;
  isMarked: boolean;
  mask: (document: string) => string;
  right: Permission | null;
};

export function registerExportRuns(app: FastifyInstance, { pools, keys }: Deps): void {
  addRoute(app, routes.downloadExport, async ({ tenant: { tenantId }, principal, params, query, request, reply }) => {
    const { runId } = params;
    const { format, byteOrderMark: isMarked, reason } = query;
    const { parts, columns } = await stateOf(tenantId, runId);
    const masking = await inTenant(pools.readOnly, tenantId, (client) => readMasking(client, tenantId, keys.masking));
    const free = app.exports.take(tenantId, principal);
    try {
      if (reason !== undefined) {
        if (!mayCaller(principal, "reveal")) throw new ApiError("permission-missing");
        const target = { kind: "runs", id: String(runId) };
        const event = { tenantId, outcome: "done", code: null, target, reason, before: null, after: { format } } as const;
        await inTenant(pools.app, tenantId, (client) => writeAuditEvent(client, request, event));
      }
      const mask = reason === undefined ? (text: string) => masking.maskText(text) : (text: string) => text;
      return await stream(reply, {
        tenantId,
        runId,
        parts,
        columns,
        format,
        isMarked,
        mask,
        right: reason === undefined ? null : "reveal",
      });
    } finally {
      free();
    }
  });

  async function stateOf(tenantId: number, runId: number): Promise<ExportState> {
    return inTenant(pools.readOnly, tenantId, async (client) => {
      const run = await getRun(client, tenantId, runId);
      const state = await readState(client, tenantId, runId);
      if (state === null)
        throw new ApiError("conflict", run.kind === "export" ? because("export-open") : { detail: "The run is no export." });
      return ExportState.parse(JSON.parse(state));
    });
  }

  /** Part by part, as fast as the caller takes it. */
  async function stream(reply: FastifyReply, wanted: Wanted): Promise<string> {
    const { format, runId, right } = wanted;
    const headers = {
      "content-type": format === "csv" ? "text/csv; charset=utf-8" : "application/x-ndjson",
      "content-disposition": `attachment; filename="export-${runId}.${format}"`,
    };
    await streamAnswer(reply, { headers, read: () => textOf(wanted), closing: app.exports.closing, right });
    return "";
  }

  async function* textOf({ tenantId, runId, parts, columns, format, isMarked, mask }: Wanted): AsyncGenerator<string> {
    if (format === "csv") yield (isMarked ? byteOrderMark : "") + csvLine(columns);
    for (let number = 1; number <= parts; number += 1) {
      const part = await inTenant(pools.readOnly, tenantId, (client) => readPart(client, tenantId, runId, number));
      if (part === null) throw new ApiError("conflict", because("export-over"));
      const documents = part.split("\n").slice(0, -1).map(mask);
      yield documents.map((document) => (format === "csv" ? csvRecord(document, columns) : `${document}\n`)).join("");
    }
  }
}
