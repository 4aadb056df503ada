import { summariesOf, type MessageSummary } from "./list-messages.ts";
import { idRangeOf, matchingSql, Parameters, type MessageFilter } from "./message-filter.ts";
import type { MessagePlace, Queryable } from "./model.ts";
import { readCandidates, sift, startOf } from "./search-messages.ts";
import { isIndexed, wordsOf, wordsOfFilter } from "./search-words.ts";

/** Runs each part of a scan in a transaction of its own, so that none is long. */
export type RunStep = <Result>(work: (db: Queryable) => Promise<Result>) => Promise<Result>;

export type ScanStep<Item = MessageSummary> = {
  items: Item[];
  /** Where a later scan goes on; null when everything has been looked at. */
  cursor: string | null;
  /** The time of the oldest message looked at; null when there was none, or all have been. */
  searchedTo: Date | null;
};

export type ScanRequest = {
  tenantId: number;
  filter: MessageFilter;
  cursor: string | null;
  /** How many rows the next step may give. */
  limit: () => number;
};

/** A step should take about this long: it can be cancelled sooner, but tells of its progress when it ends. */
const stepMs = 250;
export const scanSizeMin = 500;
const sizeMax = 200_000;

type Look = { found: MessagePlace[]; reached: bigint | null };

/**
 * Searches that no index answers at once: by payload, by what happened in attempts, for short words. Looks through the messages from the
 * newest to the oldest, in steps that adapt to the time they take, and tells after each what it found and how far back it has looked.
 * Needs the tenant set in the session of each step.
 */
export function scanMessages(run: RunStep, request: ScanRequest): AsyncGenerator<ScanStep> {
  return scanFound(run, request, summariesOf);
}

/** The same with what is to be told of the messages that each step found. */
export async function* scanFound<Item>(
  run: RunStep,
  { tenantId, filter, cursor, limit }: ScanRequest,
  read: (db: Queryable, tenantId: number, found: readonly MessagePlace[]) => Promise<Item[]>,
): AsyncGenerator<ScanStep<Item>> {
  const look = isIndexed(wordsOfFilter(filter)) ? lookByWords : lookByIds;
  let before = startOf(filter, cursor);
  for (let size = scanSizeMin; ;) {
    const begunAt = performance.now();
    const from = before;
    const step = await run(async (db) => {
      const { found, reached } = await look(db, { tenantId, filter, before: from, size, limit: limit() });
      const searchedTo = reached === null ? null : await timeOf(db, tenantId, filter, reached);
      return { items: await read(db, tenantId, found), cursor: searchedTo && String(reached), searchedTo };
    });
    yield step;
    if (step.cursor === null) return;
    before = BigInt(step.cursor);
    size = nextScanSize(size, performance.now() - begunAt);
  }
}

/** How many rows the next step should look at, after one of `size` rows that took so long. */
export function nextScanSize(size: number, tookMs: number): number {
  const factor = Math.min(4, Math.max(0.25, stepMs / Math.max(tookMs, 1)));
  return Math.round(Math.min(sizeMax, Math.max(scanSizeMin, size * factor)));
}

type LookRequest = Omit<ScanRequest, "cursor" | "limit"> & { before: bigint | null; size: number; limit: number };

/** The next candidates of the text index. */
async function lookByWords(db: Queryable, { tenantId, filter, before, size, limit }: LookRequest): Promise<Look> {
  const { candidates, reached } = await readCandidates(db, { tenantId, filter, before, limit: size });
  return cut(await sift(db, tenantId, filter, candidates), reached, limit);
}

const newestSql = `
  select max(r.id)::text as id from queue.queue q
  cross join lateral (
    select m.id from queue.message m where m.tenant_id = $1 and m.queue_id = q.id and ($2::bigint is null or m.id < $2) order by m.id desc limit 1
  ) r
  where q.tenant_id = $1 and ($3::integer[] is null or q.id = any($3))`;

/** The messages with the next ids. Ids of other tenants lie between, and those of the days before after a gap: it begins at the newest one. */
async function lookByIds(db: Queryable, { tenantId, filter, before, size, limit }: LookRequest): Promise<Look> {
  const { queueIds, search } = filter;
  const { rows } = await db.query<{ id: string | null }>(newestSql, [tenantId, before, queueIds ? [...queueIds] : null]);
  const newest = rows[0]?.id ?? null;
  if (newest === null) return { found: [], reached: null };
  const range = { from: BigInt(newest) - BigInt(size), before: BigInt(newest) + 1n };
  const words = search === undefined ? [] : wordsOf(search);
  const query = new Parameters();
  const matches = matchingSql(query, tenantId, words.length > 0 ? { ...filter, words } : filter, range, limit);
  const sql = `select queue_id as "queueId", id as "messageId" from (${matches}) found order by id desc limit ${query.add(limit)}`;
  return cut((await db.query<MessagePlace>(sql, query.values)).rows, range.from, limit);
}

/** The first `limit` of what is newest first; the scan then goes on below the last of them. */
function cut(found: MessagePlace[], reached: bigint | null, limit: number): Look {
  const newest = found.slice(0, limit);
  const last = newest.length === limit ? newest.at(-1) : undefined;
  return { found: newest, reached: last ? BigInt(last.messageId) : reached };
}

const timeSql = `
  select r.created_at as at from queue.queue q
  cross join lateral (
    select m.id, m.created_at from queue.message m where m.tenant_id = $1 and m.queue_id = q.id and m.id < $2 order by m.id desc limit 1
  ) r
  where q.tenant_id = $1 and ($3::integer[] is null or q.id = any($3)) order by r.id desc limit 1`;

/** When the newest message below `reached` was published; null when there is none that the filter could match. */
async function timeOf(db: Queryable, tenantId: number, filter: MessageFilter, reached: bigint): Promise<Date | null> {
  const { queueIds, from } = filter;
  const oldest = idRangeOf(filter).from;
  if (oldest !== null && reached < oldest) return null;
  const { rows } = await db.query<{ at: Date }>(timeSql, [tenantId, reached, queueIds ? [...queueIds] : null]);
  const at = rows[0]?.at ?? null;
  // Within one day ids follow the times closely enough: a message published a minute before its neighbours is looked at with them.
  return at === null || (from && at.getTime() < from.getTime() - 60_000) ? null : at;
}
