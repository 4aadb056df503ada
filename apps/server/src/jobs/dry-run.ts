import { dryRunMax, type DocumentPatch, type PatchCounts, type PatchedMessage, type PatchVerdict } from "@crossdock/contract";
import { readDead, type DeadDocument, type MessagePlace } from "@crossdock/queue";
import type pg from "pg";
import { ApiError } from "../errors.ts";
import { because } from "../faults.ts";
import { patchDead } from "./document-patch.ts";
import { getJob, readPlaces } from "./rows.ts";

/** How many messages are read and patched before other work gets a turn. */
const sliceSize = 200;
/** Slices that one page looks through for a verdict that is rare; the caller goes on from its cursor. */
const slicesMax = 10;

/** Throws not-found, and conflict for a job of another kind. */
async function patchOf(client: pg.ClientBase, tenantId: number, jobId: number): Promise<{ patch: DocumentPatch; total: number }> {
  const { patch, total } = await getJob(client, tenantId, jobId);
  if (patch === null) throw new ApiError("conflict", because("job-without-patch"));
  return { patch, total };
}

type Page = { items: PatchedMessage[]; nextCursor: string | null };
type Request = { jobId: number; cursor?: string | undefined; limit: number; verdict?: PatchVerdict | undefined };

/** The job's messages, oldest first, as the patch would leave them. */
export async function dryRun(client: pg.ClientBase, tenantId: number, { jobId, cursor, limit, verdict }: Request): Promise<Page> {
  const { patch } = await patchOf(client, tenantId, jobId);
  const items: PatchedMessage[] = [];
  let after = cursor ?? "0";
  for (let slice = 0; slice < slicesMax; slice++) {
    const places = await readPlaces(client, tenantId, jobId, after, sliceSize);
    for (const dead of await readDead(client, { tenantId, messages: places })) {
      const item = toPatchedMessage(patch, dead);
      if (verdict !== undefined && item.verdict !== verdict) continue;
      items.push(item);
      if (items.length === limit) return { items, nextCursor: dead.messageId };
    }
    const last = places.at(-1);
    if (last === undefined || places.length < sliceSize) return { items, nextCursor: null };
    after = last.messageId;
    await breathe();
  }
  return { items, nextCursor: after };
}

function toPatchedMessage(patch: DocumentPatch, dead: DeadDocument): PatchedMessage {
  const patched = patchDead(patch, dead);
  const { messageId, key, document: before } = dead;
  const common = { messageId, key, verdict: patched.verdict, before };
  if (patched.verdict === "invalid") return { ...common, after: patched.after, errors: patched.errors };
  return { ...common, after: patched.verdict === "changed" ? patched.document : before, errors: [] };
}

export async function countDryRun(client: pg.ClientBase, tenantId: number, jobId: number): Promise<PatchCounts> {
  const { patch, total } = await patchOf(client, tenantId, jobId);
  const counts = { changed: 0, unchanged: 0, invalid: 0, gone: 0 };
  let after = "0";
  for (let looked = 0; looked < Math.min(total, dryRunMax); looked += sliceSize) {
    const places: MessagePlace[] = await readPlaces(client, tenantId, jobId, after, sliceSize);
    const dead = await readDead(client, { tenantId, messages: places });
    for (const document of dead) counts[patchDead(patch, document).verdict] += 1;
    counts.gone += places.length - dead.length;
    after = places.at(-1)?.messageId ?? after;
    await breathe();
  }
  return { ...counts, isExact: total <= dryRunMax };
}

/** Lets other requests have their turn: patching keeps the process busy. */
const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
