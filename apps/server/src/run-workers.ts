import type { Logger } from "pino";
import { inTenant } from "./db.ts";
import { createAccessTokens } from "./delivery/access-tokens.ts";
import { createSender } from "./delivery/exchange.ts";
import type { Deps } from "./deps.ts";
import { eachTenant, tenantsWithRuns } from "./each-tenant.ts";
import { parseAllowList } from "./egress/addresses.ts";
import { createEgress } from "./egress/egress.ts";
import { ApiError, isDatabaseAway, mayPass } from "./errors/errors.ts";
import { because } from "./errors/faults.ts";
import { createDirectory, type Directory } from "./intake/directory.ts";
import { createIntake, type Intake } from "./intake/intake.ts";
import type { Chore } from "./loops.ts";
import { fireDue } from "./schedules/due.ts";
import { type PollDeps, poll } from "./schedules/poll.ts";
import { runExport } from "./export-runs/run-export.ts";
import { runImport } from "./imports/run-import.ts";
import { runRebuild } from "./toolbox/run-rebuild.ts";
import { lookForDeleted } from "./reconciliation/look-for-deleted.ts";
import { reconcile } from "./reconciliation/run-reconciliation.ts";
import { resync } from "./resync/run-resync.ts";
import { giveUpUploads, pruneRuns } from "./runs/pruning.ts";
import {
  type ClaimedRun,
  type Ending,
  LeaseLost,
  RunRests,
  claimRun,
  failed,
  finishRun,
  isCancelled,
  releaseRun,
  renewEveryMs,
  renewRun,
  restRun,
  writeLines,
} from "./runs/runs.ts";

/** Runs that one process works on at a time. A slow source holds one of them up, not the others. */
const workers = 8;
/** Of a page that is read for a run: of a hundred orders or products, with all their fields. A delivery reads the answer for one. */
const pageBytesMax = 16 * 1024 * 1024;
const secondMs = 1_000;
const minuteMs = 60_000;
const hourMs = 3_600_000;
/** Between two looks whether a run that is under way was cancelled: whoever cancels it should not wait for a source that hangs. */
const lookEveryMs = 500;

export type RunWorkers = { directory: Directory; intake: Intake; chores: Chore[]; stop: () => Promise<void> };

/** What the scheduler does for schedules and runs. `stop` after the chores have ended. */
export async function startRunWorkers(deps: Deps): Promise<RunWorkers> {
  const { config, pools, logger, tracing } = deps;
  const directory = createDirectory(pools.worker, deps);
  await directory.ready;
  const egress = createEgress({ allow: parseAllowList(config.egressAllow), answerBytesMax: pageBytesMax });
  const intake = createIntake({ pool: pools.app, directory, logger, tracing });
  const send = createSender({ egress, accessTokens: createAccessTokens(egress) });
  const pollDeps: PollDeps = { pools, directory, intake, send };
  const inTurn = createTurnsOfTenants();
  const work = (signal: AbortSignal) => runWaiting(pollDeps, logger, inTurn, signal);
  return {
    directory,
    intake,
    chores: [
      {
        name: "fire schedules",
        everyMs: secondMs,
        run: async () => eachTenant(await tenantsWithRuns(pools.worker), (tenantId) => fireDue(pools.worker, tenantId)),
      },
      ...Array.from({ length: workers }, (_, index) => ({ name: `run ${index + 1}`, everyMs: secondMs, run: work })),
      { name: "give up uploads", everyMs: minuteMs, run: () => giveUpUploads(pools.worker) },
      { name: "prune runs", everyMs: hourMs, run: (signal) => pruneRuns(pools.worker, config.retentionDays, signal) },
    ],
    stop: async () => {
      await egress.close();
      await directory.close();
    },
  };
}

async function runWaiting(deps: PollDeps, logger: Logger, inTurn: InTurn, signal: AbortSignal): Promise<void> {
  await eachTenant(await tenantsWithRuns(deps.pools.worker), (tenantId) =>
    inTurn(tenantId, async () => {
      const run = signal.aborted ? null : await claimRun(deps.pools.worker, tenantId);
      if (run) await carryOut(deps, logger, run, signal);
    }),
  );
}

type InTurn = (tenantId: number, work: () => Promise<void>) => Promise<void>;

/** A tenant has no more workers than stay free: runs may take hours, and there is one left for whoever comes next. Work beyond that is passed over. */
function createTurnsOfTenants(): InTurn {
  const held = new Map<number, number>();
  let free = workers;
  const take = (tenantId: number, count: number): void => {
    held.set(tenantId, (held.get(tenantId) ?? 0) + count);
    free -= count;
  };
  return async (tenantId, work) => {
    if ((held.get(tenantId) ?? 0) >= free) return;
    take(tenantId, 1);
    await work().finally(() => take(tenantId, -1));
  };
}

const works: Record<ClaimedRun["kind"], (deps: PollDeps, run: ClaimedRun, signal: AbortSignal) => Promise<Ending>> = {
  poll,
  deletions: lookForDeleted,
  import: runImport,
  rebuild: runRebuild,
  reconciliation: reconcile,
  resync,
  export: runExport,
};

const faultRestSeconds = 5;
/** Workers that a run may cost without coming to a step: what it reads may be what ends their processes, which other runs share. */
const lossesMax = 3;

/** Works on a run while its lease is renewed beside it. A run of another's, or of a process that ends, is left as it stands. */
async function carryOut(deps: PollDeps, logger: Logger, run: ClaimedRun, signal: AbortSignal): Promise<void> {
  const { worker } = deps.pools;
  const own = new AbortController();
  const stop = AbortSignal.any([signal, own.signal]);
  const renewal = setInterval(() => void renewRun(worker, run).catch(() => own.abort()), renewEveryMs);
  // A look that fails tells nothing; the next one, or the renewal, does.
  const look = () => isCancelled(worker, run).then((isWanted) => isWanted && own.abort());
  const looks = setInterval(() => void look().catch(() => undefined), lookEveryMs);
  try {
    if (run.wasLost) await inTenant(worker, run.tenantId, (client) => writeLines(client, run, "info", because("run-taken-up").detail));
    const isGivenUp = run.losses >= lossesMax;
    const ending = isGivenUp ? failed(because("run-breaks-off", { count: run.losses }).detail) : await works[run.kind](deps, run, stop);
    await end(deps, run, ending);
  } catch (error) {
    if (signal.aborted) return await releaseRun(worker, run);
    if (error instanceof RunRests) return void (await restRun(worker, run, error.seconds));
    if (error instanceof LeaseLost) return await endOrRelease(deps, run);
    // Intake tells of it in its own words.
    const isAway = isDatabaseAway(error instanceof ApiError ? error.cause : error);
    // Should the rest fail too, the run is taken up when its lease has run out.
    if ((isAway || mayPass(error)) && (await restRun(worker, run, faultRestSeconds, isAway ? 0 : 1))) {
      return logger.warn({ err: error, tenantId: run.tenantId, runId: run.id }, "a run met a fault that may pass, and goes on later");
    }
    logger.warn({ err: error, tenantId: run.tenantId, runId: run.id }, "a run failed");
    await end(deps, run, { state: "failed", fault: error instanceof Error ? error.message : "unknown" });
  } finally {
    clearInterval(renewal);
    clearInterval(looks);
  }
}

async function end({ pools }: PollDeps, run: ClaimedRun, { state, fault }: Ending): Promise<void> {
  if (fault !== null) await inTenant(pools.worker, run.tenantId, (client) => writeLines(client, run, "error", fault));
  await finishRun(pools.worker, run, state, fault);
}

/** Nothing happens where the lease is another's: the epoch says so. A lease that could not be renewed for a while is given back. */
async function endOrRelease({ pools }: PollDeps, run: ClaimedRun): Promise<void> {
  if (await isCancelled(pools.worker, run)) await finishRun(pools.worker, run, "cancelled", null);
  else await releaseRun(pools.worker, run);
}
