import { publish } from "@crossdock/queue";
import fc from "fast-check";
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inTenant } from "../db.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";
import { runBatch } from "./runner.ts";
import { dyingPool } from "./testing.ts";

/** What kill -9 does to a runner, at any of its statements: its connection is gone and the database takes back what was not committed. */

const tenantId = 1001;
const base = "/api/v1/tenants/acme";
const itemCount = 1_200;

let made: TestApp;
let owner: pg.Pool;
let queueId = 0;
let runs = 0;

beforeAll(async () => {
  made = await testApp();
  const point = {
    subtenantCode: "shop",
    connector: "centra",
    code: "jobs",
    name: "Jobs",
    deliveryMode: "pull",
    sourceTypes: ["order"],
    targetTypes: ["order"],
  };
  await made.call("admin", "POST", `${base}/integration-points`, { ...point, settings: { url: "https://shop.example" } });
  owner = made.pool("owner", 1);
  const { rows } = await owner.query<{ id: number }>("select id from queue.queue where tenant_id = $1", [tenantId]);
  queueId = rows[0]?.id ?? 0;
});
afterAll(() => made.close());

const post = (url: string, body: object) => made.call("user", "POST", base + url, body).then((answer) => answer.json());
const get = (url: string) => made.call("user", "GET", base + url).then((answer) => answer.json());

async function publishSome(prefix: string): Promise<void> {
  const messages = Array.from({ length: itemCount }, (_, index) => ({
    tenantId,
    queueId,
    subtenantId: 1101,
    key: `${prefix}${index}`,
    entityType: "order",
    document: "{}",
  }));
  await inTenant(made.deps.pools.app, tenantId, (client) => publish(client, messages));
}

const deaths = fc.array(fc.record({ fatal: fc.integer({ min: 1, max: 9 }), isLate: fc.boolean() }), { minLength: 1, maxLength: 5 });

test("whenever its runners are killed, a job ends with each item done once and counts that are exact", async () => {
  await fc.assert(
    fc.asyncProperty(deaths, async (planned) => {
      const prefix = `run${++runs}-`;
      await publishSome(prefix);
      const job = await post("/jobs", { kind: "remove", selection: { filter: { keyPrefix: prefix } } });
      await post(`/jobs/${job.id}/start`, { total: itemCount, confirmation: "acme", reason: "a test" });
      for (const { fatal, isLate } of planned) {
        await runBatch(dyingPool(made.deps.pools.worker, owner, { fatal, isLate }), tenantId, { size: 500 }).catch(() => undefined);
        const known = await get(`/jobs/${job.id}`);
        const { count } = await get(`/message-count?keyPrefix=${prefix}&state=removed`);
        expect(known.done).toBe(count);
      }
      // Nothing is run while the database has not noticed yet that the last one's connection is gone.
      while ((await get(`/jobs/${job.id}`)).state === "running") await runBatch(made.deps.pools.worker, tenantId, { size: 500 });
      expect(await get(`/jobs/${job.id}`)).toMatchObject({ state: "done", total: itemCount, done: itemCount, skipped: 0, failed: 0 });
      expect(await get(`/message-count?keyPrefix=${prefix}&state=removed`)).toEqual({ count: itemCount, isExact: true });
    }),
    { numRuns: 4 },
  );
}, 120_000);
