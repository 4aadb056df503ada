import { afterAll, beforeAll, expect, test } from "vitest";
import { claim, settle } from "@crossdock/queue";
import { inTenant } from "../db.ts";
import { fillQueues } from "../testing/queues.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";

let made: TestApp;
beforeAll(async () => {
  made = await testApp();
});
afterAll(() => made.close());

const path = "/api/v1/tenants/acme/subtenants";

test("a created subtenant is listed with its counts", async () => {
  const created = await made.call("admin", "POST", path, { code: "outlet", name: "Outlet" });
  expect(created.statusCode).toBe(201);
  const { items } = (await made.call("viewer", "GET", path)).json();
  expect(items).toEqual([
    expect.objectContaining({ code: "outlet", integrationPoints: 0, incoming: 0, outgoing: 0, isActive: true, debugMode: false }),
    expect.objectContaining({ code: "shop" }),
  ]);
});

test("the last hour's traffic is counted: what came in, and what was delivered, not what failed", async () => {
  const { itemQueueId } = await fillQueues(made, "acme");
  await inTenant(made.deps.pools.app, 1001, async (client) => {
    const wish = { tenantId: 1001, queueId: itemQueueId, max: 1, leaseSeconds: 60 };
    for (const { leaseToken } of await claim(client, wish)) {
      await settle(client, { tenantId: 1001, leaseToken, outcome: { kind: "delivered", attempt: { durationMs: 1 } } });
    }
  });
  await made.call("user", "POST", "/centra/v1/items?tenant=acme&subtenant=shop", { sku: "kept although it is no item" });
  const { items } = (await made.call("viewer", "GET", path)).json();
  expect(items.find((item: { code: string }) => item.code === "shop")).toMatchObject({ integrationPoints: 1, incoming: 1, outgoing: 1 });
});

async function queuesOf(subtenant: string): Promise<{ subtenantCode: string; depth: { dead: number } }[]> {
  return (await made.call("viewer", "GET", `/api/v1/tenants/acme/queues?subtenant=${subtenant}`)).json().items;
}

test("a subtenant's queues are told with their depths, and no other's", async () => {
  const queues = await queuesOf("shop");
  expect(queues.length).toBeGreaterThan(0);
  expect(new Set(queues.map(({ subtenantCode }) => subtenantCode))).toEqual(new Set(["shop"]));
  expect(queues.some(({ depth }) => depth.dead > 0)).toBe(true);
  expect(await queuesOf("outlet")).toEqual([]);
});

test("the same code may stand in two tenants, not twice in one", async () => {
  expect((await made.call("admin", "POST", path, { code: "shop", name: "Shop" })).statusCode).toBe(409);
  expect((await made.call("admin", "POST", "/api/v1/tenants/other/subtenants", { code: "outlet", name: "Outlet" })).statusCode).toBe(201);
});

test("an operator pauses traffic but does not rename", async () => {
  const paused = await made.call("user", "PATCH", `${path}/shop/switches`, { outgoingPaused: true });
  expect(paused.json()).toMatchObject({ outgoingPaused: true, incomingPaused: false });
  expect((await made.call("user", "PATCH", `${path}/shop`, { name: "Mine" })).statusCode).toBe(403);
});
