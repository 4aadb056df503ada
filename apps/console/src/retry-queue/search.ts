import { pickTexts } from "../text-search.ts";

/** `message` is the one that is open beside the list. */
export type RetryQueueSearch = { subtenant?: string; queue?: string; message?: string };

export function parseRetryQueueSearch(search: Record<string, unknown>): RetryQueueSearch {
  return pickTexts(search, ["subtenant", "queue", "message"]);
}
