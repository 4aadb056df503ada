import { setTimeout as sleep } from "node:timers/promises";
import type { Deps } from "../deps.ts";

export const collectedEveryMs = 10_000;
const hourMs = 3_600_000;
/** Counting takes at most this fraction (1/n) of the time, however much there is to count. */
const restRatio = 100;

/** How long to pause after a count that took `tookMs`. */
export function restAfter(tookMs: number): number {
  return tookMs * restRatio;
}

/** What the scheduler does for the metrics. */
export function metricChores({ pools }: { pools: Pick<Deps["pools"], "worker"> }) {
  return [
    {
      name: "collect metrics",
      everyMs: collectedEveryMs,
      run: async (signal: AbortSignal): Promise<void> => {
        for (let isBehind = true; isBehind && !signal.aborted;) {
          const begun = performance.now();
          const { rows } = await pools.worker.query<{ isBehind: boolean }>(`select hub.collect_metrics() as "isBehind"`);
          isBehind = rows[0]?.isBehind ?? false;
          const restMs = restAfter(performance.now() - begun) - (isBehind ? 0 : collectedEveryMs);
          if (restMs > 0) await sleep(restMs, undefined, { signal }).catch(() => undefined);
        }
      },
    },
    {
      name: "prune metrics",
      everyMs: hourMs,
      // What is pruned has been added to the totals before.
      run: async (): Promise<void> => {
        await pools.worker.query("select hub.total_metrics()");
        await pools.worker.query("select hub.prune_metrics()");
      },
    },
  ];
}
