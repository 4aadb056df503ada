import type { EntityType } from "@crossdock/contract";
import type pg from "pg";
import { z } from "zod";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { because } from "../errors/faults.ts";
import type { Directory, Point } from "../intake/directory.ts";
import type { Intake } from "../intake/intake.ts";
import { type Send, fetchPage, isSamePage } from "../runs/asking.ts";
import { markSent, wantedDifferences } from "../runs/differences.ts";
import { openSource, requireSource } from "../runs/open-source.ts";
import { type ClaimedRun, type Ending, type Wish, LeaseLost, advanceRun, failed, leadsElsewhere, writeLines } from "../runs/runs.ts";
import { countUnlisted, dropObjects, lockUnchanged, putObjects, writeUnlisted } from "./rows.ts";
import { documentsOf } from "./source-documents.ts";

type LookDeps = { pools: Deps["pools"]; directory: Directory; intake: Intake; send: Send };
type Job = { run: ClaimedRun; point: Point };

/** Items that are handed on in one transaction. */
const batchSize = 200;
/** Only items can be told to be deleted. */
const entityType: EntityType = "item";

/** For which time the list is read, and where that stands. */
const State = z.object({ round: z.int(), at: z.string().nullable() });
type State = z.infer<typeof State>;

/** The run whose findings are handed on, all or those of these ids. */
const Options = z.object({ ofRun: z.int().optional(), differences: z.array(z.string()).optional() });
type Options = z.infer<typeof Options>;

/**
 * What a source that tells of no deletions has no more: it is asked for all its items, and those that are known from it and not among them are listed.
 * They stay as they are until a person says that they are gone; then another run of this kind hands them on, as a message of the source would.
 */
export async function lookForDeleted(deps: LookDeps, run: ClaimedRun, signal: AbortSignal): Promise<Ending> {
  const point = (await deps.directory.of(run.tenantId)).points.get(run.pointId ?? 0);
  if (!point) return failed(because("run-subject-gone").detail);
  requireSource(point, entityType);
  const options = Options.parse(run.options);
  if (options.ofRun !== undefined) return handOn(deps, { run, point }, options.ofRun, options, signal);
  if (point.credentials === null) return failed(because("credentials-closed").detail);
  return listAll(deps, { run, point }, signal);
}

/**
 * The list is read twice where something is missing: what moved from one page to another while it was read may be left out once. Memory holds one page.
 */
async function listAll(deps: LookDeps, job: Job, signal: AbortSignal): Promise<Ending> {
  const { run } = job;
  let state: State = run.cursor === null ? { round: 1, at: null } : State.parse(JSON.parse(run.cursor));
  for (;;) {
    if (signal.aborted) throw new LeaseLost();
    const page = await fetchPage(deps, { run, point: job.point, entityType, cursor: state.at, signal });
    if (page.kind !== "page") return failed(because("run-source-unread", { fault: page.error.message }).detail);
    if (page.hasMore && isSamePage(run, state.at, page.cursor, page.messages)) return failed(because("run-same-page").detail);
    const { documents, faults } = await documentsOf(job.point, entityType, page.messages);
    const { round } = state;
    const next: State = page.hasMore ? { round, at: page.cursor } : { round: round + 1, at: null };
    const ending = await inTenant(deps.pools.worker, run.tenantId, async (client) => {
      if (await leadsElsewhere(client, run)) {
        await dropObjects(client, run);
        return failed(because("run-system-changed").detail);
      }
      const objects = documents.flatMap((document) => ("sku" in document ? [{ key: String(document.sku), fields: {} }] : []));
      await putObjects(client, run, "source", objects);
      if (faults.length > 0) await writeLines(client, run, "error", ...faults);
      const found = faults.length > 0 ? failed(because("run-source-unfit").detail) : page.hasMore ? null : await judge(client, job, round);
      const reached = endingOf(await advanceRun(client, run, {}, JSON.stringify(next)), found);
      if (reached !== null && reached.state !== "paused") await dropObjects(client, run);
      return reached;
    });
    if (ending) return ending;
    state = next;
  }
}

/** After the last page: null where the list is to be read once more. */
async function judge(client: pg.PoolClient, { run, point }: Job, round: number): Promise<Ending | null> {
  const { known, missing, listed } = await countUnlisted(client, run, point);
  // A filter, a smaller permission or a fault of the source shows itself by this. What is gone by half is nothing for a machine to find out.
  if (missing * 2 > known) return failed(because("run-source-incomplete", { missing, known, listed }).detail);
  if (missing > 0 && round === 1) return null;
  await client.query("update hub.run set total = $3 where tenant_id = $1 and id = $2", [run.tenantId, run.id, known]);
  await writeUnlisted(client, run, point);
  await advanceRun(client, run, { done: known, unchanged: known - missing, differing: missing });
  return { state: "done", fault: null };
}

/**
 * Hands the items on as deleted. One that was told of since the source was asked, be it as it was, or that another source tells of now,
 * is left alone. Throws RunRests while nothing may come in.
 */
async function handOn(
  { pools, directory, intake }: LookDeps,
  { run, point }: Job,
  ofRun: number,
  { differences }: Options,
  signal: AbortSignal,
): Promise<Ending> {
  for (let at = run.cursor ?? "0"; ;) {
    if (signal.aborted) throw new LeaseLost();
    await openSource(directory, run);
    const step = await inTenant(pools.app, run.tenantId, async (client) => {
      if (await leadsElsewhere(client, { tenantId: run.tenantId, id: ofRun })) return null;
      const found = await wantedDifferences(client, run.tenantId, ofRun, differences ?? null, at, batchSize);
      const wanted = found.map(({ key }) => key);
      const unchanged = await lockUnchanged(client, run, point, ofRun, wanted);
      const documents = unchanged.map(({ key: sku, at: deletedAt }) => ({ schemaVersion: 1, sku, name: null, isActive: false, deletedAt }));
      const skipped = new Set(wanted);
      if (documents.length > 0) {
        const { reasons } = await intake.storeDocumentsIn(client, { point, entityType, documents });
        const outdated = new Set(reasons.map(({ path }) => path));
        const keys = documents.flatMap(({ sku }) => (outdated.has(sku) ? [] : [sku]));
        await markSent(client, run, ofRun, keys);
        for (const key of keys) skipped.delete(key);
      }
      const texts = [...skipped].map((key) => because("run-key-changed", { key }).detail);
      if (texts.length > 0) await writeLines(client, run, "warning", ...texts);
      const counts = { done: found.length, accepted: found.length - skipped.size, rejected: skipped.size };
      const last = found.at(-1)?.id ?? at;
      return { wish: await advanceRun(client, run, counts, last), last: found.length < batchSize ? null : last };
    });
    if (step === null) return failed(because("run-system-changed").detail);
    const { wish, last } = step;
    const ending = endingOf(wish, last === null ? { state: "done", fault: null } : null);
    if (ending) return ending;
    at = last ?? at;
  }
}

/** What is finished is not put aside. */
function endingOf({ isCancelling, isPausing }: Wish, ending: Ending | null): Ending | null {
  if (isCancelling) return { state: "cancelled", fault: null };
  return ending ?? (isPausing ? { state: "paused", fault: null } : null);
}
