import type { AlertKind, AlertState } from "@crossdock/contract";
import { allOf } from "../all-of.ts";
import { spanOf } from "../message-filters/search.ts";
import { pickTexts } from "../text-search.ts";

/** The screen as it stands in the address. `of` is empty for the active tenant; `alert` is the one that is open beside the list. */
export type AlertSearch = {
  view?: string;
  /** What is looked for among the rules. */
  search?: string;
  of?: string;
  state?: string;
  kind?: string;
  subtenant?: string;
  owner?: string;
  from?: string;
  to?: string;
  alert?: string;
  /** The one of the rules that a link led to. */
  rule?: string;
};

export function parseAlertSearch(given: Record<string, unknown>): AlertSearch {
  return pickTexts(given, ["view", "search", "of", "state", "kind", "subtenant", "owner", "from", "to", "alert", "rule"]);
}

export const alertKinds = allOf<AlertKind>()([
  "dead-letters",
  "dead-letters-rising",
  "queue-age",
  "circuit-open",
  "job-failed",
  "silence",
  "order-unshipped",
  "stock-stale",
  "outage",
]);
export const alertStates = allOf<AlertState>()(["firing", "acknowledged", "snoozed", "recovered"]);
const openStates = alertStates.filter((state) => state !== "recovered");

/** The filters as the API takes them: what is open, unless something else is asked for. */
export function alertFilterOf({ state, kind, subtenant, owner, from, to }: AlertSearch) {
  const wanted = alertStates.find((known) => known === state);
  const ofKind = alertKinds.find((known) => known === kind);
  return {
    ...(state !== "all" && { state: wanted ? [wanted] : openStates }),
    ...(ofKind && { kind: ofKind }),
    ...(subtenant && { subtenant }),
    ...(owner && /^\d{1,9}$/.test(owner) && { owner: Number(owner) }),
    ...spanOf({ from, to }),
  };
}

/** Whether the list has what is over, too. */
export const mayHaveRecovered = (search: AlertSearch): boolean => alertFilterOf(search).state?.includes("recovered") ?? true;
