import type { MessageState } from "@crossdock/contract";
import { allOf } from "../all-of.ts";
import { idsMax, isSlowFilter, listFilterOf, pickFilters, type FilterName, type FilterSearch } from "../message-filters/search.ts";

/** The filters of the queue screen as they stand in the address, and the message that is open beside the list, or the job. `ids`: some messages alone. */
export type QueueSearch = FilterSearch & { ids?: string; message?: string; job?: string };

export function parseQueueSearch(given: Record<string, unknown>): QueueSearch {
  return pickFilters(given, ["ids", "message", "job"]);
}

export const shownFilters: readonly FilterName[] = ["search", "subtenant", "queue", "source", "state", "time", "key"];
export const moreFilters: readonly FilterName[] = ["payload", "entity", "error", "status", "attempts", "from"];

export const states = allOf<MessageState>()([
  "ready",
  "in-hand",
  "retrying",
  "parked",
  "dead",
  "delivered",
  "superseded",
  "removed",
  "redirected",
]);
const waitingStates: MessageState[] = ["ready", "in-hand", "retrying", "parked"];

/** The states that the list shows; none stands for all. */
export function wantedStatesOf(state: string | undefined): MessageState[] {
  return state === "waiting" ? waitingStates : states.filter((known) => known === state);
}

/** The ids that the address names. */
export const idsOf = ({ ids = "" }: QueueSearch): string[] =>
  ids
    .split(" ")
    .filter((id) => /^\d{1,18}$/.test(id))
    .slice(0, idsMax);

/** The address's filters as the API takes them. A value that isn't one is left out, as the address may come from anywhere. */
export function messageFilterOf(filters: QueueSearch, now: Date) {
  const wantedStates = wantedStatesOf(filters.state);
  const { point } = filters;
  const ids = idsOf(filters);
  return {
    ...listFilterOf(filters, now),
    ...(ids.length > 0 && { id: ids }),
    ...(point && /^\d{1,9}$/.test(point) && { integrationPointId: Number(point) }),
    ...(wantedStates.length > 0 && { state: wantedStates }),
  };
}

/** Of messages of all states, how often each was tried is looked up, too. */
export function isScan(search: QueueSearch): boolean {
  return Boolean(search.attempts) || isSlowFilter(search);
}

/** The filters alone, as they are saved and asked for. */
export function filtersOf(search: QueueSearch): QueueSearch {
  const { message: _, job: _job, ...filters } = search;
  return filters;
}
