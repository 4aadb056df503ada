import { expect, test } from "vitest";
import { testDatabase } from "./testing.ts";

test("a test's pool outlives connections that are ended, idle and in use, and is ended with its database", async () => {
  const database = await testDatabase();
  const pool = database.pool("worker", 2);
  const owner = database.pool("owner", 1);
  const inUse = await pool.connect();
  await pool.query("select 1");
  const broken = new Promise((resolve) => inUse.once("error", resolve));
  // The pool takes the idle one out as soon as it has noticed, and would lend it until then.
  const idleGone = new Promise((resolve) => pool.once("remove", resolve));
  await owner.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'crossdock_worker' and datname = current_database()",
  );
  await Promise.all([broken, idleGone]);
  inUse.release(true);
  expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  await database.drop();
  expect([pool.ended, owner.ended]).toEqual([true, true]);
});
