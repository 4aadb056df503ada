import { listFilterOf, pickFilters, type FilterSearch } from "../message-filters/search.ts";

/**
 * `view` is `list` for single dead letters; otherwise they are grouped by error, and `triage` restricts the groups. `cause` is a group's
 * fingerprint, `message` the one that is open beside the list. The other filters mean the same to both.
 */
export type DeadLetterSearch = FilterSearch & { view?: string; cause?: string; triage?: string; message?: string };

export function parseDeadLetterSearch(given: Record<string, unknown>): DeadLetterSearch {
  return pickFilters(given, ["view", "cause", "triage", "message"]);
}

/** The address's filters as the API takes them. */
export function deadLetterFilterOf({ cause, ...filters }: DeadLetterSearch, now: Date) {
  return { ...listFilterOf(filters, now), ...(cause && { fingerprint: cause }) };
}

/** The filters alone, as they are saved and asked for. */
export function filtersOf(search: DeadLetterSearch): DeadLetterSearch {
  const { message: _, ...filters } = search;
  return filters;
}
