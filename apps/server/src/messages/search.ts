import type pg from "pg";
import type { CappedCount, MessageState } from "@crossdock/contract";
import { countMessages, findMissingKeys, listMessages, type MessageFilter, type MessagePage, type MessageSummary } from "@crossdock/queue";
import { capped, countMax } from "../api/capped-count.ts";

type Search = { tenantId: number; filter: MessageFilter; states: readonly MessageState[] | undefined };

/** The engine lists one state at a time, or all: several are read one after the other and merged. */
export function filtersOf({ filter, states }: Omit<Search, "tenantId">): [MessageFilter, ...MessageFilter[]] {
  // Only dead letters are grouped by cause.
  const wanted = states === undefined && filter.fingerprint !== undefined ? (["dead"] as const) : states;
  const [first, ...others] = [...new Set(wanted)].map((state) => ({ ...filter, state }));
  return first === undefined ? [filter] : [first, ...others];
}

const newestFirst = (left: MessageSummary, right: MessageSummary): number => {
  const [a, b] = [BigInt(left.messageId), BigInt(right.messageId)];
  return a < b ? 1 : a > b ? -1 : 0;
};

export async function searchMessages(client: pg.ClientBase, search: Search, cursor: string | null, limit: number): Promise<MessagePage> {
  const pages: MessagePage[] = [];
  for (const filter of filtersOf(search)) pages.push(await listMessages(client, { tenantId: search.tenantId, filter, cursor, limit }));
  const found = pages.flatMap((page) => page.items).toSorted(newestFirst);
  const items = found.slice(0, limit);
  const hasMore = found.length > limit || pages.some((page) => page.nextCursor !== null);
  return { items, nextCursor: hasMore ? (items.at(-1)?.messageId ?? null) : null };
}

/** Those of the filter's keys of which nothing matches; undefined where the filter has none, or a search as well, which an index of its own answers. */
export async function missingKeys(client: pg.ClientBase, search: Search): Promise<string[] | undefined> {
  const { keys } = search.filter;
  if (keys === undefined || search.filter.search !== undefined) return undefined;
  let missing = [...keys];
  for (const filter of filtersOf(search)) {
    missing = await findMissingKeys(client, { tenantId: search.tenantId, filter: { ...filter, keys: missing } });
  }
  return missing;
}

export async function countFound(client: pg.ClientBase, search: Search): Promise<CappedCount> {
  let count = 0;
  for (const filter of filtersOf(search)) {
    count += await countMessages(client, { tenantId: search.tenantId, filter, cap: countMax + 1 - count });
    if (count > countMax) break;
  }
  return capped(count);
}
