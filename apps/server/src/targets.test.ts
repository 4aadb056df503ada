import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inTenant } from "./db.ts";
import { syncTargets } from "./targets.ts";
import { testApp, waitingForLocks, type TestApp } from "./testing/test-app.ts";

const tenantId = 1001;
const base = "/api/v1/tenants/acme";

let made: TestApp;
beforeAll(async () => {
  made = await testApp();
});
afterAll(() => made.close());

test("of two changes at once that decide whether a target is paused, the later one knows of the earlier", async () => {
  const owner = made.pool("owner", 1);
  const point = {
    subtenantCode: "shop",
    connector: "centra",
    code: "paused",
    name: "Paused",
    sourceTypes: ["item"],
    targetTypes: ["item"],
  };
  const settings = { url: "https://shop.example" };
  const { id } = (await made.call("admin", "POST", `${base}/integration-points`, { ...point, settings })).json<{ id: number }>();
  const resume = (outgoingPaused: boolean) => made.call("admin", "PATCH", `${base}/subtenants/shop/switches`, { outgoingPaused });
  await resume(true);
  const [synced, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const pausing = inTenant(made.deps.pools.app, tenantId, async (client) => {
    await client.query("update hub.integration_point set is_paused = true where tenant_id = $1 and id = $2", [tenantId, id]);
    await syncTargets(client, { tenantId, integrationPointId: id });
    synced.resolve();
    await release.promise;
  });
  await synced.promise;
  const resuming = resume(false);
  await expect.poll(() => waitingForLocks(owner)).toBe(1);
  release.resolve();
  await pausing;
  expect((await resuming).statusCode).toBe(200);
  const { rows } = await owner.query(`select is_paused as "isPaused" from queue.target where tenant_id = $1 and id = $2`, [tenantId, id]);
  expect(rows).toEqual([{ isPaused: true }]);
});

/** As operations on its messages do. */
const lockQueuesOf = (client: pg.PoolClient, targetId: number) =>
  client.query(
    `select queue.lock_shards($1, array_agg(s.queue_id), array_agg(s.shard)) from queue.queue q
     join queue.shard s on s.tenant_id = q.tenant_id and s.queue_id = q.id where q.tenant_id = $1 and q.target_id = $2`,
    [tenantId, targetId],
  );

test("a change of several targets waits for whoever is at work in their queues, and never each for the other", async () => {
  const owner = made.pool("owner", 2);
  await made.call("admin", "POST", `${base}/subtenants`, { code: "several", name: "Several" });
  const point = { subtenantCode: "several", name: "One of several", settings: { url: "https://shop.example" } };
  const create = async (connector: string, types: object) => {
    const answer = await made.call("admin", "POST", `${base}/integration-points`, { ...point, connector, code: connector, ...types });
    return answer.json<{ id: number }>().id;
  };
  const [first, second] = [await create("centra", { sourceTypes: ["item"] }), await create("magento", { targetTypes: ["item"] })];
  // Its queue is the younger one.
  await made.call("admin", "PATCH", `${base}/integration-points/${first}`, { targetTypes: ["item"] });
  const worker = await owner.connect();
  await worker.query("begin");
  await lockQueuesOf(worker, second);
  const pausing = made.call("admin", "PATCH", `${base}/subtenants/several/switches`, { outgoingPaused: true });
  await expect.poll(() => waitingForLocks(owner)).toBe(1);
  await lockQueuesOf(worker, first);
  await worker.query("commit");
  worker.release();
  expect((await pausing).statusCode).toBe(200);
});

test("a point that receives nothing any more, or no more of a type, takes its queues along with every later change", async () => {
  const owner = made.pool("owner", 1);
  const given = { subtenantCode: "shop", connector: "centra", code: "turned", name: "Turned" };
  const settings = { url: "https://shop.example" };
  const point = await made.call("admin", "POST", `${base}/integration-points`, {
    ...given,
    settings,
    sourceTypes: ["item", "order"],
    targetTypes: ["item", "order"],
  });
  let { id, version } = point.json<{ id: number; version: number }>();
  const change = async (body: object): Promise<string[]> => {
    const path = `${base}/integration-points/${id}${"isPaused" in body ? "/pause" : ""}`;
    const answer = await made.call("admin", "isPaused" in body ? "PUT" : "PATCH", path, body, { "if-match": `"${version}"` });
    expect(answer.statusCode).toBe(200);
    ({ version } = answer.json<{ version: number }>());
    const { rows } = await owner.query<{ text: string }>(
      `select concat_ws(' ', queue.name, queue.delivery, case when target.is_paused then 'paused' end) as text
       from queue.target join queue.queue on queue.tenant_id = target.tenant_id and queue.target_id = target.id
       where target.tenant_id = $1 and target.id = $2 order by 1`,
      [tenantId, id],
    );
    return rows.map(({ text }) => text);
  };
  expect(await change({ targetTypes: [] })).toEqual(["centra.item push paused", "centra.order push paused"]);
  expect(await change({ targetTypes: ["item"] })).toEqual(["centra.item push", "centra.order push"]);
  expect(await change({ deliveryMode: "pull" })).toEqual(["centra.item pull", "centra.order pull"]);
  expect(await change({ isPaused: true })).toEqual(["centra.item pull paused", "centra.order pull paused"]);
  await change({ targetTypes: [] });
  expect(await change({ isPaused: false })).toEqual(["centra.item pull paused", "centra.order pull paused"]);
  expect(await change({ targetTypes: ["order"], deliveryMode: "push" })).toEqual(["centra.item push", "centra.order push"]);
});

/** The connection, and how often something was sent over it when all that was sent before had been answered. */
function countingRounds(client: pg.PoolClient): { counting: pg.PoolClient; rounds: () => number } {
  let rounds = 0;
  let open = 0;
  const query = async (...sent: Parameters<pg.PoolClient["query"]>): Promise<unknown> => {
    if (open === 0) rounds += 1;
    open += 1;
    const answer: unknown = client.query(...sent);
    try {
      return await answer;
    } finally {
      open -= 1;
    }
  };
  const counting = new Proxy(client, { get: (of, name) => (name === "query" ? query : Reflect.get(of, name, of)) });
  return { counting, rounds: () => rounds };
}

test("a change of a target, for which deliveries may wait, takes a few round trips, however many queues it has", async () => {
  const targetTypes = ["item", "price", "stock", "order", "shipment", "customer"];
  const point = { subtenantCode: "shop", connector: "centra", code: "six", name: "Six", targetTypes };
  const settings = { url: "https://shop.example" };
  const { id } = (await made.call("admin", "POST", `${base}/integration-points`, { ...point, settings })).json<{ id: number }>();
  await inTenant(made.deps.pools.app, tenantId, async (client) => {
    const { counting, rounds } = countingRounds(client);
    await syncTargets(counting, { tenantId, integrationPointId: id });
    expect(rounds()).toBeLessThan(10);
  });
});
