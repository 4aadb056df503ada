import type { Deps } from "../deps.ts";
import { watchAll } from "./watch.ts";

type Chore = { name: string; everyMs: number; run: (signal: AbortSignal) => Promise<void> };

/** What the scheduler does for alerts. */
export function alertChores({ pools }: Deps): Chore[] {
  return [{ name: "watch", everyMs: 5_000, run: (signal) => watchAll(pools, async () => undefined, signal) }];
}
