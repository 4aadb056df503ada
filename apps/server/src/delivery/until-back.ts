import { setTimeout as sleep } from "node:timers/promises";
import { isDatabaseAway } from "../errors/errors.ts";

/** Between two tries while the database is away. */
const askEveryMs = 200;

/**
 * What a target has taken would be sent to it once more were it forgotten, and what was not sent yet has not failed. So while the database is
 * away, the deliveries under way hold their places, and those that were begun go on when it is back.
 */
export async function untilBack<Result>(ask: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted || !isDatabaseAway(error)) throw error;
    }
    await sleep(askEveryMs, undefined, { signal }).catch(() => undefined);
  }
}
