import { pickTexts } from "../text-search.ts";
import { entityTypes } from "../entity-types.ts";

/** What the screen shows, as it stands in the address: a type's objects and, with `object`, one of them. */
export type EntitySearch = {
  type?: string;
  subtenant?: string;
  key?: string;
  /** Business key of the object that is open; `of` is its subtenant. */
  object?: string;
  of?: string;
  /** "true" where the open object is test data. */
  test?: string;
  /** The version that is compared with the current one. */
  version?: string;
};

export function parseEntitySearch(given: Record<string, unknown>): EntitySearch {
  return pickTexts(given, ["type", "subtenant", "key", "object", "of", "test", "version"]);
}

export function typeOf({ type }: EntitySearch) {
  return entityTypes.find((known) => known === type) ?? "item";
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
