import type { AuditEvent } from "@crossdock/contract";
import { allOf } from "../all-of.ts";
import { spanOf } from "../message-filters/search.ts";
import { pickTexts } from "../text-search.ts";

/** The filters of the screen as they stand in the address; `event` is the one that is open beside the list. */
export type AuditSearch = {
  tenant?: string;
  outcome?: string;
  action?: string;
  actor?: string;
  target?: string;
  request?: string;
  from?: string;
  to?: string;
  event?: string;
};

export function parseAuditSearch(given: Record<string, unknown>): AuditSearch {
  return pickTexts(given, ["tenant", "outcome", "action", "actor", "target", "request", "from", "to", "event"]);
}

const outcomes = allOf<AuditEvent["outcome"]>()(["done", "denied"]);
export const isRequestId = (text: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);

/** The address's filters as the API takes them. A value that isn't one is left out, as the address may come from anywhere. */
export function auditFilterOf({ tenant, outcome, action, actor, target, request, from, to }: AuditSearch) {
  const wanted = outcomes.find((known) => known === outcome);
  return {
    ...(tenant && { tenant }),
    ...(wanted && { outcome: wanted }),
    ...(action && { action }),
    ...(actor && { actor }),
    ...(target && { target }),
    ...(request && isRequestId(request) && { requestId: request }),
    ...spanOf({ from, to }),
  };
}

/** The filters alone, without what is open. */
export function filtersOf(search: AuditSearch): AuditSearch {
  const { event: _, ...filters } = search;
  return filters;
}
