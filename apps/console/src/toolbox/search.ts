import type { ToolboxOperation } from "@crossdock/contract";
import { allOf } from "../all-of.ts";
import { pickTexts } from "../text-search.ts";

type ToolboxSearch = {
  operation?: string;
  /** What the forms begin with, so that other screens and the history can lead here. */
  message?: string;
};

export const operations = allOf<ToolboxOperation>()([
  "resend",
  "fetch-next",
  "publish-test",
  "validate",
  "test-connection",
  "redrive",
  "retry-now",
  "purge",
  "restore",
  "resync",
  "rebuild-external-items",
  "reconcile",
]);

export function parseToolboxSearch(given: Record<string, unknown>): ToolboxSearch {
  return pickTexts(given, ["operation", "message"]);
}

export function operationOf({ operation }: ToolboxSearch): ToolboxOperation {
  return operations.find((known) => known === operation) ?? "resend";
}
