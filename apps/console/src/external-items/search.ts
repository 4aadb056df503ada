import { entityTypes } from "../entity-types.ts";
import { keyOf, payloadOf, pickFilters, timesOf, type FilterName, type FilterSearch } from "../message-filters/search.ts";

/** The filters of the screen as they stand in the address. The state `removed` shows those that can be put back. */
export type ExternalItemSearch = FilterSearch;

export const removedState = "removed";

export function parseExternalItemSearch(given: Record<string, unknown>): ExternalItemSearch {
  return pickFilters(given, []);
}

export const shownFilters: readonly FilterName[] = ["subtenant", "point", "entity", "state", "key", "externalId"];
export const moreFilters: readonly FilterName[] = ["payload", "from"];

/** The address's filters as the API takes them. A value that isn't one is left out, as the address may come from anywhere. */
export function externalItemFilterOf(filters: ExternalItemSearch) {
  const { subtenant, point, entity, externalId } = filters;
  const entityType = entityTypes.find((known) => known === entity);
  return {
    ...(subtenant && { subtenant }),
    ...(point && /^\d{1,9}$/.test(point) && { integrationPointId: Number(point) }),
    ...(entityType && { entityType }),
    ...keyOf(filters),
    ...(externalId && { externalId }),
    ...payloadOf(filters),
    ...timesOf(filters, new Date()),
  };
}
