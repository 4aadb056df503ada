import { pickTexts } from "../text-search.ts";

/** `wallboard` fills the screen with large figures, for a monitor on the wall. */
type DashboardSearch = { view?: string };

export function parseDashboardSearch(given: Record<string, unknown>): DashboardSearch {
  return pickTexts(given, ["view"]);
}
