import type { DeadLetter, DeadLetterGroup, ScanLine } from "@crossdock/contract";
import { fillSearch } from "@crossdock/queue";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failMessage, fillQueues, type FilledQueues } from "../testing/queues.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";

let made: TestApp;
let queues: FilledQueues;

beforeAll(async () => {
  made = await testApp();
  queues = await fillQueues(made, "acme");
  const queueId = queues.orderQueueId;
  await failMessage(made, "acme", { queueId, key: "late-1", errorClass: "http-500", kind: "retry" });
  await failMessage(made, "acme", { queueId, key: "lost-1", errorClass: "http-404", kind: "dead" });
  const { key } = (await made.call("admin", "POST", "/api/v1/tenants/acme/api-keys", { name: "erp" })).json<{ key: string }>();
  const push = (item: object) =>
    made.app.inject({
      method: "POST",
      url: "/centra/v1/items?subtenant=shop",
      headers: { "x-api-key": key, "content-type": "application/json" },
      payload: item,
    });
  await push({ schemaVersion: 1, sku: "lamp", name: "Lamp" });
  await push({ schemaVersion: 1, sku: "mug", name: "Mug" });
  await push({ name: "Nameless" });
  const csv = "integrationPoint,entityType,key,externalId\nqueues,item,lamp,7\nqueues,item,mug,8";
  await made.call("admin", "POST", "/api/v1/tenants/acme/external-items/import", { csv });
  // Until the text index has all there is; another test's open transaction may hold it back for a while.
  do await fillSearch(made.deps.pools.worker, 500);
  while ((await keysOf("messages", { payload: '$.orderNumber = "o-2"' })).length === 0);
});
afterAll(() => made.close());

type Row = { id: string; key: string | null };

async function keysOf(list: string, query: Record<string, string>): Promise<(string | null)[]> {
  const answer = await made.call("viewer", "GET", `/api/v1/tenants/acme/${list}?${new URLSearchParams(query).toString()}`);
  if (answer.statusCode !== 200) throw new Error(answer.body);
  return answer.json<{ items: Row[] }>().items.map(({ key }) => key);
}

const orderOne = { payload: '$.orderNumber = "o-1"' };
const orderTwo = { payload: '$.orderNumber = "o-2"' };
const lamp = { payload: '$.name = "Lamp"' };

test("dead letters are filtered like the queue: by payload, error, attempts, key and time", async () => {
  expect(await keysOf("dead-letters", {})).toEqual(["lost-1", "o-1"]);
  expect(await keysOf("dead-letters", orderOne)).toEqual(["o-1"]);
  expect(await keysOf("dead-letters", orderTwo)).toEqual([]);
  expect(await keysOf("dead-letters", { errorClass: "http-404" })).toEqual(["lost-1"]);
  expect(await keysOf("dead-letters", { httpStatus: "422" })).toEqual(["o-1"]);
  expect(await keysOf("dead-letters", { keyPrefix: "lost", attemptsMin: "1" })).toEqual(["lost-1"]);
  expect(await keysOf("dead-letters", { key: "lost-1" })).toEqual(["lost-1"]);
  expect(await keysOf("dead-letters", { to: "2020-01-01T00:00:00Z" })).toEqual([]);
  expect(await keysOf("dead-letters", { search: queues.deadId })).toEqual(["o-1"]);
});

const withQuery = (path: string, query: string): string => `${path}${path.includes("?") ? "&" : "?"}${query}`;
const get = async (path: string, query: Record<string, string>) => {
  const answer = await made.call("viewer", "GET", `/api/v1/tenants/acme/${withQuery(path, new URLSearchParams(query).toString())}`);
  if (answer.statusCode !== 200) throw new Error(answer.body);
  return answer;
};
const scan = async <Item>(path: string, query: Record<string, string>): Promise<Item[]> => {
  const lines = (await get(path, query)).body.trimEnd().split("\n");
  return lines.flatMap((line) => (JSON.parse(line) as ScanLine<Item>).items);
};
const exported = async (path: string, query: Record<string, string>) =>
  (await get(path.replace(/(\?|$)/, "/export$1"), { ...query, format: "ndjson" })).body
    .split("\n")
    .filter(Boolean)
    .map((line): Row => JSON.parse(line));
/** How many of each error, however often it is named. */
const countsOf = (groups: Pick<DeadLetterGroup, "fingerprint" | "count">[]) => {
  const counts: Record<string, number> = {};
  for (const { fingerprint, count } of groups) counts[fingerprint] = (counts[fingerprint] ?? 0) + count;
  return counts;
};

const wishes: Record<string, string>[] = [
  {},
  { subtenant: "shop" },
  { subtenant: "nowhere" },
  { entityType: "order" },
  { entityType: "item" },
  { keyPrefix: "lost" },
  { key: "lost-1" },
  { source: "nobody" },
  { from: "2020-01-01T00:00:00Z", to: "2100-01-01T00:00:00Z" },
  { to: "2020-01-01T00:00:00Z" },
  { attemptsMin: "1" },
  { attemptsMin: "2" },
  { errorClass: "http-404" },
  { httpStatus: "422" },
  { search: "o-1" },
  { search: "lost-1", keyPrefix: "lost" },
  { payload: '$.orderNumber = "o-1"' },
  { payload: '$.orderNumber = "o-1"', keyPrefix: "lost" },
];

test.each(wishes)("of %o groups count what the list has, the search step by step finds it, and an export has it all", async (wish) => {
  const listed = (await get("dead-letters", wish)).json<{ items: DeadLetter[] }>().items;
  const counts = countsOf(listed.map(({ fingerprint }) => ({ fingerprint: fingerprint ?? "", count: 1 })));
  const groups = (await get("dead-letter-groups", wish)).json<{ items: DeadLetterGroup[]; isExact: boolean }>();
  expect({ counts: countsOf(groups.items), isExact: groups.isExact }).toEqual({ counts, isExact: true });
  const kept = (await get("dead-letter-groups", {})).json<{ items: DeadLetterGroup[] }>().items;
  const known = new Map(kept.map((group) => [group.fingerprint, group]));
  // Each of these errors has one dead letter, so a group that is found reads as it is kept.
  for (const group of groups.items) expect(group).toEqual({ ...known.get(group.fingerprint), hours: group.hours });
  const scanned = await scan<DeadLetterGroup>("dead-letter-group-scan", wish);
  expect(countsOf(scanned)).toEqual(counts);
  expect(await scan("dead-letter-scan", wish)).toEqual(listed);
  expect(await exported("dead-letters", wish)).toEqual(listed);
  const retrying = (await get("retry-queue", wish)).json<{ items: Row[] }>().items;
  const byId = (rows: Row[]) => rows.toSorted((one, other) => Number(one.id) - Number(other.id));
  expect(byId(await scan("retry-queue-scan", wish))).toEqual(byId(retrying));
  expect(byId(await exported("retry-queue", wish))).toEqual(byId(retrying));
});

const byKey = [
  { list: "messages", scanned: "message-scan", keys: ["a-1", "lost-1"], start: "lost" },
  { list: "dead-letters", scanned: "dead-letter-scan", keys: ["lost-1", "o-1"], start: "lost" },
  { list: "retry-queue", scanned: "retry-queue-scan", keys: ["late-1", "o-2"], start: "late" },
  { list: "external-messages", scanned: "external-message-scan", keys: ["lamp", "mug"], start: "lam" },
  { list: "external-items", scanned: "external-item-scan", keys: ["lamp", "mug"], start: "lam" },
  { list: "entities?entityType=item", scanned: "entity-scan?entityType=item", keys: ["lamp", "mug"], start: "lam" },
];

/** Keys of rows in whatever order. */
const sorted = (rows: Row[]) => rows.map(({ key }) => key ?? "").toSorted((one, other) => one.localeCompare(other));

test.each(byKey)(
  "$list, their scan and export take whole keys, any number of them, or the start of one",
  async ({ list, scanned, keys, start }) => {
    const found = async (query: string) => {
      const listed = sorted((await get(withQuery(list, query), {})).json<{ items: Row[] }>().items);
      const inScan = sorted(await scan<Row>(withQuery(scanned, query), {}));
      const inExport = sorted(await exported(withQuery(list, query), {}));
      expect({ inScan, inExport }).toEqual({ inScan: listed, inExport: listed });
      return listed;
    };
    const whole = keys.map((key) => `key=${key}`).join("&");
    const named = keys.filter((key) => key.startsWith(start));
    expect(await found(`key=${start}`)).toEqual([]);
    expect(await found(`keyPrefix=${start}`)).toEqual(named);
    expect(await found(`${whole}&key=${start}`)).toEqual(keys);
    expect(await found(`${whole}&keyPrefix=${start}`)).toEqual(named);
  },
);

test.each(["message-count", "external-message-count", "external-item-count"])("a %s takes keys as its list does", async (path) => {
  const count = async (query: string) => (await get(`${path}?${query}`, {})).json<{ count: number }>().count;
  expect(await Promise.all([count("key=lam"), count("key=los"), count("key=lamp&key=lost-1"), count("keyPrefix=l")])).toEqual([
    0,
    0,
    1,
    path === "message-count" ? 2 : 1,
  ]);
});

test("what is masked is not found out through the groups", async () => {
  const payload = encodeURIComponent('$.customer.email = "eva@example.com"');
  for (const list of ["dead-letter-groups", "dead-letter-group-scan", "dead-letter-scan", "retry-queue-scan"]) {
    expect((await made.call("viewer", "GET", `/api/v1/tenants/acme/${list}?payload=${payload}`)).statusCode).toBe(403);
  }
});

test.each(["external-messages", "external-message-count", "external-items", "external-item-count"])(
  "what is masked is not found out through %s",
  async (list) => {
    const ask = (account: "viewer" | "admin") =>
      made.call(account, "GET", `/api/v1/tenants/acme/${list}?payload=${encodeURIComponent('$.customer.email = "eva@example.com"')}`);
    expect((await ask("viewer")).json()).toMatchObject({ status: 403, reason: "field-masked" });
    expect((await ask("admin")).statusCode).toBe(200);
  },
);

test("the retry queue is filtered like the queue, and pages on with its filter", async () => {
  expect(new Set(await keysOf("retry-queue", {}))).toEqual(new Set(["late-1", "o-2"]));
  expect(await keysOf("retry-queue", orderTwo)).toEqual(["o-2"]);
  expect(await keysOf("retry-queue", { errorClass: "http-500" })).toEqual(["late-1"]);
  expect(await keysOf("retry-queue", { search: queues.retryingId })).toEqual(["o-2"]);
  const first = await made.call("viewer", "GET", "/api/v1/tenants/acme/retry-queue?limit=1&attemptsMin=1");
  const { items, nextCursor } = first.json<{ items: Row[]; nextCursor: string }>();
  const rest = await keysOf("retry-queue", { limit: "1", attemptsMin: "1", cursor: nextCursor });
  expect(new Set([items[0]?.key, ...rest])).toEqual(new Set(["late-1", "o-2"]));
});

test("external messages are found by a value of their body and by their connector", async () => {
  expect(await keysOf("external-messages", lamp)).toEqual(["lamp"]);
  expect(await keysOf("external-messages", { payload: '$.name = "Nameless"' })).toEqual([null]);
  expect(await keysOf("external-messages", { source: "centra", key: "mug" })).toEqual(["mug"]);
  expect(await keysOf("external-messages", { source: "shopify" })).toEqual([]);
});

test("objects and external items are found by a value of the document", async () => {
  expect(await keysOf("entities", { entityType: "item", ...lamp })).toEqual(["lamp"]);
  expect(await keysOf("entities", { entityType: "item", source: "shopify" })).toEqual([]);
  expect(await keysOf("entities", { entityType: "item", to: "2020-01-01T00:00:00Z" })).toEqual([]);
  expect(await keysOf("external-items", lamp)).toEqual(["lamp"]);
  expect(await keysOf("external-items", {})).toEqual(["lamp", "mug"]);
  expect(await keysOf("external-items", { from: "2020-01-01T00:00:00Z" })).toEqual([]);
});

const lists = ["dead-letters", "retry-queue", "external-messages", "external-items", "entities"];
test.each(lists)("%s: a payload filter that is none is refused", async (list) => {
  const answer = await made.call("viewer", "GET", `/api/v1/tenants/acme/${list}?entityType=item&payload=sku`);
  expect(answer.json()).toMatchObject({ status: 400, code: "validation-failed" });
});

test("messages of every state are asked for by an error's fingerprint, which only those that failed have", async () => {
  for (const state of ["ready", "in-hand", "retrying", "parked", "dead", "removed", "delivered", "superseded", "redirected"])
    expect(await keysOf("messages", { state, fingerprint: "unheard of" })).toEqual([]);
});
