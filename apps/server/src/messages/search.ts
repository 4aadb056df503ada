import type { MessageState } from "@crossdock/contract";
import { findMissingKeys, type MessageFilter } from "@crossdock/queue";
import type pg from "pg";

/** The filter in any of these states, if there are some. Only dead letters are grouped by cause. */
export function inStates(filter: MessageFilter, states: readonly MessageState[] = []): MessageFilter {
  if (states.length > 0) return { ...filter, states: [...new Set(states)] };
  return filter.fingerprint === undefined ? filter : { ...filter, states: ["dead"] };
}

/** Those of the filter's keys of which nothing matches; undefined where the filter has none, or a search as well, which an index of its own answers. */
export async function missingKeys(client: pg.ClientBase, tenantId: number, filter: MessageFilter): Promise<string[] | undefined> {
  if (filter.keys === undefined || filter.search !== undefined) return undefined;
  return findMissingKeys(client, { tenantId, filter });
}
