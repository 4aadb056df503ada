import { routes } from "@crossdock/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeTenant } from "../intake/testing.ts";
import { fillQueues } from "../testing/queues.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";

let made: TestApp;
beforeAll(async () => {
  made = await testApp();
  const { deadId, behindId } = await fillQueues(made, "acme");
  const { apiKey, tenantId } = await makeTenant(made.deps, made.ownerUrl, "replayed", [
    { code: "erp", sourceTypes: ["item"] },
    { code: "shop", connector: "centra", targetTypes: ["item"] },
  ]);
  const received = await made.app.inject({
    method: "POST",
    url: "/magento/v1/items?subtenant=shop",
    headers: { "x-api-key": apiKey },
    payload: { schemaVersion: 1, sku: "R-1", name: "Kept" },
  });
  const { externalMessageId } = received.json<{ externalMessageId: string }>();
  creations["replayExternalMessage"] = {
    url: `/api/v1/tenants/replayed/external-messages/${externalMessageId}/replay`,
    body: (name) => ({ body: JSON.stringify({ schemaVersion: 1, sku: "R-1", name }) }),
  };
  creations["replaceMessage"] = {
    url: (code) => `${acme}/messages/${code === "again" ? behindId : deadId}/replacement`,
    body: (reason) => ({ document: JSON.stringify(order), reason }),
  };
  const named = { subtenant: "shop", entityType: "item" };
  creations["resyncEntity"] = {
    url: "/api/v1/tenants/replayed/entity-resyncs",
    // The second of two bodies under one key need not name anything: it is refused before that.
    body: (key) => ({ ...named, key: key === "second" ? key : "R-1" }),
  };
  // A source is asked for one thing by one schedule, so another schedule is another source's.
  const [asked, other] = [await createSource("asked"), await createSource("other")];
  creations["createSchedule"] = {
    url: `${acme}/schedules`,
    body: (code) => ({
      integrationPointId: code === "again" ? asked : other,
      entityType: "order",
      everySeconds: code === "second" ? 900 : 600,
    }),
  };
  creations["createImport"] = {
    url: `${acme}/imports`,
    body: (name) => ({ integrationPointId: asked, entityType: "order", name, format: "csv" }),
  };
  creations["runOperation"] = {
    url: `${acme}/toolbox-runs`,
    body: (payload) => ({ operation: "validate", integrationPointId: asked, entityType: "order", payload }),
  };
  creations["createExternalJob"] = {
    url: "/api/v1/tenants/replayed/external-jobs",
    body: (code) => ({
      subject: "external-messages",
      kind: code === "second" ? "restore" : "remove",
      selection: { ids: [externalMessageId] },
    }),
  };
  // One resync is open per target and entity type, so another fix is one of another type's differences.
  const [items, stock] = [await compare(tenantId, "item"), await compare(tenantId, "stock")];
  creations["fixDifferences"] = {
    url: (code) => `/api/v1/tenants/replayed/runs/${(code === "again" ? items : stock).runId}/fixes`,
    body: (code) => (code === "second" ? { ids: [stock.id] } : {}),
  };
  creations["createNote"] = { url: `${acme}/messages/${deadId}/notes`, body: (text) => ({ text }) };
});
afterAll(() => made.close());

const acme = "/api/v1/tenants/acme";
const point = {
  subtenantCode: "shop",
  connector: "magento",
  name: "Web",
  targetTypes: ["item"],
  settings: { url: "https://shop.example" },
};
async function createSource(code: string): Promise<number> {
  const source = { ...point, code, sourceTypes: ["order"], settings: { baseUrl: "https://shop.example" } };
  return (await made.call("admin", "POST", `${acme}/integration-points`, source)).json<{ id: number }>().id;
}

/** A reconciliation that has ended and found one object missing at the target. */
async function compare(tenantId: number, entityType: string): Promise<{ runId: number; id: string }> {
  const { rows } = await made.pool("owner", 1).query<{ runId: number; id: string }>(
    `with run as (
       insert into hub.run (tenant_id, kind, subtenant_id, integration_point_id, entity_type, state, started_at, finished_at)
       select tenant_id, 'reconciliation', subtenant_id, id, $2, 'done', now(), now()
       from hub.integration_point where tenant_id = $1 and code = 'shop'
       returning tenant_id, id
     )
     insert into hub.run_difference (tenant_id, run_id, business_key, kind, fields) select tenant_id, id, 'R-1', 'missing', '[]' from run
     returning run_id as "runId", id::text`,
    [tenantId, entityType],
  );
  if (!rows[0]) throw new Error("nothing was compared");
  return rows[0];
}

const order = { orderNumber: "o-1", orderedAt: "2010-12-01T09:41:00Z", currency: "GBP", customer: null, lines: [] };
const mapping = { fieldName: "color", source: "litium", target: "shopify", targetValue: "Blue" };

const webhook = (name: string) => ({ kind: "webhook", name, url: "https://alerts.example/hook" });

/** How each creating route is called, `code` being what makes the object another one. */
const creations: Record<string, { url: string | ((code: string) => string); body: (code: string) => object }> = {
  createTenant: { url: "/api/v1/tenants", body: (code) => ({ code, name: "New" }) },
  createSubtenant: { url: `${acme}/subtenants`, body: (code) => ({ code, name: "New" }) },
  createIntegrationPoint: { url: `${acme}/integration-points`, body: (code) => ({ ...point, code }) },
  createMapping: { url: `${acme}/mappings`, body: (code) => ({ ...mapping, sourceValue: code }) },
  createAnnouncement: { url: "/api/v1/announcements", body: (code) => ({ text: code }) },
  createAlertChannel: { url: `${acme}/alert-channels`, body: webhook },
  createInstallationAlertChannel: { url: "/api/v1/installation/alert-channels", body: webhook },
  createAlertRule: {
    url: `${acme}/alert-rules`,
    body: (code) => ({ kind: "dead-letters", threshold: code === "second" ? 20 : 10 }),
  },
  createRun: {
    url: "/api/v1/tenants/replayed/runs",
    body: (code) => ({ kind: "export", subtenantCode: "shop", entityType: code === "second" ? "stock" : "item" }),
  },
  createExternalJob: { url: "", body: () => ({}) },
  fixDifferences: { url: "", body: () => ({}) },
  createNote: { url: "", body: (text) => ({ text }) },
  createSchedule: { url: "", body: () => ({}) },
  createImport: { url: "", body: () => ({}) },
  runOperation: { url: "", body: () => ({}) },
  replayExternalMessage: { url: "", body: () => ({}) },
  resyncEntity: { url: "", body: () => ({}) },
  // A message has one successor: another is another message's.
  replaceMessage: { url: "", body: () => ({}) },
  createInstallationSavedView: {
    url: "/api/v1/installation/saved-views",
    body: (name) => ({ list: "/audit-log", name, query: "outcome=denied" }),
  },
  createSavedView: { url: `${acme}/saved-views`, body: (name) => ({ list: "/queue", name, query: "state=dead" }) },
  createJob: { url: `${acme}/jobs`, body: (key) => ({ kind: "remove", selection: { filter: { key } } }) },
  createApiKey: { url: `${acme}/api-keys`, body: (code) => ({ name: code }) },
  inviteUser: { url: "/api/v1/users", body: (code) => ({ email: `${code}@example.com` }) },
};
/** Their answers hold a secret that is shown once. */
const secretive = ["createApiKey", "inviteUser", "createAlertChannel", "createInstallationAlertChannel"];
const telling = Object.keys(creations).filter((name) => !secretive.includes(name));

function create(name: string, code: string, key: string, account: "admin" | "user" = "admin") {
  const creation = creations[name];
  if (!creation) throw new Error(`no creation ${name}`);
  const url = typeof creation.url === "string" ? creation.url : creation.url(code);
  return made.call(account, "POST", url, creation.body(code), { "idempotency-key": key });
}

test("every route that creates is listed here", () => {
  const creating = Object.entries(routes).filter(([, { method, responses }]) => method === "POST" && "201" in responses);
  expect(creating.map(([name]) => name).toSorted()).toEqual(Object.keys(creations).toSorted());
});

test.each(telling)("%s: the same request again creates nothing and gets the same answer", async (name) => {
  const first = await create(name, "again", "key 1");
  const second = await create(name, "again", "key 1");
  expect([first.statusCode, second.statusCode]).toEqual([201, 201]);
  expect(second.body).toBe(first.body);
  expect(second.headers.etag).toBe(first.headers.etag);
  expect([first.headers["idempotent-replayed"], second.headers["idempotent-replayed"]]).toEqual([undefined, "true"]);
});

test.each(Object.keys(creations))("%s: one key for two bodies is refused", async (name) => {
  expect((await create(name, "first", "key 2")).statusCode).toBe(201);
  expect((await create(name, "second", "key 2")).json()).toMatchObject({ status: 422, code: "idempotency-key-reused" });
});

test("a key shown once is kept nowhere: asking again tells which one was made", async () => {
  const first = await create("createApiKey", "worker", "key 3");
  const { id, key } = first.json<{ id: number; key: string }>();
  const second = await create("createApiKey", "worker", "key 3");
  const why = { reason: "key-shown-then", values: { id: String(id), name: "worker" } };
  expect(second.json()).toMatchObject({ status: 409, code: "answer-not-kept", detail: expect.stringContaining(`worker (${id}) `), ...why });
  const kept = await made.pool("owner", 1).query("select * from hub.idempotent_answer");
  expect(JSON.stringify(kept.rows)).not.toContain(key);
});

test("a channel without a secret is told again as it was made", async () => {
  const asked = ["admin", "POST", `${acme}/alert-channels`, { kind: "email", name: "duty" }, { "idempotency-key": "key 31" }] as const;
  const [first, second] = [await made.call(...asked), await made.call(...asked)];
  expect([first.statusCode, second.statusCode]).toEqual([201, 201]);
  expect(second.body).toBe(first.body);
});

test("a key is the caller's own, and of one address", async () => {
  expect((await create("createMapping", "mine", "key 4", "admin")).statusCode).toBe(201);
  expect((await create("createMapping", "yours", "key 4", "user")).statusCode).toBe(201);
  expect((await create("createSubtenant", "elsewhere", "key 4")).statusCode).toBe(201);
  const other = await made.call(
    "admin",
    "POST",
    "/api/v1/tenants/other/mappings",
    { ...mapping, sourceValue: "other" },
    { "idempotency-key": "key 4" },
  );
  expect(other.headers["idempotent-replayed"]).toBeUndefined();
});

test("a request that failed leaves its key unused", async () => {
  await create("createSubtenant", "taken", "key 5");
  expect((await create("createSubtenant", "taken", "key 6")).json()).toMatchObject({ status: 409, code: "already-exists" });
  expect((await create("createSubtenant", "free", "key 6")).statusCode).toBe(201);
});

test("an answer is forgotten after a day, pruned or not", async () => {
  await create("createSubtenant", "old", "key 7");
  await made.pool("owner", 1).query("update hub.idempotent_answer set created_at = now() - interval '25 hours'");
  expect((await create("createSubtenant", "newer", "key 7")).statusCode).toBe(201);
  expect((await create("createSubtenant", "newer", "key 7")).headers["idempotent-replayed"]).toBe("true");
});

test.each(["", "x".repeat(256)])("%j is no key", async (key) => {
  expect((await create("createSubtenant", "none", key)).json()).toMatchObject({ status: 400, code: "bad-request" });
});

test("of two equal requests at once one is carried out, the other refused and answered later", async () => {
  // The first one's transaction waits for this lock, with its key taken.
  const client = await made.pool("owner", 1).connect();
  await client.query("begin; lock table hub.subtenant in exclusive mode");
  const first = create("createSubtenant", "slow", "key 8");
  await waitUntilBlocked();
  expect((await create("createSubtenant", "slow", "key 8")).json()).toMatchObject({ status: 409, code: "request-under-way" });
  await client.query("rollback");
  client.release();
  expect((await first).statusCode).toBe(201);
  expect((await create("createSubtenant", "slow", "key 8")).body).toBe((await first).body);
});

async function waitUntilBlocked(): Promise<void> {
  const pool = made.pool("owner", 1);
  for (;;) {
    const { rows } = await pool.query("select from pg_locks where not granted and relation = 'hub.subtenant'::regclass");
    if (rows.length > 0) return;
  }
}
