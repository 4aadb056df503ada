import { missingListedMax, type Impact, type MissingMappings } from "@crossdock/contract";
import { claim, publish, settle } from "@crossdock/queue";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inTenant } from "../db.ts";
import { readDeadMessages, readLastMessages } from "../impact/messages.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";

const tenantId = 1001;
let made: TestApp;
let ids: Record<string, string>;
beforeAll(async () => {
  made = await testApp();
  await made.call("admin", "POST", "/api/v1/tenants/acme/subtenants", { code: "outlet", name: "Outlet" });
  await createTarget("shop", "shop");
  await createTarget("outlet", "outlet");
  await map("Red", "R");
  ids = {
    navyAtShop: await block("shop", "a", [{ name: "Color", value: "Navy" }]),
    navyAtOutlet: await block("outlet", "b", [{ name: "Color", value: "Navy" }]),
    navyAndTeal: await block("shop", "c", [
      { name: "Color", value: "Navy" },
      { name: "Color", value: "Teal" },
    ]),
    red: await block("shop", "d", [{ name: "Color", value: "Red" }]),
  };
  // So far outside workers took the messages, as those can fail at will; from now on the connector delivers.
  const owner = made.pool("owner", 1);
  await owner.query("update hub.integration_point set delivery_mode = 'push'");
});
afterAll(() => made.close());

const path = "/api/v1/tenants/acme";
const color = (sourceValue: string, targetValue: string) => ({
  fieldName: "Color",
  source: "litium",
  sourceValue,
  target: "centra",
  targetValue,
});
const map = (sourceValue: string, targetValue: string) => made.call("user", "POST", `${path}/mappings`, color(sourceValue, targetValue));

async function createTarget(subtenantCode: string, code: string): Promise<void> {
  const created = await made.call("admin", "POST", `${path}/integration-points`, {
    subtenantCode,
    connector: "centra",
    code,
    name: code,
    deliveryMode: "pull",
    targetTypes: ["item"],
    settings: { url: `https://${code}.example`, auth: "bearer" },
    credentials: { token: "a-secret-token" },
  });
  expect(created.statusCode).toBe(201);
}

/** A dead letter for want of a mapping. */
function block(target: string, sku: string, options: { name: string; value: string }[]): Promise<string> {
  return inTenant(made.deps.pools.app, tenantId, async (client) => {
    const { rows } = await client.query<{ queueId: number; subtenantId: number }>(
      `select queue.id as "queueId", point.subtenant_id as "subtenantId" from queue.queue
       join hub.integration_point point on point.tenant_id = queue.tenant_id and point.id = queue.target_id where point.code = $1`,
      [target],
    );
    const { queueId = 0, subtenantId = 0 } = rows[0] ?? {};
    const document = JSON.stringify({ schemaVersion: 1, sku, name: sku, options });
    const message = { tenantId, queueId, subtenantId, entityType: "item", key: sku, document, headers: { source: "litium" } };
    const [id = ""] = await publish(client, [message]);
    const error = { class: "mapping-missing", message: "mapping missing" };
    for (const { leaseToken } of await claim(client, { tenantId, queueId, max: 1, leaseSeconds: 60 })) {
      await settle(client, { tenantId, leaseToken, outcome: { kind: "dead", attempt: { durationMs: 1, error } } });
    }
    return id;
  });
}

test("missing mappings are told by value with the messages and subtenants they block, and what lacks nothing any more apart", async () => {
  const missing = (await made.call("viewer", "GET", `${path}/missing-mappings`)).json();
  expect(missing).toEqual({
    items: [
      {
        fieldName: "Color",
        value: "Navy",
        isMasked: false,
        source: "litium",
        target: "centra",
        messages: 3,
        subtenants: [
          { code: "shop", messages: 2 },
          { code: "outlet", messages: 1 },
        ],
        suggestion: null,
      },
      {
        fieldName: "Color",
        value: "Teal",
        isMasked: false,
        source: "litium",
        target: "centra",
        messages: 1,
        subtenants: [{ code: "shop", messages: 1 }],
        suggestion: null,
      },
    ],
    total: 2,
    examined: 4,
    isComplete: true,
    readyIds: [ids["red"]],
  });
});

test("a check names exactly the messages that new mappings set free and shows how they would go out, without secrets", async () => {
  const answer = await made.call("user", "POST", `${path}/missing-mappings/check`, { mappings: [color("Navy", "N")] });
  expect(answer.json()).toMatchObject({
    freedIds: [ids["navyAtOutlet"], ids["navyAtShop"]],
    stillBlocked: 1,
    samples: [
      {
        key: "b",
        effect: "repaired",
        errorBefore: "mapping missing: options.Color 'Navy'",
        after: { method: "POST", url: "https://outlet.example/item" },
      },
      { key: "a", subtenantCode: "shop" },
    ],
  });
  expect(answer.body).toContain('\\"value\\":\\"N\\"');
  expect(answer.body).not.toContain("a-secret-token");
  const both = await made.call("user", "POST", `${path}/missing-mappings/check`, { mappings: [color("*", "Other")] });
  expect(both.json()).toMatchObject({ freedIds: [ids["navyAndTeal"], ids["navyAtOutlet"], ids["navyAtShop"]], stillBlocked: 0 });
  expect((await made.call("viewer", "POST", `${path}/missing-mappings/check`, { mappings: [color("Navy", "N")] })).statusCode).toBe(403);
});

test("a preview tells what a draft changes, breaks and repairs among the last messages, and saves nothing", async () => {
  const [red] = (await made.call("viewer", "GET", `${path}/mappings`)).json().items;
  const preview = (draft: object) => made.call("user", "POST", `${path}/mappings/preview`, { draft });
  expect((await preview({ upsert: [{ ...color("Red", "Rouge"), id: red.id }] })).json()).toMatchObject({
    examined: 4,
    same: 3,
    changed: 1,
    samples: [{ messageId: ids["red"], effect: "changed" }],
  });
  expect((await preview({ upsert: [color("Navy", "N")] })).json()).toMatchObject({ examined: 4, same: 1, repaired: 2, changed: 1 });
  // With the field's last mapping gone its values go out as they are.
  expect((await preview({ removeIds: [red.id] })).json()).toMatchObject({ examined: 4, repaired: 3, changed: 1, broken: 0 });
  expect((await preview({ upsert: [{ ...color("Green", "G"), fieldName: "sku" }] })).json()).toMatchObject({ broken: 1, changed: 3 });
  expect((await made.call("viewer", "GET", `${path}/mappings`)).json().items).toEqual([red]);
});

test("a preview tells what outside workers would be handed, too", async () => {
  await createTarget("shop", "pulled");
  const id = await block("pulled", "p", [{ name: "Color", value: "Red" }]);
  const [red] = (await made.call("viewer", "GET", `${path}/mappings`)).json().items;
  const draft = { upsert: [{ ...color("Red", "Rouge"), id: red.id }] };
  const { samples } = (await made.call("user", "POST", `${path}/mappings/preview`, { draft })).json<Impact>();
  expect(samples.find(({ messageId }) => messageId === id)).toMatchObject({
    effect: "changed",
    before: { method: "GET", url: "/centra/v1/items/next", body: expect.stringContaining('"value":"R"') },
    after: { body: expect.stringContaining('"value":"Rouge"') },
  });
});

test("nobody finds out by mappings what is masked for them", async () => {
  const created = await made.call("admin", "POST", `${path}/api-keys`, { name: "operating", scopes: ["read", "operate"] });
  const headers = { "x-api-key": created.json<{ key: string }>().key };
  const asKey = (method: "GET" | "POST", url: string, payload?: object) =>
    made.app.inject({ method, url: `${path}/${url}`, headers, ...(payload && { payload }) });
  const etag = String((await made.call("admin", "GET", `${path}/masking-rules`)).headers["etag"]);
  const rules = { fields: ["$.options[*].value"] };
  expect((await made.call("admin", "PUT", `${path}/masking-rules`, rules, { "if-match": etag })).statusCode).toBe(200);

  const masked = (await asKey("GET", "missing-mappings")).json<{ items: object[] }>();
  expect(masked.items[0]).toMatchObject({ fieldName: "Color", value: expect.stringMatching(/^••• /), isMasked: true, messages: 3 });
  expect(JSON.stringify(masked)).not.toMatch(/Navy|Teal/);
  const open = (await made.call("user", "GET", `${path}/missing-mappings`)).json<{ items: object[] }>();
  expect(open.items[0]).toMatchObject({ value: "Navy", isMasked: false, messages: 3 });

  const [red] = (await made.call("viewer", "GET", `${path}/mappings`)).json().items;
  const refused = { code: "permission-missing", reason: "field-masked" };
  const drafts = [
    { upsert: [color("N*", "N")] },
    { upsert: [{ ...color("N*", "N"), fieldName: "options.Color" }] },
    { removeIds: [red.id] },
  ];
  for (const draft of drafts) {
    expect((await asKey("POST", "mappings/preview", { draft })).json()).toMatchObject(refused);
    expect((await made.call("user", "POST", `${path}/mappings/preview`, { draft })).statusCode).toBe(200);
  }
  expect((await asKey("POST", "missing-mappings/check", { mappings: [color("N*", "N")] })).json()).toMatchObject(refused);
  const sku = { ...color("a", "A"), fieldName: "sku" };
  expect((await asKey("POST", "mappings/preview", { draft: { upsert: [sku] } })).statusCode).toBe(200);

  // What a known value reads that is spelt alike is suggested to those who see the value.
  await map("NAVY ", "N");
  const told = (await made.call("user", "GET", `${path}/missing-mappings`)).json<MissingMappings>();
  expect(told.items[0]).toMatchObject({ value: "Navy", suggestion: { targetValue: "N", like: "NAVY " } });
  const hidden = (await asKey("GET", "missing-mappings")).json<MissingMappings>();
  expect(hidden.items[0]).toMatchObject({ isMasked: true, suggestion: null });
});

test("of very many missing values the most wanted are listed, and all are counted", async () => {
  const names = Array.from({ length: missingListedMax + 5 }, (_, index) => ({ name: "Color", value: `Colour ${index}` }));
  await block("shop", "e", names);
  await block("shop", "f", names.slice(-1));
  const missing = (await made.call("user", "GET", `${path}/missing-mappings`)).json<MissingMappings>();
  expect(missing.items.length).toBe(missingListedMax);
  expect(missing.total).toBeGreaterThanOrEqual(names.length);
  expect(missing.items.find(({ value }) => value === names.at(-1)?.value)).toMatchObject({ messages: 2 });
});

test("of large messages few are read at a time, and all of them are looked at", async () => {
  const before = (await made.call("user", "GET", `${path}/missing-mappings`)).json<MissingMappings>();
  const large = [{ name: "Color", value: "x".repeat(5_000_000) }];
  const largest = [await block("shop", "g", large), await block("shop", "h", large), await block("shop", "i", large)];
  const missing = (await made.call("user", "GET", `${path}/missing-mappings`)).json<MissingMappings>();
  expect(missing.examined).toBe(before.examined + largest.length);
  const newest = largest.toReversed().slice(0, 2);
  const { dead, last } = await inTenant(made.deps.pools.app, tenantId, async (client) => {
    const { rows } = await client.query<{ id: number }>("select id from hub.integration_point");
    return {
      dead: await readDeadMessages(client, tenantId, { errorClass: "mapping-missing", before: null, limit: 100 }),
      last: await readLastMessages(client, tenantId, { targetIds: rows.map(({ id }) => id), size: 100 }),
    };
  });
  for (const read of [dead, last]) expect(read.map(({ messageId }) => messageId)).toEqual(newest);
});
