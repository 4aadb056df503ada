import type { ExternalMessageState } from "@crossdock/contract";
import { allOf } from "../all-of.ts";
import { entityTypes } from "../entity-types.ts";
import { isLongEnough, keyOf, payloadOf, pickFilters, timesOf, type FilterName, type FilterSearch } from "../message-filters/search.ts";

/** The filters of the screen as they stand in the address; what is absent doesn't restrict. */
export type ExternalMessageSearch = FilterSearch & {
  /** `groups`: the rejected by sender and reason; else the list. */
  view?: string;
  /** What was wrong, as a group names it. */
  fault?: string;
};

export function parseExternalMessageSearch(given: Record<string, unknown>): ExternalMessageSearch {
  return pickFilters(given, ["view", "fault"]);
}

export const shownFilters: readonly FilterName[] = ["search", "subtenant", "point", "entity", "state", "time", "key"];
export const moreFilters: readonly FilterName[] = ["payload", "source", "from"];

/** As the address names the view of the groups. */
export const rejectedView = "groups";

export const states = allOf<ExternalMessageState>()(["accepted", "unchanged", "rejected", "ignored"]);
/** Not a state of its own: what was removed keeps the one it had. */
export const removedState = "removed";

/** Whether the list is of those that were not taken, each for a reason. */
export const isRefused = ({ state }: ExternalMessageSearch): boolean => state === "rejected" || state === "ignored";

/** The address's filters as the API takes them. A value that isn't one is left out, as the address may come from anywhere. */
export function externalMessageFilterOf(filters: ExternalMessageSearch, now: Date) {
  const { subtenant, point, entity, state, source, fault, search = "" } = filters;
  const wantedStates = states.filter((known) => known === state);
  return {
    ...(subtenant && { subtenant }),
    ...(point && /^\d{1,9}$/.test(point) && { integrationPointId: Number(point) }),
    ...(entityTypes.some((known) => known === entity) && { entityType: entity }),
    ...(wantedStates.length > 0 && { state: wantedStates }),
    ...(state === removedState && { removed: "true" as const }),
    ...keyOf(filters),
    ...(source && { source }),
    ...(fault && /^[\da-f]{32}$/.test(fault) && { fault }),
    ...(isLongEnough(search.trim()) && { search: search.trim() }),
    ...payloadOf(filters),
    ...timesOf(filters, now),
  };
}
