import { isNarrowed, keyOf, payloadOf, pickFilters, timesOf, type FilterName, type FilterSearch } from "../message-filters/search.ts";
import { entityTypes } from "../entity-types.ts";

/** What the screen shows, as it stands in the address: a type's objects and, with `object`, one of them. */
export type EntitySearch = FilterSearch & {
  /** Business key of the object that is open; `of` is its subtenant. */
  object?: string;
  of?: string;
  /** "true" where the open object is test data. */
  test?: string;
  /** "trace": the whole way of the open object. */
  view?: string;
  /** The version that is compared with the current one. */
  version?: string;
};

export function parseEntitySearch(given: Record<string, unknown>): EntitySearch {
  return pickFilters(given, ["object", "of", "test", "version", "view"]);
}

export const shownFilters: readonly FilterName[] = ["subtenant", "time", "key"];
export const moreFilters: readonly FilterName[] = ["payload", "source", "from"];

export function typeOf({ entity }: EntitySearch) {
  return entityTypes.find((known) => known === entity) ?? "item";
}

/** The filters alone, as they are saved and asked for. */
export function filtersOf(search: EntitySearch): EntitySearch {
  const { object: _, of: _of, test: _test, version: _version, view: _view, ...filters } = search;
  return filters;
}

/** Whether the list shows only some of the type's objects. */
export const isFiltered = (search: EntitySearch): boolean => isNarrowed({ ...filtersOf(search), entity: "" });

/** The address's filters as the API takes them. */
export function entityFilterOf(filters: EntitySearch, now: Date) {
  const { subtenant, source } = filters;
  return {
    entityType: typeOf(filters),
    ...(subtenant && { subtenant }),
    ...keyOf(filters),
    ...(source && { source }),
    ...payloadOf(filters),
    ...timesOf(filters, now),
  };
}

/** What names the open object; null while none is. */
export function openEntityOf(search: EntitySearch) {
  if (!search.object || !search.of) return null;
  return {
    subtenant: search.of,
    entityType: typeOf(search),
    key: search.object,
    isDevelopment: search.test === "true" ? ("true" as const) : ("false" as const),
  };
}
export type OpenEntity = NonNullable<ReturnType<typeof openEntityOf>>;
