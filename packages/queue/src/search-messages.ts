import { idRangeOf, matchingAmongSql, matchingSql, Parameters, type MessageFilter, type ReadFilter } from "./message-filter.ts";
import type { MessagePlace, Queryable } from "./model.ts";
import { wordsOfFilter } from "./search-words.ts";

type SearchRequest = { tenantId: number; filter: MessageFilter; cursor: string | null; limit: number };

const candidatesMax = 10_000;

/**
 * Messages that the filter matches, newest first; its search or its payload filter must have words for the text index. The index gives
 * candidates, which the rest of the filter sifts, in growing batches as long as few pass. With a common word and states that few
 * messages have, nearly none would pass: so every other batch takes the messages of those states and sifts them by the words.
 */
export async function searchMessages(db: Queryable, { tenantId, filter, cursor, limit }: SearchRequest): Promise<MessagePlace[]> {
  const found: MessagePlace[] = [];
  let before = startOf(filter, cursor);
  for (let batch = limit, turn = 0; ; batch = Math.max(limit, Math.min(batch * 4, candidatesMax)), turn += 1) {
    const isByState = (filter.state ?? filter.states) !== undefined && turn > 2 && turn % 2 === 1;
    // The texts of these messages are looked up one by one: a quarter as many at a time.
    const request = { tenantId, filter, before, limit: isByState ? Math.ceil(batch / 4) : batch };
    const { candidates, reached } = await (isByState ? readOfState(db, request) : readCandidates(db, request));
    found.push(...(isByState ? candidates : await sift(db, tenantId, filter, candidates)));
    if (found.length >= limit || reached === null) break;
    before = reached;
  }
  return found.slice(0, limit);
}

/** The newest messages of the filter's states, and of them those that match, with all the words or named by the search. */
async function readOfState(db: Queryable, { tenantId, filter, before, limit }: CandidateRequest): Promise<Candidates> {
  const query = new Parameters();
  const { state, states, queueIds } = filter;
  const wanted = { ...(state && { state }), ...(states && { states }), ...(queueIds && { queueIds }) };
  const { from } = idRangeOf(filter);
  const newest = matchingSql(query, tenantId, wanted, { from, before }, limit);
  const sql = `select queue_id as "queueId", id as "messageId" from (${newest}) newest order by id desc limit ${query.add(limit)}`;
  const { rows } = await db.query<MessagePlace>(sql, query.values);
  const named = await readNamed(db, { tenantId, filter, before, limit });
  const reached = reachOf(limit, rows, named);
  const byWords = await sift(db, tenantId, { ...filter, words: wordsOfFilter(filter) }, rows);
  return { candidates: merge(byWords, await sift(db, tenantId, filter, named), reached), reached };
}

/** The id down to which both lists are whole: one that has `limit` messages ends with its last one, though there may be more. */
function reachOf(limit: number, ...lists: MessagePlace[][]): bigint | null {
  const ends = lists.flatMap((list) => list.slice(limit - 1, limit)).map(({ messageId }) => BigInt(messageId));
  return ends.length === 0 ? null : ends.reduce((highest, end) => (end > highest ? end : highest));
}

/** Where a search begins: below the cursor and the filter's latest time. */
export function startOf(filter: MessageFilter, cursor: string | null): bigint | null {
  const { before } = idRangeOf(filter);
  const below = cursor === null ? null : BigInt(cursor);
  if (below === null || before === null) return below ?? before;
  return below < before ? below : before;
}

/** SELECT of (queue_id, id) of what was found; `$1` is the tenant. */
export function foundSql(query: Parameters, tenantId: number, found: readonly MessagePlace[]): string {
  query.add(tenantId);
  return `select * from ${rowsOf(query, found)} found (queue_id, id)`;
}

type CandidateRequest = { tenantId: number; filter: MessageFilter; before: bigint | null; limit: number };
/** `reached` is the id below which the search goes on, null when there is nothing more. */
type Candidates = { candidates: MessagePlace[]; reached: bigint | null };

/** Newest first: messages with all the words, and those that the search names. */
export async function readCandidates(db: Queryable, { tenantId, filter, before, limit }: CandidateRequest): Promise<Candidates> {
  const sql = `select queue_id as "queueId", id as "messageId" from queue.search_ids($1, $2, $3, $4)`;
  const queueIds = filter.queueIds ? [...filter.queueIds] : null;
  const { rows } = await db.query<MessagePlace>(sql, [wordsOfFilter(filter), queueIds, before, limit]);
  const named = await readNamed(db, { tenantId, filter, before, limit });
  const reached = reachOf(limit, rows, named);
  const { from } = idRangeOf(filter);
  return { candidates: merge(rows, named, reached), reached: reached !== null && from !== null && reached < from ? null : reached };
}

// The primary key has the queue before the id, so the tenant's queues are asked one by one.
const namedSql = `
  select r.queue_id as "queueId", r.id as "messageId" from (
    select m.queue_id, m.id from queue.queue q
    cross join lateral (select * from queue.message m where m.tenant_id = $1 and m.queue_id = q.id and m.id = $2 offset 0) m where q.tenant_id = $1
    union select queue_id, id from queue.message where tenant_id = $1 and origin_id = $2
    union select queue_id, id from queue.message where tenant_id = $1 and key = any($3)
  ) r
  where ($4::integer[] is null or r.queue_id = any($4)) and ($5::bigint is null or r.id < $5)
  order by r.id desc limit $6`;

/** The messages that the search names: by their own id, by their external message's id, or by a key that it stands for. */
export async function readNamed(db: Queryable, { tenantId, filter, before, limit }: CandidateRequest): Promise<MessagePlace[]> {
  const { search = "", searchKeys = [], queueIds } = filter;
  const id = /^\d{1,18}$/.test(search.trim()) ? search.trim() : null;
  if (id === null && searchKeys.length === 0) return [];
  const values = [tenantId, id, [...searchKeys], queueIds ? [...queueIds] : null, before, limit];
  return (await db.query<MessagePlace>(namedSql, values)).rows;
}

/** Both are newest first; what lies below the id that they reached comes with a later batch. */
function merge(byWords: MessagePlace[], named: MessagePlace[], reached: bigint | null): MessagePlace[] {
  const known = new Set(byWords.map(({ messageId }) => messageId));
  const all = [...byWords, ...named.filter(({ messageId }) => !known.has(messageId))];
  return newestFirst(all.filter(({ messageId }) => reached === null || BigInt(messageId) >= reached));
}

export function newestFirst(found: readonly MessagePlace[]): MessagePlace[] {
  return found.toSorted((left, right) => (BigInt(left.messageId) < BigInt(right.messageId) ? 1 : -1));
}

/** Those of the candidates that the rest of the filter lets pass. */
export async function sift(db: Queryable, tenantId: number, filter: ReadFilter, candidates: MessagePlace[]): Promise<MessagePlace[]> {
  const { search: _search, searchKeys: _searchKeys, queueIds: _queueIds, ...rest } = filter;
  if (candidates.length === 0 || Object.values(rest).every((value) => value === undefined)) return candidates;
  const query = new Parameters();
  const matches = matchingAmongSql(query, tenantId, filter, rowsOf(query, candidates));
  const sql = `select queue_id as "queueId", id as "messageId" from (${matches}) found order by id desc`;
  return (await db.query<MessagePlace>(sql, query.values)).rows;
}

/** Rows of (queue_id, id). */
export function rowsOf(query: Parameters, found: readonly MessagePlace[]): string {
  const queueIds = query.add(found.map(({ queueId }) => queueId));
  return `unnest(${queueIds}::integer[], ${query.add(found.map(({ messageId }) => messageId))}::bigint[])`;
}
