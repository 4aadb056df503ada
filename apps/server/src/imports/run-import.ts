import { EntityType } from "@crossdock/contract";
import type pg from "pg";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { because } from "../errors/faults.ts";
import type { Directory, Point, TenantDirectory } from "../intake/directory.ts";
import type { Intake } from "../intake/intake.ts";
import { maskFaults } from "../intake/translate.ts";
import { lineText } from "../runs/line-text.ts";
import { openSource } from "../runs/open-source.ts";
import { type ClaimedRun, type Ending, LeaseLost, advanceRun, failed, writeLines } from "../runs/runs.ts";
import { type SourceRecord, SourceFault } from "./csv-reader.ts";
import { type Outcome, orderOfRow, toOutcome } from "./documents.ts";
import { readGroups } from "./groups.ts";
import { type StoredImport, countParts, insertRejection, moveRowCount, readImport } from "./rows.ts";
import { scatteredRow } from "./scattered-rows.ts";

export type ImportDeps = { pools: Deps["pools"]; directory: Directory; intake: Intake };

/** Rows of one transaction: some tens of milliseconds. Of large ones fewer, as many as stand in so many parts of 250,000 characters. */
const batchRows = 500;
const batchParts = 16;

type Job = { run: ClaimedRun; point: Point; entityType: EntityType; file: StoredImport };

/**
 * Reads a file's parts one after the other and stores its documents batch by batch. A batch's documents, its messages, the counters and the
 * place reached are one transaction: whoever takes the run up after a crash reads from the start and passes over the rows that have their outcome.
 * Throws RunRests while nothing may come in.
 */
export async function runImport(deps: ImportDeps, run: ClaimedRun, signal: AbortSignal): Promise<Ending> {
  const { pools, directory } = deps;
  const { tenantId } = run;
  const point = await openSource(directory, run);
  const entityType = EntityType.safeParse(run.entityType);
  const file = await inTenant(pools.worker, tenantId, (client) => readImport(client, tenantId, run.id));
  if (!point || !entityType.success || !file) return failed(because("run-subject-gone").detail);
  const job: Job = { run, point, entityType: entityType.data, file };
  const scattered = file.rowCount === 0 ? await lookThrough(pools.worker, job, signal) : null;
  if (scattered) return failed(scattered.message);
  let waiting: SourceRecord[][] = [];
  let partsRead = 0;
  let rows = 0;
  let passed = file.rowCount;
  const store = async (): Promise<"cancelled" | "paused" | null> => {
    const batch = waiting;
    waiting = [];
    partsRead = 0;
    if (signal.aborted) throw new LeaseLost();
    await openSource(directory, run);
    const count = batch.reduce((sum, group) => sum + group.length, 0);
    rows += count;
    return count === 0 ? null : storeBatch(deps, job, batch, rows);
  };
  const groups = groupsOf(pools.worker, job, signal, () => {
    partsRead += 1;
  });
  try {
    for await (const group of groups) {
      // What an earlier worker has stored.
      if (passed > 0) {
        passed -= group.length;
        rows += group.length;
        continue;
      }
      waiting.push(group);
      const wish = waiting.length >= batchRows || partsRead >= batchParts ? await store() : null;
      if (wish !== null) return { state: wish, fault: null };
    }
    await store();
    return { state: "done", fault: null };
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    await store();
    return failed(error.message);
  }
}

/** Before anything of a file is stored: whether rows of one order stand apart. */
async function lookThrough(pool: pg.Pool, job: Job, signal: AbortSignal): Promise<SourceFault | null> {
  const { run, file, entityType } = job;
  const keyOf = orderOfRow({ ...file, entityType });
  if (!keyOf) return null;
  const { count } = await inTenant(pool, run.tenantId, (client) => countParts(client, run.tenantId, run.id));
  const fault = await scatteredRow(() => groupsOf(pool, job, signal), keyOf, count);
  return fault && new SourceFault(fault);
}

function groupsOf(pool: pg.Pool, { run, file, entityType }: Job, signal: AbortSignal, onPart?: () => void): AsyncGenerator<SourceRecord[]> {
  return readGroups(pool, { tenantId: run.tenantId, runId: run.id, ...file, entityType }, () => {
    if (signal.aborted) throw new LeaseLost();
    onPart?.();
  });
}

/** Rejects a document with a time in the future, which its source cannot have yet, and one with masks of an export. */
async function acceptable(outcome: Outcome, { clock, masking }: TenantDirectory): Promise<Outcome> {
  if ("faults" in outcome) return outcome;
  const fault = await clock.faultOf(outcome.document);
  const faults = fault ? [fault] : maskFaults(JSON.stringify(outcome.document), masking);
  return faults.length > 0 ? { line: outcome.line, faults } : outcome;
}

/** Whether the run is to end or to be paused. Throws LeaseLost, and then nothing of the batch is stored. */
async function storeBatch(
  { pools, directory, intake }: ImportDeps,
  { run, point, entityType, file }: Job,
  batch: SourceRecord[][],
  rows: number,
): Promise<"cancelled" | "paused" | null> {
  const { tenantId } = run;
  const tenant = await directory.of(tenantId);
  const outcomes: Outcome[] = [];
  for (const group of batch) outcomes.push(await acceptable(toOutcome({ ...file, entityType }, group), tenant));
  const fit = outcomes.filter((outcome) => "document" in outcome);
  const unfit = outcomes.filter((outcome) => "faults" in outcome);
  return inTenant(pools.app, tenantId, async (client) => {
    const documents = fit.map(({ document }) => document);
    const stored = documents.length > 0 ? (await intake.storeDocumentsIn(client, { point, entityType, documents })).documents : [];
    const accepted = stored.filter(({ verdict }) => verdict === "changed").length;
    const { isCancelling, isPausing } = await advanceRun(client, run, {
      done: outcomes.length,
      accepted,
      unchanged: documents.length - accepted,
      rejected: unfit.length,
    });
    await moveRowCount(client, tenantId, run.id, rows);
    const passedOver = fit.flatMap(({ line }, index) => {
      const reason = stored[index]?.reason;
      return reason ? [{ line, faults: [reason] }] : [];
    });
    if (unfit.length > 0) {
      await insertRejection(client, tenantId, run.id, rows, unfit);
      await writeLines(client, run, "error", ...unfit.map(lineText));
    }
    if (passedOver.length > 0) await writeLines(client, run, "warning", ...passedOver.map(lineText));
    return isCancelling ? "cancelled" : isPausing ? "paused" : null;
  });
}
