import { pickTexts } from "../text-search.ts";

export type ToolboxSearch = { operation?: string };

export const operations = ["redrive", "retry-now", "purge", "restore", "resync"] as const;
export type Operation = (typeof operations)[number];

export function parseToolboxSearch(given: Record<string, unknown>): ToolboxSearch {
  return pickTexts(given, ["operation"]);
}

export function operationOf({ operation }: ToolboxSearch): Operation {
  return operations.find((known) => known === operation) ?? "redrive";
}
