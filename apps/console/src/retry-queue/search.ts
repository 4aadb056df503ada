import { listFilterOf, pickFilters, type FilterSearch } from "../message-filters/search.ts";

/** `message` is the one that is open beside the list. */
export type RetryQueueSearch = FilterSearch & { message?: string };

export function parseRetryQueueSearch(given: Record<string, unknown>): RetryQueueSearch {
  return pickFilters(given, ["message"]);
}

/** The address's filters as the API takes them. */
export function retryQueueFilterOf(filters: RetryQueueSearch, now: Date) {
  return listFilterOf(filters, now);
}

/** The filters alone, as they are saved and asked for. */
export function filtersOf(search: RetryQueueSearch): RetryQueueSearch {
  const { message: _, ...filters } = search;
  return filters;
}
