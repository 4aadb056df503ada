import { publish } from "@crossdock/queue";
import fc from "fast-check";
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inTenant } from "../db.ts";
import { testApp, type TestApp } from "../testing.ts";
import { runBatch } from "./runner.ts";

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
  const point = { subtenantCode: "shop", connector: "centra", code: "jobs", name: "Jobs", deliveryMode: "pull", entityTypes: ["order"] };
  await made.call("admin", "POST", `${base}/integration-points`, { ...point, settings: { url: "https://shop.example" } });
  owner = made.pool("owner", 1);
  const { rows } = await owner.query<{ id: number }>("select id from queue.queue where tenant_id = $1", [tenantId]);
  queueId = rows[0]?.id ?? 0;
});
afterAll(() => made.close());

/** A pool whose connection breaks before its `fatal`-th statement is sent, or, `isLate`, after that was carried out and before its answer is read. */
function dyingPool(fatal: number, isLate: boolean): Pick<pg.Pool, "connect"> {
  let isDead = false;
  return {
    connect: async () => {
      if (isDead) throw new Error("killed");
      const client = await made.deps.pools.worker.connect();
      // The client itself goes back to the pool and must not stay doomed.
      const doomed: typeof client = Object.create(client);
      const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>;
      let sent = 0;
      const pid = (await client.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]?.pid;
      const die = async (): Promise<never> => {
        isDead = true;
        await owner.query("select pg_terminate_backend($1)", [pid]);
        throw new Error("killed");
      };
      doomed.release = (error) => client.release(error);
      doomed.query = (async (...given: unknown[]) => {
        sent += 1;
        if (sent === fatal && !isLate) await die();
        const answer = await query(...given);
        if (sent === fatal) await die();
        return answer;
      }) as typeof client.query;
      return doomed;
    },
  };
}

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
        await runBatch(dyingPool(fatal, isLate) as pg.Pool, tenantId).catch(() => undefined);
        const known = await get(`/jobs/${job.id}`);
        const { count } = await get(`/message-count?keyPrefix=${prefix}&state=removed`);
        expect(known.done).toBe(count);
      }
      // Nothing is run while the database has not noticed yet that the last one's connection is gone.
      while ((await get(`/jobs/${job.id}`)).state === "running") await runBatch(made.deps.pools.worker, tenantId);
      expect(await get(`/jobs/${job.id}`)).toMatchObject({ state: "done", total: itemCount, done: itemCount, skipped: 0, failed: 0 });
      expect(await get(`/message-count?keyPrefix=${prefix}&state=removed`)).toEqual({ count: itemCount, isExact: true });
    }),
    { numRuns: 4 },
  );
}, 120_000);
