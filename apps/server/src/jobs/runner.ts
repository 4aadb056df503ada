import type { DocumentPatch, JobKind, JobOutcome, JobSelection, JobSubject } from "@crossdock/contract";
import {
  lockMessages,
  remove,
  removeDead,
  removedBy,
  requeueDead,
  restore,
  retryNow,
  statesOf,
  supersededOf,
  type MessagePlace,
} from "@crossdock/queue";
import type pg from "pg";
import type { Logger } from "pino";
import { inTenant } from "../db.ts";
import { tenantsWithJobs } from "../each-tenant.ts";
import { lastActedOnBy, noteActions } from "../messages/actions.ts";
import { cutToPace, portionSeconds } from "./pace.ts";
import { runPatch, type PatchBatch } from "./patching.ts";
import { runRedirect } from "./redirecting.ts";
import { readPlaces } from "./rows.ts";
import { runExternal, type Replaying } from "./run-external.ts";
import type { ItemResult } from "./rows.ts";
import { isOfDeadOnly } from "./selection.ts";

/** Items in one transaction: it takes some hundred milliseconds, during which deliveries of their shards wait. */
const batchSize = 2_000;
/** Faults in a row after which a job stops and waits for a person. */
const faultsMax = 8;
/** Between two notifications to consoles about one tenant's progress. */
const tellEveryMs = 500;

type RunningJob = {
  id: number;
  subject: JobSubject;
  kind: JobKind;
  selection: JobSelection;
  cursor: string;
  left: number;
  undoOf: number | null;
  actorName: string;
  reason: string | null;
  targetQueueId: number | null;
  patch: DocumentPatch | null;
  failureLimit: number;
  stage: number;
  stageSent: number;
  stageFailed: number;
  inFlight: number;
};
// The row stays locked until the batch's commit: the process that runs a batch is alone with its job, and if it is killed the database takes back
// the batch and its lock together. So a job needs no lease of its own. Due as hub.tenants_with_jobs has it.
const takeSql = `
  select id, subject, kind, selection, cursor, total - done - skipped - failed as left, undo_of as "undoOf", actor_name as "actorName", patch,
    coalesce(reason, (select undone.reason from hub.job undone where undone.tenant_id = job.tenant_id and undone.id = job.undo_of)) as reason,
    target_queue_id as "targetQueueId",
    failure_limit as "failureLimit", stage, stage_sent as "stageSent", stage_failed as "stageFailed", in_flight as "inFlight"
  from hub.job
  where tenant_id = $1 and state = 'running' and (next_at <= clock_timestamp() or next_at > clock_timestamp() + interval '1 minute')
    and (kind in ('replay', 'redirect')) = $2
  order by next_at limit 1 for update skip locked`;

// By the ids alone, which the primary key finds one by one: a join with the results would be planned without statistics, as a job's items
// are new, and then go through all of the job's items for each result (100,000 items: minutes).
const recordDoneSql = `
  update hub.job_item set outcome = 'done', detail = null where tenant_id = $1 and job_id = $2 and message_id = any($3::bigint[])`;
const recordSql = `
  update hub.job_item item set outcome = result.outcome, detail = result.detail, successor_id = coalesce(result.successor_id, item.successor_id)
  from unnest($3::bigint[], $4::text[], $5::text[], $6::bigint[]) as result (id, outcome, detail, successor_id)
  where item.tenant_id = $1 and item.job_id = $2 and item.message_id = result.id and item.message_id = any($3::bigint[])`;

// $8: seconds until the next batch. The pace is a moving average over the time since the last batch ended.
const advanceSql = `
  update hub.job
  set cursor = coalesce($3::bigint, cursor), done = done + $4::integer, skipped = skipped + $5::integer, failed = failed + $6::integer, faults = 0, fault = null,
    state = case when $7::boolean then 'done' else state end, finished_at = case when $7 then clock_timestamp() end,
    per_second = coalesce(per_second * 0.8 + 0.2 * pace.of_batch, pace.of_batch), next_at = clock_timestamp() + $8::double precision * interval '1 second'
  from (
    select ($4::integer + $5::integer + $6::integer) / greatest(extract(epoch from clock_timestamp() - job.next_at)::double precision + $8, 0.001) as of_batch
    from hub.job where tenant_id = $1 and id = $2
  ) pace
  where tenant_id = $1 and id = $2`;

// $3: where the copies' stage stands.
const stageSql = `
  update hub.job set stage = $3, stage_sent = $4, stage_failed = $5, in_flight = $6,
    state = case when $7::boolean then 'stopped' else state end, is_halted = $7
  where tenant_id = $1 and id = $2`;

const faultSql = `
  update hub.job
  set faults = faults + 1, fault = $3, next_at = clock_timestamp() + least(60, 2 ^ faults) * interval '1 second',
    state = case when faults + 1 >= ${faultsMax} then 'stopped' else state end
  where tenant_id = $1 and id = $2 and state = 'running'`;

/** How a job tells its own removals from everybody else's. */
const markOf = (jobId: number): string => `job ${jobId}`;

type Change = (client: pg.ClientBase, tenantId: number, job: RunningJob, messages: readonly MessagePlace[]) => Promise<string[]>;

const idsOf = (messages: readonly { messageId: string }[]): string[] => messages.map(({ messageId }) => messageId);

type DirectKind = Exclude<JobKind, "patch" | "replay" | "redirect">;

/** Each carries the operation out and returns the ids that it changed. */
const changes: Record<DirectKind, Change> = {
  "retry-now": (client, tenantId, _job, messages) => retryNow(client, { tenantId, messageIds: idsOf(messages) }),
  requeue: (client, tenantId, _job, messages) => requeueDead(client, { tenantId, messageIds: idsOf(messages) }),
  remove: async (client, tenantId, job, messages) => {
    const messageIds = await ownOf(client, tenantId, job, messages);
    return (isOfDeadOnly(job.selection) ? removeDead : remove)(client, { tenantId, messageIds, by: markOf(job.id) });
  },
  restore: async (client, tenantId, job, messages) =>
    restore(client, { tenantId, messageIds: await ownOf(client, tenantId, job, messages) }),
};

/** What a job may take: one that takes another back leaves what somebody has removed, restored or requeued since. */
async function ownOf(
  client: pg.ClientBase,
  tenantId: number,
  { kind, undoOf }: RunningJob,
  messages: readonly MessagePlace[],
): Promise<string[]> {
  const messageIds = idsOf(messages);
  if (undoOf === null) return messageIds;
  await lockMessages(client, { tenantId, messageIds });
  return kind === "restore"
    ? removedBy(client, { tenantId, messages, by: markOf(undoOf) })
    : lastActedOnBy(client, tenantId, messageIds, undoOf);
}

const verbs = { "retry-now": "retry", requeue: "requeue", remove: "remove", restore: "restore" } as const;

async function carryOut(
  client: pg.ClientBase,
  tenantId: number,
  job: RunningJob,
  kind: DirectKind,
  items: readonly MessagePlace[],
): Promise<ItemResult[]> {
  const ids = await changes[kind](client, tenantId, job, items);
  await noteActions(client, tenantId, { ids, verb: verbs[kind], by: job.actorName, jobId: job.id });
  const done = new Set(ids);
  // A message that a newer one has overtaken is settled as superseded and never sent. Only one that goes back to its lane can be.
  if (kind === "requeue" || kind === "restore") {
    const back = items.filter(({ messageId }) => done.has(messageId));
    for (const id of back.length === 0 ? [] : await supersededOf(client, { tenantId, messages: back })) done.delete(id);
  }
  const left = items.filter(({ messageId }) => !done.has(messageId));
  const states = left.length === 0 ? new Map<string, string>() : await statesOf(client, { tenantId, messages: left });
  return items.map(({ messageId }) => {
    const isDone = done.has(messageId);
    return { messageId, outcome: isDone ? "done" : "skipped", detail: isDone ? null : (states.get(messageId) ?? null) };
  });
}

async function record(client: pg.ClientBase, tenantId: number, jobId: number, results: readonly ItemResult[]): Promise<void> {
  const done = results.filter(({ outcome, successorId }) => outcome === "done" && successorId === undefined);
  if (done.length > 0) await client.query(recordDoneSql, [tenantId, jobId, idsOf(done)]);
  const others = results.filter(({ outcome, successorId }) => outcome !== "done" || successorId !== undefined);
  if (others.length === 0) return;
  const successors = others.map(({ successorId }) => successorId ?? null);
  const values = [tenantId, jobId, idsOf(others), others.map(({ outcome }) => outcome), others.map(({ detail }) => detail), successors];
  await client.query(recordSql, values);
}

type Batch = { results: ItemResult[]; cursor: string | null; isLast: boolean; pauseSeconds: number; patching?: PatchBatch };

async function runDirect(client: pg.ClientBase, tenantId: number, job: RunningJob, kind: DirectKind, size: number): Promise<Batch> {
  const items = await readPlaces(client, tenantId, job.id, job.cursor, size);
  const { portion, isPaced } = kind === "requeue" ? await cutToPace(client, tenantId, items) : { portion: items, isPaced: false };
  const results = portion.length === 0 ? [] : await carryOut(client, tenantId, job, kind, portion);
  const cursor = portion.at(-1)?.messageId ?? null;
  return { results, cursor, isLast: results.length >= job.left, pauseSeconds: isPaced ? portionSeconds : 0 };
}

async function runPatching(client: pg.ClientBase, tenantId: number, job: RunningJob & { patch: DocumentPatch }): Promise<Batch> {
  const patching = await runPatch(client, tenantId, job);
  const { results, cursor, next } = patching;
  return { results, cursor, isLast: next === "end", pauseSeconds: next === "wait" ? portionSeconds : 0, patching };
}

/** What came in and what targets know, by its own operations. */
async function runOfExternal(client: pg.ClientBase, tenantId: number, job: RunningJob, { size, replaying }: Manner): Promise<Batch> {
  const results = await runExternal(client, tenantId, job, size, replaying);
  return {
    results,
    cursor: results.at(-1)?.messageId ?? null,
    isLast: results.length === 0 || results.length >= job.left,
    pauseSeconds: 0,
  };
}

async function runRedirecting(client: pg.ClientBase, tenantId: number, job: RunningJob, { size, replaying }: Manner): Promise<Batch> {
  const { results, cursor, isPaced } = await runRedirect(client, tenantId, job, size, present(replaying).directory);
  return { results, cursor, isLast: results.length >= job.left, pauseSeconds: isPaced ? portionSeconds : 0 };
}

function runOne(client: pg.ClientBase, tenantId: number, job: RunningJob, manner: Manner): Promise<Batch> {
  const { kind, patch, subject } = job;
  if (subject !== "messages" || kind === "replay") return runOfExternal(client, tenantId, job, manner);
  if (kind === "redirect") return runRedirecting(client, tenantId, job, manner);
  if (kind === "patch") return runPatching(client, tenantId, { ...job, patch: present(patch) });
  return runDirect(client, tenantId, job, kind, manner.size);
}

async function runTaken(client: pg.ClientBase, tenantId: number, job: RunningJob, manner: Manner): Promise<boolean> {
  const batch = await runOne(client, tenantId, job, manner);
  const { results, cursor, isLast, pauseSeconds, patching } = batch;
  if (results.length > 0) await record(client, tenantId, job.id, results);
  const count = (wanted: JobOutcome): number => results.filter(({ outcome }) => outcome === wanted).length;
  const counts = [count("done"), count("skipped"), count("failed")];
  if (patching) {
    const { stage, stageSent, stageFailed, inFlight, next } = patching;
    await client.query(stageSql, [tenantId, job.id, stage, stageSent, stageFailed, inFlight, next === "halt"]);
  }
  await client.query(advanceSql, [tenantId, job.id, cursor, ...counts, isLast, pauseSeconds]);
  return isLast;
}

/** Cannot happen: the table's constraints and the choice of jobs see to it. */
function present<Needed>(needed: Needed | null): Needed {
  if (needed === null) throw new Error("the job lacks what its kind needs");
  return needed;
}

/**
 * `size`: items of a batch. `replaying`: what replays or redirects, and nothing else, is taken: it needs the configuration; by the app's
 * role, which may write what comes in.
 */
type Manner = { size: number; replaying: Replaying | null };

/**
 * One batch of the tenant's job whose turn it is: its changes, their results and the job's counters in one transaction. `none` when no job
 * of the tenant may run now, or other processes have them in hand.
 */
export async function runBatch(pool: pg.Pool, tenantId: number, given: Partial<Manner> = {}): Promise<"none" | "more" | "finished"> {
  const manner = { size: batchSize, replaying: null, ...given };
  let taken: number | undefined;
  try {
    return await inTenant(pool, tenantId, async (client) => {
      const job = (await client.query<RunningJob>(takeSql, [tenantId, manner.replaying !== null])).rows[0];
      if (!job) return "none";
      taken = job.id;
      return (await runTaken(client, tenantId, job, manner)) ? "finished" : "more";
    });
  } catch (error) {
    const jobId = taken;
    if (jobId === undefined) throw error;
    await noteFault(pool, tenantId, jobId, error).catch((failure: unknown) => {
      throw new AggregateError([failure], `a batch of job ${jobId} failed, and the job could not be told`, { cause: error });
    });
    throw error;
  }
}

async function noteFault(pool: pg.Pool, tenantId: number, jobId: number, error: unknown): Promise<void> {
  const text = error instanceof Error ? error.message : String(error);
  await inTenant(pool, tenantId, (client) => client.query(faultSql, [tenantId, jobId, text]));
}

/** Runs the batches of all tenants in turn, until none may run now. Any number of processes may do so at once. */
export function createJobRunner(
  pool: pg.Pool,
  logger: Logger,
  replaying?: Replaying & { pool: pg.Pool },
): (signal: AbortSignal) => Promise<void> {
  const toldAt = new Map<number, number>();

  async function tell(tenantId: number, isFinished: boolean): Promise<void> {
    if (!isFinished && performance.now() - (toldAt.get(tenantId) ?? -tellEveryMs) < tellEveryMs) return;
    toldAt.set(tenantId, performance.now());
    await pool.query("select pg_notify('jobs_changed', $1::text)", [tenantId]);
  }

  const kinds = [{ pool, manner: {} }, ...(replaying ? [{ pool: replaying.pool, manner: { replaying } }] : [])];

  async function runNext(tenantId: number): Promise<boolean> {
    let hasRun = false;
    for (const kind of kinds) hasRun = (await runOf(tenantId, kind)) || hasRun;
    return hasRun;
  }

  async function runOf(tenantId: number, kind: { pool: pg.Pool; manner: Partial<Manner> }): Promise<boolean> {
    try {
      const ran = await runBatch(kind.pool, tenantId, kind.manner);
      if (ran !== "none") await tell(tenantId, ran === "finished");
      return ran !== "none";
    } catch (error) {
      // Noted in the job, which goes on after a pause; other tenants' jobs must not wait for it.
      logger.warn({ err: error, tenantId }, "a batch of a job failed");
      return false;
    }
  }

  return async (signal) => {
    for (;;) {
      let hasRun = false;
      for (const id of await tenantsWithJobs(pool)) if (!signal.aborted) hasRun = (await runNext(id)) || hasRun;
      if (!hasRun || signal.aborted) return;
    }
  };
}
