import { testDatabase, type TestDatabase } from "@crossdock/db/testing";
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findKeys, publish, saveQueue, saveTarget } from "./index.ts";

let database: TestDatabase;
let app: pg.Pool;
beforeAll(async () => {
  database = await testDatabase();
  app = database.pool("app", 1);
});
afterAll(() => database.drop());

const scansSql = `
  select coalesce(sum(seq_scan), 0)::integer as tables, coalesce(sum(idx_tup_fetch), 0)::integer as rows
  from pg_stat_xact_user_tables where relid in (select inhrelid from pg_inherits where inhparent = 'queue.message'::regclass)`;

test("keys are found along the index, and one with thousands of messages costs no more than any other", async () => {
  const owner = database.pool("owner", 1);
  const tenantId = 1;
  await saveTarget(owner, { tenantId, targetId: 1 });
  const queueId = await saveQueue(owner, { tenantId, targetId: 1, name: "shop.item", mode: "fifo", delivery: "pull" });
  const message = (key: string) => ({ tenantId, queueId, subtenantId: 1, entityType: "item", key, document: "{}" });
  for (let part = 0; part < 5; part += 1) {
    await publish(owner, [
      ...Array.from({ length: 1000 }, (_, n) => message(`B-${part}-${n}`)),
      ...Array.from({ length: 1000 }, () => message("A-1")),
    ]);
  }
  await publish(owner, [message("A-2"), message("A"), message("a-1")]);
  await owner.query("analyze queue.message");

  const client = await app.connect();
  await client.query(`begin; set local crossdock.tenant_id = '${tenantId}'`);
  const read = async () => (await client.query<{ tables: number; rows: number }>(scansSql)).rows[0] ?? { tables: 0, rows: 0 };
  const before = await read();
  expect(await findKeys(client, { tenantId, prefix: "A-", limit: 5 })).toEqual(["A-1", "A-2"]);
  const after = await read();
  await client.query("rollback");
  client.release();
  expect(after.tables - before.tables).toBe(0);
  // Three steps, one row from each day's table at most.
  expect(after.rows - before.rows).toBeLessThan(100);
});
