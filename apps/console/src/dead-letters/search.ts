import { pickTexts } from "../text-search.ts";

/**
 * `view` is `list` for single dead letters; otherwise they are grouped by error, and `status` restricts the groups. `error` is a group's
 * fingerprint, `message` the one that is open beside the list.
 */
export type DeadLetterSearch = { subtenant?: string; queue?: string; view?: string; error?: string; status?: string; message?: string };

export function parseDeadLetterSearch(search: Record<string, unknown>): DeadLetterSearch {
  return pickTexts(search, ["subtenant", "queue", "view", "error", "status", "message"]);
}

/** The address's filters as the API takes them. */
export function deadLetterFilterOf({ subtenant, queue, error }: DeadLetterSearch) {
  return {
    ...(subtenant && { subtenant }),
    ...(queue && /^\d+$/.test(queue) && { queueId: [queue] }),
    ...(error && { fingerprint: error }),
  };
}
