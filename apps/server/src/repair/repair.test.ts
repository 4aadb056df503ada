import { afterAll, beforeAll, expect, test } from "vitest";
import { fillQueues, type FilledQueues } from "../testing/queues.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";

let made: TestApp;
let queues: FilledQueues;
beforeAll(async () => {
  made = await testApp();
  queues = await fillQueues(made, "acme");
});
afterAll(() => made.close());

const base = "/api/v1/tenants/acme/messages";
const order = {
  orderNumber: "o-1",
  kind: "sale",
  orderedAt: "2010-12-01T09:41:00Z",
  currency: "GBP",
  customer: null,
  lines: [
    { lineNumber: "1", kind: "product", sku: "D", description: null, quantity: "1", unitPrice: { amount: "27.50", currency: "GBP" } },
  ],
};
const get = async (id: string) => (await made.call("viewer", "GET", `${base}/${id}`)).json();
const check = async (id: string, body: object) => (await made.call("user", "POST", `${base}/${id}/replacement-check`, body)).json();
const replace = (id: string, body: object, account: "user" | "viewer" | "stranger" = "user") =>
  made.call(account, "POST", `${base}/${id}/replacement`, body);

const edited = (document: unknown) => ({ document: JSON.stringify(document) });

test("what is wrong with an edited document is told by path, and nothing is changed", async () => {
  const paths = async (body: object) => (await check(queues.deadId, body)).errors.map(({ path }: { path: string }) => path);
  expect(await paths(edited(order))).toEqual([]);
  expect(await paths(edited({ ...order, currency: 7, lines: [{ ...order.lines[0], quantity: "one" }] }))).toEqual([
    "currency",
    "lines.0.quantity",
  ]);
  expect(await paths({ document: "{" })).toEqual([""]);
  expect((await check(queues.deadId, edited({ ...order, orderNumber: "o-9" }))).errors).toEqual([
    { path: "", message: expect.stringContaining("must stay o-1"), reason: "key-fixed", values: { key: "o-1" } },
  ]);
  expect(await paths({ queueId: queues.itemQueueId })).toEqual(["queueId"]);
  const refused = await replace(queues.deadId, { document: "{}", reason: "Try" });
  expect(refused.statusCode).toBe(400);
  expect(refused.json().errors[0].path).toBe("orderNumber");
  expect((await get(queues.deadId)).state).toBe("dead");
});

test("an edited message is sent in place of the dead one, and the two are linked both ways with the reason", async () => {
  const sent = await replace(queues.deadId, { document: JSON.stringify(order), reason: "The SKU was missing" });
  expect(sent.statusCode).toBe(201);
  const successor = sent.json();
  expect(successor).toMatchObject({ state: "ready", key: "o-1", queueId: queues.orderQueueId });
  expect(JSON.parse((await get(successor.id)).document)).toMatchObject({ lines: [{ sku: "D" }] });
  const link = { by: "Uli", reason: "The SKU was missing", isEdited: true };
  expect(await get(queues.deadId)).toMatchObject({ state: "redirected", successor: { id: successor.id, ...link }, predecessor: null });
  expect((await get(successor.id)).predecessor).toMatchObject({ id: queues.deadId, ...link });
});

test("a second operator is told what became of the message", async () => {
  const second = await replace(queues.deadId, { document: JSON.stringify(order), reason: "Once more" });
  expect(second.json()).toMatchObject({ status: 409, detail: "The message is redirected by now.", current: { state: "redirected" } });
});

test("a message is redirected to another target of its subtenant, as it is", async () => {
  const queueId = await createOrderQueue("elsewhere", "production");
  const moved = await replace(queues.retryingId, { queueId, reason: "The shop has moved" });
  expect(moved.json()).toMatchObject({ queueId, key: "o-2", state: "ready" });
  expect((await get(queues.retryingId)).successor).toMatchObject({ id: moved.json().id, isEdited: false });
});

test("what is for development is no target of what is for production", async () => {
  const queueId = await createOrderQueue("trial", "development");
  expect((await check(queues.behindId, { queueId })).errors).toMatchObject([{ path: "queueId" }]);
});

async function createOrderQueue(code: string, environment: string): Promise<number> {
  const point = {
    subtenantCode: "shop",
    connector: "centra",
    code,
    name: code,
    environment,
    deliveryMode: "pull",
    sourceTypes: ["order"],
    targetTypes: ["order"],
  };
  const settings = { url: "https://shop.example" };
  const created = await made.call("admin", "POST", "/api/v1/tenants/acme/integration-points", { ...point, settings });
  const { items } = (await made.call("viewer", "GET", "/api/v1/tenants/acme/queues")).json();
  return items.find((queue: { integrationPoint: { id: number } }) => queue.integrationPoint.id === created.json().id).id;
}

test("it takes an operator of the tenant, a reason, and something to change", async () => {
  expect((await replace(queues.readyId, { document: "{}", reason: "x" }, "viewer")).statusCode).toBe(403);
  expect((await replace(queues.readyId, { document: "{}", reason: "x" }, "stranger")).statusCode).toBe(404);
  expect((await replace("207990000000001", { document: "{}", reason: "x" })).statusCode).toBe(404);
  expect((await replace(queues.readyId, { document: "{}", reason: " " })).statusCode).toBe(400);
  expect((await replace(queues.readyId, { reason: "x" })).statusCode).toBe(400);
});
