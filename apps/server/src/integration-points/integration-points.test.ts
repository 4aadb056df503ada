import { publish } from "@crossdock/queue";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openCredentials, sealCredentials } from "../keys/credentials.ts";
import { inTenant } from "../db.ts";
import { storeDeliveries } from "../delivery/external-items.ts";
import { createKeyRing } from "../keys/key-ring.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";

let made: TestApp;
beforeAll(async () => {
  made = await testApp();
});
afterAll(() => made.close());

const path = "/api/v1/tenants/acme/integration-points";
const point = {
  subtenantCode: "shop",
  connector: "magento",
  name: "Web shop",
  targetTypes: ["item", "order"],
  settings: { auth: "basic" },
  credentials: { username: "hub", password: "opensesame" },
};

async function create(code: string) {
  const answer = await made.call("admin", "POST", path, { ...point, code });
  expect(answer.json()).toMatchObject({ code });
  return answer.json<{ id: number; version: number }>();
}

async function storedCredentials(id: number): Promise<Record<string, unknown> | null> {
  const { rows } = await inTenant(made.deps.pools.worker, 1001, (client) =>
    client.query<{ credentials: Buffer }>("select credentials from hub.integration_point where id = $1", [id]),
  );
  return openCredentials(made.deps.keys.credentials, { tenantId: 1001, integrationPointId: id }, rows[0]?.credentials ?? null);
}

test("credentials go in and never come out; only their names are told", async () => {
  const { id } = await create("web");
  const listed = await made.call("viewer", "GET", path);
  expect(listed.body).not.toContain("opensesame");
  expect(listed.json().items[0]).toMatchObject({
    code: "web",
    credentialNames: ["username", "password"],
    isPaused: false,
    retry: { maxAttempts: 12 },
  });
  const stored = await inTenant(made.deps.pools.worker, 1001, (client) =>
    client.query<{ credentials: Buffer }>("select credentials from hub.integration_point where id = $1", [id]),
  );
  const sealed = stored.rows[0]?.credentials ?? null;
  expect(sealed?.includes("opensesame")).toBe(false);
  expect(openCredentials(made.deps.keys.credentials, { tenantId: 1001, integrationPointId: id }, sealed)).toEqual(point.credentials);
});

test("a target that lacks what every delivery needs is told of with the names, a source or one that fetches is not", async () => {
  const bare = { subtenantCode: "shop", connector: "queryservice", name: "Bare", targetTypes: ["item"] };
  const lackingOf = async (code: string, more: object): Promise<unknown> => {
    const { id, lacking } = (await made.call("admin", "POST", path, { ...bare, code, ...more })).json<{ id: number; lacking: unknown }>();
    const { items } = (await made.call("viewer", "GET", path)).json<{ items: { id: number; lacking: unknown }[] }>();
    expect(items.find((one) => one.id === id)?.lacking).toEqual(lacking);
    return lacking;
  };
  const settings = { url: "https://query.example.com", auth: "bearer" };
  expect(await lackingOf("bare-address", {})).toEqual(["url"]);
  expect(await lackingOf("bare-token", { settings })).toEqual(["token"]);
  expect(await lackingOf("bare-whole", { settings, credentials: { token: "opensesame" } })).toEqual([]);
  expect(await lackingOf("bare-pull", { deliveryMode: "pull" })).toEqual([]);
  expect(await lackingOf("bare-source", { sourceTypes: ["item"], targetTypes: [] })).toEqual([]);
  expect(await lackingOf("bare-shop", { connector: "shopify", settings: { shopUrl: "https://shop.example.com" } })).toEqual([
    "accessToken",
  ]);
});

test("the id under which anybody may hand webhooks in is told to nobody who may not configure", async () => {
  const { id } = await create("hooked");
  const readKey = await made.call("admin", "POST", "/api/v1/tenants/acme/api-keys", { name: "Looks", scopes: ["read"] });
  const headers = { authorization: `Bearer ${readKey.json<{ key: string }>().key}` };
  const answers = [
    await made.app.inject({ url: path, headers }),
    await made.call("viewer", "GET", path),
    await made.call("user", "GET", path),
  ];
  for (const answer of answers) {
    const { items } = answer.json<{ items: { id: number; hookId: unknown }[] }>();
    expect(items.find((item) => item.id === id)).toMatchObject({ hookId: null });
    expect(items.filter(({ hookId }) => hookId !== null)).toEqual([]);
  }
  expect((await made.call("user", "PUT", `${path}/${id}/pause`, { isPaused: true })).json()).toMatchObject({
    isPaused: true,
    hookId: null,
  });
});

test("what was read of the configuration before a change is not used after its answer, however late the notification comes", async () => {
  const { directory } = made.parts;
  const forget = vi.spyOn(directory, "forget");
  await made.call("viewer", "GET", path);
  expect((await made.call("admin", "POST", "/api/v1/tenants/acme/api-keys", { name: "Of no concern", scopes: ["read"] })).statusCode).toBe(
    201,
  );
  expect(forget).not.toHaveBeenCalled();
  const { id } = await create("at-once");
  expect(forget.mock.calls).toEqual([[1001]]);
  expect((await directory.of(1001)).points.get(id)).toMatchObject({ code: "at-once" });
});

test("a change keeps what it does not name, credentials too", async () => {
  const { id } = await create("kept");
  const changed = await made.call("admin", "PATCH", `${path}/${id}`, { concurrency: 3, ratePerSecond: 2.5 });
  expect(changed.json()).toMatchObject({
    name: "Web shop",
    concurrency: 3,
    ratePerSecond: 2.5,
    credentialNames: ["username", "password"],
    version: 2,
  });
  expect((await made.call("admin", "PATCH", `${path}/${id}`, { ratePerSecond: null })).json()).toMatchObject({ ratePerSecond: null });
});

test("retries whose longest wait is shorter than the first are refused, and nothing is made", async () => {
  const retry = { maxAttempts: 3, baseDelayMs: 2_000, maxDelayMs: 1_000 };
  const refused = await made.call("admin", "POST", path, { ...point, code: "hasty", retry });
  expect(refused.json()).toMatchObject({ status: 400, code: "validation-failed", errors: [{ path: "body/retry/maxDelayMs" }] });
  const { id } = await create("patient");
  expect((await made.call("admin", "PATCH", `${path}/${id}`, { retry })).statusCode).toBe(400);
});

test.each([
  ["url", point.connector],
  ["tokenUrl", point.connector],
  ["baseUrl", "plytix"],
])("a sign-in in an address (%s of %s), which everybody who may read would see, is refused", async (field, connector) => {
  const settings = { [field]: "https://hub:opensesame@erp.example" };
  const refused = await made.call("admin", "POST", path, { ...point, connector, code: "open", settings });
  expect(refused.json()).toMatchObject({
    status: 400,
    errors: expect.arrayContaining([expect.objectContaining({ path: `body/settings/${field}`, reason: "address-sign-in" })]),
  });
  expect(refused.body).not.toContain("opensesame");
});

test("who paused a point, when and why is told until it is resumed, whatever else is changed meanwhile", async () => {
  const { id } = await create("standing");
  const pause = (account: "admin" | "user", body: object) => made.call(account, "PUT", `${path}/${id}/pause`, body);
  const told = { by: "Uli", at: expect.stringMatching(/^\d{4}-/), reason: "stocktaking" };
  expect((await pause("user", { isPaused: true, reason: " stocktaking " })).json()).toMatchObject({ pause: told });
  expect((await made.call("admin", "PATCH", `${path}/${id}`, { concurrency: 2 })).json()).toMatchObject({ pause: told });
  const queues = async () =>
    (await made.call("viewer", "GET", "/api/v1/tenants/acme/queues"))
      .json<{ items: { integrationPoint: { id: number }; pause: unknown }[] }>()
      .items.filter(({ integrationPoint }) => integrationPoint.id === id)
      .map(({ pause: one }) => one);
  expect(await queues()).toMatchObject([told, told]);
  expect((await pause("admin", { isPaused: false })).json()).toMatchObject({ isPaused: false, pause: null });
  expect(await queues()).toEqual([null, null]);
  expect((await pause("admin", { isPaused: true })).json()).toMatchObject({ pause: { by: "Ada", reason: null } });
  const { rows } = await made
    .pool("owner", 1)
    .query(
      "select before, after, reason from hub.audit_event where action = 'pauseIntegrationPoint' and target_id = $1 order by id limit 2",
      [String(id)],
    );
  const [running, paused] = [false, true].map((isPaused) => ({ name: "Web shop", isPaused }));
  expect(rows).toEqual([
    { before: running, after: paused, reason: "stocktaking" },
    { before: paused, after: running, reason: null },
  ]);
});

test("an operator pauses and resumes, an outdated version is refused", async () => {
  const { id } = await create("paused");
  expect((await made.call("user", "PUT", `${path}/${id}/pause`, { isPaused: true })).json()).toMatchObject({ isPaused: true, version: 2 });
  const outdated = await made.call("admin", "PATCH", `${path}/${id}`, { name: "Late" }, { "if-match": '"1"' });
  expect(outdated.json()).toMatchObject({ status: 412, code: "version-changed" });
});

test("an operator tries a target that is left alone before its pause is over, which is audited; one that is not is left as it is", async () => {
  const { id } = await create("repaired");
  const owner = made.pool("owner", 1);
  await owner.query("update queue.target set circuit = 'open', circuit_open_until = now() + interval '1 hour' where id = $1", [id]);
  const tried = () => made.call("user", "POST", `${path}/${id}/try`);
  expect((await tried()).json()).toEqual({ isTried: true });
  const { rows } = await owner.query("select circuit from queue.target where id = $1", [id]);
  expect(rows).toEqual([{ circuit: "half-open" }]);
  expect((await tried()).json()).toEqual({ isTried: false });
  expect((await made.call("viewer", "POST", `${path}/${id}/try`)).statusCode).toBe(403);
  expect((await made.call("user", "POST", `${path}/999999/try`)).statusCode).toBe(404);
  const { items } = (await made.call("admin", "GET", "/api/v1/audit-events?action=tryIntegrationPoint&outcome=done")).json();
  expect(items).toMatchObject([{ after: { name: "Web shop", isTried: false } }, { actorName: "Uli", after: { isTried: true } }]);
});

test.each([
  ["an unknown connector", { connector: "fax" }, "validation-failed"],
  ["an unknown entity type", { targetTypes: ["invoice"] }, "validation-failed"],
  ["no entity type", { sourceTypes: [], targetTypes: [] }, "validation-failed"],
  ["an unknown subtenant", { subtenantCode: "nowhere" }, "unknown-subtenant"],
  ["a concurrency of 0", { concurrency: 0 }, "validation-failed"],
])("%s is refused", async (_what, change, code) => {
  expect((await made.call("admin", "POST", path, { ...point, code: "bad", ...change })).json()).toMatchObject({ status: 400, code });
});

test("whoever puts a version back learns that somebody changed the point meanwhile, and overwrites nothing", async () => {
  const { id } = await create("put-back");
  await made.call("admin", "PATCH", `${path}/${id}`, { name: "Renamed" });
  await made.call("admin", "PATCH", `${path}/${id}`, { name: "By a colleague" });
  const restore = (seen: number) => made.call("admin", "POST", `${path}/${id}/versions/1/restore`, {}, { "if-match": `"${seen}"` });
  expect((await restore(2)).json()).toMatchObject({ status: 412, code: "version-changed" });
  expect((await restore(3)).json()).toMatchObject({ name: "Web shop", version: 4 });
});

test("each change is a version with its author, and one is put back as a new one, credentials excepted", async () => {
  const { id } = await create("versioned");
  await made.call("admin", "PATCH", `${path}/${id}`, { name: "Renamed", concurrency: 2, reason: "slow target" });
  await made.call("admin", "PATCH", `${path}/${id}`, { secrets: { password: "another-secret" } });
  const versions = (await made.call("viewer", "GET", `${path}/${id}/versions`)).json().items;
  expect(versions).toMatchObject([
    { version: 3, content: { name: "Renamed", credentialNames: ["username", "password"] } },
    { version: 2, madeBy: "Ada", reason: "slow target", content: { name: "Renamed", concurrency: 2 } },
    { version: 1, content: { name: "Web shop", concurrency: 8, settings: { auth: "basic" } } },
  ]);
  expect(JSON.stringify(versions)).not.toContain("another-secret");
  const restored = await made.call("admin", "POST", `${path}/${id}/versions/1/restore`, { reason: "it was not the target" });
  expect(restored.json()).toMatchObject({ name: "Web shop", concurrency: 8, version: 4 });
  expect(await storedCredentials(id)).toEqual({ username: "hub", password: "another-secret" });
  expect((await made.call("admin", "POST", `${path}/${id}/versions/99/restore`, {})).statusCode).toBe(404);
  expect((await made.call("user", "POST", `${path}/${id}/versions/1/restore`, {})).statusCode).toBe(403);
});

test("a version that is put back switches nothing on or off that was switched since", async () => {
  const { id } = await create("switched");
  const restore = async (version: number) =>
    (await made.call("admin", "POST", `${path}/${id}/versions/${version}/restore`, {})).json() as object;
  await made.call("admin", "PATCH", `${path}/${id}`, { name: "Renamed", isActive: false });
  await made.call("admin", "PUT", `${path}/${id}/pause`, { isPaused: true, reason: "do not send" });
  expect(await restore(1)).toMatchObject({ name: "Web shop", isActive: false, isPaused: true, pause: { reason: "do not send" } });
  await made.call("admin", "PATCH", `${path}/${id}`, { isActive: true });
  await made.call("admin", "PUT", `${path}/${id}/pause`, { isPaused: false });
  expect(await restore(3)).toMatchObject({ name: "Renamed", isActive: true, isPaused: false, pause: null });
});

test("single secrets are set and taken away, the others stay", async () => {
  const { id } = await create("secrets");
  const changed = await made.call("admin", "PATCH", `${path}/${id}`, { secrets: { username: null, token: "a-new-token" } });
  expect(changed.json()).toMatchObject({ credentialNames: ["password", "token"] });
  expect(await storedCredentials(id)).toEqual({ password: "opensesame", token: "a-new-token" });
  expect((await made.call("admin", "PATCH", `${path}/${id}`, { secrets: { unheard: "x" } })).json()).toMatchObject({
    code: "validation-failed",
  });
});

const shop = { connector: "shopify", settings: { shopUrl: "http://127.0.0.1:9" } };

const ask = async (body: object, account: "admin" | "user" = "admin"): Promise<object> =>
  (await made.call(account, "POST", `${path}/test`, body)).json();

test("credentials that cannot be opened any more are entered anew, all of them, and tested before", async () => {
  const { id } = await create("closed");
  const lost = createKeyRing(() => ["the secret of an installation that is gone"]);
  const sealed = sealCredentials(lost, { tenantId: 1001, integrationPointId: id }, point.credentials);
  await made.pool("owner", 1).query("update hub.integration_point set credentials = $2 where id = $1", [id, sealed]);
  const change = (secrets: object) => made.call("admin", "PATCH", `${path}/${id}`, { secrets });
  const attempt = (credentials: object) =>
    made.call("admin", "POST", `${path}/test`, { connector: "magento", integrationPointId: id, settings: point.settings, credentials });
  for (const one of [await change({ password: "sesame" }), await attempt({ password: "sesame" })])
    expect(one.json()).toMatchObject({ status: 409, reason: "credentials-closed" });
  expect((await made.call("admin", "PATCH", `${path}/${id}`, { name: "Shop" })).statusCode).toBe(200);
  const anew = { username: "hub", password: "sesame" };
  expect((await attempt(anew)).statusCode).toBe(200);
  expect((await change(anew)).statusCode).toBe(200);
  expect(await storedCredentials(id)).toEqual(anew);
});

test("a connection test says what is wrong, sends stored secrets only to their own kind of system, and is an admin's", async () => {
  expect(await ask(shop)).toMatchObject({ result: "incomplete" });
  expect(await ask({ ...shop, credentials: { accessToken: "shop-secret" } })).toMatchObject({ result: "address-refused", status: null });
  const { id } = await create("tested");
  expect(await ask({ ...shop, integrationPointId: id })).toMatchObject({ status: 404 });
  expect(await ask(shop, "user")).toMatchObject({ status: 403 });
});

test("stored secrets go to the address that they were entered for, and to another one only when each is entered anew", async () => {
  const body = { ...point, code: "moved", connector: "centra", settings: { url: "https://shop.example/api", auth: "basic" } };
  const { id } = (await made.call("admin", "POST", path, body)).json<{ id: number }>();
  const elsewhere = { url: "https://elsewhere.example/api", auth: "basic" };
  const change = (wanted: object) => made.call("admin", "PATCH", `${path}/${id}`, wanted);
  const refused = { status: 409, reason: "credentials-elsewhere" };
  expect((await change({ settings: elsewhere })).json()).toMatchObject(refused);
  expect((await change({ settings: elsewhere, secrets: { username: "hub" } })).json()).toMatchObject(refused);
  expect((await change({ settings: { ...body.settings, tokenUrl: elsewhere.url } })).json()).toMatchObject(refused);
  expect(await ask({ connector: "centra", settings: elsewhere, integrationPointId: id })).toMatchObject(refused);
  expect((await change({ settings: { ...body.settings, url: "https://shop.example/v2" } })).statusCode).toBe(200);
  expect((await change({ settings: elsewhere, secrets: { username: "hub", password: "for there" } })).statusCode).toBe(200);
  // What was entered for the new address does not go back to the old one either.
  expect((await made.call("admin", "POST", `${path}/${id}/versions/1/restore`, {})).json()).toMatchObject(refused);
  expect((await change({ settings: body.settings, secrets: { username: null, password: null } })).statusCode).toBe(200);
});

test("with another address it has to be said whether another system answers there, whose ids are others", async () => {
  const settings = { baseUrl: "https://staging.example/shop" };
  const body = { ...point, code: "staged", sourceTypes: ["item", "order"], targetTypes: ["item", "order"], settings, credentials: {} };
  const { id } = (await made.call("admin", "POST", path, body)).json<{ id: number }>();
  const change = (wanted: object) => made.call("admin", "PATCH", `${path}/${id}`, wanted);
  const live = { settings: { baseUrl: "https://live.example/shop" } };
  // Nothing is known yet.
  expect((await change(live)).statusCode).toBe(200);
  expect((await change({ settings: { baseUrl: "https://live.example/shop/" } })).statusCode).toBe(200);
  const { worker } = made.deps.pools;
  const schedule = { kind: "poll", integrationPointId: id, entityType: "order", everySeconds: 600 };
  const scheduled = await made.call("admin", "POST", "/api/v1/tenants/acme/schedules", schedule);
  expect(scheduled.statusCode).toBe(201);
  const deliver = (system: number, key: string, externalId: string) =>
    inTenant(worker, 1001, async (client) => {
      const { rows } = await client.query<{ subtenantId: number }>(
        `select subtenant_id as "subtenantId" from hub.integration_point where id = $1`,
        [id],
      );
      const { subtenantId = 0 } = rows[0] ?? {};
      const told = { integrationPointId: id, system, entityType: "item" as const, key, subtenantId, externalId };
      await storeDeliveries(client, 1001, [{ ...told, deliveredHash: Buffer.alloc(32), messageId: "207990000000001" }]);
      await client.query("update hub.schedule set cursor = 'x' where tenant_id = 1001 and integration_point_id = $1", [id]);
    });
  const known = async () => {
    const items = await made.call("admin", "GET", "/api/v1/tenants/acme/external-items?limit=50");
    const { rows } = await inTenant(worker, 1001, (client) =>
      client.query<{ cursor: string | null }>("select cursor from hub.schedule where tenant_id = 1001 and integration_point_id = $1", [id]),
    );
    const own = items.json<{ items: { integrationPointId: number; externalId: string }[] }>().items;
    return [own.filter((item) => item.integrationPointId === id).map(({ externalId }) => externalId), rows.map(({ cursor }) => cursor)];
  };
  await deliver(1, "A-1", "7");
  const unsaid = { status: 409, reason: "system-unsaid" };
  expect((await change({ settings })).json()).toMatchObject(unsaid);
  expect((await made.call("admin", "POST", `${path}/${id}/versions/1/restore`, {})).json()).toMatchObject(unsaid);
  expect((await change({ settings, isAnotherSystem: false })).statusCode).toBe(200);
  expect(await known()).toEqual([["7"], ["x"]]);
  expect((await change({ ...live, isAnotherSystem: true })).statusCode).toBe(200);
  expect(await known()).toEqual([[], [null]]);
  const removed = await made.call("admin", "GET", "/api/v1/tenants/acme/external-items?removed=true&limit=50");
  expect(removed.json().items).toMatchObject([{ key: "A-1", externalId: "7", removedBy: expect.any(String) }]);
  // A delivery that was under way to the former one.
  await deliver(1, "A-2", "8");
  await deliver(2, "A-3", "9");
  expect(await known()).toEqual([["9"], ["x"]]);
});

test("a preview of another configuration breaks nothing that is stored", async () => {
  const { id } = await create("previewed");
  const preview = await made.call("admin", "POST", `${path}/${id}/preview`, { change: { settings: { auth: "none" } } });
  expect(preview.json()).toMatchObject({ examined: 0, samples: [] });
  expect((await made.call("user", "POST", `${path}/${id}/preview`, { change: {} })).statusCode).toBe(403);
});

test("a preview of deliveries that begin with a question compares their documents, and says that it knows no more", async () => {
  const settings = { shopUrl: "https://shop.example" };
  const target = { ...point, code: "asks", connector: "shopify", targetTypes: ["item"], settings };
  const created = await made.call("admin", "POST", path, { ...target, credentials: { accessToken: "any" } });
  expect(created.json()).toMatchObject({ code: "asks" });
  const { id } = created.json<{ id: number }>();
  await inTenant(made.deps.pools.app, 1001, async (client) => {
    const sql = `select queue.id as "queueId", point.subtenant_id as "subtenantId" from queue.queue
      join hub.integration_point point on point.tenant_id = queue.tenant_id and point.id = queue.target_id where point.id = $1`;
    const { queueId = 0, subtenantId = 0 } = (await client.query<{ queueId: number; subtenantId: number }>(sql, [id])).rows[0] ?? {};
    const document = JSON.stringify({ schemaVersion: 1, sku: "B-42", name: "Boots", isActive: true });
    await publish(client, [{ tenantId: 1001, queueId, subtenantId, entityType: "item", key: "B-42", document }]);
  });
  const preview = (change: object) => made.call("admin", "POST", `${path}/${id}/preview`, { change });
  const drafts = { settings: { ...settings, newProductStatus: "draft" } };
  expect((await preview(drafts)).json()).toMatchObject({ examined: 1, same: 1, unsure: 1 });
  expect((await preview({ settings: { ...settings, shopUrl: "https://other.example" } })).json()).toMatchObject({ changed: 1, unsure: 0 });
  // A mapping changes nothing of the question, but what is told after it.
  const boots = { fieldName: "name", source: "*", sourceValue: "Boots", target: "shopify", targetValue: "Stiefel" };
  const mapped = await made.call("user", "POST", "/api/v1/tenants/acme/mappings/preview", { draft: { upsert: [boots] } });
  expect(mapped.json()).toMatchObject({ changed: 1, unsure: 0, samples: [{ after: { body: expect.stringContaining("Stiefel") } }] });
});
