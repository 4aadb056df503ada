import { routes } from "@crossdock/contract";
import { fillSearch } from "@crossdock/queue";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { testApp, type TestApp } from "../testing/test-app.ts";

/** An order with a person in it comes in, fails at a worker that repeats what it was told, and is looked at in every way there is. */

let made: TestApp;
let orderId: string;
let receivedId: string;
let delivered: string;

const secrets = ["eva.berg@example.com", "Eva Berg", "Storgatan 1", "+46 70 123 45 67"];
const order = {
  orderNumber: "SO-1",
  orderedAt: "2026-11-02T08:30:00+01:00",
  currency: "SEK",
  customer: { customerNumber: "4711", email: secrets[0], phone: secrets[3], name: secrets[1] },
  shippingAddress: { name: secrets[1], street: [secrets[2]], country: "SE" },
  lines: [{ lineNumber: "1", sku: "85123A", description: "Lamp", quantity: "2", unitPrice: { amount: "10.50", currency: "SEK" } }],
};
const tenant = "/api/v1/tenants/acme";

beforeAll(async () => {
  made = await testApp();
  const point = {
    subtenantCode: "shop",
    connector: "centra",
    name: "Point",
    settings: { url: "https://shop.example" },
  };
  await made.call("admin", "POST", `${tenant}/integration-points`, { ...point, code: "shop", sourceTypes: ["order"] });
  await made.call("admin", "POST", `${tenant}/integration-points`, {
    ...point,
    connector: "sitoo",
    code: "till",
    targetTypes: ["order"],
    deliveryMode: "pull",
  });
  const pushed = await made.call("user", "POST", "/centra/v1/orders?tenant=acme&subtenant=shop", order);
  receivedId = pushed.json<{ externalMessageId: string }>().externalMessageId;
  const leased = (await made.call("user", "GET", "/sitoo/orders/next?tenant=acme&subtenant=shop")).json<{
    id: string;
    leaseToken: string;
    document: unknown;
  }>();
  delivered = JSON.stringify(leased.document);
  orderId = leased.id;
  await made.call("user", "POST", `/sitoo/orders/${orderId}/nack?tenant=acme&subtenant=shop`, {
    leaseToken: leased.leaseToken,
    isRetryable: false,
    reason: `no customer ${secrets[1]} <${secrets[0]}> at ${secrets[2]}`,
  });
});
afterAll(() => made.close());

const reading = [
  () => `${tenant}/messages/${orderId}`,
  () => `${tenant}/messages/${orderId}/attempts`,
  () => `${tenant}/messages/${orderId}/object-trace`,
  () => `${tenant}/messages`,
  () => `${tenant}/dead-letters`,
  () => `${tenant}/dead-letters/${orderId}`,
  () => `${tenant}/dead-letter-groups`,
  () => `${tenant}/external-messages`,
  () => `${tenant}/external-messages/${receivedId}`,
  () => `${tenant}/entity?entityType=order&subtenant=shop&key=SO-1`,
  () => `${tenant}/entity-version?entityType=order&subtenant=shop&key=SO-1&version=1`,
];

test("who delivers gets what is to be delivered", () => {
  for (const secret of secrets) expect(delivered).toContain(secret);
});

test("no reader is shown what tells a person apart, not even an admin", async () => {
  for (const path of reading) {
    const answer = await made.call("admin", "GET", path());
    expect([path(), answer.statusCode]).toEqual([path(), 200]);
    for (const secret of secrets) expect(answer.body).not.toContain(secret);
    // What is not personal is there.
    expect(answer.body).toMatch(/SO-1|•••/);
  }
  const shown = await made.call("admin", "GET", `${tenant}/messages/${orderId}`);
  const document = JSON.parse(shown.json<{ document: string }>().document);
  expect(document.customer).toEqual({
    customerNumber: "4711",
    email: expect.stringMatching(/^••• /),
    phone: expect.stringMatching(/^••• /),
    name: expect.stringMatching(/^••• /),
  });
  expect(document.shippingAddress.country).toBe("SE");
  expect(shown.json<{ error: string }>().error).toBe("no customer ••• <•••> at •••");
});

test("nor what a target was told of the person, and repeats under other names", async () => {
  const headers = { location: `/customers/${secrets[0]}`, "x-customer": secrets[1] };
  const told = (text: string) => ({ headers, body: JSON.stringify({ login: secrets[0], text: `${secrets[1]}, ${text}` }) });
  const request = { ...told("new"), method: "POST", url: `https://shop.example/customers/${encodeURIComponent(secrets[0] ?? "")}` };
  const response = { ...told(`lives at ${secrets[2]}`), status: 422 };
  const owner = made.pool("owner", 1);
  await owner.query("update queue.attempt set exchange = $2 where id = $1", [orderId, JSON.stringify({ request, response })]);
  const sql = `insert into hub.debug_exchange (tenant_id, message_id, attempt, exchanges) select tenant_id, id, number, $2 from queue.attempt where id = $1`;
  await owner.query(sql, [orderId, JSON.stringify([{ request, response }])]);
  const { body } = await made.call("admin", "GET", `${tenant}/messages/${orderId}/attempts`);
  expect(body).toContain("lives at •••");
  for (const secret of secrets) expect(decodeURIComponent(body)).not.toContain(secret);
});

test("nor what the toolbox would hand in, nor what it fetches", async () => {
  const tools = `${tenant}/toolbox-runs`;
  const points = (await made.call("admin", "GET", `${tenant}/integration-points`)).json<{ items: { id: number; code: string }[] }>().items;
  const integrationPointId = points.find(({ code }) => code === "shop")?.id;
  const payload = JSON.stringify({ ...order, orderNumber: "SO-2" });
  const handIn = { integrationPointId, entityType: "order", payload };
  const validated = await made.call("user", "POST", tools, { operation: "validate", ...handIn });
  expect((await made.call("user", "POST", tools, { operation: "publish-test", ...handIn, isDryRun: false })).statusCode).toBe(201);
  const { queueId } = (await made.call("user", "GET", `${tenant}/messages/${orderId}`)).json<{ queueId: number }>();
  const fetched = await made.call("user", "POST", tools, { operation: "fetch-next", queueId });
  for (const { body } of [validated, fetched]) {
    expect(body).toContain("SO-2");
    for (const secret of secrets) expect(body).not.toContain(secret);
  }
  const next = (await made.call("user", "GET", "/sitoo/orders/next?tenant=acme&subtenant=shop")).json<{ id: string; leaseToken: string }>();
  await made.call("user", "POST", `/sitoo/orders/${next.id}/ack?tenant=acme&subtenant=shop`, { leaseToken: next.leaseToken });
});

test("why something is refused tells no more", async () => {
  const wrong = { ...order, orderNumber: "SO-3", [secrets[0] ?? ""]: "in the wrong place" };
  const answer = await made.call("user", "POST", "/centra/v1/orders?tenant=acme&subtenant=shop", wrong);
  expect(answer.json()).toMatchObject({ status: 422, errors: [{ message: 'Unrecognized key: "•••"' }] });
  expect(answer.body).not.toContain(secrets[0]);
  const path = `${tenant}/external-messages/${/external message (\d+)/.exec(answer.body)?.[1]}`;
  const { [secrets[0] ?? ""]: _, ...corrected } = JSON.parse((await made.call("user", "GET", path)).json<{ body: string }>().body);
  expect(corrected.customer.email).toMatch(/^••• /);
  expect((await made.call("user", "POST", `${path}/replay`, { body: JSON.stringify(corrected) })).statusCode).toBeLessThan(300);
  const sent = (await made.call("user", "GET", "/sitoo/orders/next?tenant=acme&subtenant=shop")).json<{ document: typeof order }>();
  expect(sent.document).toMatchObject({ orderNumber: "SO-3", customer: order.customer });
  await made.call("user", "POST", `${tenant}/external-messages/remove`, { ids: [path.split("/").at(-1)] });
});

const reveal = (account: "admin" | "user" | "viewer", pointer: string, reason?: string) =>
  made.call(account, "POST", `${tenant}/reveals`, { source: { kind: "message", messageId: orderId }, pointer, ...(reason && { reason }) });

test("who may reveal gives a reason, gets one value, and stands in the audit log; the value does not", async () => {
  expect((await reveal("viewer", "/customer/email", "curious")).statusCode).toBe(403);
  expect((await reveal("user", "/customer/email")).statusCode).toBe(400);
  const revealed = await reveal("user", "/customer/email", "The customer called");
  expect(revealed.json()).toEqual({ value: secrets[0] });
  const { items } = (await made.call("admin", "GET", "/api/v1/audit-events?action=revealValue&outcome=done")).json<{ items: object[] }>();
  expect(items).toMatchObject([
    { actorName: "Uli", reason: "The customer called", targetKind: "message", targetId: orderId, after: { pointer: "/customer/email" } },
  ]);
  expect(JSON.stringify(items)).not.toContain(secrets[0]);
  expect((await reveal("user", "/customer/nothing", "The customer called")).statusCode).toBe(404);
});

test("an edited document keeps the values that were left masked, and opens none that was moved", async () => {
  const shown = (await made.call("user", "GET", `${tenant}/messages/${orderId}`)).json<{ document: string }>();
  const document = JSON.parse(shown.document);
  const moved = { ...document, note: document.customer.email };
  const refused = await made.call("user", "POST", `${tenant}/messages/${orderId}/replacement-check`, { document: JSON.stringify(moved) });
  expect(refused.json()).toMatchObject({ errors: [{ path: "note" }] });
  const edited = { ...document, note: "leave at the door", customer: { ...document.customer, phone: "+46 70 999 99 99" } };
  const replaced = await made.call("user", "POST", `${tenant}/messages/${orderId}/replacement`, {
    document: JSON.stringify(edited),
    reason: "phone",
  });
  expect(replaced.statusCode).toBe(201);
  const sent = (await made.call("user", "GET", "/sitoo/orders/next?tenant=acme&subtenant=shop")).json<{ document: typeof order }>();
  expect(sent.document).toMatchObject({
    note: "leave at the door",
    customer: { ...order.customer, phone: "+46 70 999 99 99" },
    shippingAddress: { street: [secrets[2]] },
  });
});

test("a search tells nobody of what is masked for them", async () => {
  while ((await fillSearch(made.deps.pools.worker, 1000)) > 0);
  const count = async (account: "user" | "viewer", query: string) => {
    const answer = await made.call(account, "GET", `${tenant}/message-count?${query}`);
    return answer.statusCode === 200 ? answer.json<{ count: number }>().count : answer.statusCode;
  };
  const filter = `payload=${encodeURIComponent('$.customer.email = "eva.berg@example.com"')}`;
  expect(await count("user", filter)).toBeGreaterThan(0);
  expect(await count("viewer", filter)).toBe(403);
  expect(await count("viewer", `payload=${encodeURIComponent('$.lines[*].sku = "85123A"')}`)).toBeGreaterThan(0);
  expect(await count("user", "search=eva.berg")).toBeGreaterThan(0);
  expect(await count("viewer", "search=eva.berg")).toBe(0);
  expect(await count("viewer", "search=SO-1")).toBeGreaterThan(0);
  for (const [account, isTold] of [
    ["viewer", false],
    ["user", true],
  ] as const) {
    const counted = await made.call(account, "GET", `${tenant}/external-message-count?search=eva.berg`);
    expect(counted.json<{ count: number }>().count > 0).toBe(isTold);
    const scanned = await made.call(account, "GET", `${tenant}/external-message-scan?search=eva.berg`);
    expect(scanned.body.includes(receivedId)).toBe(isTold);
  }
  for (const path of [`${tenant}/messages?search=eva.berg`, `${tenant}/external-messages?search=eva.berg`]) {
    expect((await made.call("viewer", "GET", path)).json<{ items: unknown[] }>().items).toEqual([]);
    expect((await made.call("user", "GET", path)).json<{ items: unknown[] }>().items).not.toEqual([]);
  }
});

test("nor does a payload filter tell of what is masked in a text that is a document itself", async () => {
  const note = ` "{\\"email\\":\\"hidden@example.com\\"}"`;
  const wrapping = { ...order, orderNumber: "SO-9", note };
  expect((await made.call("user", "POST", "/centra/v1/orders?tenant=acme&subtenant=shop", wrapping)).statusCode).toBe(202);
  while ((await fillSearch(made.deps.pools.worker, 1000)) > 0);
  const found = async (account: "user" | "viewer", list: string, filter: string) => {
    const answer = await made.call(account, "GET", `${tenant}/${list}payload=${encodeURIComponent(filter)}`);
    return answer.json<{ items: unknown[] }>().items.length;
  };
  for (const list of ["messages?", "external-messages?", "entities?entityType=order&subtenant=shop&"]) {
    for (const filter of ['$.note contains "hidden"', '$.note < "!"']) {
      expect([list, filter, await found("user", list, filter)]).toEqual([list, filter, 1]);
      expect([list, filter, await found("viewer", list, filter)]).toEqual([list, filter, 0]);
    }
    expect([list, await found("viewer", list, '$.orderNumber = "SO-9"')]).toEqual([list, 1]);
  }
  const next = (await made.call("user", "GET", "/sitoo/orders/next?tenant=acme&subtenant=shop")).json<{ id: string; leaseToken: string }>();
  await made.call("user", "POST", `/sitoo/orders/${next.id}/ack?tenant=acme&subtenant=shop`, { leaseToken: next.leaseToken });
});

const filtered = Object.values(routes).filter(
  ({ method, query }: { method: string; query?: unknown }) => method === "GET" && query instanceof z.ZodObject && "payload" in query.shape,
);

test("no list, count, scan, group or export takes a filter by what is masked from those who may not reveal", async () => {
  expect(filtered.length).toBeGreaterThan(15);
  for (const { path } of filtered) {
    const asked = async (filter: string) =>
      (
        await made.call(
          "viewer",
          "GET",
          `${path.replace(":tenantCode", "acme")}?entityType=order&subtenant=shop&payload=${encodeURIComponent(filter)}`,
        )
      ).statusCode;
    expect([path, await asked(`$.customer.email = "${secrets[0]}"`), await asked('$.sku = "A"')]).toEqual([path, 403, 200]);
  }
});

test("nor does any bulk operation", async () => {
  const created = await made.call("admin", "POST", `${tenant}/api-keys`, { name: "bulk", scopes: ["read", "operate"] });
  const { key } = created.json<{ key: string }>();
  const filter = { payload: `$.customer.email = "nobody@example.com"` };
  for (const [path, body] of [
    ["jobs", { kind: "remove", selection: { filter: { ...filter, state: ["dead"] } } }],
    ["external-jobs", { subject: "external-messages", kind: "remove", selection: { filter } }],
    ["external-jobs", { subject: "external-items", kind: "remove", selection: { filter } }],
    ["external-messages/remove", { filter }],
    ["external-items/remove", { filter }],
  ] as const) {
    const url = `${tenant}/${path}`;
    expect([path, (await made.app.inject({ method: "POST", url, headers: { "x-api-key": key }, payload: body })).statusCode]).toEqual([
      path,
      403,
    ]);
    expect([path, (await made.call("user", "POST", url, body)).statusCode < 300]).toEqual([path, true]);
  }
});

test("nor does a patch, by what it would change", async () => {
  const { key } = (await made.call("admin", "POST", `${tenant}/api-keys`, { name: "operator", scopes: ["read", "operate"] })).json<{
    key: string;
  }>();
  const make = async (patch: object, headers: Record<string, string>): Promise<number> => {
    const payload = { kind: "patch", selection: { filter: { state: ["dead"] } }, patch };
    return (await made.app.inject({ method: "POST", url: `${tenant}/jobs`, headers, payload })).statusCode;
  };
  const guess = { kind: "mapping", path: "$.customer.email", from: secrets[0], to: "x@example.com" };
  const merged = { kind: "merge", merge: { lines: [], shippingAddress: { street: [secrets[2]] } } };
  for (const patch of [guess, merged]) {
    expect(await make(patch, { "x-api-key": key })).toBe(403);
    expect(await make(patch, { authorization: `Bearer ${made.accounts.user}` })).toBe(201);
  }
  expect(await make({ ...guess, path: "$.lines[*].sku" }, { "x-api-key": key })).toBe(201);
});

test.each([
  ["broken off", Buffer.from(JSON.stringify(order).slice(0, -3)), "utf8"],
  ["in another encoding", Buffer.from(JSON.stringify({ ...order, note: "på väg" }), "latin1"), "base64"],
] as const)("a body that was rejected because it is %s shows no more than one that was taken", async (_, body, encoding) => {
  const url = "/centra/v1/orders?tenant=acme&subtenant=shop";
  const headers = { authorization: `Bearer ${made.accounts.user}`, "content-type": "application/json" };
  expect((await made.app.inject({ method: "POST", url, headers, payload: body })).statusCode).toBe(400);
  const list = `${tenant}/external-messages?state=rejected&limit=1`;
  const [kept] = (await made.call("viewer", "GET", list)).json<{ items: { id: string }[] }>().items;
  const shown = (await made.call("viewer", "GET", `${tenant}/external-messages/${kept?.id}`)).json<{ body: string }>();
  const exported = await made.call("viewer", "GET", `${tenant}/external-messages/export?state=rejected&documents=true&format=ndjson`);
  const texts = [
    shown.body,
    ...exported.body
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { document: string }).document),
  ];
  for (const text of texts.map((each) => Buffer.from(each, encoding).toString("utf8"))) {
    expect(text).toContain("••• ");
    for (const secret of secrets) expect(text).not.toContain(secret);
  }
  const source = { kind: "external-message", externalMessageId: kept?.id };
  const revealed = await made.call("user", "POST", `${tenant}/reveals`, { source, pointer: "", reason: "The shop asked" });
  expect(Buffer.from(revealed.json<{ value: string }>().value, encoding)).toEqual(body);
  await made.call("user", "POST", `${tenant}/external-messages/remove`, { ids: [kept?.id] });
});

test("a tenant's admin says what is masked, from the next look on", async () => {
  const path = `${tenant}/masking-rules`;
  const known = await made.call("viewer", "GET", path);
  expect(known.json()).toMatchObject({ isDefault: true, version: 0 });
  expect((await made.call("user", "PUT", path, { fields: [] })).statusCode).toBe(403);
  expect((await made.call("admin", "PUT", path, { fields: ["$.lines[*"] })).statusCode).toBe(400);
  const written = await made.call("admin", "PUT", path, { fields: ["$.lines[*].description", "phone"] }, { "if-match": '"0"' });
  expect(written.json()).toMatchObject({ isDefault: false, version: 1 });
  expect((await made.call("admin", "PUT", path, { fields: [] }, { "if-match": '"0"' })).statusCode).toBe(412);
  const shown = (await made.call("viewer", "GET", `${tenant}/messages/${orderId}`)).json<{ document: string }>();
  expect(JSON.parse(shown.document)).toMatchObject({
    customer: { email: secrets[0], phone: expect.stringMatching(/^•••/) },
    lines: [{ description: expect.stringMatching(/^•••/) }],
  });
});

test("the rules are changed while a long change of something else of the tenant is under way", async () => {
  const path = `${tenant}/masking-rules`;
  const { version } = (await made.call("admin", "GET", path)).json<{ version: number }>();
  const other = await made.pool("owner", 1).connect();
  try {
    // What is written with a reference to the tenant, as an audit event, holds its row so.
    await other.query("begin; select from hub.tenant where code = 'acme' for key share");
    const answer = await made.call("admin", "PUT", path, { fields: ["phone"] }, { "if-match": `"${version}"` });
    expect(answer.statusCode).toBe(200);
  } finally {
    await other.query("rollback");
    other.release();
  }
});
