import { pickTexts } from "../text-search.ts";

export type RetryQueueSearch = { subtenant?: string; queue?: string };

export function parseRetryQueueSearch(search: Record<string, unknown>): RetryQueueSearch {
  return pickTexts(search, ["subtenant", "queue"]);
}
