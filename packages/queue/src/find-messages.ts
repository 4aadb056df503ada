import { inPortions, portionSize, type CheckCount } from "./in-portions.ts";
import { summarySql } from "./list-messages.ts";
import { matchingSql, Parameters, type MessageFilter } from "./message-filter.ts";
import type { MessagePlace, MessageState, Queryable } from "./model.ts";
import { searchMessages } from "./search-messages.ts";
import { wordsOfFilter } from "./search-words.ts";

const everywhere = { from: null, before: null };

type FindRequest = {
  tenantId: number;
  filter: Omit<MessageFilter, "state" | "states">;
  states: readonly MessageState[];
  limit: number;
  check: CheckCount;
};

/**
 * All messages in one of the states that match, up to `limit`, oldest first, as they are at one moment, and counted for `check` first. A search
 * takes several statements: it finds the newest first, each as it is when its turn comes, perhaps beyond the limit, and nobody counts them. A
 * portion at a time, within a transaction.
 */
export function findMessages(db: Queryable, { tenantId, filter, states, limit, check }: FindRequest): AsyncGenerator<MessagePlace[], void> {
  const ofStates = { ...filter, states };
  if (wordsOfFilter(filter).length > 0) return findInText(db, tenantId, ofStates);
  const query = new Parameters();
  const matches = matchingSql(query, tenantId, ofStates, everywhere, limit);
  const text = `select queue_id as "queueId", id as "messageId" from (${matches}) found order by id limit ${query.add(limit)}`;
  return inPortions<MessagePlace>(db, text, query.values, check);
}

async function* findInText(db: Queryable, tenantId: number, filter: MessageFilter): AsyncGenerator<MessagePlace[], void> {
  let cursor: string | null = null;
  do {
    const places: MessagePlace[] = await searchMessages(db, { tenantId, filter, cursor, limit: portionSize });
    yield places;
    cursor = places.length === portionSize ? (places.at(-1)?.messageId ?? null) : null;
  } while (cursor !== null);
}

const originsSql = `
  select distinct m.origin_id::text as "originId" from unnest($2::integer[], $3::bigint[]) as place (queue_id, id)
  cross join lateral (
    select m.origin_id from queue.message m where m.tenant_id = $1 and m.queue_id = place.queue_id and m.id = place.id offset 0
  ) m
  where m.origin_id is not null`;

type OriginRequest = { tenantId: number; filter: MessageFilter; cursor: string | null; limit: number };

/** What the next messages that a search finds were made from; these are read from the newest on, as a list of them would be. */
export async function findOrigins(
  db: Queryable,
  { tenantId, filter, cursor, limit }: OriginRequest,
): Promise<{ originIds: string[]; nextCursor: string | null }> {
  const messages = await searchMessages(db, { tenantId, filter, cursor, limit });
  const { rows } = await db.query<{ originId: string }>(originsSql, [tenantId, ...columnsOf(messages)]);
  const last = messages.length === limit ? messages.at(-1) : undefined;
  return { originIds: rows.map(({ originId }) => originId), nextCursor: last?.messageId ?? null };
}

const locateSql = `select queue_id as "queueId", id as "messageId" from queue.locate($1, $2::bigint[]) order by id`;

/** The places of the tenant's messages with these ids, oldest first; unknown ids are left out. */
export async function locateMessages(
  db: Queryable,
  { tenantId, messageIds }: { tenantId: number; messageIds: readonly string[] },
): Promise<MessagePlace[]> {
  return (await db.query<MessagePlace>(locateSql, [tenantId, [...new Set(messageIds)]])).rows;
}

type Places = { tenantId: number; messages: readonly MessagePlace[] };

const placesSql = `page as (select * from unnest($2::integer[], $3::bigint[]) as place (queue_id, id))`;

/** The present state of each; a message whose day was dropped has none. */
export async function statesOf(db: Queryable, { tenantId, messages }: Places): Promise<Map<string, MessageState>> {
  const text = `with ${placesSql}, summary as (${summarySql}) select "messageId", state from summary`;
  const { rows } = await db.query<{ messageId: string; state: MessageState }>(text, [tenantId, ...columnsOf(messages)]);
  return new Map(rows.map(({ messageId, state }) => [messageId, state]));
}

const supersededSql = `
  with ${placesSql}
  select p.id from page p cross join lateral (
    select from queue.history h where h.tenant_id = $1 and h.queue_id = p.queue_id and h.id = p.id and h.outcome = 'superseded' offset 0
  ) superseded`;

/** The ids of those messages that newer data has superseded. */
export async function supersededOf(db: Queryable, { tenantId, messages }: Places): Promise<string[]> {
  return (await db.query<{ id: string }>(supersededSql, [tenantId, ...columnsOf(messages)])).rows.map(({ id }) => id);
}

const removedBySql = `
  with ${placesSql}
  select r.id from page p join queue.removed r on r.tenant_id = $1 and r.queue_id = p.queue_id and r.id = p.id and r.removed_by = $4
  order by r.id`;

/** The ids of those messages that `by` removed: undoing one removal must not undo another. */
export async function removedBy(db: Queryable, { tenantId, messages, by }: Places & { by: string }): Promise<string[]> {
  return (await db.query<{ id: string }>(removedBySql, [tenantId, ...columnsOf(messages), by])).rows.map(({ id }) => id);
}

/** The queues and the ids of messages, for two parameters that `unnest` puts together again. */
export function columnsOf(messages: readonly MessagePlace[]): [number[], string[]] {
  return [messages.map(({ queueId }) => queueId), messages.map(({ messageId }) => messageId)];
}
