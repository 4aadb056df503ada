import type { ExternalMessage, Schedule } from "@crossdock/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeTenant, type TestTenant } from "./intake/testing.ts";
import { callTenant, testApp, type TestApp } from "./testing/test-app.ts";

let made: TestApp;
let tenant: TestTenant;
let scheduleId: number;
let messageId: string | undefined;

beforeAll(async () => {
  made = await testApp({ DATABASE_POOL_SIZE: "5" });
  tenant = await makeTenant(made.deps, made.ownerUrl, "crowded", [
    { code: "store", sourceTypes: ["order", "item"], settings: { baseUrl: "https://store.example" } },
  ]);
  const schedule = { integrationPointId: tenant.points["store"]?.id, entityType: "order", everySeconds: 600 };
  scheduleId = (await callTenant<Schedule>(made, "crowded", "POST", "schedules", schedule, 201)).id;
  await made.call("admin", "POST", "/magento/v1/items?tenant=crowded&subtenant=shop", { sku: "A", name: "Lamp" });
  messageId = (await callTenant<{ items: ExternalMessage[] }>(made, "crowded", "GET", "external-messages")).items[0]?.id;
});
afterAll(() => made.close());

const point = () => ({ integrationPointId: tenant.points["store"]?.id, entityType: "order" });

test.each<[name: string, call: () => [path: string, body: object]]>([
  ["an export is begun", () => ["runs", { kind: "export", subtenantCode: "shop", entityType: "order" }]],
  ["a schedule is made", () => ["schedules", { ...point(), entityType: "item", everySeconds: 600 }]],
  ["a schedule is run", () => [`schedules/${scheduleId}/run`, {}]],
  ["an import is begun", () => ["imports", { ...point(), name: "orders.csv", format: "csv" }]],
  ["a message is replayed", () => [`external-messages/${messageId}/replay`, {}]],
])("%s by more callers at once than there are connections, and nobody waits for those that the others hold", async (_name, call) => {
  const [path, body] = call();
  made.parts.directory.forget(tenant.tenantId);
  const callers = Array.from({ length: 10 }, () => made.call("admin", "POST", `/api/v1/tenants/crowded/${path}`, body));
  const statuses = (await Promise.all(callers)).map(({ statusCode }) => statusCode);
  expect(statuses.filter((status) => status !== 409 && status >= 300)).toEqual([]);
});
