import { entityTypes } from "../entity-types.ts";
import { pickTexts } from "../text-search.ts";

/** The filters of the screen as they stand in the address; what is absent doesn't restrict. */
export type ExternalItemSearch = {
  subtenant?: string;
  /** Id of an integration point. */
  point?: string;
  type?: string;
  key?: string;
  externalId?: string;
  /** `removed` shows those that can be put back. */
  state?: string;
};

export const removedState = "removed";

export function parseExternalItemSearch(given: Record<string, unknown>): ExternalItemSearch {
  return pickTexts(given, ["subtenant", "point", "type", "key", "externalId", "state"]);
}

/** The address's filters as the API takes them. A value that isn't one is left out, as the address may come from anywhere. */
export function externalItemFilterOf({ subtenant, point, type, key, externalId }: ExternalItemSearch) {
  const entityType = entityTypes.find((known) => known === type);
  return {
    ...(subtenant && { subtenant }),
    ...(point && /^\d{1,9}$/.test(point) && { integrationPointId: Number(point) }),
    ...(entityType && { entityType }),
    ...(key && { key }),
    ...(externalId && { externalId }),
  };
}
