import { dryRunMax, type DocumentPatch, type PatchCounts, type PatchedMessage, type PatchVerdict } from "@crossdock/contract";
import { findPassed, readDead, type DeadDocument } from "@crossdock/queue";
import type pg from "pg";
import { ApiError } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import { patchDead } from "./document-patch.ts";
import { countVerdicts, readVerdicts, type DryRun, type DryRunPage, type DryRunRequest } from "./dry-run.ts";
import { getJob } from "./rows.ts";

/** To patch and check a large one takes milliseconds. */
const documentsAtOnce = 25;

type PatchRun = DryRun<PatchedMessage> & { total: number };

/** Throws not-found, and conflict for a job of another kind. */
async function patchRun(client: pg.ClientBase, tenantId: number, jobId: number): Promise<PatchRun> {
  const { patch, total } = await getJob(client, tenantId, jobId);
  if (patch === null) throw new ApiError("conflict", because("job-without-patch"));
  const judge = async (messages: Parameters<PatchRun["judge"]>[0]) => {
    const passed = new Set(await findPassed(client, { tenantId, messages }));
    return (await readDead(client, { tenantId, messages })).values().map((dead) => toPatchedMessage(patch, dead, passed));
  };
  return { client, tenantId, jobId, sliceSize: documentsAtOnce, judge, total };
}

function toPatchedMessage(patch: DocumentPatch, dead: DeadDocument, passed: ReadonlySet<string>): PatchedMessage {
  const patched = patchDead(patch, dead);
  const { messageId, key, document: before } = dead;
  const common = { messageId, key, verdict: patched.verdict, before };
  if (patched.verdict === "invalid") return { ...common, after: patched.after, errors: patched.errors };
  if (patched.verdict === "unchanged") return { ...common, after: before, errors: [] };
  if (passed.has(messageId)) return { ...common, verdict: "superseded", after: before, errors: [] };
  return { ...common, after: patched.document, errors: [] };
}

/** The job's messages that are still dead, oldest first, as the patch would leave them. */
export async function dryRunPatch(
  client: pg.ClientBase,
  tenantId: number,
  request: DryRunRequest<PatchVerdict>,
): Promise<DryRunPage<PatchedMessage>> {
  return readVerdicts(await patchRun(client, tenantId, request.jobId), request);
}

export async function countPatch(client: pg.ClientBase, tenantId: number, jobId: number): Promise<PatchCounts> {
  const run = await patchRun(client, tenantId, jobId);
  const { counts, looked } = await countVerdicts(run);
  const { changed = 0, unchanged = 0, invalid = 0, superseded = 0 } = counts;
  const gone = looked - changed - unchanged - invalid - superseded;
  return { changed, unchanged, invalid, superseded, gone, isExact: run.total <= dryRunMax };
}
