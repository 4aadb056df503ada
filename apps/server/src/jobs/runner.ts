import type { JobKind, JobOutcome, JobSelection } from "@crossdock/contract";
import { remove, removeDead, removedBy, requeueDead, restore, retryNow, statesOf, type MessagePlace } from "@crossdock/queue";
import type pg from "pg";
import type { Logger } from "pino";
import { inTenant } from "../db.ts";
import { cutToPace, portionSeconds } from "./pace.ts";
import { isOfDeadOnly } from "./selection.ts";

/** Items of one transaction: some tens of milliseconds, in which deliveries of their shards wait. */
const batchSize = 500;
/** Faults in a row after which a job stops and waits for a person. */
const faultsMax = 8;
/** Between two words to the consoles about one tenant's progress. */
const tellEveryMs = 500;

type RunningJob = { id: number; kind: JobKind; selection: JobSelection; cursor: string; left: number; undoOf: number | null };
type Result = { messageId: string; outcome: JobOutcome; detail: string | null };

// The row stays locked until the batch's commit: whoever runs a batch is alone with its job, and when he is killed the database takes back
// the batch and its lock together. So a job needs no lease of its own.
const takeSql = `
  select id, kind, selection, cursor, total - done - skipped - failed as left, undo_of as "undoOf" from hub.job
  where tenant_id = $1 and state = 'running' and next_at <= clock_timestamp()
  order by next_at limit 1 for update skip locked`;

const itemsSql = `
  select queue_id as "queueId", message_id as "messageId" from hub.job_item
  where tenant_id = $1 and job_id = $2 and message_id > $3 order by message_id limit $4`;

const recordSql = `
  update hub.job_item item set outcome = result.outcome, detail = result.detail
  from unnest($3::bigint[], $4::text[], $5::text[]) as result (id, outcome, detail)
  where item.tenant_id = $1 and item.job_id = $2 and item.message_id = result.id`;

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

const faultSql = `
  update hub.job
  set faults = faults + 1, fault = $3, next_at = clock_timestamp() + least(60, 2 ^ faults) * interval '1 second',
    state = case when faults + 1 >= ${faultsMax} then 'stopped' else state end
  where tenant_id = $1 and id = $2 and state = 'running'`;

/** How a job tells its own removals from everybody else's. */
const markOf = (jobId: number): string => `job ${jobId}`;

type Change = (client: pg.ClientBase, tenantId: number, job: RunningJob, messages: readonly MessagePlace[]) => Promise<string[]>;

const idsOf = (messages: readonly MessagePlace[]): string[] => messages.map(({ messageId }) => messageId);

/** Each carries the operation out and returns the ids that it changed. */
const changes: Record<JobKind, Change> = {
  "retry-now": (client, tenantId, _job, messages) => retryNow(client, { tenantId, messageIds: idsOf(messages) }),
  requeue: (client, tenantId, _job, messages) => requeueDead(client, { tenantId, messageIds: idsOf(messages) }),
  remove: (client, tenantId, { id, selection }, messages) =>
    (isOfDeadOnly(selection) ? removeDead : remove)(client, { tenantId, messageIds: idsOf(messages), by: markOf(id) }),
  restore: async (client, tenantId, { undoOf }, messages) => {
    // Somebody may have restored one by hand, and somebody else removed it again.
    const own = undoOf === null ? idsOf(messages) : await removedBy(client, { tenantId, messages, by: markOf(undoOf) });
    return restore(client, { tenantId, messageIds: own });
  },
};

async function carryOut(client: pg.ClientBase, tenantId: number, job: RunningJob, items: readonly MessagePlace[]): Promise<Result[]> {
  const changed = new Set(await changes[job.kind](client, tenantId, job, items));
  const states = await statesOf(client, { tenantId, messages: items });
  return items.map(({ messageId }) => {
    const state = states.get(messageId) ?? null;
    // What a newer message has overtaken is settled as that and never sent.
    const isDone = changed.has(messageId) && state !== "superseded";
    return { messageId, outcome: isDone ? "done" : "skipped", detail: isDone ? null : state };
  });
}

async function record(client: pg.ClientBase, tenantId: number, jobId: number, results: readonly Result[]): Promise<void> {
  const ids = results.map(({ messageId }) => messageId);
  await client.query(recordSql, [tenantId, jobId, ids, results.map(({ outcome }) => outcome), results.map(({ detail }) => detail)]);
}

async function runTaken(client: pg.ClientBase, tenantId: number, job: RunningJob): Promise<boolean> {
  const { rows: items } = await client.query<MessagePlace>(itemsSql, [tenantId, job.id, job.cursor, batchSize]);
  const { portion, isPaced } = job.kind === "requeue" ? await cutToPace(client, tenantId, items) : { portion: items, isPaced: false };
  const results = portion.length === 0 ? [] : await carryOut(client, tenantId, job, portion);
  if (results.length > 0) await record(client, tenantId, job.id, results);
  const count = (wanted: JobOutcome): number => results.filter(({ outcome }) => outcome === wanted).length;
  const isLast = results.length >= job.left;
  const counts = [count("done"), count("skipped"), count("failed")];
  await client.query(advanceSql, [tenantId, job.id, portion.at(-1)?.messageId ?? null, ...counts, isLast, isPaced ? portionSeconds : 0]);
  return isLast;
}

/**
 * One batch of the tenant's job whose turn it is: its changes, their results and the job's counters in one transaction. `none` when no job
 * of the tenant may run now, or other processes have them in hand.
 */
export async function runBatch(pool: pg.Pool, tenantId: number): Promise<"none" | "more" | "finished"> {
  let taken: number | undefined;
  try {
    return await inTenant(pool, tenantId, async (client) => {
      const job = (await client.query<RunningJob>(takeSql, [tenantId])).rows[0];
      if (!job) return "none";
      taken = job.id;
      return (await runTaken(client, tenantId, job)) ? "finished" : "more";
    });
  } catch (error) {
    if (taken !== undefined) await noteFault(pool, tenantId, taken, error);
    throw error;
  }
}

async function noteFault(pool: pg.Pool, tenantId: number, jobId: number, error: unknown): Promise<void> {
  const text = error instanceof Error ? error.message : String(error);
  await inTenant(pool, tenantId, (client) => client.query(faultSql, [tenantId, jobId, text]));
}

/** Works off the batches of all tenants in turn, until none may run now. Any number of processes may do so at once. */
export function createJobRunner(pool: pg.Pool, logger: Logger): (signal: AbortSignal) => Promise<void> {
  const toldAt = new Map<number, number>();

  async function tell(tenantId: number, isFinished: boolean): Promise<void> {
    if (!isFinished && performance.now() - (toldAt.get(tenantId) ?? -tellEveryMs) < tellEveryMs) return;
    toldAt.set(tenantId, performance.now());
    await pool.query("select pg_notify('jobs_changed', $1::text)", [tenantId]);
  }

  async function runNext(tenantId: number): Promise<boolean> {
    try {
      const ran = await runBatch(pool, tenantId);
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
      const { rows } = await pool.query<{ id: number }>("select id from hub.tenants_with_jobs() as id");
      let hasRun = false;
      for (const { id } of rows) if (!signal.aborted) hasRun = (await runNext(id)) || hasRun;
      if (!hasRun || signal.aborted) return;
    }
  };
}
