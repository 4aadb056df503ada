import { createHmac, generateKeyPairSync, sign as signWithKey } from "node:crypto";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import type pg from "pg";
import { makeTenant, type TestTenant } from "../intake/testing.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";

const storeKeys = generateKeyPairSync("rsa", { modulusLength: 2048 });
const secret = Buffer.from("a webhook secret of 24 b").toString("base64");

let made: TestApp;
let url: string;
let owner: pg.Pool;
let tenant: TestTenant;

beforeAll(async () => {
  made = await testApp();
  url = await made.app.listen({ port: 0, host: "127.0.0.1" });
  owner = made.pool("owner", 1);
  tenant = await makeTenant(made.deps, made.ownerUrl, "hooked", [
    { connector: "delogue", code: "signed", sourceTypes: ["item"], credentials: { webhookSecret: secret } },
    { connector: "delogue", code: "unsigned", sourceTypes: ["item"] },
    { connector: "centra", code: "target", targetTypes: ["item"] },
    {
      connector: "centra",
      code: "centra",
      sourceTypes: ["order"],
      settings: { baseUrl: "https://shop.centra.com/graphql/integration" },
      credentials: { token: "t", webhookSecret: "endpoint secret" },
    },
    {
      connector: "bigcommerce",
      code: "bigcommerce",
      sourceTypes: ["item"],
      settings: { baseUrl: "https://api.bigcommerce.com/stores/abc" },
      credentials: { accessToken: "t", webhookSecret: "client secret" },
    },
    {
      connector: "litium",
      code: "litium",
      sourceTypes: ["order"],
      settings: { baseUrl: "https://shop.test" },
      credentials: { clientId: "c", clientSecret: "s", webhookSecret: "registered with" },
    },
    {
      connector: "magento",
      code: "magento",
      sourceTypes: ["item"],
      settings: { baseUrl: "https://shop.test" },
      credentials: { accessToken: "t", webhookSecret: storeKeys.publicKey.export({ type: "spki", format: "pem" }) },
    },
  ]);
});
afterAll(async () => {
  await made.close();
});

function sign(id: string, timestamp: number, body: string | Buffer, key = secret): string {
  return `v1,${createHmac("sha256", Buffer.from(key, "base64")).update(`${id}.${timestamp}.`).update(body).digest("base64")}`;
}

function post(code: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/hooks/${tenant.points[code]?.hookId}`, { method: "POST", body: new Uint8Array(Buffer.from(body)), headers });
}

function postSigned(id: string, body: string | Buffer, key = secret, age = 0): Promise<Response> {
  const timestamp = Math.floor(Date.now() / 1000) - age;
  return post("signed", body, {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": sign(id, timestamp, body, key),
  });
}

async function stored(externalMessageId: string): Promise<{ state: string; signature: string; body: Buffer }> {
  const { rows } = await owner.query("select state, signature, body from hub.external_message where tenant_id = $1 and id = $2", [
    tenant.tenantId,
    externalMessageId,
  ]);
  return rows[0];
}

const item = (sku: string, name = "å name") => JSON.stringify({ sku, name });

test("a signed webhook is answered after its message is committed, with its bytes as they came", async () => {
  const body = `  ${item("A")}\n`;
  const answer = await postSigned("w-1", body);
  expect(answer.status).toBe(202);
  const receipt = (await answer.json()) as { externalMessageId: string };
  expect(receipt).toMatchObject({ state: "accepted", isDuplicate: false });
  expect(await stored(receipt.externalMessageId)).toEqual({ state: "accepted", signature: "valid", body: Buffer.from(body) });
  const { rows } = await owner.query("select key from queue.message where tenant_id = $1 and origin_id = $2", [
    tenant.tenantId,
    receipt.externalMessageId,
  ]);
  expect(rows).toEqual([{ key: "A" }]);
});

test("the same webhook delivered twice at once is one message", async () => {
  const answers = await Promise.all([postSigned("w-2", item("B")), postSigned("w-2", item("B"))]);
  const receipts = (await Promise.all(answers.map((answer) => answer.json()))) as { externalMessageId: string; isDuplicate: boolean }[];
  expect(receipts.filter(({ isDuplicate }) => isDuplicate)).toHaveLength(1);
  expect(receipts[0]?.externalMessageId).toBe(receipts[1]?.externalMessageId);
});

test.each([
  [
    "signed with another secret",
    () => postSigned("w-3", item("C"), Buffer.from("another secret, 24 bytes").toString("base64")),
    "invalid",
    "signature-wrong",
  ],
  ["signed too long ago", () => postSigned("w-4", item("C"), secret, 3_600), "stale", "signature-time"],
  ["signed by a clock that is fast", () => postSigned("w-4", item("C"), secret, -3_600), "stale", "signature-time"],
  ["without a signature", () => post("signed", item("C")), "missing", "signature-missing"],
])("a webhook %s is refused by name, kept for the operator and not translated", async (_what, send, signature, reason) => {
  const answer = await send();
  expect(answer.status).toBe(401);
  const problem = (await answer.json()) as { code: string; detail: string };
  expect(problem).toMatchObject({ code: "signature-invalid", errors: [{ reason }] });
  const id = /external message (\d+)/.exec(problem.detail)?.[1] ?? "";
  expect(await stored(id)).toMatchObject({ state: "rejected", signature });
});

/** What each system sends of its own accord, and how it signs it. */
const systems: { code: string; body: string; contentType: string; state: string; signed: (body: string) => Record<string, string> }[] = [
  {
    code: "centra",
    body: `payload=${encodeURIComponent('{"products":["52"],"categories":["14","16"]}')}`,
    contentType: "application/x-www-form-urlencoded",
    state: "ignored",
    signed: (body) => {
      const time = Math.floor(Date.now() / 1000);
      const signature = createHmac("sha256", "endpoint secret").update(`${time}.${body}`).digest("hex");
      return { "x-centra-signature": `t=${time},v1=${signature}` };
    },
  },
  {
    code: "bigcommerce",
    body: '{"scope":"store/product/updated","store_id":"1","data":{"type":"product","id":7},"hash":"0f1b58"}',
    contentType: "application/json",
    state: "ignored",
    signed: (body) => {
      const time = Math.floor(Date.now() / 1000);
      const signature = createHmac("sha256", "client secret").update(`b-1.${time}.${body}`).digest("base64");
      return { "webhook-id": "b-1", "webhook-timestamp": String(time), "webhook-signature": `v1,${signature}` };
    },
  },
  {
    code: "litium",
    body: '{"action":"Litium.Connect.Erp.Events.OrderConfirmed","resource":{"systemId":"s-1"}}',
    contentType: "application/json",
    state: "ignored",
    signed: (body) => ({ "ms-signature": `sha256=${createHmac("sha256", "registered with").update(body).digest("hex").toUpperCase()}` }),
  },
  {
    code: "magento",
    body: '{"sku":"M-1","name":"Shirt"}',
    contentType: "application/json",
    state: "accepted",
    signed: (body) => ({
      "x-adobe-commerce-webhook-signature": signWithKey(
        "sha256",
        Buffer.from(Buffer.from(body).toString("base64")),
        storeKeys.privateKey,
      ).toString("base64"),
      "x-crossdock-entity-type": "item",
    }),
  },
];

test.each(systems)("what $code sends is taken with its own signature only", async ({ code, body, contentType, state, signed }) => {
  const headers = { "content-type": contentType };
  const answer = await post(code, body, { ...headers, ...signed(body) });
  expect(answer.status).toBe(202);
  const { externalMessageId, ...receipt } = (await answer.json()) as { externalMessageId: string; state: string };
  expect(receipt).toMatchObject({ state });
  expect(await stored(externalMessageId)).toMatchObject({ signature: "valid", body: Buffer.from(body) });
  const unsigned = await post(code, body, headers);
  expect(await unsigned.json()).toMatchObject({ status: 401, errors: [{ reason: "signature-missing" }] });
  const forged = await post(code, `${body} `, { ...headers, ...signed(body) });
  expect(await forged.json()).toMatchObject({ status: 401, errors: [{ reason: "signature-wrong" }] });
});

const ask = (code: string, query: string) => fetch(`${url}/hooks/${tenant.points[code]?.hookId}${query}`);

test("a system that asks whether webhooks may come is answered with its echo, and nobody with anything else", async () => {
  const answer = await ask("litium", "?echo=5d3f9a0b");
  expect([answer.status, answer.headers.get("content-type"), answer.headers.get("x-content-type-options")]).toEqual([
    200,
    "text/plain; charset=utf-8",
    "nosniff",
  ]);
  expect(await answer.text()).toBe("5d3f9a0b");
  for (const query of ["", "?echo=", "?echo=<b>a</b>", `?echo=${"a".repeat(101)}`, "?echo=a&echo=b"])
    expect((await ask("litium", query)).status).toBe(405);
  const other = await ask("centra", "?echo=5d3f9a0b");
  expect([other.status, other.headers.get("allow")]).toEqual([405, "POST"]);
  expect((await ask("nowhere", "?echo=5d3f9a0b")).status).toBe(404);
});

test("a packed webhook is refused as packed bodies are everywhere, and not kept", async () => {
  const answer = await post("signed", gzipSync(item("P")), { "content-encoding": "gzip", "content-type": "application/json" });
  expect(await answer.json()).toMatchObject({ status: 415, code: "media-type-unsupported" });
});

test("a refused webhook does not use up its id", async () => {
  expect((await postSigned("w-5", item("D"), Buffer.from("another secret, 24 bytes").toString("base64"))).status).toBe(401);
  expect(await (await postSigned("w-5", item("D"))).json()).toMatchObject({ state: "accepted", isDuplicate: false });
});

test("what cannot be translated is answered 202 and kept with its reasons; what is no JSON is the sender's fault", async () => {
  const untranslatable = await postSigned("w-6", '{"sku":7}');
  expect(untranslatable.status).toBe(202);
  expect(await untranslatable.json()).toMatchObject({ state: "rejected" });
  const malformed = await postSigned("w-7", '{"sku":');
  expect(malformed.status).toBe(400);
  expect(await malformed.json()).toMatchObject({ code: "bad-json" });
});

test("an integration point without a secret takes unsigned webhooks and says so", async () => {
  const answer = await post("unsigned", item("E"));
  expect(answer.status).toBe(202);
  const { externalMessageId } = (await answer.json()) as { externalMessageId: string };
  expect(await stored(externalMessageId)).toMatchObject({ signature: "none-configured" });
});

test("while its secret cannot be opened nothing is taken: senders are told to come back", async () => {
  const ofPoint = "hub.integration_point where tenant_id = $1 and code = 'signed'";
  const [sealed] = (await owner.query(`select credentials from ${ofPoint}`, [tenant.tenantId])).rows;
  const setSql = "update hub.integration_point set credentials = $2 where tenant_id = $1 and code = 'signed'";
  await owner.query(setSql, [tenant.tenantId, Buffer.from([0])]);
  await expect.poll(async () => (await post("signed", item("H"))).status).toBe(503);
  const countSql = "select count(*)::int as count from hub.external_message where tenant_id = $1";
  const before = (await owner.query(countSql, [tenant.tenantId])).rows;
  expect((await post("signed", item("H"))).headers.get("retry-after")).toBe("300");
  expect((await owner.query(countSql, [tenant.tenantId])).rows).toEqual(before);
  await owner.query(setSql, [tenant.tenantId, sealed.credentials]);
  await expect.poll(async () => (await postSigned("w-9", item("H"))).status).toBe(202);
});

test("a hook that nobody gave out, of a target, or of a switched-off integration point is not there", async () => {
  expect((await fetch(`${url}/hooks/00000000-0000-4000-8000-000000000000`, { method: "POST", body: "{}" })).status).toBe(404);
  expect((await fetch(`${url}/hooks/not-a-uuid`, { method: "POST", body: "{}" })).status).toBe(404);
  expect((await post("target", item("F"))).status).toBe(404);
  await owner.query("update hub.integration_point set is_active = false where tenant_id = $1 and code = 'unsigned'", [tenant.tenantId]);
  await expect.poll(async () => (await post("unsigned", item("F"))).status).toBe(404);
});

test("nothing comes in by the hooks of a subtenant that is switched off", async () => {
  const sql = "update hub.subtenant set is_active = $2 where tenant_id = $1";
  await owner.query(sql, [tenant.tenantId, false]);
  await expect.poll(async () => (await postSigned("w-9", item("H"))).status).toBe(404);
  await owner.query(sql, [tenant.tenantId, true]);
  await expect.poll(async () => (await postSigned("w-9", item("H"))).status).toBe(202);
});

test("while intake is paused senders are told to come back", async () => {
  await owner.query("update hub.subtenant set incoming_paused = true where tenant_id = $1", [tenant.tenantId]);
  await expect.poll(async () => (await postSigned("w-8", item("G"))).status).toBe(503);
  expect((await postSigned("w-8", item("G"))).headers.get("retry-after")).toBe("60");
  await owner.query("update hub.subtenant set incoming_paused = false where tenant_id = $1", [tenant.tenantId]);
});
