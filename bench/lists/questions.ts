import { countMessages, findMissingKeys, listDead, listMessages, listRetrying, queueDepths, type MessageFilter } from "@crossdock/queue";
import type pg from "pg";
import { readGroups } from "../../apps/server/src/dead-letters/groups.ts";
import { listEntities, listEntityTypes } from "../../apps/server/src/entities/rows.ts";
import { countExternalItems, listExternalItems } from "../../apps/server/src/external-items/rows.ts";
import { countExternalMessages, listExternalMessages } from "../../apps/server/src/external-messages/rows.ts";
import { toMessageFilter } from "../../apps/server/src/messages/filter.ts";
import { findThings } from "../../apps/server/src/search/find.ts";
import type { Workspace } from "./workspace.ts";

/** One list of the console, asked for in a slightly different way each time. */
export type Question = {
  row: string;
  ask: (db: pg.ClientBase, round: number) => Promise<unknown>;
  p99Ms?: number;
  p50Ms?: number;
  /** Reads one by one what a larger workspace has more of: no bound holds for its growth. */
  isOfAll?: boolean;
};

/** The console's own limits: a page of 50, counts capped at 10,000. */
const limit = 50;
const cap = 10_000;
const listMs = { p99Ms: 25 };
const rareMs = { p50Ms: 10 };
const commonMs = { p50Ms: 50 };

export function questions(workspace: Workspace): Question[] {
  return [...ofTheQueue(workspace), ...ofFailures(workspace), ...ofTheOutside(workspace), ...ofObjects(workspace), ...searches(workspace)];
}

/** Something else each round, all over the workspace. */
const pick = (round: number, count: number): number => (round * 7919) % count;

/** As they are pasted from a spreadsheet: from all over the workspace, every tenth unknown. */
function keysFrom(round: number, size: number): string[] {
  return Array.from({ length: 200 }, (_, place) => `SKU-${pick(round * 200 + place, size)}${place % 10 === 0 ? "-none" : ""}`);
}

function ofTheQueue({ tenantId, size, queues }: Workspace): Question[] {
  const list = (db: pg.ClientBase, filter: MessageFilter, cursor: string | null = null) =>
    listMessages(db, { tenantId, filter, cursor, limit });
  const oneQueue = (round: number): MessageFilter => ({ queueIds: [queues[round % queues.length]?.id ?? 0] });
  const orders = {
    queueIds: queues.filter(({ subtenantId, entityType }) => subtenantId === 2 && entityType === "order").map(({ id }) => id),
  };
  let middle: string | null = null;
  return [
    { row: "queue, first page", ask: (db) => list(db, {}), ...listMs },
    { row: "queue, one queue", ask: (db, round) => list(db, oneQueue(round)), ...listMs },
    { row: "queue, ready", ask: (db) => list(db, { state: "ready" }), ...listMs },
    { row: "queue, delivered", ask: (db) => list(db, { state: "delivered" }), ...listMs },
    { row: "queue, superseded", ask: (db) => list(db, { state: "superseded" }), ...listMs },
    { row: "queue, removed", ask: (db) => list(db, { state: "removed" }), ...listMs },
    { row: "queue, ready and retrying", ask: (db) => list(db, { states: ["ready", "retrying"] }), ...listMs },
    { row: "queue, a subtenant's orders", ask: (db) => list(db, orders), ...listMs },
    { row: "queue, exact key", ask: (db, round) => list(db, { keys: [`SKU-${pick(round, size)}`] }), ...listMs },
    { row: "queue, 200 keys", ask: (db, round) => list(db, { keys: keysFrom(round, size) }), ...listMs },
    { row: "queue, 200 keys that failed", ask: (db, round) => list(db, { keys: keysFrom(round, size), state: "dead" }), ...listMs },
    {
      row: "queue, which of 200 keys are missing",
      ask: (db, round) => findMissingKeys(db, { tenantId, filter: { keys: keysFrom(round, size) } }),
      ...listMs,
    },
    {
      row: "queue, half-way down",
      ask: async (db, round) => list(db, oneQueue(round), (middle ??= await middleId(db, "queue.message", tenantId))),
      ...listMs,
    },
    { row: "queue, count", ask: (db) => countMessages(db, { tenantId, filter: {} }), ...listMs },
    { row: "queue, count of delivered", ask: (db) => countMessages(db, { tenantId, filter: { state: "delivered" } }), ...listMs },
    { row: "queue, count of a subtenant's orders", ask: (db) => countMessages(db, { tenantId, filter: orders }), ...listMs },
    { row: "depths of all queues", ask: (db) => queueDepths(db, { tenantId }), ...listMs },
  ];
}

const oneError = (round: number): MessageFilter => ({ fingerprint: `http-503 ${round % 200}` });
const dayBefore = (): Date => new Date(Date.now() - 86_400_000);

function ofFailures({ tenantId, size, queues }: Workspace): Question[] {
  const ofShop = queues.filter(({ subtenantId }) => subtenantId === 2).map(({ id }) => id);
  const ofKeys = (round: number): MessageFilter => ({ queueIds: ofShop, keyPrefix: `SKU-${1 + (round % 9)}` });
  let deep: string | null = null;
  return [
    { row: "retry queue, first page", ask: (db) => listRetrying(db, { tenantId, limit }), ...listMs },
    {
      row: "retry queue, half-way down",
      ask: async (db) => listRetrying(db, { tenantId, cursor: (deep ??= await middleRetry(db, tenantId)), limit }),
      ...listMs,
    },
    { row: "retry queue, count", ask: (db) => countMessages(db, { tenantId, filter: { state: "retrying" } }), ...listMs },
    { row: "dead letters, first page", ask: (db) => listDead(db, { tenantId, limit }), ...listMs },
    {
      row: "dead letters, of one error",
      ask: (db, round) => listDead(db, { tenantId, filter: oneError(round), limit }),
      ...listMs,
      isOfAll: true,
    },
    // As many as one error has in the small workspace: a page of ten times the rows costs more for these alone.
    {
      row: "dead letters, five of one error",
      ask: (db, round) => listDead(db, { tenantId, filter: oneError(round), limit: 5 }),
      ...listMs,
    },
    {
      row: "dead letters, groups of 200 keys",
      ask: (db, round) => readGroups(db, tenantId, { keys: keysFrom(round, size) }),
      ...listMs,
      isOfAll: true,
    },
    {
      row: "retry queue, 200 keys",
      ask: (db, round) => listRetrying(db, { tenantId, filter: { keys: keysFrom(round, size) }, limit }),
      ...listMs,
    },
    { row: "dead letters, count", ask: (db) => countMessages(db, { tenantId, filter: { state: "dead" } }), ...listMs },
    { row: "dead letters, 200 groups", ask: (db) => readGroups(db, tenantId, {}), ...listMs },
    {
      row: "dead letters, groups of a source and a day",
      ask: (db) => readGroups(db, tenantId, { source: "litium", from: dayBefore() }),
      ...listMs,
      isOfAll: true,
    },
    {
      row: "dead letters, groups of a subtenant's keys",
      ask: (db, round) => readGroups(db, tenantId, ofKeys(round)),
      ...listMs,
      isOfAll: true,
    },
    { row: "dead letters, groups tried five times", ask: (db) => readGroups(db, tenantId, { attemptsMin: 5 }), ...listMs, isOfAll: true },
    {
      row: "dead letters, groups with a common word",
      ask: (db) => readGroups(db, tenantId, { search: "stoneware" }),
      ...commonMs,
      isOfAll: true,
    },
    {
      row: "dead letters, groups with an article number",
      ask: (db, round) => readGroups(db, tenantId, { search: `sku-${pick(round, size)}` }),
      ...commonMs,
      isOfAll: true,
    },
  ];
}

function ofTheOutside({ tenantId, size, sourceIds }: Workspace): Question[] {
  let middle: string | null = null;
  const key = (round: number): string => `SKU-${pick(round, size / 2)}`;
  const point = (round: number): number => sourceIds[round % sourceIds.length] ?? 0;
  const middleItem = Buffer.from(JSON.stringify([sourceIds[1] ?? 0, "order", `SKU-${size / 4}`, `SKU-${size / 4}`])).toString("base64url");
  return [
    { row: "external messages, first page", ask: (db) => listExternalMessages(db, tenantId, { limit }), ...listMs },
    {
      row: "external messages, one source",
      ask: (db, round) => listExternalMessages(db, tenantId, { integrationPointId: point(round), limit }),
      ...listMs,
    },
    { row: "external messages, rejected", ask: (db) => listExternalMessages(db, tenantId, { state: ["rejected"], limit }), ...listMs },
    {
      row: "external messages, exact key",
      ask: (db, round) => listExternalMessages(db, tenantId, { key: [key(round)], limit }),
      ...listMs,
    },
    {
      row: "external messages, half-way down",
      ask: async (db) => {
        middle ??= Buffer.from(JSON.stringify({ id: await middleId(db, "hub.external_message", tenantId) })).toString("base64url");
        return listExternalMessages(db, tenantId, { cursor: middle, limit });
      },
      ...listMs,
    },
    { row: "external messages, count", ask: (db) => countExternalMessages(db, tenantId, {}, cap), ...listMs },
    { row: "external items, first page", ask: (db) => listExternalItems(db, tenantId, { limit }), ...listMs },
    { row: "external items, by key", ask: (db, round) => listExternalItems(db, tenantId, { keyPrefix: key(round), limit }), ...listMs },
    {
      row: "external items, by external id",
      ask: (db, round) => listExternalItems(db, tenantId, { externalId: `ext-${pick(round, size / 2)}`, limit }),
      ...listMs,
    },
    { row: "external items, half-way down", ask: (db) => listExternalItems(db, tenantId, { cursor: middleItem, limit }), ...listMs },
    { row: "external items, count", ask: (db) => countExternalItems(db, tenantId, {}, cap), ...listMs },
  ];
}

function ofObjects({ tenantId, size }: Workspace): Question[] {
  const middle = Buffer.from(JSON.stringify(["shop-2", `SKU-${size / 8}`, false])).toString("base64url");
  return [
    { row: "entities, types and counts", ask: (db) => listEntityTypes(db, tenantId, null), ...listMs },
    { row: "entities, first page", ask: (db) => listEntities(db, tenantId, { entityType: "order", limit }), ...listMs },
    {
      row: "entities, by key",
      ask: (db, round) => listEntities(db, tenantId, { entityType: "order", keyPrefix: `SKU-${pick(round, size / 4)}`, limit }),
      ...listMs,
    },
    { row: "entities, half-way down", ask: (db) => listEntities(db, tenantId, { entityType: "order", cursor: middle, limit }), ...listMs },
  ];
}

function searches({ tenantId, size }: Workspace): Question[] {
  const search = (db: pg.ClientBase, filter: MessageFilter) => listMessages(db, { tenantId, filter, limit });
  const payload = async (db: pg.ClientBase, text: string) => search(db, await toMessageFilter(db, tenantId, { payload: text }, null));
  return [
    { row: "search, rare word", ask: (db) => search(db, { search: "zephyrine" }), ...rareMs },
    { row: "search, common word", ask: (db) => search(db, { search: "stoneware" }), ...commonMs },
    { row: "search, common word and state", ask: (db) => search(db, { search: "stoneware", state: "ready" }), ...commonMs },
    {
      row: "search, common word among dead letters",
      ask: (db) => listDead(db, { tenantId, filter: { search: "stoneware" }, limit }),
      ...commonMs,
    },
    { row: "search, article number", ask: (db, round) => search(db, { search: `sku-${pick(round, size)}` }), ...commonMs },
    { row: "search, number alone", ask: (db, round) => search(db, { search: String(2_000_000_000_000 + pick(round, size)) }), ...commonMs },
    { row: "search, payload path", ask: (db, round) => payload(db, `$.sku = "SKU-${pick(round, size)}"`), ...commonMs },
    { row: "search, palette", ask: (db, round) => findThings(db, tenantId, `SKU-${pick(round, size)}`), ...commonMs },
    {
      row: "search, external messages",
      ask: (db, round) => listExternalMessages(db, tenantId, { search: `SKU-${pick(round, size)}`, limit }),
      ...commonMs,
    },
  ];
}

/** The cursor of a list that goes by ids is an id, so the middle one is found by asking for it once. */
async function middleId(db: pg.ClientBase, table: "queue.message" | "hub.external_message", tenantId: number): Promise<string> {
  const sql = `select ((min(id) + max(id)) / 2)::text as id from ${table} where tenant_id = $1`;
  return (await db.query<{ id: string }>(sql, [tenantId])).rows[0]?.id ?? "0";
}

async function middleRetry(db: pg.ClientBase, tenantId: number): Promise<string> {
  const sql = `select due_at::text || '|' || id as cursor from queue.retrying where tenant_id = $1
    order by due_at offset (select count(*) / 2 from queue.retrying where tenant_id = $1) limit 1`;
  return (await db.query<{ cursor: string }>(sql, [tenantId])).rows[0]?.cursor ?? "";
}
