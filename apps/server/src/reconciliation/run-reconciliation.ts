import { type ListedObject, connectors } from "@crossdock/connectors";
import { EntityType } from "@crossdock/contract";
import type pg from "pg";
import { z } from "zod";
import { inTenant } from "../db.ts";
import { mapDocument } from "../delivery/deliver.ts";
import type { Deps } from "../deps.ts";
import { because } from "../errors/faults.ts";
import type { Directory, Point, TenantDirectory } from "../intake/directory.ts";
import { type Send, fetchListed, fetchPage, isSamePage } from "../runs/asking.ts";
import { countCurrent, listCurrent } from "../runs/current-entities.ts";
import { type ClaimedRun, type Counts, type Ending, LeaseLost, advanceRun, failed, leadsElsewhere, writeLines } from "../runs/runs.ts";
import { requireTarget } from "../runs/what.ts";
import { compare, extraOf } from "./compare.ts";
import { type Found, dropObjects, putObjects, takeLeft, takeTargets, writeDifferences } from "./rows.ts";
import { documentsOf } from "./source-documents.ts";

type ReconcileDeps = { pools: Deps["pools"]; directory: Directory; send: Send };

/** Objects that are compared in one transaction. */
const batchSize = 500;

/** First what the target holds, then what the source does where it is asked, then object by object, then what is left over. */
const State = z.object({
  phase: z.enum(["target", "source", "compare", "extra"]),
  /** Of the phase: a page of the connector, or the key that was compared last. */
  at: z.string().nullable(),
});
type State = z.infer<typeof State>;

const ReconciliationOptions = z.object({ sourcePointId: z.int().optional() });

type Job = {
  run: ClaimedRun;
  directory: TenantDirectory;
  target: Point;
  entityType: EntityType;
  /** The source system that is asked; null: the objects as Crossdock knows them are compared. */
  source: Point | null;
};

/**
 * Compares what a target holds with what it should. Each step's findings and the place reached are one transaction, so that whoever takes
 * the run up after a crash goes on there. Memory holds one page, however much there is.
 */
export async function reconcile(deps: ReconcileDeps, run: ClaimedRun, signal: AbortSignal): Promise<Ending> {
  const directory = await deps.directory.of(run.tenantId);
  const entityType = EntityType.safeParse(run.entityType);
  const target = directory.points.get(run.pointId ?? 0);
  const { sourcePointId } = ReconciliationOptions.parse(run.options);
  const source = sourcePointId === undefined ? null : directory.points.get(sourcePointId);
  if (!target || !entityType.success || source === undefined) return failed(because("run-subject-gone").detail);
  if (target.credentials === null || source?.credentials === null) return failed(because("credentials-closed").detail);
  requireTarget(directory, target, entityType.data);
  const job: Job = { run, directory, target, entityType: entityType.data, source };
  let state: State | null = run.cursor === null ? { phase: "target", at: null } : State.parse(JSON.parse(run.cursor));
  while (state !== null) {
    if (signal.aborted) throw new LeaseLost();
    const step: Step = await steps[state.phase](deps, job, state.at, signal);
    if ("fault" in step) return failed(step.fault);
    if (step.ending !== null) return { state: step.ending, fault: null };
    state = step.next;
  }
  return { state: "done", fault: null };
}

type Step = { fault: string } | { ending: "cancelled" | "paused" | null; next: State | null };
type Take = (deps: ReconcileDeps, job: Job, at: string | null, signal: AbortSignal) => Promise<Step>;

const steps: Record<State["phase"], Take> = { target: readTarget, source: readSource, compare: compareNext, extra: tellExtra };

/** Moves on in the transaction that stores what the step found. */
async function moved(
  { pools }: ReconcileDeps,
  { run }: Job,
  next: State | null,
  store: (client: pg.PoolClient) => Promise<Partial<Counts>>,
): Promise<Step> {
  return inTenant(pools.worker, run.tenantId, async (client) => {
    if (await leadsElsewhere(client, run)) {
      await dropObjects(client, run);
      return { fault: because("run-system-changed").detail };
    }
    const counts = await store(client);
    const { isCancelling, isPausing } = await advanceRun(client, run, counts, JSON.stringify(next ?? { phase: "extra", at: null }));
    if (isCancelling) await dropObjects(client, run);
    // What is finished is not put aside.
    return { ending: isCancelling ? "cancelled" : isPausing && next !== null ? "paused" : null, next };
  });
}

async function readTarget(deps: ReconcileDeps, job: Job, cursor: string | null, signal: AbortSignal): Promise<Step> {
  const { run, target, entityType, source } = job;
  const page = await fetchListed(deps, { run, point: target, entityType, cursor, signal });
  if (page.kind !== "listed") return { fault: because("run-target-unread", { fault: page.error.message }).detail };
  if (page.next !== null && isSamePage(run, cursor, page.next, page.objects)) return { fault: because("run-same-page").detail };
  const following: State = { phase: source === null ? "compare" : "source", at: null };
  return moved(deps, job, page.next === null ? following : { phase: "target", at: page.next }, async (client) => {
    await putObjects(client, run, "target", page.objects);
    if (page.next === null && source === null) await countAll(client, job);
    return { accepted: page.objects.length };
  });
}

async function countAll(client: pg.PoolClient, { run, target }: Job): Promise<void> {
  const total = await countCurrent(client, run, target.isDevelopment);
  await client.query("update hub.run set total = $3 where tenant_id = $1 and id = $2", [run.tenantId, run.id, total]);
}

async function readSource(deps: ReconcileDeps, job: Job, cursor: string | null, signal: AbortSignal): Promise<Step> {
  const { run, source, entityType, directory } = job;
  if (source === null) return { fault: because("run-subject-gone").detail };
  const page = await fetchPage(deps, { run, point: source, entityType, cursor, signal });
  if (page.kind !== "page") return { fault: because("run-source-unread", { fault: page.error.message }).detail };
  if (page.hasMore && isSamePage(run, cursor, page.cursor, page.messages)) return { fault: because("run-same-page").detail };
  const { documents, faults } = await documentsOf(source, entityType, page.messages);
  const looked = documents.map((document) => expectedOf(job, directory, source.connector, JSON.stringify(document)));
  return moved(deps, job, page.hasMore ? { phase: "source", at: page.cursor } : { phase: "compare", at: null }, async (client) => {
    await putObjects(
      client,
      run,
      "source",
      looked.flatMap((each) => ("expected" in each && each.expected ? [each.expected] : [])),
    );
    const texts = [...faults, ...looked.flatMap((each) => ("fault" in each ? [each.fault] : []))];
    if (texts.length > 0) await writeLines(client, run, "warning", ...texts);
    return { rejected: texts.length };
  });
}

/** The object as it should look at the target: in the target's words, reduced to what its listing shows. Null: not meant for it. */
function expectedOf(
  { target, entityType }: Job,
  directory: TenantDirectory,
  sourceName: string,
  document: string,
): { expected: ListedObject | null } | { fault: string } {
  const mapped = mapDocument(directory, target, { document, headers: { source: sourceName } });
  if ("error" in mapped) return { fault: mapped.error.message };
  try {
    const read = z.record(z.string(), z.unknown()).parse(JSON.parse(mapped.document));
    return { expected: connectors[target.connector].list?.expected({ entityType, document: read, settings: target.settings }) ?? null };
  } catch {
    return { fault: "the mapped document doesn't fit its schema" };
  }
}

async function compareNext(deps: ReconcileDeps, job: Job, after: string | null): Promise<Step> {
  return job.source === null ? compareKnown(deps, job, after) : compareSource(deps, job);
}

/** The objects as Crossdock knows them, in the order of their keys. */
async function compareKnown(deps: ReconcileDeps, job: Job, after: string | null): Promise<Step> {
  const { run, directory, target } = job;
  const { objects, isLast } = await inTenant(deps.pools.worker, run.tenantId, (client) =>
    listCurrent(client, run, { after, withTests: target.isDevelopment, limit: batchSize }),
  );
  const looked = objects.map(({ key, pointId, document }) => {
    const source = directory.points.get(pointId);
    // What came from the target itself, or is not routed to it, is not for it to be told.
    if (!source || !isRouted(job, source)) return { key, own: true as const };
    const result = expectedOf(job, directory, source.connector, document);
    return "fault" in result ? { key, fault: `${key}: ${result.fault}` } : { key, expected: result.expected };
  });
  const last = objects.at(-1);
  const next: State = isLast || !last ? { phase: "extra", at: null } : { phase: "compare", at: last.key };
  return moved(deps, job, next, async (client) => {
    const expected = looked.flatMap((each) => ("expected" in each && each.expected ? [each.expected] : []));
    // What could not be compared, or is the target's own, is not at the target only either.
    const keys = [...expected.map(({ key }) => key), ...looked.flatMap((each) => ("expected" in each ? [] : [each.key]))];
    const found = await differencesOf(client, run, expected, keys);
    const faults = looked.flatMap((each) => ("fault" in each ? [each.fault] : []));
    if (faults.length > 0) await writeLines(client, run, "warning", ...faults);
    const differing = found.length;
    return { done: objects.length, unchanged: expected.length - differing, rejected: faults.length, differing };
  });
}

function isRouted({ directory, target, entityType }: Job, source: Point): boolean {
  const queueId = directory.queueOf(target.id, entityType);
  return directory.routesFrom(source, entityType).some((route) => route.queueId === queueId);
}

/** The objects as the source told them. They are taken away as they are compared, so there is no place to remember. */
async function compareSource(deps: ReconcileDeps, job: Job): Promise<Step> {
  const { run } = job;
  let isLast = false;
  const step = await moved(deps, job, { phase: "compare", at: null }, async (client) => {
    const expected = await takeLeft(client, run, "source", batchSize);
    isLast = expected.length < batchSize;
    const found = await differencesOf(
      client,
      run,
      expected,
      expected.map(({ key }) => key),
    );
    return { done: expected.length, unchanged: expected.length - found.length, differing: found.length };
  });
  return "fault" in step || !isLast ? step : { ...step, next: { phase: "extra", at: null } };
}

async function differencesOf(
  client: pg.PoolClient,
  run: ClaimedRun,
  expected: readonly ListedObject[],
  keys: readonly string[],
): Promise<Found[]> {
  const shown = await takeTargets(client, run, keys);
  const found = expected.flatMap((object) => compare(object, shown.get(object.key) ?? null) ?? []);
  await writeDifferences(client, run, found);
  return found;
}

async function tellExtra(deps: ReconcileDeps, job: Job): Promise<Step> {
  const { run } = job;
  let isLast = false;
  const step = await moved(deps, job, { phase: "extra", at: null }, async (client) => {
    const objects = await takeLeft(client, run, "target", batchSize);
    isLast = objects.length < batchSize;
    const found = objects.flatMap((object) => extraOf(object) ?? []);
    await writeDifferences(client, run, found);
    return { differing: found.length };
  });
  return "fault" in step || !isLast || step.ending === "cancelled" ? step : { ending: null, next: null };
}
