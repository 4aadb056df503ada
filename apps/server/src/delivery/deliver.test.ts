import { randomBytes } from "node:crypto";
import { getEventListeners } from "node:events";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { compileMappings, connectors } from "@crossdock/connectors";
import type { EntityType } from "@crossdock/contract";
import type { Delivery, Handler } from "@crossdock/queue";
import { startSandbox, type Sandbox } from "@crossdock/sandbox";
import pg from "pg";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { parseAllowList } from "../egress/addresses.ts";
import { createEgress, type Egress } from "../egress/egress.ts";
import { createDirectory, type Directory } from "../intake/directory.ts";
import { makeTenant, type TestTenant } from "../intake/testing.ts";
import { createLogger } from "../log.ts";
import { testDeps } from "../testing/test-app.ts";
import { createAccessTokens } from "./access-tokens.ts";
import { storeDebugRecord } from "./debugging.ts";
import { createHandler } from "./deliver.ts";
import { createSender } from "./exchange.ts";
import { findExternalItems, findOtherKey, storeDeliveries } from "./external-items.ts";

let deps: Deps;
let close: () => Promise<void>;
let ownerUrl: string;
let owner: pg.Client;
let sandbox: Sandbox;
let egress: Egress;
let directory: Directory;
let handlerDeps: Parameters<typeof createHandler>[0];
let handler: Handler;
let tenant: TestTenant;
let tenants = 0;

beforeAll(async () => {
  ({ deps, ownerUrl, close } = await testDeps());
  owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  sandbox = await startSandbox();
  egress = createEgress({ allow: parseAllowList([`127.0.0.1:${sandbox.port}`]), totalTimeoutMs: 500 });
  directory = createDirectory(deps.pools.worker, deps);
  await directory.ready;
  handlerDeps = {
    directory,
    egress,
    accessTokens: createAccessTokens(egress),
    logger: deps.logger,
    findExternalItem: async (tenantId, key) =>
      (await inTenant(deps.pools.worker, tenantId, (client) => findExternalItems(client, tenantId, [key])))[0] ?? null,
    findOtherKey: (tenantId, key, externalId) =>
      inTenant(deps.pools.worker, tenantId, (client) => findOtherKey(client, tenantId, key, externalId)),
    storeDebugRecord: (tenantId, record) => inTenant(deps.pools.worker, tenantId, (client) => storeDebugRecord(client, tenantId, record)),
    reserveRequest: async () => 0,
    storeDelivery: (tenantId, delivery) => inTenant(deps.pools.worker, tenantId, (client) => storeDeliveries(client, tenantId, [delivery])),
  };
  handler = createHandler(handlerDeps);
});
afterAll(async () => {
  await egress.close();
  await directory.close();
  await sandbox.close();
  await owner.end();
  await close();
});
beforeEach(async () => {
  tenants += 1;
  sandbox.reset("shop");
  const url = `${sandbox.url}/generic/shop`;
  tenant = await makeTenant(deps, ownerUrl, `delivering-${tenants}`, [
    { connector: "centra", code: "shop", targetTypes: ["item", "order"], settings: { url } },
    {
      connector: "sitoo",
      code: "keyed",
      targetTypes: ["item"],
      settings: { url, auth: "bearer", deliver: { item: { path: "/items", externalIdPath: "id" } } },
      credentials: { token: "s3cret-token" },
    },
    {
      connector: "magento",
      code: "tokened",
      targetTypes: ["item"],
      settings: { url, auth: "oauth2-client-credentials", tokenUrl: `${sandbox.url}/oauth/shop/token` },
      credentials: { clientId: "hub", clientSecret: "opensesame" },
    },
    {
      connector: "sitoo",
      code: "named",
      targetTypes: ["item"],
      settings: { url, deliver: { item: { path: "/items/{externalId}" } } },
    },
    {
      connector: "brink",
      code: "priced",
      targetTypes: ["price"],
      settings: { baseUrl: `${sandbox.url}/brink/shop` },
      credentials: { apiKey: "opensesame" },
    },
    {
      connector: "magento",
      code: "paced",
      targetTypes: ["item"],
      settings: { baseUrl: `${sandbox.url}/magento/shop` },
      credentials: { accessToken: "opensesame" },
      ratePerSecond: 5,
    },
    {
      connector: "shopify",
      code: "shopify",
      targetTypes: ["customer"],
      settings: { shopUrl: `${sandbox.url}/shopify/shop` },
      credentials: { accessToken: "opensesame" },
    },
    {
      connector: "shopify",
      code: "app",
      targetTypes: ["customer"],
      settings: { shopUrl: `${sandbox.url}/shopify/shop` },
      credentials: { clientId: "hub", clientSecret: "open & sesame" },
    },
    {
      connector: "magento",
      code: "magento",
      targetTypes: ["customer"],
      settings: { baseUrl: `${sandbox.url}/magento/shop` },
      credentials: { username: "admin", password: "opensesame" },
    },
    {
      connector: "plytix",
      code: "plytix",
      targetTypes: ["item"],
      settings: { baseUrl: url, authUrl: url },
      credentials: { apiKey: "opensesame", apiPassword: "opensesame" },
    },
    { connector: "brink", code: "inside", targetTypes: ["item"], settings: { url: "http://127.0.0.1:1/" } },
  ]);
});

let messages = 0;
function delivery(code: string, document: object, changes: Partial<Delivery> & { entityType?: EntityType } = {}): Delivery {
  messages += 1;
  return {
    tenantId: tenant.tenantId,
    queueId: 1,
    queueName: "x",
    targetId: tenant.points[code]?.id ?? 0,
    subtenantId: tenant.subtenantId,
    messageId: String(messages),
    key: "A1",
    entityType: "item",
    document: JSON.stringify(document),
    headers: { source: "magento" },
    isUntried: false,
    version: null,
    attempt: 1,
    originId: null,
    publishedAt: new Date(),
    ...changes,
  };
}

const never = new AbortController().signal;
const item = { sku: "A1", name: "One" };

async function externalItems(): Promise<{ external_id: string | null; business_key: string; message_id: string }[]> {
  return (await owner.query("select external_id, business_key, message_id from hub.external_item where tenant_id = $1", [tenant.tenantId]))
    .rows;
}

test("a document arrives with its message id, and what was sent and answered is recorded", async () => {
  const sent = delivery("shop", item);
  const outcome = await handler(sent, never);
  expect(outcome).toMatchObject({
    kind: "delivered",
    // Sent as it stands, it is kept once.
    attempt: { request: { method: "POST", body: null, isDocument: true }, response: { status: 200 }, error: null },
  });
  expect(sandbox.received("shop")).toMatchObject([{ messageId: sent.messageId, body: JSON.stringify(item) }]);
  expect(await externalItems()).toEqual([{ external_id: null, business_key: "A1", message_id: sent.messageId }]);
});

test("a price that is still to begin waits until then, and nothing is sent", async () => {
  const validFrom = new Date(Date.now() + 3_600_000).toISOString();
  const price = { sku: "A1", price: { amount: "199.00", currency: "SEK" }, validFrom };
  const outcome = await handler(delivery("priced", price, { entityType: "price" }), never);
  expect(outcome).toMatchObject({
    kind: "retry",
    isTargetFault: false,
    attempt: { request: null, response: null, error: { class: "period" } },
  });
  const waitMs = outcome.kind === "retry" ? (outcome.retryAfterMs ?? 0) : 0;
  expect(Math.abs(waitMs - (Date.parse(validFrom) - Date.now()))).toBeLessThan(600_000);
  expect(sandbox.counts("shop").received).toBe(0);
});

test.each(["shopify", "magento"])("a customer is not written over another of the same e-mail address: %s", async (code) => {
  const customer = { email: "family@example.com", lastName: "Berg" };
  const send = (customerNumber: string, firstName: string) =>
    handler(delivery(code, { ...customer, customerNumber, firstName }, { entityType: "customer", key: customerNumber }), never);
  expect(await send("17", "Ada")).toMatchObject({ kind: "delivered" });
  const other = await send("18", "Bo");
  expect(other).toMatchObject({ kind: "dead", attempt: { error: { class: "shared", message: expect.stringMatching(/18 is 17:/) } } });
  // Its own, without what is remembered of it, is found again.
  await owner.query("delete from hub.external_item where tenant_id = $1", [tenant.tenantId]);
  expect(await send("17", "Ada")).toMatchObject({ kind: "delivered" });
  expect(await externalItems()).toMatchObject([{ business_key: "17" }]);
});

test("a message that was delivered but not settled is not sent a second time", async () => {
  const sent = delivery("shop", item);
  await handler(sent, never);
  expect(await handler({ ...sent, attempt: 2 }, never)).toEqual({ kind: "delivered", attempt: { durationMs: 0 } });
  expect(sandbox.counts("shop").received).toBe(1);
  // By now the mappings make something else of it, which the target has not been told.
  expect(await mapped({ fieldName: "name", sourceValue: "One", targetValue: "Two" })({ ...sent, attempt: 3 }, never)).toMatchObject({
    kind: "delivered",
  });
  expect(sandbox.received("shop").at(-1)?.body).toBe(JSON.stringify({ ...item, name: "Two" }));
});

/** Delivers with this mapping and no other. */
function mapped(
  mapping: { fieldName: string; sourceValue: string; targetValue: string },
  changes: Partial<typeof handlerDeps> = {},
): Handler {
  const route = { source: "magento", target: "centra" };
  const mappings = compileMappings([{ ...route, ...mapping }], route);
  const of: Directory["of"] = async (tenantId) => ({ ...(await directory.of(tenantId)), mappingsOf: () => mappings });
  return createHandler({ ...handlerDeps, directory: { ...directory, of }, ...changes });
}

test("what the target was told before is looked up where a request names its id or an earlier try may have arrived, and else not", async () => {
  let asked = 0;
  const counting = createHandler({
    ...handlerDeps,
    findExternalItem: async (...what) => {
      asked += 1;
      return handlerDeps.findExternalItem(...what);
    },
  });
  const sent = delivery("shop", item, { isUntried: true });
  await counting(sent, never);
  expect(asked).toBe(0);
  expect(await counting({ ...sent, isUntried: false }, never)).toEqual({ kind: "delivered", attempt: { durationMs: 0 } });
  expect(asked).toBe(1);
  const named = delivery("named", item, { isUntried: true });
  expect(await counting(named, never)).toMatchObject({ kind: "dead", attempt: { error: { class: "configuration" } } });
  expect(asked).toBe(2);
});

test("equal content of a later message is sent, as another may have reached the target in between", async () => {
  await handler(delivery("shop", item), never);
  await handler(delivery("shop", item), never);
  expect(sandbox.counts("shop").received).toBe(2);
});

test("the secret that was sent is in no record", async () => {
  const outcome = await handler(delivery("keyed", item), never);
  expect(outcome).toMatchObject({ kind: "delivered", attempt: { request: { headers: { authorization: "•••" } } } });
  expect(JSON.stringify(outcome)).not.toContain("s3cret-token");
});

test("debug mode keeps what was sent and answered in full, without secrets, and nothing else does", async () => {
  const long = { ...item, description: "x".repeat(100_000) };
  await handler(delivery("keyed", long), never);
  const before = await directory.of(tenant.tenantId);
  await owner.query("update hub.subtenant set debug_mode = true where tenant_id = $1", [tenant.tenantId]);
  await expect.poll(async () => (await directory.of(tenant.tenantId)) !== before).toBe(true);
  const sent = delivery("keyed", long);
  await handler(sent, never);
  const { rows } = await owner.query<{ message_id: string; exchanges: string }>(
    "select message_id, exchanges from hub.debug_exchange where tenant_id = $1",
    [tenant.tenantId],
  );
  expect(rows).toMatchObject([{ message_id: sent.messageId }]);
  expect(JSON.parse(rows[0]?.exchanges ?? "[]")).toMatchObject([{ request: { body: JSON.stringify(long) }, response: { status: 200 } }]);
  expect(rows[0]?.exchanges).not.toContain("s3cret-token");
});

test("what debug mode can't keep changes nothing about the delivery", async () => {
  await owner.query("update hub.subtenant set debug_mode = true where tenant_id = $1", [tenant.tenantId]);
  const debugged = createHandler({ ...handlerDeps, storeDebugRecord: () => Promise.reject(new Error("the database is away")) });
  const sent = delivery("keyed", item);
  expect(await debugged(sent, never)).toMatchObject({ kind: "delivered" });
  expect(
    await handlerDeps.findExternalItem(tenant.tenantId, { integrationPointId: sent.targetId, entityType: "item", key: "A1" }),
  ).toMatchObject({
    messageId: sent.messageId,
  });
});

test("an access token is fetched once for many deliveries, and is in no record", async () => {
  const outcomes = await Promise.all([1, 2, 3].map((count) => handler(delivery("tokened", item, { key: `A${count}` }), never)));
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ kind: "delivered", attempt: { request: { headers: { authorization: "•••" } } } });
  }
  expect(sandbox.tokens("shop").issued).toBe(1);
  expect(sandbox.counts("shop")).toMatchObject({ received: 3, refused: 0 });
});

test("a delivery leaves nothing behind on the signal that all of them share, with an access token or without", async () => {
  const signal = new AbortController().signal;
  expect(await handler(delivery("keyed", item), signal)).toMatchObject({ kind: "delivered" });
  expect(await handler(delivery("tokened", item), signal)).toMatchObject({ kind: "delivered" });
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("an access token that the target repeats is in no record", async () => {
  let token = "";
  const repeating = createHandler({
    ...handlerDeps,
    egress: {
      send: async ({ headers }) => {
        token = headers["authorization"]?.replace("Bearer ", "") ?? "";
        return { status: 422, headers: {}, body: `nothing is known of ${token}` };
      },
    },
  });
  expect(await repeating(delivery("tokened", item), never)).toMatchObject({ attempt: { response: { body: "nothing is known of •••" } } });
  expect(token).not.toBe("");
});

test("what a system repeats of its credentials is not told to who asks it something without delivering", async () => {
  const point = (await directory.of(tenant.tenantId)).points.get(tenant.points["app"]?.id ?? 0);
  const question = point && connectors.shopify.probe?.({ settings: point.settings, credentials: point.credentials ?? {} });
  if (!question || "kind" in question) throw new Error("there is nothing to ask");
  const repeating: Egress = {
    ...egress,
    send: async ({ body }) => ({ status: 400, headers: {}, body: new URLSearchParams(body ?? "").get("client_secret") ?? "" }),
  };
  const answer = await createSender({ egress: repeating, accessTokens: createAccessTokens(repeating) })(point, question, never);
  expect(answer).toMatchObject({ kind: "retry", error: { message: "the token was refused: HTTP 400: •••" } });
});

test("who is to stop does not wait for a token that doesn't come", async () => {
  const stop = new AbortController();
  const get = () => {
    stop.abort();
    return new Promise<never>(() => {});
  };
  const outcome = await createHandler({ ...handlerDeps, accessTokens: { get } })(delivery("tokened", item), stop.signal);
  expect(outcome).toMatchObject({ kind: "retry", attempt: { error: { class: "aborted" } } });
});

test("a token that the target refuses is replaced once, and the message arrives in the same attempt", async () => {
  await handler(delivery("tokened", item), never);
  sandbox.tokens("shop").revoke();
  expect(await handler(delivery("tokened", item), never)).toMatchObject({ kind: "delivered" });
  expect(sandbox.tokens("shop").issued).toBe(2);
  expect(sandbox.counts("shop")).toMatchObject({ received: 2, refused: 1 });
});

test("a token goes where its system looks for it, and is in no record there either", async () => {
  const customer = { schemaVersion: 1, customerNumber: "C-1", email: "ada@example.com", firstName: "Ada" };
  const outcome = await handler(delivery("app", customer, { key: "C-1", entityType: "customer" }), never);
  expect(outcome).toMatchObject({ kind: "delivered", attempt: { request: { headers: { "x-shopify-access-token": "•••" } } } });
  expect(sandbox.tokens("shop").issued).toBe(1);
});

test("a secret that stands in the form by which a token is asked for is in no record", async () => {
  sandbox.control("shop", { mode: "500", only: "/admin/oauth/*" });
  const customer = { schemaVersion: 1, customerNumber: "C-1", email: "ada@example.com", firstName: "Ada" };
  const outcome = await handler(delivery("app", customer, { key: "C-1", entityType: "customer" }), never);
  expect(outcome).toMatchObject({ attempt: { request: { body: "grant_type=client_credentials&client_id=hub&client_secret=•••" } } });
});

test("a token that is not given is the attempt's fault, and its request is what is recorded", async () => {
  sandbox.control("shop", { mode: "500", only: "/token" });
  const outcome = await handler(delivery("tokened", item), never);
  expect(outcome).toMatchObject({
    kind: "retry",
    attempt: { request: { url: `${sandbox.url}/oauth/shop/token` }, response: { status: 500, body: "•••" }, error: { class: "http-500" } },
  });
  expect(JSON.stringify(outcome)).not.toContain(Buffer.from("hub:opensesame").toString("base64"));
});

test("mappings are applied at delivery, the subtenant's before the tenant's, and a missing one is a dead letter that says which", async () => {
  const map = (subtenantId: number | null, sourceValue: string, targetValue: string) =>
    owner.query(
      `insert into hub.mapping (tenant_id, subtenant_id, field_name, source, source_value, target, target_value) values ($1, $2, 'taxCode', 'magento', $3, 'centra', $4)`,
      [tenant.tenantId, subtenantId, sourceValue, targetValue],
    );
  const before = await directory.of(tenant.tenantId);
  await map(null, "full", "VAT-T");
  await map(tenant.subtenantId, "full", "VAT-S");
  await expect.poll(async () => (await directory.of(tenant.tenantId)) !== before).toBe(true);
  await expect
    .poll(async () => {
      await handler(delivery("shop", { ...item, taxCode: "full" }), never);
      return sandbox.received("shop").at(-1)?.body;
    })
    .toBe(JSON.stringify({ ...item, taxCode: "VAT-S" }));
  const outcome = await handler(delivery("shop", { ...item, taxCode: "half" }), never);
  expect(outcome).toMatchObject({
    kind: "dead",
    attempt: {
      request: null,
      error: { class: "mapping-missing", message: expect.stringContaining("half") },
      versions: { mapping: 2, configuration: 1 },
    },
  });
});

test.each<[string, Parameters<Sandbox["control"]>[1], object]>([
  ["500", { mode: "500" }, { kind: "retry", isTargetFault: true, attempt: { response: { status: 500 }, error: { class: "http-500" } } }],
  ["429 with Retry-After", { mode: "429", retryAfter: 2 }, { kind: "retry", isTargetFault: true, retryAfterMs: 2_000 }],
  ["a hanging answer", { mode: "hang" }, { kind: "retry", isTargetFault: true, attempt: { response: null, error: { class: "timeout" } } }],
  ["a reset connection", { mode: "reset" }, { kind: "retry", isTargetFault: true, attempt: { error: { class: "connection-lost" } } }],
])("%s is a passing fault of the target", async (_what, behaviour, outcome) => {
  sandbox.control("shop", behaviour);
  expect(await handler(delivery("shop", item), never)).toMatchObject(outcome);
  expect(await externalItems()).toEqual([]);
});

test.each([
  ["with NUL", "keyed", "7\0"],
  ["longer than its index takes", "plytix", randomBytes(6_000).toString("base64url")],
])("an external id %s is none, and what it named is delivered", async (_what, code, id) => {
  // Also what is asked for before: a token, and the product of this sku.
  const body = JSON.stringify({ id, data: [{ access_token: "opensesame", id, sku: item.sku }] });
  const saying = { ...egress, send: () => Promise.resolve({ status: 201, headers: {}, body }) };
  const taken = createHandler({ ...handlerDeps, egress: saying, accessTokens: createAccessTokens(saying) });
  expect(await taken(delivery(code, item), never)).toMatchObject({ kind: "delivered" });
  expect(await externalItems()).toMatchObject([{ external_id: null, business_key: "A1" }]);
});

test("the id by which a target knows an object stays known when a later answer does not name it", async () => {
  const bodies = ['{"id":"7"}', "{}"];
  const send = async () => ({ status: 200, headers: {}, body: bodies.shift() ?? "" });
  const answered = createHandler({ ...handlerDeps, egress: { send } });
  await answered(delivery("keyed", item), never);
  const second = delivery("keyed", item);
  await answered(second, never);
  expect(await externalItems()).toEqual([{ external_id: "7", business_key: "A1", message_id: second.messageId }]);
});

test("an error tells nothing of a person, whatever the target says", async () => {
  const said = { status: 422, headers: {}, body: "no customer Ada <ada@example.com>, +46 70 123 or 0701 23" };
  const asking = mapped(
    { fieldName: "phone", sourceValue: "+46 70 123", targetValue: "0701 23" },
    { egress: { send: () => Promise.resolve(said) } },
  );
  const document = { ...item, attributes: { phone: "+46 70 123" } };
  const outcome = await asking(delivery("shop", document), never);
  expect(outcome).toMatchObject({ attempt: { error: { message: expect.stringContaining("no customer Ada <•••>, ••• or •••") } } });
});

test("a target at a private address that is not allowed is a dead letter, and nothing is sent", async () => {
  const outcome = await handler(delivery("inside", item), never);
  expect(outcome).toMatchObject({ kind: "dead", attempt: { error: { class: "address-refused" } } });
});

test("a stopping worker gives back what it has not sent yet, and has tried what it sent", async () => {
  const stop = new AbortController();
  const hanging = createHandler({
    ...handlerDeps,
    egress: {
      send: (request, signal) => {
        stop.abort();
        return egress.send(request, signal);
      },
    },
  });
  sandbox.control("shop", { mode: "hang" });
  expect(await hanging(delivery("shop", item), stop.signal)).toMatchObject({
    kind: "retry",
    isTargetFault: false,
    retryAfterMs: 0,
    attempt: { request: { method: "POST" }, response: null, error: { class: "aborted" } },
  });
  expect(await hanging(delivery("shop", item), stop.signal)).toEqual({ kind: "released" });
});

test("a message that takes several requests takes as many of the target's rate, and waits for each", async () => {
  const reserved: { pointId: number; sentBefore: number }[] = [];
  const paced = createHandler({
    ...handlerDeps,
    egress: {
      send: (request, signal) => {
        sent += 1;
        return egress.send(request, signal);
      },
    },
    reserveRequest: async ({ id }) => {
      reserved.push({ pointId: id, sentBefore: sent });
      return 1;
    },
  });
  let sent = 0;
  expect(await paced(delivery("paced", item), never)).toMatchObject({ kind: "delivered" });
  // Is it there? No: then it is made. The engine counts the first request itself.
  expect(sent).toBe(2);
  expect(reserved).toEqual([{ pointId: tenant.points["paced"]?.id, sentBefore: 1 }]);
});

test("a delivery that finds the database away, whatever it asks of it, goes on when it is back", async () => {
  const failed = new Set<string>();
  const awayOnce =
    <Asked extends unknown[], Answer>(name: string, ask: (...asked: Asked) => Promise<Answer>) =>
    async (...asked: Asked): Promise<Answer> => {
      if (failed.has(name)) return ask(...asked);
      failed.add(name);
      throw Object.assign(new Error("the database system is starting up"), { code: "57P03" });
    };
  const shaken = createHandler({
    ...handlerDeps,
    directory: { ...directory, of: awayOnce("of", directory.of) },
    findExternalItem: awayOnce("findExternalItem", handlerDeps.findExternalItem),
    findOtherKey: awayOnce("findOtherKey", handlerDeps.findOtherKey),
    storeDelivery: awayOnce("storeDelivery", handlerDeps.storeDelivery),
    reserveRequest: awayOnce("reserveRequest", handlerDeps.reserveRequest),
  });
  const customer = delivery("shopify", { email: "a@example.com", customerNumber: "17" }, { entityType: "customer", key: "17" });
  await handler(customer, never);
  await owner.query("delete from hub.external_item where tenant_id = $1", [tenant.tenantId]);
  // The customer is found there, and so asked for here; the item takes two requests of its target's rate.
  const outcomes = await Promise.all([shaken(customer, never), shaken(delivery("paced", item), never)]);
  expect(outcomes.map(({ kind }) => kind)).toEqual(["delivered", "delivered"]);
  expect([...failed].toSorted()).toEqual(["findExternalItem", "findOtherKey", "of", "reserveRequest", "storeDelivery"]);
  expect(await externalItems()).toHaveLength(2);
});

test("credentials that cannot be opened leave their own messages to other workers, and hold up no others", async () => {
  const before = await directory.of(tenant.tenantId);
  await owner.query("update hub.integration_point set credentials = '\\x00' where tenant_id = $1 and code = 'keyed'", [tenant.tenantId]);
  await expect.poll(async () => (await directory.of(tenant.tenantId)) !== before).toBe(true);
  expect(await handler(delivery("keyed", item), never)).toEqual({ kind: "released", restMs: 10_000 });
  expect(await handler(delivery("shop", item), never)).toMatchObject({ kind: "delivered" });
});

test("the log tells once a minute of credentials that cannot be opened, however many messages wait for them", async () => {
  await owner.query("update hub.integration_point set credentials = '\\x00' where tenant_id = $1 and code = 'keyed'", [tenant.tenantId]);
  const lines: unknown[] = [];
  const logger = createLogger("info", { write: (line) => lines.push(JSON.parse(line)) });
  const told = createDirectory(deps.pools.worker, { ...deps, logger });
  try {
    await told.ready;
    const handle = createHandler({ ...handlerDeps, directory: told, logger });
    for (const key of ["1", "2", "3"]) {
      await told.fresh(tenant.tenantId);
      await handle(delivery("keyed", item, { key }), never);
    }
    const point = { tenantId: tenant.tenantId, integrationPointIds: [tenant.points["keyed"]?.id] };
    expect(lines).toEqual([expect.objectContaining({ ...point, msg: expect.stringContaining("credentials cannot be opened") })]);
  } finally {
    await told.close();
  }
});

test("whatever of its way is switched off while a message is in hand, it goes back untried", async () => {
  const known = await directory.of(tenant.tenantId);
  const point = known.points.get(tenant.points["shop"]?.id ?? 0);
  const subtenant = known.subtenants.get(tenant.subtenantId);
  if (!point || !subtenant) throw new Error("the tenant is not as it was made");
  const withPoint = (change: Partial<typeof point>) => ({ points: new Map([[point.id, { ...point, ...change }]]) });
  const withSubtenant = (change: Partial<typeof subtenant>) => ({ subtenants: new Map([[subtenant.id, { ...subtenant, ...change }]]) });
  const outcomeOf = (change: Partial<typeof known>) =>
    createHandler({ ...handlerDeps, directory: { ...directory, of: async () => ({ ...known, ...change }) } })(
      delivery("shop", item),
      never,
    );
  for (const change of [
    { isActive: false },
    withPoint({ isActive: false }),
    withPoint({ targetTypes: [] }),
    withPoint({ deliveryMode: "pull" }),
    withSubtenant({ isActive: false }),
    withSubtenant({ isOutgoingPaused: true }),
    { subtenants: new Map() },
    { points: new Map() },
  ])
    expect(await outcomeOf(change)).toEqual({ kind: "released", delayMs: 5_000 });
  expect(sandbox.counts("shop").received).toBe(0);
  expect(await outcomeOf({})).toMatchObject({ kind: "delivered" });
});
