import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { connectorCatalogue } from "@crossdock/contract";
import type pg from "pg";
import { makeTenant, type TestTenant } from "../intake/testing.ts";
import { sha256 } from "../keys/sha256.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";
import type { LeasedMessage } from "./lease.ts";
import { LineAnswer } from "./push.ts";

let made: TestApp;
let url: string;
let owner: pg.Pool;
let tenant: TestTenant;
let other: TestTenant;

beforeAll(async () => {
  made = await testApp({ CROSSDOCK_BODY_LIMIT_MB: "1" });
  url = await made.app.listen({ port: 0, host: "127.0.0.1" });
  owner = made.pool("owner", 1);
  const points = Object.values(connectorCatalogue).flatMap((connector) =>
    (["production", "development"] as const).map((environment) => ({
      connector: connector.code,
      code: `${connector.code}-${environment}`,
      environment,
      deliveryMode: "pull" as const,
      sourceTypes: [...new Set(connector.endpoints.map(({ entityType }) => entityType))],
      targetTypes: [...new Set(connector.endpoints.map(({ entityType }) => entityType))],
    })),
  );
  tenant = await makeTenant(made.deps, made.ownerUrl, "gateway", [
    ...points.filter(({ connector }) => connector !== "colect" && connector !== "storm"),
    { connector: "colect", code: "one", sourceTypes: ["item"] },
    { connector: "colect", code: "two", sourceTypes: ["item"] },
    { connector: "storm", code: "pushing", targetTypes: ["item"], deliveryMode: "push" },
  ]);
  other = await makeTenant(made.deps, made.ownerUrl, "other-gateway", points.slice(0, 2));
});
afterAll(async () => {
  await made.close();
});

type Options = { key?: string; body?: string | Buffer; headers?: Record<string, string> };

function call(method: string, path: string, { key = tenant.apiKey, body, headers = {} }: Options = {}): Promise<Response> {
  return fetch(`${url}${path}`, {
    method,
    headers: { "x-api-key": key, ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : new Uint8Array(body) }),
  });
}

const item = (sku: string, name = "a name") => JSON.stringify({ sku, name });
const order = (orderNumber: string) =>
  JSON.stringify({ orderNumber, orderedAt: "2026-11-02T08:00:00Z", currency: "SEK", customer: null, lines: [] });

async function problemOf(answer: Response): Promise<{ status: number; code: string; detail?: string; errors?: { path: string }[] }> {
  expect(answer.headers.get("content-type")).toContain("application/problem+json");
  return (await answer.json()) as { status: number; code: string };
}

test("a message handed in is published to every other integration point that wants it, and can be leased and acknowledged there", async () => {
  const handedIn = await call("POST", "/brink/v1/orders?subtenant=shop", { body: order("10023") });
  expect(handedIn.status).toBe(202);
  const { messageIds, externalMessageId } = (await handedIn.json()) as { messageIds: string[]; externalMessageId: string };
  expect(messageIds.length).toBeGreaterThan(5);

  const leased = await call("GET", "/sitoo/orders/next?subtenant=shop");
  expect(leased.status).toBe(200);
  const message = (await leased.json()) as { id: string; leaseToken: string };
  expect(message).toMatchObject({
    key: "10023",
    entityType: "order",
    attempt: 1,
    document: { orderNumber: "10023" },
    headers: { source: "brink" },
  });
  expect((await call("GET", "/sitoo/orders/next?subtenant=shop")).status).toBe(204);

  const extended = await call("POST", `/sitoo/orders/${message.id}/extend?subtenant=shop`, {
    body: JSON.stringify({ leaseToken: message.leaseToken, leaseSeconds: 600 }),
  });
  expect(Date.parse(((await extended.json()) as { leaseUntil: string }).leaseUntil)).toBeGreaterThan(Date.now() + 500_000);

  const ack = JSON.stringify({ leaseToken: message.leaseToken, externalId: "S-1" });
  expect((await call("POST", `/sitoo/orders/1${message.id}/ack?subtenant=shop`, { body: ack })).status).toBe(409);
  expect((await call("POST", `/sitoo/orders/${message.id}/ack?subtenant=shop`, { body: ack })).status).toBe(204);
  expect(await problemOf(await call("POST", `/sitoo/orders/${message.id}/ack?subtenant=shop`, { body: ack }))).toMatchObject({
    code: "lease-stale",
  });
  const { rows } = await owner.query("select external_id, business_key from hub.external_item where tenant_id = $1 and message_id = $2", [
    tenant.tenantId,
    message.id,
  ]);
  expect(rows).toEqual([{ external_id: "S-1", business_key: "10023" }]);
  expect(externalMessageId).toMatch(/^\d+$/);
});

test("a message is handed out in the target's words, and one that lacks a mapping becomes a dead letter instead", async () => {
  const mapped = await makeTenant(made.deps, made.ownerUrl, "mapped", [
    { connector: "brink", code: "source", sourceTypes: ["order"] },
    { connector: "sitoo", code: "target", targetTypes: ["order"], deliveryMode: "pull" },
  ]);
  await owner.query(
    `insert into hub.mapping (tenant_id, field_name, source, source_value, target, target_value) values ($1, 'currency', 'brink', 'SEK', 'sitoo', 'EUR')`,
    [mapped.tenantId],
  );
  const key = mapped.apiKey;
  await call("POST", "/brink/v1/orders?subtenant=shop", { key, body: order("25001").replace("SEK", "NOK") });
  await call("POST", "/brink/v1/orders?subtenant=shop", { key, body: order("25002") });
  const path = "/sitoo/orders";
  const leased = (await (await call("GET", `${path}/next?subtenant=shop`, { key })).json()) as LeasedMessage;
  expect(leased).toMatchObject({ key: "25002", document: { currency: "EUR" } });
  const { rows: dead } = await owner.query<{ id: string; error: string }>(
    "select id::text, error_class || ': ' || error_message as error from queue.dead where tenant_id = $1",
    [mapped.tenantId],
  );
  expect(dead).toEqual([{ id: expect.any(String), error: "mapping-missing: mapping missing: currency 'NOK'" }]);
  expect((await call("GET", `${path}/next?subtenant=shop`, { key })).status).toBe(204);
  const again = await call("GET", `${path}/next?subtenant=shop&retry=${dead[0]?.id}`, { key });
  expect(await problemOf(again)).toMatchObject({ status: 409, code: "conflict", detail: expect.stringContaining("currency 'NOK'") });
  const ack = { leaseToken: leased.leaseToken };
  expect((await call("POST", `${path}/${leased.id}/ack?subtenant=shop`, { key, body: JSON.stringify(ack) })).status).toBe(204);
  const { rows } = await owner.query<{ hash: Buffer; settings: object }>(
    `select item.delivered_hash as hash, point.settings from hub.external_item item
     join hub.integration_point point on point.tenant_id = item.tenant_id and point.id = item.integration_point_id where item.tenant_id = $1`,
    [mapped.tenantId],
  );
  expect(rows.map(({ hash, settings }) => hash.equals(sha256(`${JSON.stringify(settings)} ${JSON.stringify(leased.document)}`)))).toEqual([
    true,
  ]);
});

test("a refused message is retried or becomes a dead letter, with the worker's reason", async () => {
  await call("POST", "/brink/v1/orders?subtenant=shop", { body: order("20001") });
  await call("POST", "/brink/v1/orders?subtenant=shop", { body: order("20002") });
  const { messages } = (await (await call("GET", "/jetshop/v1/order/next?subtenant=shop&max=10")).json()) as {
    messages: { id: string; key: string; leaseToken: string }[];
  };
  const [one, two] = ["20001", "20002"].map((key) => messages.find((message) => message.key === key));
  const nack = (message: typeof one, body: object) =>
    call("POST", `/jetshop/v1/order/${message?.id}/nack?subtenant=shop`, {
      body: JSON.stringify({ leaseToken: message?.leaseToken, ...body }),
    });
  expect((await nack(one, { reason: "busy", retryAfterSeconds: 30 })).status).toBe(204);
  expect((await nack(two, { reason: "no such currency", isRetryable: false, errorClass: "validation" })).status).toBe(204);
  const { rows: dead } = await owner.query("select error_class, error_message from queue.dead where tenant_id = $1 and id = $2", [
    tenant.tenantId,
    two?.id,
  ]);
  expect(dead).toEqual([{ error_class: "validation", error_message: "no such currency" }]);
  const { rows: retrying } = await owner.query(
    "select due_at > now() + interval '20 seconds' as late from queue.retrying where tenant_id = $1 and id = $2",
    [tenant.tenantId, one?.id],
  );
  expect(retrying).toEqual([{ late: true }]);
});

test("a worker's reason tells nothing of a person", async () => {
  const body = JSON.stringify({ ...JSON.parse(order("20009")), customer: { name: "Ada Berg" } });
  await call("POST", "/brink/v1/orders?subtenant=shop", { body });
  const { messages } = (await (await call("GET", "/jetshop/v1/order/next?subtenant=shop&max=10")).json()) as { messages: LeasedMessage[] };
  const { id, leaseToken } = messages.find(({ key }) => key === "20009") ?? {};
  const nack = JSON.stringify({ leaseToken, reason: "no customer is called Ada Berg", isRetryable: false });
  expect((await call("POST", `/jetshop/v1/order/${id}/nack?subtenant=shop`, { body: nack })).status).toBe(204);
  const { rows } = await owner.query("select error_message as error from queue.dead where tenant_id = $1 and id = $2", [
    tenant.tenantId,
    id,
  ]);
  expect(rows).toEqual([{ error: "no customer is called •••" }]);
});

test("a failure after more than an hour is noted as one of an hour, in which the metrics look for it", async () => {
  await call("POST", "/brink/v1/orders?subtenant=shop", { body: order("20004") });
  const { messages } = (await (await call("GET", "/jetshop/v1/order/next?subtenant=shop&max=10")).json()) as { messages: LeasedMessage[] };
  const { id, leaseToken } = messages.find(({ key }) => key === "20004") ?? {};
  const body = JSON.stringify({ leaseToken, reason: "busy", durationMs: 7_200_000 });
  expect((await call("POST", `/jetshop/v1/order/${id}/nack?subtenant=shop`, { body })).status).toBe(204);
  const { rows } = await owner.query(`select duration_ms::integer as "durationMs" from queue.attempt where tenant_id = $1 and id = $2`, [
    tenant.tenantId,
    id,
  ]);
  expect(rows).toEqual([{ durationMs: 3_600_000 }]);
});

test("a worker's answer is read by the rules of every body: in UTF-8, with whole characters, uncompressed", async () => {
  await call("POST", "/brink/v1/orders?subtenant=shop", { body: order("20003") });
  const message = (await (await call("GET", "/jetshop/v1/order/next?subtenant=shop")).json()) as { id: string; leaseToken: string };
  const answer = (verb: string, body: string, headers: Record<string, string> = {}) =>
    call("POST", `/jetshop/v1/order/${message.id}/${verb}?subtenant=shop`, { body: Buffer.from(body, "latin1"), headers });
  const ack = (externalId: string) => `{"leaseToken":"${message.leaseToken}","externalId":"${externalId}"}`;
  const nack = (reason: string) => `{"leaseToken":"${message.leaseToken}","reason":"${reason}"}`;
  for (const text of ["\xff", "\\ud800"]) {
    expect(await problemOf(await answer("ack", ack(text)))).toMatchObject({ status: 400, code: "bad-encoding" });
    expect(await problemOf(await answer("nack", nack(text)))).toMatchObject({ status: 400, code: "bad-encoding" });
  }
  expect(await problemOf(await answer("ack", ack("1"), { "content-encoding": "gzip" }))).toMatchObject({ status: 415 });
  expect(await problemOf(await answer("ack", "["))).toMatchObject({ status: 400, code: "bad-json" });
  expect((await answer("ack", ack("1"))).status).toBe(204);
});

test("a message is settled only as one of the integration point that leased it out", async () => {
  await call("POST", "/brink/v1/orders?subtenant=shop", { body: order("21001") });
  const { messages } = (await (await call("GET", "/litium/v1/orders/next?subtenant=shop&max=100")).json()) as {
    messages: { id: string; key: string; leaseToken: string }[];
  };
  const mine = messages.find(({ key }) => key === "21001");
  const body = { body: JSON.stringify({ leaseToken: mine?.leaseToken, externalId: "X-1" }) };
  const elsewhere = await call("POST", `/litiumdev/v1/orders/${mine?.id}/ack?subtenant=shop`, body);
  expect(await problemOf(elsewhere)).toMatchObject({ code: "lease-stale" });
  expect((await call("POST", `/litium/v1/orders/${mine?.id}/ack?subtenant=shop`, body)).status).toBe(204);
  const { rows } = await owner.query(
    `select environment from hub.external_item item join hub.integration_point point on point.tenant_id = item.tenant_id and point.id = item.integration_point_id
     where item.tenant_id = $1 and item.external_id = 'X-1'`,
    [tenant.tenantId],
  );
  expect(rows).toEqual([{ environment: "production" }]);
});

test("what a worker holds it can settle, whatever has become of the integration point since", async () => {
  const changed = await makeTenant(made.deps, made.ownerUrl, "changed", [
    { connector: "brink", code: "source", sourceTypes: ["order"] },
    { connector: "sitoo", code: "target", targetTypes: ["order", "item"], deliveryMode: "pull" },
    { connector: "sitoo", code: "second", targetTypes: ["item"], deliveryMode: "pull", isActive: false },
  ]);
  const { tenantId, apiKey: key } = changed;
  for (const number of ["26001", "26002", "26003"]) await call("POST", "/brink/v1/orders?subtenant=shop", { key, body: order(number) });
  const path = "/sitoo/orders/next?subtenant=shop&integrationPoint=target&max=10";
  const { messages } = (await (await call("GET", path, { key })).json()) as { messages: LeasedMessage[] };
  expect(messages).toHaveLength(3);
  const settle = async (index: number, verb: string, more: object = {}, entityType = "orders") => {
    const { id, leaseToken } = messages[index] ?? {};
    const body = JSON.stringify({ leaseToken, ...more });
    return (await call("POST", `/sitoo/${entityType}/${id}/${verb}?subtenant=shop`, { key, body })).status;
  };
  const change = async (set: string, code: string) => {
    await owner.query(`update hub.integration_point set ${set} where tenant_id = $1 and code = $2`, [tenantId, code]);
    await made.parts.directory.fresh(tenantId);
  };
  await change("is_active = false", "target");
  expect(await settle(0, "extend")).toBe(200);
  expect(await settle(0, "ack", { externalId: "S-26001" })).toBe(204);
  await change("is_active = true, target_types = '{item}'", "target");
  expect(await settle(1, "nack", { reason: "busy" })).toBe(204);
  await change("is_active = true, target_types = '{order}'", "second");
  expect(await settle(2, "ack", {}, "items")).toBe(409);
  expect(await settle(2, "ack")).toBe(204);
  const { rows } = await owner.query(
    "select integration_point_id as id, external_id from hub.external_item where tenant_id = $1 order by business_key",
    [tenantId],
  );
  const { id } = changed.points["target"] ?? {};
  expect(rows).toEqual([
    { id, external_id: "S-26001" },
    { id, external_id: null },
  ]);
});

test("what a worker was told by a system that the address leads to no more is no name of the new one's", async () => {
  const {
    tenantId,
    apiKey: key,
    points,
  } = await makeTenant(made.deps, made.ownerUrl, "moved", [
    { connector: "brink", code: "source", sourceTypes: ["order"] },
    { connector: "sitoo", code: "target", targetTypes: ["order"], deliveryMode: "pull" },
  ]);
  for (const number of ["27001", "27002"]) await call("POST", "/brink/v1/orders?subtenant=shop", { key, body: order(number) });
  const next = async () => (await (await call("GET", "/sitoo/orders/next?subtenant=shop", { key })).json()) as LeasedMessage;
  const acknowledge = async ({ id, leaseToken }: LeasedMessage) => {
    const body = JSON.stringify({ leaseToken, externalId: `S-${id}` });
    expect((await call("POST", `/sitoo/orders/${id}/ack?subtenant=shop`, { key, body })).status).toBe(204);
  };
  const before = await next();
  const path = `/api/v1/tenants/moved/integration-points/${points["target"]?.id}`;
  expect((await made.call("admin", "PATCH", path, { isAnotherSystem: true })).statusCode).toBe(200);
  const after = await next();
  for (const message of [before, after]) await acknowledge(message);
  const { rows } = await owner.query('select external_id as "externalId" from hub.external_item where tenant_id = $1', [tenantId]);
  expect(rows).toEqual([{ externalId: `S-${after.id}` }]);
});

test("resending puts an order back in the worker's hand, where the endpoint offers it", async () => {
  const handedIn = await call("POST", "/brink/v1/orders?subtenant=shop", { body: order("30001") });
  expect(handedIn.status).toBe(202);
  const message = (await (await call("GET", "/centra/v1/orders/next?subtenant=shop&max=100")).json()) as {
    messages: { id: string; key: string; leaseToken: string }[];
  };
  const mine = message.messages.find(({ key }) => key === "30001");
  await call("POST", `/centra/v1/orders/${mine?.id}/ack?subtenant=shop`, { body: JSON.stringify({ leaseToken: mine?.leaseToken }) });
  const again = await call("GET", `/centra/v1/orders/next?subtenant=shop&retry=${mine?.id}`);
  expect(again.status).toBe(200);
  const { leaseToken, ...leased } = (await again.json()) as { leaseToken: string };
  expect(leased).toMatchObject({ id: mine?.id, key: "30001" });
  await call("POST", `/centra/v1/orders/${mine?.id}/ack?subtenant=shop`, { body: JSON.stringify({ leaseToken }) });
  const listed = await call("GET", `/centra/v1/orders/next?subtenant=shop&max=5&retry=${mine?.id}`);
  expect(await listed.json()).toMatchObject({ messages: [{ id: mine?.id }] });
  expect((await call("GET", `/magento/v1/orders/next?subtenant=shop&retry=${mine?.id}`)).status).toBe(400);
  expect((await call("GET", "/centra/v1/orders/next?subtenant=shop&retry=1")).status).toBe(404);
});

test("an order is not put in a worker's hand again over a later state of it that was delivered", async () => {
  const states = [order("30002"), JSON.stringify({ ...JSON.parse(order("30002")), currency: "EUR" })];
  const ids: string[] = [];
  for (const body of states) {
    expect((await call("POST", "/brink/v1/orders?subtenant=shop", { body })).status).toBe(202);
    const leased = (await (await call("GET", "/centra/v1/orders/next?subtenant=shop")).json()) as {
      id: string;
      key: string;
      leaseToken: string;
    };
    expect(leased.key).toBe("30002");
    ids.push(leased.id);
    const ack = { body: JSON.stringify({ leaseToken: leased.leaseToken }) };
    expect((await call("POST", `/centra/v1/orders/${leased.id}/ack?subtenant=shop`, ack)).status).toBe(204);
  }
  const [first, second] = ids;
  const refused = await call("GET", `/centra/v1/orders/next?subtenant=shop&retry=${first}`);
  expect(await refused.json()).toMatchObject({ status: 409, reason: "message-outdated", values: { messageId: second } });
  // It is where it was.
  expect((await call("GET", "/centra/v1/orders/next?subtenant=shop")).status).toBe(204);
  expect((await call("GET", `/centra/v1/orders/next?subtenant=shop&retry=${second}`)).status).toBe(200);
});

test("messages whose answer nobody has read to its end go back at once, untried", async () => {
  const attributes = Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`a${at}`, "x".repeat(10_000)]));
  const keys = Array.from({ length: 6 }, (_, at) => String(31_000 + at));
  // More than the buffers between the two hold.
  const handIn = (key: string) =>
    call("POST", "/brink/v1/orders?subtenant=shop", { body: JSON.stringify({ ...JSON.parse(order(key)), attributes }) });
  await Promise.all(keys.map(handIn));
  const answer = await new Promise<IncomingMessage>((resolve, reject) =>
    httpRequest(
      `${url}/centra/v1/orders/next?subtenant=shop&max=100&leaseSeconds=3600`,
      { headers: { "x-api-key": tenant.apiKey } },
      resolve,
    )
      .on("error", reject)
      .end(),
  );
  expect(answer.statusCode).toBe(200);
  answer.destroy();
  const leased = new Map<string, number>();
  await expect
    .poll(
      async () => {
        const answer = await call("GET", "/centra/v1/orders/next?subtenant=shop&max=100");
        if (answer.status === 200)
          for (const { key, attempt } of ((await answer.json()) as { messages: { key: string; attempt: number }[] }).messages)
            leased.set(key, attempt);
        return keys.map((key) => leased.get(key));
      },
      { timeout: 10_000 },
    )
    .toEqual(keys.map(() => 1));
});

test("a long poll is answered when a message arrives, not when it next looks by itself", async () => {
  // Waits already when the message comes: the first look has found nothing.
  expect((await call("GET", "/plytix/v1/item/next?subtenant=shop&max=500")).status).toBeLessThan(300);
  const waits: number[] = [];
  // It looks every five seconds. A machine may be busy for once, but not each time.
  while (waits.length < 3 && !waits.some((wait) => wait < 4_000)) {
    const begun = performance.now();
    const waiting = call("GET", "/plytix/v1/item/next?subtenant=shop&wait=30");
    await call("POST", "/magento/v1/items?subtenant=shop", { body: item(`LONG-POLL-${waits.length}`) });
    const answer = await waiting;
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ key: `LONG-POLL-${waits.length}` });
    waits.push(performance.now() - begun);
  }
  expect(Math.min(...waits)).toBeLessThan(4_000);
});

test.each([
  ["bad JSON", '{"sku":', 400, "bad-json"],
  ["Latin-1", Buffer.from('{"sku":"å"}', "latin1"), 400, "bad-encoding"],
  ["a NUL", Buffer.from('{"sku":"a\0"}'), 400, "nul-character"],
  ["an empty body", "", 400, "bad-json"],
  ["a document that does not fit", '{"sku":"A","nmae":"x"}', 422, "rejected-message"],
  ["a field of the wrong type", '{"sku":5,"name":"x"}', 422, "rejected-message"],
  ["a body beyond the limit", JSON.stringify({ sku: "A", name: "x".repeat(1_100_000) }), 413, "too-large"],
])("%s is answered with a problem that names it", async (_what, body, status, code) => {
  const answer = await call("POST", "/magento/v1/items?subtenant=shop", { body });
  expect(answer.status).toBe(status);
  const problem = await problemOf(answer);
  expect(problem).toMatchObject({ status, code });
  expect(problem.detail?.includes("canonical documents") ?? false).toBe(code === "rejected-message");
  if (code === "too-large") return;
  const id = /external message (\d+)/.exec(problem.detail ?? "")?.[1];
  const { rows } = await owner.query("select state from hub.external_message where tenant_id = $1 and id = $2", [tenant.tenantId, id]);
  expect(rows).toEqual([{ state: "rejected" }]);
});

test.each([
  ["no subtenant", "/magento/v1/items", 400, "bad-request"],
  ["an unknown subtenant", "/magento/v1/items?subtenant=nowhere", 400, "unknown-subtenant"],
  ["two that fit", "/colect/v1/item?subtenant=shop", 409, "conflict"],
  ["a code of another connector", "/colect/v1/item?subtenant=shop&integrationPoint=magento-production", 404, "not-found"],
  ["a type the integration point does not handle", "/colect/v1/order?subtenant=shop&integrationPoint=one", 400, "unknown-entity-type"],
  ["a target only", "/storm/v1/item?subtenant=shop", 409, "conflict"],
  ["an endpoint the connector does not have", "/optimizely/v1/items?subtenant=shop", 404, "not-found"],
])("%s is answered with what is wrong", async (_what, path, status, code) => {
  expect(await problemOf(await call("POST", path, { body: item("X") }))).toMatchObject({ status, code });
});

test.each([
  ["gzip", { "content-encoding": "gzip" }, 415, "media-type-unsupported"],
  ["UTF-16", { "content-type": "application/json; charset=utf-16" }, 400, "bad-encoding"],
  ["a batch in Latin-1", { "content-type": 'application/x-ndjson; charset="iso-8859-1"' }, 400, "bad-encoding"],
])("%s is refused as such, and nothing of it is kept", async (_what, headers, status, code) => {
  const countSql = "select count(*)::int as count from hub.external_message where tenant_id = $1";
  const before = (await owner.query(countSql, [tenant.tenantId])).rows;
  expect(await problemOf(await call("POST", "/magento/v1/items?subtenant=shop", { body: item("X"), headers }))).toMatchObject({
    status,
    code,
  });
  expect((await owner.query(countSql, [tenant.tenantId])).rows).toEqual(before);
});

test("a subtenant that is not active takes no messages and gives none out", async () => {
  const { tenantId, apiKey } = await makeTenant(made.deps, made.ownerUrl, "resting", [
    { connector: "litium", code: "both", deliveryMode: "pull", sourceTypes: ["item"], targetTypes: ["item"] },
  ]);
  await owner.query("update hub.subtenant set is_active = false where tenant_id = $1", [tenantId]);
  for (const [method, path] of [
    ["POST", "/litium/v1/items"],
    ["GET", "/litium/v1/items/next"],
  ] as const) {
    const answer = await call(method, `${path}?subtenant=shop`, { key: apiKey, ...(method === "POST" && { body: item("X") }) });
    expect(await problemOf(answer)).toMatchObject({ status: 409, code: "conflict" });
  }
});

test("a lease or batch that was answered is watched over no longer", async () => {
  await call("GET", "/litium/v1/items/next?subtenant=shop");
  const ndjson = { "content-type": "application/x-ndjson" };
  await (await call("POST", "/magento/v1/items?subtenant=shop", { body: item("WATCHED"), headers: ndjson })).text();
  const query = vi.spyOn(made.deps.pools.app, "query");
  // Whoever is watched over is looked up anew when rights have changed.
  const lookUps = async (): Promise<number> => {
    query.mockClear();
    const heard = Promise.withResolvers<void>();
    made.parts.liveEvents.onAccessChange(() => heard.resolve());
    await owner.query("select pg_notify('access_changed', '')");
    await heard.promise;
    return query.mock.calls.filter(([asked]) => JSON.stringify(asked).includes("api-key-tenant")).length;
  };
  await expect.poll(lookUps).toBe(0);
  query.mockRestore();
});

test("one of two integration points is chosen by its code", async () => {
  expect((await call("POST", "/colect/v1/item?subtenant=shop&integrationPoint=two", { body: item("CHOSEN") })).status).toBe(202);
});

test("an integration point that delivers by itself gives out no messages", async () => {
  expect((await call("GET", "/storm/v1/item/next?subtenant=shop")).status).toBe(409);
});

test("without a key 401, with a reader's token 403, with another tenant's key not this tenant's messages", async () => {
  expect((await call("GET", "/sitoo/items/next?subtenant=shop", { key: "" })).status).toBe(401);
  expect((await call("GET", "/sitoo/items/next?subtenant=shop", { key: "cdk_unknown" })).status).toBe(401);
  const viewer = await fetch(`${url}/sitoo/items/next?tenant=acme&subtenant=shop`, {
    headers: { authorization: `Bearer ${made.accounts.viewer}` },
  });
  expect(viewer.status).toBe(403);
  await call("POST", "/magento/v1/items?subtenant=shop", { body: item("MINE") });
  expect((await call("GET", "/sitoo/items/next?subtenant=shop", { key: other.apiKey })).status).toBe(204);
});

test("a key whose caller names another tenant finds nothing, rather than hand over to its own", async () => {
  expect((await call("POST", "/magento/v1/items?tenant=gateway&subtenant=shop", { body: item("NAMED") })).status).toBe(202);
  for (const tenant of ["other-gateway", "nobody"]) {
    const answer = await call("POST", `/magento/v1/items?tenant=${tenant}&subtenant=shop`, { body: item("ASTRAY") });
    expect(await problemOf(answer)).toMatchObject({ status: 404, code: "not-found" });
  }
});

test("a path of the gateway that answers other methods names them", async () => {
  const [push, next, hook] = ["/magento/v1/items", "/sitoo/items/next", "/hooks/abc"];
  const answers = [await call("PATCH", push), await call("DELETE", next), await call("PUT", hook)];
  expect(answers.map(({ status, headers }) => [status, headers.get("allow")])).toEqual([
    [405, "POST"],
    [405, "GET"],
    [405, "GET, POST"],
  ]);
});

test.each(["nobody", "%00", "acme%00"])("a tenant called %s is missing like any other", async (code) => {
  const headers = { authorization: `Bearer ${made.accounts.viewer}` };
  for (const path of [`/sitoo/items/next?tenant=${code}&subtenant=shop`, `/api/v1/tenants/${code}/messages`])
    expect(await problemOf(await fetch(`${url}${path}`, { headers }))).toMatchObject({ status: 404, code: "not-found" });
});

test("the same Idempotency-Key answers with the first receipt, and refuses another body", async () => {
  const headers = { "idempotency-key": "k-1" };
  const first = await call("POST", "/magento/v1/items?subtenant=shop", { body: item("IDEM"), headers });
  const again = await call("POST", "/magento/v1/items?subtenant=shop", { body: item("IDEM"), headers });
  expect([first.status, again.status]).toEqual([202, 200]);
  const [one, two] = [await first.json(), await again.json()] as { externalMessageId: string; isDuplicate: boolean }[];
  expect(two).toMatchObject({ isDuplicate: true, externalMessageId: one?.externalMessageId });
  const reused = await call("POST", "/magento/v1/items?subtenant=shop", { body: item("OTHER"), headers });
  expect(await problemOf(reused)).toMatchObject({ status: 422, code: "idempotency-key-reused" });
  // Of another type it is another message.
  const stock = JSON.stringify({ sku: "IDEM", quantity: "5" });
  expect((await call("POST", "/magento/v1/warehouses?subtenant=shop", { body: stock, headers })).status).toBe(202);
});

async function sendBatch(key: string, skus: string[]) {
  const answer = await call("POST", "/magento/v1/items?subtenant=shop", {
    body: skus.map((sku) => item(sku)).join("\n"),
    headers: { "content-type": "application/x-ndjson", "idempotency-key": key },
  });
  const lines = (await answer.text()).trim().split("\n");
  return lines.map((line) => JSON.parse(line) as { status: number; externalMessageId?: string; isDuplicate?: boolean; code?: string });
}

test("a batch that is sent again under its Idempotency-Key is answered line by line with the first receipts", async () => {
  const first = await sendBatch("batch-1", ["B1", "B2"]);
  expect(first).toMatchObject([
    { status: 202, isDuplicate: false },
    { status: 202, isDuplicate: false },
  ]);
  const [one, two] = first.map(({ externalMessageId }) => externalMessageId);
  expect(await sendBatch("batch-1", ["B1", "OTHER", "B3"])).toMatchObject([
    { status: 200, isDuplicate: true, externalMessageId: one },
    { status: 422, code: "idempotency-key-reused", detail: expect.stringContaining(two ?? "none") },
    { status: 202, isDuplicate: false },
  ]);
});

test("a batch is answered line by line in its order, and a bad line spoils no other", async () => {
  const lines = [item("N1"), "{", "", item("N2"), '{"sku":1}', item("N1"), `{"sku":"N3","name":"${"x".repeat(1_100_000)}"}`, item("N4")];
  const answer = await call("POST", "/magento/v1/items?subtenant=shop", {
    body: lines.join("\n"),
    headers: { "content-type": "application/x-ndjson" },
  });
  expect(answer.status).toBe(200);
  // Without it nginx keeps the results back from a caller with HTTP/1.1 until its last line has come.
  expect(answer.headers.get("x-accel-buffering")).toBe("no");
  const results = (await answer.text())
    .trim()
    .split("\n")
    .map((line) => LineAnswer.strict().parse(JSON.parse(line)));
  expect(results.map(({ line, status, code, state }) => `${line} ${status} ${code ?? state}`)).toEqual([
    "1 202 accepted",
    "2 400 bad-json",
    "4 202 accepted",
    "5 422 rejected-message",
    "6 200 unchanged",
    "7 413 too-large",
    "8 202 accepted",
  ]);
});

test("a line that takes long to read is not overtaken by the next ones", async () => {
  const plain = JSON.parse(order("OVERTAKEN")) as object;
  const others = Array.from({ length: 250 }, (_, index) => JSON.parse(order(`O-${index}`)) as object);
  const lines = [[{ ...plain, status: "open" }, ...others], { ...plain, status: "completed" }, { ...plain, status: "cancelled" }];
  const answer = await call("POST", "/brink/v1/orders?subtenant=shop", {
    body: lines.map((line) => JSON.stringify(line)).join("\n"),
    headers: { "content-type": "application/x-ndjson" },
  });
  expect((await answer.text()).match(/"state":"accepted"/g)).toHaveLength(3);
  const { rows } = await owner.query<{ status: string }>(
    "select document::json ->> 'status' as status from hub.entity_version where tenant_id = $1 and business_key = 'OVERTAKEN' order by version",
    [tenant.tenantId],
  );
  expect(rows.map(({ status }) => status)).toEqual(["open", "completed", "cancelled"]);
});

test.each([
  "APPLICATION/X-NDJSON",
  "application/ndjson",
  "application/jsonl; charset=utf-8",
  "application/x-jsonl",
  "application/jsonlines",
  "application/x-JSONLines;charset=utf-8",
])("a batch may be called %s", async (type) => {
  const answer = await call("POST", "/magento/v1/items?subtenant=shop", {
    body: [item(`${type} 1`), item(`${type} 2`)].join("\n"),
    headers: { "content-type": type },
  });
  expect((await answer.text()).trim().split("\n")).toHaveLength(2);
});

test("what only begins as a batch is called is one message", async () => {
  const headers = { "content-type": "application/x-ndjson-of-ours" };
  expect((await call("POST", "/magento/v1/items?subtenant=shop", { body: item("ONE"), headers })).status).toBe(202);
});

test("each line of a batch that finds the disk full is told to come back, as a single message is", async () => {
  await owner.query(`
    create function hub.fill_disk() returns boolean language plpgsql as $$
      begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$;
    alter table hub.entity_version add constraint full_disk check (hub.fill_disk()) not valid`);
  const path = "/magento/v1/items?subtenant=shop";
  const single = await call("POST", path, { body: item("FULL-0") });
  const batch = await call("POST", path, {
    body: [item("FULL-1"), item("FULL-2")].join("\n"),
    headers: { "content-type": "application/x-ndjson" },
  });
  const lines = (await batch.text()).trim().split("\n");
  const refused = await fetch(`${url}/readyz`);
  expect(refused.headers.get("retry-after")).toBe("5");
  expect(await problemOf(refused)).toMatchObject({ status: 503, reason: "no-writes-disk-full" });
  await owner.query("alter table hub.entity_version drop constraint full_disk; drop function hub.fill_disk()");
  expect(await problemOf(single)).toMatchObject({ status: 503, code: "unavailable" });
  expect(single.headers.get("retry-after")).toBe("5");
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { line: 1, status: 503, code: "unavailable" },
    { line: 2, status: 503, code: "unavailable" },
  ]);
  expect((await call("POST", path, { body: item("FULL-0") })).status).toBe(202);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
});

test("of a batch nothing is taken after a line that was not stored, so that sent again it ends with the newest", async () => {
  const { apiKey } = await makeTenant(made.deps, made.ownerUrl, "resending", [
    { connector: "magento", code: "in", sourceTypes: ["item"] },
    { connector: "litium", code: "out", deliveryMode: "pull", targetTypes: ["item"] },
  ]);
  const headers = { "content-type": "application/x-ndjson", "idempotency-key": "night" };
  await owner.query(`
    create function hub.refuse_older() returns trigger language plpgsql as $$
      begin if new.document like '%older%' then raise exception 'busy' using errcode = 'lock_not_available'; end if; return new; end $$;
    create trigger refuse_older before insert on hub.entity_version for each row execute function hub.refuse_older()`);
  const batch = httpRequest(`${url}/magento/v1/items?subtenant=shop`, { method: "POST", headers: { "x-api-key": apiKey, ...headers } });
  batch.write(`${item("BUSY", "older")}\n`);
  const [results] = (await once(batch, "response")) as [IncomingMessage];
  expect(JSON.parse(String((await once(results, "data"))[0]))).toMatchObject({ line: 1, status: 503 });
  await owner.query("drop trigger refuse_older on hub.entity_version; drop function hub.refuse_older()");
  batch.end(`${item("BUSY", "newer")}\n${item("OTHER")}\n`);
  const rest = (await text(results)).trim().split("\n");
  expect(rest.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { line: 2, status: 503, code: "unavailable", detail: expect.stringContaining("One before it") },
    { line: 3, status: 503 },
  ]);
  const body = [item("BUSY", "older"), item("BUSY", "newer"), item("OTHER")].join("\n");
  const again = await call("POST", "/magento/v1/items?subtenant=shop", { body, headers, key: apiKey });
  expect((await again.text()).trim().split("\n")).toEqual([1, 2, 3].map(() => expect.stringContaining('"status":202')));
  const taken = await call("GET", "/litium/v1/items/next?subtenant=shop&max=10", { key: apiKey });
  const { messages } = (await taken.json()) as { messages: { document: { name: string } }[] };
  expect(messages.map(({ document }) => document.name)).toEqual(["newer", "a name"]);
});

test("a batch larger than every buffer is streamed through, results from when its sender pauses", async () => {
  const [pausedAt, total] = [2_500, 5_000];
  const name = "x".repeat(4_000);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const outgoing = httpRequest(`${url}/sitoodev/items?subtenant=shop`, {
    method: "POST",
    headers: { "x-api-key": other.apiKey, "content-type": "application/x-ndjson" },
  });
  let sent = 0;
  let sentAtFirstResult = 0;
  outgoing.on("error", reject);
  outgoing.on("response", (response) => {
    sentAtFirstResult = sent;
    write();
    let results = 0;
    response.on("data", (chunk: Buffer) => {
      for (const byte of chunk) if (byte === 0x0a) results += 1;
    });
    response.on("end", () => resolve(results));
    response.on("error", reject);
  });
  const write = (): void => {
    while (sent < total) {
      sent += 1;
      const isTaken = outgoing.write(`${item(`BP-${sent}`, name)}\n`);
      if (sent === pausedAt) return;
      if (!isTaken) return void outgoing.once("drain", write);
    }
    outgoing.end();
  };
  write();
  expect(await promise).toBe(total);
  expect(sentAtFirstResult).toBe(pausedAt);
});

/** Resolves when the gateway knows. */
async function pauseIntake(tenantId: number, isPaused: boolean): Promise<void> {
  await owner.query("update hub.subtenant set incoming_paused = $2 where tenant_id = $1", [tenantId, isPaused]);
  const known = async () => [...(await made.parts.directory.of(tenantId)).subtenantByCode.values()].map((one) => one.isIncomingPaused);
  await expect.poll(known).toEqual([isPaused]);
}

test("a batch goes by the settings of each moment, and with a long poll ends with the key that opened it", async () => {
  const { tenantId, apiKey } = await makeTenant(made.deps, made.ownerUrl, "leaving", [
    { connector: "magento", code: "in", sourceTypes: ["item"] },
    { connector: "litium", code: "out", deliveryMode: "pull", targetTypes: ["item"] },
  ]);
  const batch = httpRequest(`${url}/magento/v1/items?subtenant=shop`, {
    method: "POST",
    headers: { "x-api-key": apiKey, "content-type": "application/x-ndjson" },
  });
  batch.on("error", () => undefined);
  batch.write(`${item("FIRST")}\n`);
  const [results] = (await once(batch, "response")) as [IncomingMessage];
  const nextResult = async (): Promise<unknown> => JSON.parse(String((await once(results, "data"))[0]));
  expect(await nextResult()).toMatchObject({ line: 1, status: 202 });
  // What holds for single messages holds for the next line, too.
  await pauseIntake(tenantId, true);
  batch.write(`${item("SECOND")}\n`);
  expect(await nextResult()).toMatchObject({ line: 2, status: 503, code: "unavailable" });
  await pauseIntake(tenantId, false);
  const headers = { "content-type": "application/x-ndjson" };
  const second = await call("POST", "/magento/v1/items?subtenant=shop", { key: apiKey, headers, body: item("SECOND") });
  expect(second.status).toBe(200);
  const next = "/litium/v1/items/next?subtenant=shop";
  // Leases both, so that nothing waits; and what the poll has to look up is known from here on.
  expect((await call("GET", `${next}&max=10`, { key: apiKey })).status).toBe(200);
  const begun = once(made.app.server, "request");
  const poll = call("GET", `${next}&wait=60`, { key: apiKey });
  await begun;
  const ended = once(results, "error");
  const { rows } = await owner.query<{ id: string }>("select id::text from hub.api_key where tenant_id = $1", [tenantId]);
  const started = performance.now();
  expect((await made.call("admin", "DELETE", `/api/v1/tenants/leaving/api-keys/${rows[0]?.id}`)).statusCode).toBe(204);
  await ended;
  expect(await problemOf(await poll)).toMatchObject({ status: 401, code: "token-invalid" });
  expect(performance.now() - started).toBeLessThan(40_000);
});

const readiness = async () => (await (await fetch(`${url}/readyz`)).json()) as { status: unknown; detail?: string };

// The last one: it ends connections.
test("while the database is read only, the process is not ready and whoever sends is told to come back", async () => {
  const readOnly = async (isOn: boolean): Promise<void> => {
    await owner.query(`alter role crossdock_app in database ${database} set default_transaction_read_only = ${isOn ? "on" : "off"}`);
    await owner.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'crossdock_app' and datname = current_database()",
    );
  };
  const { rows } = await owner.query<{ name: string }>("select current_database() as name");
  const database = rows[0]?.name ?? "";
  await readOnly(true);
  // A connection that is just being ended is answered 503 as well.
  await expect.poll(readiness).toMatchObject({ status: 503, reason: "no-writes-read-only" });
  const pushed = await call("POST", "/magento/v1/items?subtenant=shop", { body: item("LATE") });
  expect(pushed.headers.get("retry-after")).toBe("5");
  expect(await problemOf(pushed)).toMatchObject({ status: 503, code: "unavailable" });
  await readOnly(false);
  await expect.poll(async () => (await call("POST", "/magento/v1/items?subtenant=shop", { body: item("LATE") })).status).toBe(202);
  await expect.poll(readiness).toMatchObject({ status: "ready" });
});

test("neither a long poll nor a batch that goes on holds up the stop", async () => {
  const stopping = await testApp();
  const origin = await stopping.app.listen({ port: 0, host: "127.0.0.1" });
  const { apiKey } = await makeTenant(stopping.deps, stopping.ownerUrl, "stopping", [
    { connector: "magento", code: "one", deliveryMode: "pull", sourceTypes: ["item"], targetTypes: ["item"] },
  ]);
  const begun = once(stopping.app.server, "request");
  const poll = fetch(`${origin}/magento/v1/items/next?subtenant=shop&wait=60`, { headers: { "x-api-key": apiKey } });
  await begun;
  const batch = httpRequest(`${origin}/magento/v1/items?subtenant=shop`, {
    method: "POST",
    headers: { "x-api-key": apiKey, "content-type": "application/x-ndjson" },
  });
  batch.write(`${item("FIRST")}\n`);
  const [results] = (await once(batch, "response")) as [IncomingMessage];
  expect(JSON.parse(String((await once(results, "data"))[0]))).toMatchObject({ line: 1, status: 202 });
  const started = performance.now();
  await Promise.all([stopping.close(), once(results, "error")]);
  expect((await poll).status).toBe(204);
  expect(performance.now() - started).toBeLessThan(40_000);
});
