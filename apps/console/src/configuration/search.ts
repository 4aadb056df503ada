import { pickTexts } from "../text-search.ts";

/** `point`: id of the integration point that is open, or `new`. */
export type ConfigurationSearch = { subtenant?: string; search?: string; view?: string; point?: string };

export const newPoint = "new";

export function parseConfigurationSearch(given: Record<string, unknown>): ConfigurationSearch {
  return pickTexts(given, ["subtenant", "search", "view", "point"]);
}
