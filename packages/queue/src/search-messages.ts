import { idRangeOf, matchingAmongSql, Parameters, type MessageFilter } from "./message-filter.ts";
import type { Queryable } from "./model.ts";

type SearchRequest = { tenantId: number; filter: MessageFilter; search: string; cursor: string | null; limit: number };
type Found = { queueId: number; messageId: string };

const candidatesMax = 10_000;

/**
 * Messages whose text contains `search`, newest first. The text index gives candidates, the rest of the filter sifts them: more of them
 * each time, as long as few pass.
 */
export async function searchMessages(db: Queryable, { tenantId, filter, search, cursor, limit }: SearchRequest): Promise<Found[]> {
  const text = search.toLowerCase();
  const range = idRangeOf(filter);
  const found: Found[] = [];
  let before = lower(cursor === null ? null : BigInt(cursor), range.before);
  for (let batch = limit; ; batch = Math.max(limit, Math.min(batch * 4, candidatesMax))) {
    const candidates = await readCandidates(db, { text, queueIds: filter.queueIds, before, limit: batch });
    found.push(...(await sift(db, tenantId, filter, candidates)));
    const last = candidates.length === batch ? candidates.at(-1) : undefined;
    if (found.length >= limit || last === undefined) break;
    before = BigInt(last.messageId);
    if (range.from !== null && before < range.from) break;
  }
  return found.slice(0, limit);
}

/** SELECT of (queue_id, id) of what was found; `$1` is the tenant. */
export function foundSql(query: Parameters, tenantId: number, found: readonly Found[]): string {
  query.add(tenantId);
  return `select * from ${rowsOf(query, found)} found (queue_id, id)`;
}

type CandidateRequest = { text: string; queueIds: readonly number[] | undefined; before: bigint | null; limit: number };

async function readCandidates(db: Queryable, { text, queueIds, before, limit }: CandidateRequest): Promise<Found[]> {
  const sql = `select queue_id as "queueId", id as "messageId" from queue.search_ids($1, $2, $3, $4)`;
  return (await db.query<Found>(sql, [text, queueIds ? [...queueIds] : null, before, limit])).rows;
}

async function sift(db: Queryable, tenantId: number, filter: MessageFilter, candidates: Found[]): Promise<Found[]> {
  const { search: _search, queueIds: _queueIds, ...rest } = filter;
  if (candidates.length === 0 || Object.values(rest).every((value) => value === undefined)) return candidates;
  const query = new Parameters();
  const matches = matchingAmongSql(query, tenantId, filter, rowsOf(query, candidates));
  const sql = `select queue_id as "queueId", id as "messageId" from (${matches}) found order by id desc`;
  return (await db.query<Found>(sql, query.values)).rows;
}

function rowsOf(query: Parameters, found: readonly Found[]): string {
  const queueIds = query.add(found.map(({ queueId }) => queueId));
  return `unnest(${queueIds}::integer[], ${query.add(found.map(({ messageId }) => messageId))}::bigint[])`;
}

function lower(left: bigint | null, right: bigint | null): bigint | null {
  if (left === null || right === null) return left ?? right;
  return left < right ? left : right;
}
