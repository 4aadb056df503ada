import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { tellAgainMs } from "./log.ts";

/** A chore that is done again and again. `run` does one round and may be called by several processes at once. */
export type Chore = { name: string; everyMs: number; run: (signal: AbortSignal) => Promise<unknown> };

export type Loops = { stop: () => Promise<void> };

/** Runs each chore in a loop of its own, so that a slow one delays no other. A round that fails is tried again in time. */
export function startLoops(chores: readonly Chore[], logger: Pick<Logger, "error" | "info">): Loops {
  const stop = new AbortController();
  const loops = chores.map(async ({ name, everyMs, run }) => {
    let failures = 0;
    let toldAt = -Infinity;
    const report = (error: unknown): void => {
      failures += 1;
      if (performance.now() - toldAt < tellAgainMs) return;
      toldAt = performance.now();
      logger.error({ err: error, chore: name, failures }, "a chore fails");
    };
    const recover = (): void => {
      if (failures > 0) logger.info({ chore: name, failures }, "a chore works again");
      failures = 0;
      toldAt = -Infinity;
    };
    while (!stop.signal.aborted) {
      await run(stop.signal).then(recover, report);
      // Spread by a tenth, so that processes started together do not stay in step.
      const pauseMs = everyMs * (0.9 + Math.random() * 0.2);
      await sleep(pauseMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  });
  return {
    stop: async () => {
      stop.abort();
      await Promise.all(loops);
    },
  };
}
