import { afterAll, beforeAll, expect, test } from "vitest";
import type { Attempt } from "@crossdock/contract";
import { startSandbox, type Sandbox } from "@crossdock/sandbox";
import type pg from "pg";
import { makeTenant, type TestPoint, type TestTenant } from "../intake/testing.ts";
import { startScheduler } from "../scheduler/scheduler.ts";
import { callTenant, testApp, type TestApp } from "../testing/test-app.ts";
import { startDelivery, type RunningDelivery } from "./delivery.ts";

let made: TestApp;
let url: string;
let owner: pg.Pool;
let sandbox: Sandbox;
let delivery: RunningDelivery;
let scheduler: { stop: () => Promise<void> };

beforeAll(async () => {
  sandbox = await startSandbox();
  made = await testApp({ CROSSDOCK_EGRESS_ALLOW: `127.0.0.1:${sandbox.port}` });
  url = await made.app.listen({ port: 0, host: "127.0.0.1" });
  owner = made.pool("owner", 1);
  delivery = await startDelivery(made.deps);
  scheduler = startScheduler(made.deps);
});
afterAll(async () => {
  await scheduler.stop();
  // Ends the requests that hang, for whose answers the worker would wait.
  await sandbox.close();
  await delivery.stop();
  await made.close();
});

const source: TestPoint = { connector: "litium", code: "erp", sourceTypes: ["item", "order"] };
const target = (code: string): TestPoint => ({
  connector: "centra",
  code,
  targetTypes: ["item", "order"],
  settings: { url: `${sandbox.url}/generic/${code}` },
});

async function send(tenant: TestTenant, entityType: string, documents: object[]): Promise<void> {
  const answers = await Promise.all(
    documents.map((document) =>
      fetch(`${url}/hooks/${tenant.points.erp?.hookId}`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-crossdock-entity-type": entityType },
        body: JSON.stringify(document),
      }),
    ),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
}

const order = (orderNumber: string, status: "open" | "completed" = "open") => ({
  orderNumber,
  status,
  orderedAt: "2026-11-02T08:00:00Z",
  currency: "SEK",
  customer: null,
  lines: [],
});

async function states(tenant: TestTenant): Promise<Record<string, number>> {
  const { rows } = await owner.query<{ state: string; count: number }>(
    `select coalesce(history.outcome, case when retrying.id is not null then 'retrying' when dead.id is not null then 'dead' else 'waiting' end) as state, count(*)::int as count
     from queue.message left join queue.history using (tenant_id, queue_id, id) left join queue.retrying using (tenant_id, queue_id, id)
       left join queue.dead using (tenant_id, queue_id, id)
     where message.tenant_id = $1 group by 1`,
    [tenant.tenantId],
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

test("what comes in by webhook arrives at every target exactly once, and is settled with its attempt", async () => {
  const tenant = await makeTenant(made.deps, made.ownerUrl, "through", [source, target("one"), target("two")]);
  await send(
    tenant,
    "item",
    Array.from({ length: 200 }, (_, index) => ({ sku: `S${index}`, name: `Item ${index}` })),
  );
  await Promise.all(["one", "two"].map((system) => sandbox.whenReceived(system, 200)));
  await expect.poll(() => states(tenant)).toEqual({ delivered: 400 });
  for (const system of ["one", "two"]) {
    expect(sandbox.counts(system)).toMatchObject({ received: 200, duplicates: 0 });
    expect(new Set(sandbox.received(system, { limit: 1_000 }).map(({ body }) => JSON.parse(body ?? "").sku)).size).toBe(200);
  }
  const { rows } = await owner.query(
    `select count(*)::int as attempts, count(*) filter (where exchange::json -> 'response' ->> 'status' = '200')::int as answered from queue.attempt where tenant_id = $1`,
    [tenant.tenantId],
  );
  expect(rows).toEqual([{ attempts: 400, answered: 400 }]);
});

test("an attempt tells what of the document the target was not sent", async () => {
  const tenant = await makeTenant(made.deps, made.ownerUrl, "left-out", [
    { ...source, sourceTypes: ["customer"] },
    {
      connector: "magento",
      code: "store",
      targetTypes: ["customer"],
      settings: { baseUrl: `${sandbox.url}/magento/left-out` },
      credentials: { accessToken: "opensesame" },
    },
  ]);
  await send(tenant, "customer", [
    {
      customerNumber: "17",
      email: "ada@example.com",
      firstName: "Ada",
      lastName: "Berg",
      tags: ["gold"],
      isActive: false,
      note: null,
      addresses: [],
    },
  ]);
  await expect.poll(() => states(tenant)).toEqual({ delivered: 1 });
  const { rows } = await owner.query<{ id: string }>("select id::text from queue.message where tenant_id = $1", [tenant.tenantId]);
  const { items } = await callTenant<{ items: Attempt[] }>(made, "left-out", "GET", `messages/${rows[0]?.id}/attempts`);
  expect(items).toMatchObject([{ number: 1, response: { status: 200 }, leftOut: ["tags", "isActive"] }]);
});

test("a passing fault is retried until it passes, and the order of one lane is kept", async () => {
  const tenant = await makeTenant(made.deps, made.ownerUrl, "retrying", [source, target("shaky")]);
  sandbox.control("shaky", { mode: "500", rate: 1 });
  await send(tenant, "order", [order("1"), order("2")]);
  await expect.poll(() => states(tenant)).toMatchObject({ retrying: 2 });
  await send(tenant, "order", [order("1", "completed")]);
  sandbox.control("shaky", { mode: "ok" });
  await sandbox.whenReceived("shaky", 3);
  await expect.poll(() => states(tenant)).toEqual({ delivered: 3 });
  const lane = sandbox.received("shaky").map(({ body }) => JSON.parse(body ?? "") as { orderNumber: string; status: string });
  expect(lane.filter(({ orderNumber }) => orderNumber === "1").map(({ status }) => status)).toEqual(["open", "completed"]);
});

test("a target that hangs does not delay another tenant's", async () => {
  const slow = await makeTenant(made.deps, made.ownerUrl, "slow", [source, target("hanging")]);
  const quick = await makeTenant(made.deps, made.ownerUrl, "quick", [source, target("prompt")]);
  sandbox.control("hanging", { mode: "hang" });
  await send(
    slow,
    "item",
    Array.from({ length: 100 }, (_, index) => ({ sku: `H${index}`, name: null })),
  );
  const begun = performance.now();
  await send(quick, "item", [{ sku: "Q", name: null }]);
  await sandbox.whenReceived("prompt", 1);
  // A request that hangs is given up after thirty seconds.
  expect(performance.now() - begun).toBeLessThan(20_000);
  sandbox.control("hanging", { mode: "ok" });
});
