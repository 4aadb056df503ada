import { pickTexts } from "../text-search.ts";

/** The screen's filters as they stand in the address. `view`: what is shown beside the list itself. */
export type MappingSearch = { view?: string; subtenant?: string; field?: string; source?: string; target?: string; search?: string };

export const views = ["list", "missing", "versions"] as const;
export type View = (typeof views)[number];

export function parseMappingSearch(given: Record<string, unknown>): MappingSearch {
  return pickTexts(given, ["view", "subtenant", "field", "source", "target", "search"]);
}

export function viewOf({ view }: MappingSearch): View {
  return views.find((known) => known === view) ?? "list";
}

export function mappingFilterOf({ subtenant, field, source, target, search }: MappingSearch) {
  return {
    ...(subtenant && { subtenant }),
    ...(field && { fieldName: field }),
    ...(source && { source }),
    ...(target && { target }),
    ...(search && { search }),
  };
}
