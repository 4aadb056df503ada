import { setImmediate } from "node:timers/promises";
import { stageSizes, type DocumentPatch } from "@crossdock/contract";
import { getMessages, lockDead, replaceLocked, statesOf, type MessagePlace } from "@crossdock/queue";
import type pg from "pg";
import { keepRepairs } from "../messages/repairs.ts";
import { tellPullers } from "../pullers.ts";
import { patchDead, type Patched } from "./document-patch.ts";
import { cutToPace } from "./pace.ts";
import { faultsDetail, readPlaces, toldDetail, type ItemResult } from "./rows.ts";

/** Copies of one transaction: their documents, each twice, are in memory at once. */
const batchSize = 25;
/** How many copies may be awaiting delivery: it bounds the cost of looking at them, and what goes out before too many failures are noticed. */
const inFlightMax = 1_000;
/** In the last, open-ended stage, failures are measured against at least this many copies: one of the first two is not yet half. */
const measuredMin = 50;

type PatchJob = {
  id: number;
  patch: DocumentPatch;
  failureLimit: number;
  stage: number;
  stageSent: number;
  stageFailed: number;
  inFlight: number;
  cursor: string;
  actorName: string;
  reason: string | null;
};

/** What a batch has come to: the items that changed their outcome, and where the job stands. `wait`: for deliveries or for a target. */
export type PatchBatch = {
  results: ItemResult[];
  cursor: string | null;
  stage: number;
  stageSent: number;
  stageFailed: number;
  inFlight: number;
  next: "go on" | "wait" | "halt" | "end";
};

const sizeOf = (stage: number): number => stageSizes[stage] ?? Infinity;

/** Notes what became of the copies that are under way, and sends as many more as the stage permits; in the batch's transaction. */
export async function runPatch(client: pg.ClientBase, tenantId: number, job: PatchJob): Promise<PatchBatch> {
  const settled = await readDeliveries(client, tenantId, job.id);
  let { stage, stageSent } = job;
  const stageFailed = job.stageFailed + settled.filter(({ outcome }) => outcome === "failed").length;
  const inFlight = job.inFlight - settled.length;
  const standing = { results: settled, cursor: null, stage, stageSent, stageFailed, inFlight };
  if (isTooMuch(job.failureLimit, stage, stageSent, stageFailed)) return { ...standing, next: "halt" };

  if (stageSent >= sizeOf(stage)) {
    if (inFlight > 0) return { ...standing, next: "wait" };
    stage += 1;
    stageSent = 0;
  }
  const isNewStage = stage !== job.stage;
  const room = Math.min(batchSize, sizeOf(stage) - stageSent, inFlightMax - inFlight);
  const items = room <= 0 ? [] : await readPlaces(client, tenantId, job.id, job.cursor, room);
  if (items.length === 0) return { ...standing, next: room > 0 && inFlight === 0 ? "end" : "wait" };
  const { portion } = await cutToPace(client, tenantId, items);
  const sent = await send(client, tenantId, job, portion);
  const count = sent.filter(({ outcome }) => outcome === "sent").length;
  return {
    results: [...settled, ...sent],
    cursor: portion.at(-1)?.messageId ?? null,
    stage,
    stageSent: stageSent + count,
    stageFailed: isNewStage ? 0 : stageFailed,
    inFlight: inFlight + count,
    next: portion.length < items.length ? "wait" : "go on",
  };
}

function isTooMuch(limit: number, stage: number, sent: number, failed: number): boolean {
  const measured = Number.isFinite(sizeOf(stage)) ? sent : Math.max(sent, measuredMin);
  return failed * 100 > limit * measured;
}

const underWaySql = `
  select message_id as "messageId", queue_id as "queueId", successor_id as "successorId" from hub.job_item
  where tenant_id = $1 and job_id = $2 and outcome = 'sent' order by message_id limit ${inFlightMax}`;

/** The copies that are finished. One that somebody removed or replaced is neither delivered nor failed. */
async function readDeliveries(client: pg.ClientBase, tenantId: number, jobId: number): Promise<ItemResult[]> {
  const { rows } = await client.query<MessagePlace & { successorId: string }>(underWaySql, [tenantId, jobId]);
  if (rows.length === 0) return [];
  const messages = rows.map(({ queueId, successorId }) => ({ queueId, messageId: successorId }));
  const stateOf = await statesOf(client, { tenantId, messages });
  const dead = rows.filter(({ successorId }) => stateOf.get(successorId) === "dead").map(({ successorId }) => successorId);
  const errors = new Map(
    dead.length === 0
      ? []
      : (await getMessages(client, { tenantId, messageIds: dead })).map(({ messageId, errorMessage, errorClass }) => [
          messageId,
          errorMessage ?? errorClass ?? "",
        ]),
  );
  return rows.flatMap(({ messageId, successorId }): ItemResult[] => {
    const state = stateOf.get(successorId);
    // Its day was dropped, which never happens while a message of it waits.
    if (state === undefined || state === "delivered") return [{ messageId, outcome: "done", detail: null }];
    if (state === "dead") return [{ messageId, outcome: "failed", detail: toldDetail(errors.get(successorId) ?? "") }];
    return state === "superseded" || state === "removed" || state === "redirected"
      ? [{ messageId, outcome: "skipped", detail: state }]
      : [];
  });
}

/** Puts the patched copies in their places; what moved on, does not change or would be invalid is left alone. */
async function send(client: pg.ClientBase, tenantId: number, job: PatchJob, items: readonly MessagePlace[]): Promise<ItemResult[]> {
  if (items.length === 0) return [];
  const dead = await lockDead(client, { tenantId, messages: items });
  const patched = new Map<string, Patched>();
  for (const document of dead) {
    patched.set(document.messageId, patchDead(job.patch, document));
    // A large one keeps the process busy.
    await setImmediate();
  }
  const documents = [...patched].flatMap(([messageId, copy]) =>
    copy.verdict === "changed" ? [{ messageId, document: copy.document }] : [],
  );
  const replaced = await replaceLocked(client, { tenantId, documents });
  const successors = new Map(replaced.map(({ messageId, successorId }) => [messageId, successorId]));
  const by = job.actorName;
  const reason = job.reason ?? "";
  await keepRepairs(
    client,
    tenantId,
    replaced.map((repair) => ({ ...repair, by, reason, isEdited: true })),
  );
  for (const queueId of new Set(dead.map((document) => document.queueId))) await tellPullers(client, tenantId, queueId);
  const gone = items.filter(({ messageId }) => !patched.has(messageId));
  const stateOf = gone.length === 0 ? new Map<string, string>() : await statesOf(client, { tenantId, messages: gone });
  return items.map(({ messageId }): ItemResult => {
    const copy = patched.get(messageId);
    if (copy === undefined) return { messageId, outcome: "skipped", detail: stateOf.get(messageId) ?? null };
    if (copy.verdict === "unchanged") return { messageId, outcome: "skipped", detail: "unchanged" };
    if (copy.verdict === "invalid") return { messageId, outcome: "failed", detail: faultsDetail(copy.errors) };
    const successorId = successors.get(messageId);
    // Newer data of the same object has come meanwhile.
    return successorId === undefined
      ? { messageId, outcome: "skipped", detail: "superseded" }
      : { messageId, outcome: "sent", detail: null, successorId };
  });
}
