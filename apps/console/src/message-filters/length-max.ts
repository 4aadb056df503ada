import type { FilterName } from "./search.ts";

/** The longest texts that the server takes. */
export const lengthMax: Partial<Record<FilterName, number>> = {
  search: 200,
  key: 500,
  externalId: 500,
  source: 200,
  error: 100,
  payload: 1000,
};
