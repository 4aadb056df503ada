import { EntityType } from "@crossdock/contract";
import { countReady } from "@crossdock/queue";
import type pg from "pg";
import { z } from "zod";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { because } from "../errors/faults.ts";
import type { Directory, Point, TenantDirectory } from "../intake/directory.ts";
import { toMessage } from "../intake/entities.ts";
import { publishRouted } from "../intake/store.ts";
import { markSent, wantedDifferences } from "../runs/differences.ts";
import { countCurrent, listCurrent, lockCurrent } from "../runs/current-entities.ts";
import { type ClaimedRun, type Ending, LeaseLost, RunRests, advanceRun, failed, writeLines } from "../runs/runs.ts";
import { requireTarget } from "../runs/what.ts";
import { forgetItems } from "./rows.ts";

type ResyncDeps = { pools: Deps["pools"]; directory: Directory };

/** Objects that are published in one transaction, fewer of large ones. */
const batchSize = 200;
/** The same of those that are named, which are taken whatever their size. */
const namedBatchSize = 25;
/** Above so many waiting messages the target's own pace is what counts: the run rests, and newer changes don't wait behind all of it. */
const waitingMax = 1_000;
const restSeconds = 2;

/** Named objects, the differences of a reconciliation, or all of the type. */
const ResyncOptions = z.object({
  keys: z.array(z.string()).optional(),
  ofRun: z.int().optional(),
  differences: z.array(z.string()).optional(),
});
type Options = z.infer<typeof ResyncOptions>;

type Job = { run: ClaimedRun; directory: TenantDirectory; target: Point; entityType: EntityType; queueId: number; options: Options };
/** What comes next: keys, and the place behind them. `missing` are not known at the target any more. */
type Batch = { keys: string[]; missing: string[]; differences: string[]; at: string; isLast: boolean };

/**
 * Publishes objects anew to one target, through its queue and at its pace. A batch's messages and the place reached are one transaction, so
 * that a run that is taken up again repeats nothing. An object is locked while it is published: what changes meanwhile follows it.
 * Throws RunRests while the target has enough to do, and conflict once it takes nothing of the type any more.
 */
export async function resync(deps: ResyncDeps, run: ClaimedRun, signal: AbortSignal): Promise<Ending> {
  const { tenantId } = run;
  const options = ResyncOptions.parse(run.options);
  for (let at = run.cursor; ;) {
    if (signal.aborted) throw new LeaseLost();
    const job = toJob(await deps.directory.of(tenantId), run, options);
    if (job === null) return failed(because("run-subject-gone").detail);
    if (at === null) await inTenant(deps.pools.worker, tenantId, (client) => writeTotal(client, job));
    const { queueId } = job;
    const waiting = await countReady(deps.pools.worker, { tenantId, queueId, cap: waitingMax });
    if (waiting >= waitingMax) throw new RunRests(restSeconds);
    const batch = await inTenant(deps.pools.worker, tenantId, (client) => nextBatch(client, job, at));
    const { isCancelling, isPausing } = await publishBatch(deps, job, batch);
    if (isCancelling) return { state: "cancelled", fault: null };
    if (batch.isLast) return { state: "done", fault: null };
    if (isPausing) return { state: "paused", fault: null };
    at = batch.at;
  }
}

/** By the present configuration; null where the target is gone. */
function toJob(directory: TenantDirectory, run: ClaimedRun, options: Options): Job | null {
  const entityType = EntityType.safeParse(run.entityType);
  const target = directory.points.get(run.pointId ?? 0);
  const queueId = target && entityType.success ? directory.queueOf(target.id, entityType.data) : undefined;
  if (!target || !entityType.success || queueId === undefined) return null;
  requireTarget(directory, target, entityType.data);
  return { run, directory, target, entityType: entityType.data, queueId, options };
}

async function writeTotal(client: pg.PoolClient, { run, target, options }: Job): Promise<void> {
  if (options.ofRun !== undefined) return;
  const total = options.keys?.length ?? (await countCurrent(client, run, target.isDevelopment));
  await client.query("update hub.run set total = $3 where tenant_id = $1 and id = $2", [run.tenantId, run.id, total]);
}

async function nextBatch(client: pg.PoolClient, { run, target, options }: Job, at: string | null): Promise<Batch> {
  if (options.ofRun !== undefined) {
    const found = await wantedDifferences(client, run.tenantId, options.ofRun, options.differences ?? null, at ?? "0", namedBatchSize);
    return {
      keys: found.map(({ key }) => key),
      missing: found.flatMap(({ key, kind }) => (kind === "missing" ? [key] : [])),
      differences: found.map(({ id }) => id),
      at: found.at(-1)?.id ?? at ?? "0",
      isLast: found.length < namedBatchSize,
    };
  }
  if (options.keys) {
    const from = Number(at ?? 0);
    const keys = options.keys.slice(from, from + namedBatchSize);
    return { keys, missing: [], differences: [], at: String(from + keys.length), isLast: from + keys.length >= options.keys.length };
  }
  const { objects, isLast } = await listCurrent(client, run, { after: at, withTests: target.isDevelopment, limit: batchSize });
  const keys = objects.map(({ key }) => key);
  return { keys, missing: [], differences: [], at: keys.at(-1) ?? at ?? "", isLast };
}

/** Throws LeaseLost, and then nothing of the batch is published. */
function publishBatch({ pools }: ResyncDeps, job: Job, batch: Batch): Promise<{ isCancelling: boolean; isPausing: boolean }> {
  const { run, directory, target, entityType, queueId } = job;
  return inTenant(pools.worker, run.tenantId, async (client) => {
    const objects = await lockCurrent(client, run, batch.keys, target.isDevelopment);
    const messages = objects.flatMap((object) => {
      const source = directory.points.get(object.pointId);
      if (!source || !directory.routesFrom(source, entityType).some((route) => route.queueId === queueId)) return [];
      const sourceVersion = object.sourceVersion === null ? null : BigInt(object.sourceVersion);
      const record = { entityType, key: object.key, text: object.document, sourceVersion };
      return [toMessage(source, object.originId, record, queueId, object.version)];
    });
    // The target would be asked to change what it does not have.
    const { ofRun = 0 } = job.options;
    if (batch.missing.length > 0) await forgetItems(client, run, ofRun, batch.missing);
    await publishRouted(client, messages, new Set(target.deliveryMode === "pull" ? [queueId] : []));
    const sent = new Set(messages.map(({ key }) => key));
    if (batch.differences.length > 0) await markSent(client, run, ofRun, [...sent]);
    const skipped = batch.keys.filter((key) => !sent.has(key));
    if (skipped.length > 0) await writeLines(client, run, "warning", ...skipped.map((key) => because("run-key-skipped", { key }).detail));
    return advanceRun(client, run, { done: batch.keys.length, accepted: sent.size, rejected: skipped.length }, batch.at);
  });
}
