import { setTimeout as sleep } from "node:timers/promises";

/** A chore that is done again and again. `run` does one round and may be called by several processes at once. */
export type Chore = { name: string; everyMs: number; run: (signal: AbortSignal) => Promise<void> };

export type Loops = { stop: () => Promise<void> };

/** Runs each chore in a loop of its own, so that a slow one delays no other. A round that fails is told of and tried again in time. */
export function startLoops(chores: readonly Chore[], onError: (chore: string, error: unknown) => void): Loops {
  const stop = new AbortController();
  const loops = chores.map(async ({ name, everyMs, run }) => {
    while (!stop.signal.aborted) {
      await run(stop.signal).catch((error: unknown) => onError(name, error));
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
