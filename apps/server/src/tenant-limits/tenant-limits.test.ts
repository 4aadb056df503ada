import type { TenantLimits, TenantUsage } from "@crossdock/contract";
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inTenant } from "../db.ts";
import { makeTenant } from "../intake/testing.ts";
import { type TestApp, testApp } from "../testing/test-app.ts";
import { readUsage } from "./rows.ts";

let made: TestApp;
const path = "/api/v1/tenants/limited";
const free = { historyDays: null, attemptDays: null, rawMessageDays: null, removedDays: null, runDays: null, messageBytes: null };

beforeAll(async () => {
  made = await testApp();
  await makeTenant(made.deps, made.ownerUrl, "limited", [
    { connector: "centra", code: "pim", direction: "source", entityTypes: ["item"] },
    { connector: "wgr", code: "shop", direction: "target", deliveryMode: "pull", entityTypes: ["item"] },
  ]);
});
afterAll(() => made.close());

const push = (name: string) =>
  made.call("admin", "POST", "/centra/v1/items?tenant=limited&subtenant=shop", { schemaVersion: 1, sku: "A-1", name });

test("limits stay within the installation's bounds, and nobody overwrites what somebody else has set", async () => {
  const { bounds, version } = (await made.call("admin", "GET", `${path}/limits`)).json<TenantLimits>();
  expect(version).toBe(0);
  const refused = await made.call("admin", "PUT", `${path}/limits`, { ...free, historyDays: bounds.days + 1, version });
  expect(refused.statusCode).toBe(400);
  expect(refused.json()).toMatchObject({ code: "validation-failed", errors: [{ path: "historyDays" }] });
  const wide = { ...free, messageBytes: bounds.messageBytes + 1, version };
  expect((await made.call("admin", "PUT", `${path}/limits`, wide)).json()).toMatchObject({ errors: [{ path: "messageBytes" }] });
  const saved = await made.call("admin", "PUT", `${path}/limits`, { ...free, historyDays: 7, version });
  expect(saved.json()).toMatchObject({ historyDays: 7, version: 1, bounds });
  expect((await made.call("admin", "PUT", `${path}/limits`, { ...free, version })).json()).toMatchObject({ code: "changed-meanwhile" });
  expect((await made.call("viewer", "PUT", "/api/v1/tenants/acme/limits", { ...free, version: 0 })).statusCode).toBe(403);
});

test("a message above the tenant's limit is refused at the door with its code, and one below it is taken", async () => {
  const { version } = (await made.call("admin", "GET", `${path}/limits`)).json<TenantLimits>();
  await made.call("admin", "PUT", `${path}/limits`, { ...free, messageBytes: 2_000, version });
  await expect.poll(async () => (await push("x".repeat(3_000))).statusCode).toBe(413);
  expect((await push("x".repeat(3_000))).json()).toMatchObject({ code: "too-large", detail: expect.stringContaining("2000") });
  expect((await push("short")).statusCode).toBe(202);
});

test("what a tenant's things take up is told by category", async () => {
  const { items } = (await made.call("admin", "GET", `${path}/usage`)).json<{ items: TenantUsage[] }>();
  const raw = items.find(({ category }) => category === "rawMessages");
  expect(items.map(({ category }) => category)).toEqual(["messages", "attempts", "rawMessages", "removed", "runs", "versions"]);
  expect(raw?.rows).toBeGreaterThan(0);
  expect(raw).toMatchObject({ isExact: true, rowsPerDay: raw?.rows });
  expect(raw?.bytes).toBeGreaterThan(100);
});

test("the size of messages is told by the newest of each queue, without reading the others to find them", async () => {
  const owner = made.pool("owner", 1);
  const { rows: queues } = await owner.query<{ tenantId: number; id: number }>(
    `select queue.tenant_id as "tenantId", queue.id from queue.queue join hub.tenant on tenant.id = queue.tenant_id where tenant.code = 'limited'`,
  );
  const { tenantId = 0, id } = queues[0] ?? {};
  const fill = `
    insert into queue.message (tenant_id, queue_id, subtenant_id, key, entity_type, document)
    select $1, $2, 1, number, 'item', repeat('x', 500) from generate_series(1, 20000) number`;
  await owner.query(fill, [tenantId, id]);
  await owner.query("analyze queue.message");
  await inTenant(made.deps.pools.readOnly, tenantId, async (client) => {
    const sorted: number[] = [];
    const explaining = {
      query: async (text: string, values: unknown[]) => {
        const { rows } = await client.query<{ "QUERY PLAN": [{ Plan: Node }] }>(
          `explain (analyze, timing off, format json) ${text}`,
          values,
        );
        sorted.push(...rows.flatMap((row) => rowsSorted(row["QUERY PLAN"][0].Plan)));
        return { rows: [] };
      },
    } as unknown as pg.ClientBase;
    await readUsage(explaining, tenantId);
    expect(Math.max(0, ...sorted)).toBeLessThan(2_000);
  });
});

type Node = { "Node Type": string; "Actual Rows": number; "Actual Loops": number; Plans?: Node[] };

/** How many rows the sorts of a plan were given. */
function rowsSorted({ "Node Type": type, Plans = [] }: Node): number[] {
  const given = Plans.reduce((sum, plan) => sum + plan["Actual Rows"] * plan["Actual Loops"], 0);
  return [...(type === "Sort" ? [given] : []), ...Plans.flatMap(rowsSorted)];
}
