import type { FoundThings } from "@crossdock/contract";
import { publish } from "@crossdock/queue";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inTenant } from "../db.ts";
import { fillQueues, type FilledQueues } from "../testing/queues.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";

let made: TestApp;
let queues: FilledQueues;
beforeAll(async () => {
  made = await testApp();
  queues = await fillQueues(made, "acme");
  await fillQueues(made, "other");
});
afterAll(() => made.close());

const path = "/api/v1/tenants/acme/search";
const find = async (q: string): Promise<FoundThings> =>
  (await made.call("viewer", "GET", `${path}?q=${encodeURIComponent(q)}`)).json<FoundThings>();
const idsOf = ({ messages }: FoundThings): string[] => messages.map(({ id }) => id);

const publishItems = (...keys: string[]) =>
  inTenant(made.deps.pools.app, 1001, (client) =>
    publish(
      client,
      keys.map((key) => ({
        tenantId: 1001,
        queueId: queues.itemQueueId,
        subtenantId: 1101,
        entityType: "item",
        key,
        document: "{}",
      })),
    ),
  );

test("a message is found by its id and by its exact key, newest first", async () => {
  expect(idsOf(await find(queues.deadId))).toEqual([queues.deadId]);
  const found = await find("o-1");
  expect(idsOf(found)).toEqual([queues.behindId, queues.deadId]);
  expect(found.keys).toEqual(["o-1"]);
});

test("keys are found by how they begin, each once, as typed or in capitals, and wildcards are characters", async () => {
  await publishItems("LAMP-1", "LAMP-1", "LAMP-2", "lamp-3", "LAMPS%", "LAM");
  expect((await find("lamp")).keys).toEqual(["lamp-3", "LAMP-1", "LAMP-2", "LAMPS%"]);
  expect((await find("LAMPS%")).keys).toEqual(["LAMPS%"]);
  expect((await find("%")).keys).toEqual([]);
  expect(idsOf(await find("lamp-2"))).toHaveLength(1);
});

test("at most five of each kind are answered", async () => {
  await publishItems(...Array.from({ length: 8 }, (_, n) => `MANY-${n}`), ...Array.from({ length: 8 }, () => "SAME"));
  expect((await find("MANY")).keys).toEqual(["MANY-0", "MANY-1", "MANY-2", "MANY-3", "MANY-4"]);
  expect((await find("SAME")).messages).toHaveLength(5);
});

test("subtenants and integration points are found by a part of their name or code", async () => {
  expect((await find("hO")).subtenants).toEqual([{ code: "shop", name: "Shop" }]);
  expect((await find("queu")).integrationPoints).toMatchObject([{ name: "Queues", connector: "centra", subtenantCode: "shop" }]);
  expect((await find("nothing like it")).subtenants).toEqual([]);
});

test("an external message is found by its id, with the message that came of it", async () => {
  const key = (await made.call("admin", "POST", "/api/v1/tenants/acme/api-keys", { name: "worker" })).json<{ key: string }>().key;
  const request = { method: "POST", url: "/centra/v1/items?subtenant=shop", headers: { "x-api-key": key } } as const;
  await made.app.inject({ ...request, payload: { sku: "no schema version" } });
  const [received] = (await made.call("viewer", "GET", "/api/v1/tenants/acme/external-messages")).json<{ items: { id: string }[] }>().items;
  const { externalMessage, messages } = await find(received?.id ?? "");
  expect(externalMessage).toMatchObject({ id: received?.id, source: "centra", state: "rejected", messageId: null });
  expect(messages).toEqual([]);
});

test("what came in with a key and went nowhere is found by that key", async () => {
  const key = (await made.call("admin", "POST", "/api/v1/tenants/acme/api-keys", { name: "source" })).json<{ key: string }>().key;
  const request = { method: "POST", url: "/centra/v1/items?subtenant=shop", headers: { "x-api-key": key } } as const;
  const push = async (name: string) =>
    (await made.app.inject({ ...request, payload: { schemaVersion: 1, sku: "NOWHERE-1", name } })).json<{ externalMessageId: string }>();
  const first = await push("Lamp");
  expect((await find("nowhere-1")).externalMessage).toMatchObject({ id: first.externalMessageId, key: "NOWHERE-1", messageId: null });
  const second = await push("Lamp, large");
  expect((await find("NOWHERE-1")).externalMessage?.id).toBe(second.externalMessageId);
  expect((await find("NOWHERE-2")).externalMessage).toBeNull();
  expect((await find("o-1")).externalMessage).toBeNull();
});

test("an object is found by the id that a target gave it", async () => {
  const csv = "integrationPoint,entityType,key,externalId\nqueues,order,o-1,gid://shop/Order/77";
  await made.call("user", "POST", "/api/v1/tenants/acme/external-items/import", { csv });
  const found = await find("gid://shop/Order/77");
  expect(found.keys).toEqual(["o-1"]);
  expect(idsOf(found)).toEqual([queues.behindId, queues.deadId]);
  expect(await find("gid://shop/Order/7")).toMatchObject({ keys: [], messages: [] });
});

test("nothing to search for, or far too much, is refused; so is a stranger", async () => {
  expect((await made.call("viewer", "GET", path)).statusCode).toBe(400);
  expect((await made.call("viewer", "GET", `${path}?q=%20`)).statusCode).toBe(400);
  expect((await made.call("viewer", "GET", `${path}?q=${"x".repeat(201)}`)).statusCode).toBe(400);
  expect((await made.call("stranger", "GET", `${path}?q=o-1`)).statusCode).toBe(404);
  expect((await made.app.inject({ url: `${path}?q=o-1` })).statusCode).toBe(401);
});
