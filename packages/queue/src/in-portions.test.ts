import { testDatabase, type TestDatabase } from "@crossdock/db/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inPortions, portionSize } from "./in-portions.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

test.each([0, 1, portionSize, portionSize * 2 + 5])("%i rows come in portions, each of them once, and others may follow", async (count) => {
  const client = await database.pool("owner", 1).connect();
  await client.query("begin");
  for (const offset of [0, 7]) {
    const portions = await Array.fromAsync(
      inPortions<{ number: number }>(client, "select n + $2::integer as number from generate_series(1, $1::integer) n order by n", [
        count,
        offset,
      ]),
    );
    expect(portions.every((rows) => rows.length <= portionSize)).toBe(true);
    expect(portions.flat().map(({ number }) => number)).toEqual(Array.from({ length: count }, (_, index) => index + 1 + offset));
  }
  await client.query("rollback");
  client.release();
});

const refuse = (count: number): never => {
  throw new Error(`${count} are too many`);
};

test("their number is told before any of them is read, so that too many are refused unread; without a refusal all come, in order", async () => {
  const client = await database.pool("owner", 1).connect();
  await client.query("begin");
  // Counts how many rows were made: what is counted is not found a second time.
  await client.query("create temporary sequence made");
  const sql = "select nextval('made')::integer as number from generate_series(1, $1::integer) n";
  await client.query("savepoint before");
  await expect(inPortions(client, sql, [portionSize + 1], refuse).next()).rejects.toThrow(`${portionSize + 1} are too many`);
  await client.query("rollback to before");
  await client.query("alter sequence made restart");
  const portions = await Array.fromAsync(inPortions<{ number: number }>(client, sql, [portionSize + 1], () => undefined));
  expect(portions.flat().map(({ number }) => number)).toEqual(Array.from({ length: portionSize + 1 }, (_, index) => index + 1));
  await client.query("rollback");
  client.release();
});
