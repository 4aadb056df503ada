import { pickTexts } from "../text-search.ts";

type ToolboxSearch = {
  operation?: string;
  /** What the forms begin with, so that other screens and the history can lead here. */
  message?: string;
};

export function parseToolboxSearch(given: Record<string, unknown>): ToolboxSearch {
  return pickTexts(given, ["operation", "message"]);
}
