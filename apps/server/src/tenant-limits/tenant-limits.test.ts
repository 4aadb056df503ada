import type { TenantLimits, TenantUsage } from "@crossdock/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeTenant } from "../intake/testing.ts";
import { type TestApp, testApp } from "../testing.ts";

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
