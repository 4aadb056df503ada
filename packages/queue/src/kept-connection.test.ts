import { testDatabase, type TestDatabase } from "@crossdock/db/testing";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { KeptConnection } from "./kept-connection.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => {
  vi.advanceTimersByTime(10);
  vi.useRealTimers();
});

const whoSql = { text: "select pg_backend_pid() as pid" };
const who = async (db: Pick<KeptConnection, "query">): Promise<number> => (await db.query<{ pid: number }>(whoSql)).rows[0]?.pid ?? 0;

test("one query after the other goes over the same connection, whatever others ask in between", async () => {
  const pool = database.pool("worker", 2);
  const kept = new KeptConnection(pool);
  const first = await who(kept);
  expect(await who(pool)).not.toBe(first);
  expect(await who(kept)).toBe(first);
});

test("a connection that is not used goes back to the pool", async () => {
  const pool = database.pool("worker", 1);
  const first = await who(new KeptConnection(pool));
  const other = who(pool);
  expect(pool.waitingCount).toBe(1);
  vi.advanceTimersByTime(10);
  expect(await other).toBe(first);
});

test("who waits for a connection is not kept waiting by query after query", async () => {
  const pool = database.pool("worker", 1);
  const kept = new KeptConnection(pool);
  await who(kept);
  const order: string[] = [];
  await Promise.all([who(pool).then(() => order.push("other")), who(kept).then(() => order.push("kept"))]);
  expect(order).toEqual(["other", "kept"]);
});

test("a connection that fails is not used again", async () => {
  const pool = database.pool("worker", 1);
  const kept = new KeptConnection(pool);
  const first = await who(kept);
  await expect(kept.query({ text: "select pg_terminate_backend(pg_backend_pid())" })).rejects.toThrow("terminating connection");
  expect(await who(kept)).not.toBe(first);
});
