import type { ExternalMessage, ExternalMessageDetails, ObjectTrace } from "@crossdock/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeTenant } from "../intake/testing.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";

/** The way of what no message tells of: what was rejected, what no target wants, what was imported. */

const base = "/api/v1/tenants/traced";
let made: TestApp;
let trialId = 0;

beforeAll(async () => {
  made = await testApp();
  const tenant = await makeTenant(made.deps, made.ownerUrl, "traced", [
    { code: "shop", connector: "centra", sourceTypes: ["item", "stock"] },
    { code: "till", connector: "sitoo", targetTypes: ["order"] },
    { code: "trial", connector: "sitoo", targetTypes: ["stock"], environment: "development" },
  ]);
  trialId = tenant.points["trial"]?.id ?? 0;
  await made.pool("owner", 1).query("insert into hub.user_tenant (tenant_id, user_id) values ($1, 2), ($1, 3)", [tenant.tenantId]);
});
afterAll(() => made.close());

async function receive(body: object, path = "items"): Promise<ExternalMessage> {
  await made.call("user", "POST", `/centra/v1/${path}?tenant=traced&subtenant=shop`, body);
  const [newest] = (await made.call("viewer", "GET", `${base}/external-messages?limit=1`)).json<{ items: ExternalMessage[] }>().items;
  if (!newest) throw new Error("nothing was received");
  return newest;
}

const trace = async (query: Record<string, string>): Promise<ObjectTrace> =>
  (await made.call("viewer", "GET", `${base}/object-trace?${new URLSearchParams(query).toString()}`)).json();

test("a rejected message has a way of its own, which goes on with the object that its correction was made into", async () => {
  const rejected = await receive({ schemaVersion: 1, sku: "chair", name: 5 });
  const alone = await trace({ externalMessageId: rejected.id });
  expect(alone).toMatchObject({ key: null, versions: [], messages: [], externalMessages: [{ id: rejected.id, state: "rejected" }] });
  const body = JSON.stringify({ schemaVersion: 1, sku: "chair", name: "Chair" });
  const replay = (await made.call("user", "POST", `${base}/external-messages/${rejected.id}/replay`, { body })).json<{ id: string }>();
  const mended = {
    key: "chair",
    versions: [{ version: 1, externalMessageId: replay.id }],
    externalMessages: [
      { id: replay.id, state: "accepted", replayOf: rejected.id },
      { id: rejected.id, state: "rejected", replayOf: null },
    ],
  };
  expect(await trace({ externalMessageId: rejected.id })).toMatchObject(mended);
  expect(await trace({ externalMessageId: replay.id })).toMatchObject(mended);
});

test("an object that no target wants has its versions and where they came from", async () => {
  const received = await receive({ schemaVersion: 1, sku: "lamp", name: "Lamp" });
  expect(await trace({ subtenant: "shop", entityType: "item", key: "lamp" })).toMatchObject({
    entityType: "item",
    subtenantCode: "shop",
    isDevelopment: false,
    versions: [{ version: 1, externalMessageId: received.id, isCurrent: true }],
    externalMessages: [{ id: received.id, configurationVersion: 1 }],
    messages: [],
  });
});

test("an imported item has the way of the object that it stands for, if only the item is known", async () => {
  const csv = "integrationPoint,entityType,key,externalId\ntill,order,o-1,77";
  await made.call("user", "POST", `${base}/external-items/import`, { csv });
  expect(await trace({ subtenant: "shop", entityType: "order", key: "o-1" })).toMatchObject({
    key: "o-1",
    versions: [],
    messages: [],
    externalItems: [{ integrationPointName: "till", externalId: "77", messageId: null }],
  });
});

test("what a test system was sent of a real object has the way of that object", async () => {
  const { id } = await receive({ schemaVersion: 1, sku: "stool", quantity: "3" }, "warehouse");
  const { messages } = (await made.call("viewer", "GET", `${base}/external-messages/${id}`)).json<ExternalMessageDetails>();
  const [message] = messages;
  const way = { isDevelopment: false, versions: [{ version: 1, externalMessageId: id }], messages: [{ id: message?.id }] };
  expect((await made.call("viewer", "GET", `${base}/messages/${message?.id}/object-trace`)).json()).toMatchObject(way);
  const item = { subtenant: "shop", entityType: "stock", key: message?.key ?? "", integrationPointId: String(trialId) };
  expect(await trace(item)).toMatchObject(way);
});

test.each([
  [{ externalMessageId: "999999999999" }, 404],
  [{ subtenant: "shop", entityType: "item", key: "nothing" }, 404],
  [{ subtenant: "nowhere", entityType: "item", key: "lamp" }, 404],
  [{ subtenant: "shop", entityType: "item", key: "lamp", isDevelopment: "true" }, 404],
  [{ subtenant: "shop", key: "lamp" }, 400],
])("%j is answered with %i", async (query, status) => {
  const url = `${base}/object-trace?${new URLSearchParams(query).toString()}`;
  expect((await made.call("viewer", "GET", url)).statusCode).toBe(status);
});
