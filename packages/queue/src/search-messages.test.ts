import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { testDatabase, type TestDatabase } from "@crossdock/db/testing";
import {
  claim,
  countMessages,
  fillSearch,
  findMessages,
  listMessages,
  publish,
  publishStream,
  remove,
  retryNow,
  saveQueue,
  saveTarget,
  settle,
  type MessageFilter,
  type NewMessage,
} from "./index.ts";
import { parsePayloadFilter, type Comparison, type PayloadFilter } from "./payload-filter.ts";

let database: TestDatabase;
let worker: pg.Pool;
let app: pg.Pool;
let tenantId = 100;
let queueId: number;
beforeAll(async () => {
  database = await testDatabase();
  worker = database.pool("worker", 2);
  app = database.pool("app", 2);
});
beforeEach(async () => {
  tenantId++;
  queueId = await makeQueue("shop.item");
});
afterAll(() => database.drop());

async function makeQueue(name: string): Promise<number> {
  await saveTarget(worker, { tenantId, targetId: 1 });
  return saveQueue(worker, { tenantId, targetId: 1, name, mode: "fifo", delivery: "pull" });
}

function message(text: string, more: Partial<NewMessage> = {}): NewMessage {
  return { tenantId, queueId, subtenantId: 1, key: "k", entityType: "item", document: JSON.stringify({ text }), ...more };
}

async function fillAll(): Promise<void> {
  while ((await fillSearch(worker, 5000)) > 0);
}

async function asApp<Result>(run: (client: pg.PoolClient) => Promise<Result>, tenant = tenantId): Promise<Result> {
  const client = await app.connect();
  try {
    await client.query("begin");
    await client.query("select set_config('crossdock.tenant_id', $1, true)", [String(tenant)]);
    return await run(client);
  } finally {
    await client.query("rollback");
    client.release();
  }
}

const find = (filter: MessageFilter, limit = 10) =>
  asApp(async (client) => (await listMessages(client, { tenantId, filter, limit })).items.map((item) => item.messageId));

test("a search finds a part of a key or value, whatever its case, and takes wildcards for characters", async () => {
  const [a, b, c] = await publish(worker, [
    message("Blue Shirt"),
    message("Réd 100%_x\\y\u0000", { key: "order-2" }),
    message("Red 100 and x"),
  ]);
  await fillAll();
  expect(await find({ search: "LUE sh" })).toEqual([a]);
  expect(await find({ search: "order-2" })).toEqual([b]);
  expect(await find({ search: "réd 100%_X\\y" })).toEqual([b]);
  expect(await find({ search: "100" })).toEqual([c, b]);
  expect(await find({ search: "x 100 ed" })).toEqual([c]);
  expect(await find({ search: '"100 and"' })).toEqual([c]);
  expect(await find({ search: '"and 100"' })).toEqual([]);
  expect(await find({ search: "1%x" })).toEqual([]);
  expect(await find({ search: "ed" })).toEqual([c]);
});

test("a message becomes searchable whose publisher commits after others with higher ids, and one behind a gap of ids", async () => {
  const late = await worker.connect();
  try {
    await late.query("begin");
    const [first] = await publish(late, [message("late oak")]);
    const [second] = await publish(worker, [message("oak")]);
    await fillAll();
    await fillAll();
    await late.query("commit");
    await worker.query("select nextval('queue.message_id') from generate_series(1, 300)");
    const [third] = await publish(worker, [message("oak afterwards")]);
    while ((await fillSearch(worker, 2)) > 0);
    expect(await find({ search: "oak" })).toEqual([third, second, first]);
  } finally {
    late.release();
  }
});

test("messages become searchable under a load that never pauses, also in a database restored where transaction ids are lower", async () => {
  const [first, second] = await Promise.all([worker.connect(), worker.connect()]);
  const filler = database.pool("worker", 1);
  try {
    await fillSearch(filler, 5000);
    await first.query("begin");
    const [id] = await publish(first, [message("willow")]);
    await filler.query("update queue.search_cursor set seen_xid = 1e15, seen_to = null");
    await fillSearch(filler, 5000);
    await second.query("begin");
    await publish(second, [message("poplar")]);
    await first.query("commit");
    await fillSearch(filler, 5000);
    expect(await find({ search: "willow" })).toEqual([id]);
  } finally {
    await second.query("rollback");
    first.release();
    second.release();
  }
});

test("large documents become searchable a few at a time, not as many as fit into memory by their number", async () => {
  const large = "x".repeat(1_500_000);
  await fillAll();
  const ids = await publish(
    worker,
    ["birch", "alder", "maple", "beech", "aspen"].map((tree) => message(`${large} grove of ${tree}`)),
  );
  const client = await worker.connect();
  const asked = vi.spyOn(client, "query");
  while ((await fillSearch(client, 1000)) > 0);
  const answers = await Promise.all(asked.mock.results.map(({ value }) => value as Promise<pg.QueryResult<{ document?: string }>>));
  client.release();
  const bytes = answers.map(({ rows }) => rows.reduce((sum, { document = "" }) => sum + document.length, 0));
  expect(Math.max(...bytes)).toBeLessThan(6_000_000);
  expect(await find({ search: "grove" })).toEqual(ids.toReversed());
});

test("a common word is found in a state that only few and old messages have, page by page", async () => {
  const ids = await publish(
    worker,
    Array.from({ length: 400 }, (_, n) => message("wool", { key: `w${n}` })),
  );
  await fillAll();
  await remove(worker, { tenantId, messageIds: ids.slice(0, 3) });
  const removedWool: MessageFilter = { search: "wool", state: "removed" };
  expect(await find(removedWool, 2)).toEqual([ids[2], ids[1]]);
  const next = await asApp((client) => listMessages(client, { tenantId, filter: removedWool, cursor: ids[1] ?? null, limit: 2 }));
  expect(next.items.map(({ messageId }) => messageId)).toEqual([ids[0]]);
  expect(await find({ ...removedWool, searchKeys: ["w0"] }, 2)).toEqual([ids[2], ids[1]]);
  expect(await find({ search: "wool", state: "ready" }, 500)).toHaveLength(397);
  expect(await find({ search: "linen", state: "removed" }, 2)).toEqual([]);
});

test("of many messages that a search names, the old ones that the rest of the filter wants are found, too, each once", async () => {
  const ids = await publish(
    worker,
    Array.from({ length: 9 }, () => message("flax", { key: "named" })),
  );
  await fillAll();
  const [first, second] = await remove(worker, { tenantId, messageIds: ids.slice(0, 2) }).then(() => ids);
  expect(await find({ search: "gid-77", searchKeys: ["named"], state: "removed" }, 2)).toEqual([second, first]);
  expect(await find({ search: "flax", searchKeys: ["named"] }, 500)).toEqual(ids.toReversed());
  expect(await find({ search: "flax", searchKeys: ["named"], state: "removed" }, 2)).toEqual([second, first]);
});

test("a search keeps to the rest of the filter, and pages and counts what passes", async () => {
  const other = await makeQueue("shop.order");
  const ids = await publish(
    worker,
    Array.from({ length: 12 }, (_, n) => message("wool", { subtenantId: 1 + (n % 2), key: `k${n}`, queueId: n < 6 ? queueId : other })),
  );
  await fillAll();
  await remove(worker, { tenantId, messageIds: [ids[0] ?? "", ids[2] ?? ""] });
  const firstOnes = { search: "wool", subtenantId: 1, queueIds: [queueId] };
  expect(await find({ search: "wool", state: "removed" }, 1)).toEqual([ids[2]]);
  expect(await find(firstOnes)).toEqual([ids[4], ids[2], ids[0]]);
  expect(await find({ ...firstOnes, state: "ready" }, 1)).toEqual([ids[4]]);
  expect(await find({ ...firstOnes, from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 60_000) })).toHaveLength(3);
  expect(await find({ ...firstOnes, to: new Date(Date.now() - 60_000) })).toEqual([]);
  expect(await asApp((client) => countMessages(client, { tenantId, filter: { search: "wool", state: "ready" } }))).toBe(10);
  expect(await asApp((client) => countMessages(client, { tenantId, filter: { search: "wool" }, cap: 7 }))).toBe(7);
  const pages: string[][] = [];
  let cursor: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof listMessages>> = await asApp((client) =>
      listMessages(client, { tenantId, filter: { search: "wool", subtenantId: 2 }, cursor, limit: 4 }),
    );
    pages.push(page.items.map((item) => item.messageId));
    cursor = page.nextCursor;
  } while (cursor !== null);
  expect(pages).toEqual([
    [ids[11], ids[9], ids[7], ids[5]],
    [ids[3], ids[1]],
  ]);
});

const candidates = (client: pg.Pool | pg.PoolClient) => client.query("select * from queue.search_ids('{of one,word}', null, null, 10)");

test("a search in several states finds a message that moves from one to another meanwhile", async () => {
  const [id = ""] = await publish(worker, [message("oak")]);
  await fillAll();
  const [lease] = await claim(worker, { tenantId, queueId, max: 1, leaseSeconds: 60 });
  const attempt = { durationMs: 1, error: { class: "http-503", message: "no" } };
  await settle(worker, { tenantId, leaseToken: lease?.leaseToken ?? "", outcome: { kind: "retry", retryAfterMs: 3_600_000, attempt } });
  const found = await asApp(async (client) => {
    const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>;
    const moving = Object.create(client) as typeof client;
    moving.query = (async (...given: unknown[]) => {
      const answer = await query(...given);
      if (String(given[0]).includes("queue.ready")) await retryNow(worker, { tenantId, messageIds: [id] });
      return answer;
    }) as typeof client.query;
    const states = ["ready", "retrying"] as const;
    return Array.fromAsync(findMessages(moving, { tenantId, filter: { search: "oak" }, states, limit: 10, check: () => {} }));
  });
  expect(found.flat().map(({ messageId }) => messageId)).toEqual([id]);
  expect(await find({ search: "oak", state: "ready" })).toEqual([id]);
});

test("a search does not find another tenant's text, and is refused where no tenant is set", async () => {
  await publish(worker, [message("a word of one tenant")]);
  await fillAll();
  expect((await asApp(candidates)).rowCount).toBe(1);
  expect((await asApp(candidates, tenantId + 1000)).rowCount).toBe(0);
  // Past a tenant's newest texts the index is asked, which has everybody's.
  const manySql =
    "insert into queue.search_text (id, tenant_id, queue_id, text) select nextval('queue.message_id'), $1, 1, 'x' from generate_series(1, 5000)";
  await worker.query(manySql, [tenantId + 1000]);
  expect((await asApp(candidates, tenantId + 1000)).rowCount).toBe(0);
  await expect(candidates(app)).rejects.toThrow("crossdock.tenant_id is not set");
  await expect(candidates(worker)).rejects.toThrow("crossdock.tenant_id is not set");
  const { rows } = await worker.query(
    "select has_function_privilege('public', 'queue.search_ids(text[], integer[], bigint, integer)', 'execute') as ok",
  );
  expect(rows).toEqual([{ ok: false }]);
});

/** As autovacuum does soon after a day's table grew: the planner weighs the tenant's share against the word's. */
async function analyze(): Promise<void> {
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  // With the index's own list of what came last taken in, which the planner weighs, too.
  await owner.query("vacuum analyze queue.search_text");
  await owner.end();
}

const scansSql = `
  select sum(pg_stat_get_xact_numscans(inhrelid))::integer as scans from pg_inherits where inhparent = 'queue.search_text_trigram'::regclass`;

const readScans = async (client: pg.PoolClient) => (await client.query<{ scans: number }>(scansSql)).rows[0]?.scans ?? 0;

const scansOf = (search: string) =>
  asApp(async (client) => {
    // What earlier transactions of the connection counted may not be flushed yet.
    const before = await readScans(client);
    const { items } = await listMessages(client, { tenantId, filter: { search }, limit: 5 });
    return { newest: items[0]?.messageId, count: items.length, scans: (await readScans(client)) - before };
  });

test("the app role finds a rare word far down by the trigram index, a common one without it", async () => {
  const size = 20_000;
  const [rare] = await publish(worker, [message("zephyrine")]);
  await publishStream(
    worker,
    (async function* () {
      for (let n = 0; n < size; n++) yield message(`table lamp of oak, number ${n}`);
    })(),
    { batchSize: 2000 },
  );
  await fillAll();
  await analyze();
  const ofRare = await scansOf("ephyrin");
  expect(ofRare).toMatchObject({ newest: rare, count: 1 });
  expect(ofRare.scans).toBeGreaterThan(0);
  expect(await scansOf("lamp")).toMatchObject({ count: 5, scans: 0 });
});

test("a number in a payload filter is compared with amounts and quantities, which are texts", async () => {
  const quantities = ["9", "17", "100", "250", "-5", "0", "100.0", "1.5", "0100", "1000000000000000000000", "none", 100];
  await publish(
    worker,
    quantities.map((quantity, n) => message("", { key: `k${n}`, document: JSON.stringify({ quantity }) })),
  );
  await fillAll();
  const found = async (comparison: Comparison, value: number | string): Promise<unknown[]> => {
    const payload: PayloadFilter = { path: [{ kind: "member", name: "quantity" }], comparison, value };
    const { items } = await asApp((client) => listMessages(client, { tenantId, filter: { payload }, limit: 20 }));
    return items.map(({ key }) => quantities[Number(key.slice(1))]).toReversed();
  };
  expect(await found(">", 100)).toEqual(["250", "1000000000000000000000"]);
  expect(await found("<", 1.6)).toEqual(["-5", "0", "1.5"]);
  expect(await found("=", 100)).toEqual(["100", "100.0", 100]);
  expect(await found("=", 1e21)).toEqual(["1000000000000000000000"]);
  expect(await found("!=", 100)).toEqual(["9", "17", "250", "-5", "0", "1.5", "0100", "1000000000000000000000", "none"]);
  expect(await found("=", "100")).toEqual(["100"]);
});

test("a whole number that a double can't hold is compared to its last digit, be it a number in the document or a text", async () => {
  const written = [
    "9007199254740993",
    '"9007199254740993"',
    '"9007199254740993.0"',
    '"9007199254740990"',
    "9007199254740992",
    '"90071992547409931"',
    '"9007199254740993.5"',
    '"12"',
    '"-12"',
    '"-9007199254740993.5"',
    '"-9007199254740993.0"',
    '"-9007199254740992"',
    '"-90071992547409931"',
  ];
  await publish(
    worker,
    written.map((id, n) => message("", { key: `k${n}`, document: `{"id": ${id}}` })),
  );
  await fillAll();
  const found = async (filter: string): Promise<unknown[]> => {
    const { items } = await asApp((client) =>
      listMessages(client, { tenantId, filter: { payload: parsePayloadFilter(filter) }, limit: 20 }),
    );
    return items.map(({ key }) => written[Number(key.slice(1))]).toReversed();
  };
  const [asNumber, asText, asAmount, lower, less, longer, more, small, belowZero, least, negative, negativeLess, negativeLonger] = written;
  const ofNegative = [belowZero, least, negative, negativeLess, negativeLonger];
  expect(await found("$.id = 9007199254740993")).toEqual([asNumber, asText, asAmount]);
  expect(await found("$.id != 9007199254740993")).toEqual([lower, less, longer, more, small, ...ofNegative]);
  expect(await found("$.id > 9007199254740993")).toEqual([longer, more]);
  expect(await found("$.id > 9007199254740992")).toEqual([asNumber, asText, asAmount, longer, more]);
  expect(await found("$.id < 9007199254740993")).toEqual([lower, less, small, ...ofNegative]);
  expect(await found("$.id > -9007199254740993")).toEqual([...written.slice(0, 8), belowZero, negativeLess]);
  expect(await found("$.id < -9007199254740992")).toEqual([least, negative, negativeLonger]);
  expect(await found(`$.id < 1${"0".repeat(300)}`)).toEqual(written);
});
