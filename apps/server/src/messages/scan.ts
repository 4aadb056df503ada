import { MessageId } from "@crossdock/contract";
import {
  isIndexed,
  scanMessages,
  wordsOf,
  type MessageFilter,
  type MessageSummary,
  type RunStep,
  type ScanRequest,
  type ScanStep,
} from "@crossdock/queue";
import type pg from "pg";
import { readConcealing } from "../masking/concealing.ts";
import { readCursor, writeCursor } from "../api/cursors.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { toMessageFilter } from "./filter.ts";
import type { RouteContext } from "../api/route.ts";
import type { Scan } from "../api/scanning.ts";
import { readSubtenantCodes } from "../subtenants/codes.ts";

export type FilterQuery = Parameters<typeof toMessageFilter>[2];

/** Whether a filter's answer is ready in no index, so that the messages are looked through from the newest to the oldest. */
export function isSlow({ search, errorClass, httpStatus, attemptsMin, payload }: FilterQuery): boolean {
  const words = search === undefined ? [] : wordsOf(search);
  return [errorClass, httpStatus, attemptsMin, payload].some((value) => value !== undefined) || (words.length > 0 && !isIndexed(words));
}

/** The same of a list of one state, where a message's place tells how often it was tried. */
export function isSlowInState(query: FilterQuery): boolean {
  return isSlow({ ...query, attemptsMin: undefined });
}

export type ScanAsked = Pick<
  RouteContext<unknown, FilterQuery & { cursor?: string | undefined }, unknown>,
  "tenant" | "principal" | "query"
>;

/** The engine's own search, newest first, with what is told of the messages found. */
type Search<Row> = (run: RunStep, request: ScanRequest) => AsyncIterable<ScanStep<Row>>;

type Wish<Row> = {
  /** Adds the states of the list. */
  ofList: (filter: MessageFilter) => MessageFilter;
  /** What the search needs to know is read before it begins. */
  begin: (client: pg.ClientBase, tenantId: number) => Promise<Search<Row>>;
};

/** The messages as rows of a list. */
export function rowsBy<Row>(toRow: (summary: MessageSummary, codes: ReadonlyMap<number, string>) => Row): Wish<Row>["begin"] {
  return async (client, tenantId) => {
    const codes = await readSubtenantCodes(client, tenantId);
    return async function* (run, request) {
      for await (const step of scanMessages(run, request)) yield { ...step, items: step.items.map((item) => toRow(item, codes)) };
    };
  };
}

export function prepareScan<Row>(
  { pools, keys }: Pick<Deps, "pools" | "keys">,
  { tenant: { tenantId }, principal, query }: ScanAsked,
  { ofList, begin }: Wish<Row>,
): Promise<Scan<Row>> {
  return inTenant(pools.readOnly, tenantId, async (client) => {
    const concealing = await readConcealing(client, { tenantId, principal, key: keys.masking });
    const filter = ofList(await toMessageFilter(client, tenantId, query, concealing));
    const search = await begin(client, tenantId);
    const from = readCursor(MessageId, query.cursor);
    return async function* (run, limit) {
      for await (const { items, cursor, searchedTo } of search(run, { tenantId, filter, cursor: from, limit })) {
        yield { items, cursor: cursor === null ? null : writeCursor(cursor), searchedTo: searchedTo?.toISOString() ?? null };
      }
    };
  });
}
