import type pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "@crossdock/db/testing";
import {
  claim,
  findOvertaken,
  getMessage,
  publish,
  redirectMessages,
  remove,
  replaceMessage,
  saveQueue,
  saveTarget,
  settle,
  type NewMessage,
} from "./index.ts";

// Redirects to fifo queues, which may have had the same event or a later one. Of the newest alone: replace-message.test.ts.

let database: TestDatabase;
let pool: pg.Pool;
let tenantId = 0;
let from: number;
let to: number;
beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool("worker", 4);
});
beforeEach(async () => {
  tenantId++;
  [from, to] = [await makeQueue(1), await makeQueue(2)];
});
afterAll(() => database.drop());

async function makeQueue(targetId: number, mode: "fifo" | "latest" = "fifo"): Promise<number> {
  await saveTarget(pool, { tenantId, targetId });
  return saveQueue(pool, { tenantId, targetId, name: "q", mode, delivery: "pull" });
}

const order = (queueId: number, originId: string, more: Partial<NewMessage> = {}): NewMessage => ({
  tenantId,
  queueId,
  subtenantId: 1,
  key: "10023",
  entityType: "order",
  document: JSON.stringify(originId),
  originId,
  ...more,
});

/** Delivers what waits: the events, in order. */
async function drain(queueId: number): Promise<string[]> {
  const events: string[] = [];
  for (;;) {
    const [lease] = await claim(pool, { tenantId, queueId, max: 1, leaseSeconds: 60 });
    if (!lease) return events;
    events.push(lease.originId ?? "");
    await settle(pool, { tenantId, leaseToken: lease.leaseToken, outcome: { kind: "delivered", attempt: { durationMs: 1 } } });
  }
}

/** What a redirect says of messages, which what would be told beforehand has to agree with. */
async function redirect(ids: readonly string[], [source, target]: [number, number] = [from, to]): Promise<[string[], string[]]> {
  const request = { tenantId, queueId: target, messages: ids.map((messageId) => ({ queueId: source, messageId })) };
  const told = await findOvertaken(pool, request);
  const { redirected, overtaken } = await redirectMessages(pool, request);
  expect(told.toSorted()).toEqual(overtaken.toSorted());
  return [redirected.map(({ successorId }) => successorId), overtaken];
}

test.each([
  ["with versions", "100", "200"],
  ["without versions", null, null],
])("a fifo queue is not sent an event again, nor one older than it has had, %s", async (_, older, newer) => {
  const ids = await publish(pool, [
    order(from, "11", { version: older }),
    order(from, "12", { version: older }),
    order(to, "11", { version: older }),
    order(to, "13", { version: newer }),
  ]);
  const [same = "", old = ""] = ids;
  expect(await drain(to)).toEqual(["11", "13"]);
  expect(await redirect([same, old])).toEqual([[], [same, old]]);
  for (const messageId of [same, old]) {
    expect(await replaceMessage(pool, { tenantId, messageId, queueId: to, document: "1" })).toEqual({ outcome: "overtaken" });
    expect(await getMessage(pool, { tenantId, messageId })).toMatchObject({ state: "ready" });
  }
  const [next = ""] = await publish(pool, [order(from, "14", { version: newer })]);
  expect(await redirect([next])).toEqual([[expect.any(String)], []]);
  expect(await drain(to)).toEqual(["14"]);
});

test("an event that waits in the other queue as well does not go there a second time", async () => {
  const [, id = ""] = await publish(pool, [order(to, "11"), order(from, "11")]);
  expect(await redirect([id])).toEqual([[], [id]]);
  expect(await drain(to)).toEqual(["11"]);
});

test("what came earlier, of another object, or in another document of the same event keeps nothing from going", async () => {
  const [, ...ids] = await publish(pool, [
    order(to, "10"),
    order(from, "11", { entityVersion: 1 }),
    order(from, "11", { entityVersion: 2 }),
    order(to, "12", { key: "other" }),
  ]);
  const [first = "", second = ""] = ids;
  expect(await redirect([first])).toEqual([[expect.any(String)], []]);
  expect(await redirect([second])).toEqual([[expect.any(String)], []]);
  expect(await drain(to)).toEqual(["10", "12", "11", "11"]);
});

test("a lane that goes in parts goes whole, in its order and in no other", async () => {
  const ids = await publish(
    pool,
    ["11", "12", "13"].map((event) => order(from, event)),
  );
  for (const id of [ids[0] ?? "", ids[2] ?? ""]) expect(await redirect([id])).toEqual([[expect.any(String)], []]);
  expect(await redirect([ids[1] ?? ""])).toEqual([[], [ids[1]]]);
  expect(await drain(to)).toEqual(["11", "13"]);
});

test("what went to another queue may come back, and go once more", async () => {
  const ids = await publish(
    pool,
    ["11", "12"].map((event) => order(from, event)),
  );
  let copies: string[] = ids;
  for (const way of [
    [from, to],
    [to, from],
    [from, to],
  ] as [number, number][])
    [copies] = await redirect(copies, way);
  expect(await drain(from)).toEqual([]);
  expect(await drain(to)).toEqual(["11", "12"]);
});

test("what an operator has removed from a queue keeps nothing from going there", async () => {
  const [id = "", ...there] = await publish(pool, [order(from, "11"), order(to, "11"), order(to, "12")]);
  await remove(pool, { tenantId, messageIds: there });
  expect(await redirect([id])).toEqual([[expect.any(String)], []]);
  expect(await drain(to)).toEqual(["11"]);
});

test("an edited copy is as old as the message whose place it took", async () => {
  const [id = ""] = await publish(pool, [order(from, "11"), order(to, "12")]);
  const answer = await replaceMessage(pool, { tenantId, messageId: id, document: '"mended"' });
  const copy = answer.outcome === "replaced" ? answer.successorId : "";
  expect(await redirect([copy])).toEqual([[], [copy]]);
  expect(await drain(from)).toEqual(["11"]);
});

test.each(["fifo", "latest"] as const)(
  "what a %s queue has of each key is looked up by the key, also where statistics know one key only",
  async (mode) => {
    const target = await makeQueue(3, mode);
    const send = (count: number, queueId: number, keyOf: (index: number) => string) =>
      publish(
        pool,
        Array.from({ length: count }, (_, index) => order(queueId, String(index), { key: keyOf(index) })),
      );
    // Those of the other tests would be known, too.
    await database.pool("owner", 1).query("truncate queue.message");
    await send(2_000, from, () => "one");
    await database.pool("owner", 1).query("analyze queue.message");
    const ids = await send(300, from, (index) => `k${index}`);
    const client = await pool.connect();
    await client.query("begin");
    const messages = ids.map((messageId) => ({ queueId: from, messageId }));
    expect(await findOvertaken(client, { tenantId, queueId: target, messages })).toEqual([]);
    const sql = `
    select sum(idx_tup_fetch + seq_tup_read)::integer as looks from pg_stat_xact_all_tables
    where relid in (select inhrelid from pg_inherits where inhparent = 'queue.message'::regclass)`;
    const { rows } = await client.query<{ looks: number }>(sql);
    await client.query("rollback");
    client.release();
    // Some for each, and not all of the queue for each.
    expect(rows[0]?.looks).toBeLessThan(10_000);
  },
);
