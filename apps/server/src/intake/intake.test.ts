import { setImmediate as nextTurn } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { canonicalSchemas } from "@crossdock/contract";
import pg from "pg";
import { claim, promoteRetries, settle, type Outcome } from "@crossdock/queue";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { getExternalMessage, listExternalMessages } from "../external-messages/rows.ts";
import { toCheck } from "../external-messages/replay.ts";
import { testDeps } from "../testing/test-app.ts";
import { createDirectory, type Directory, type Point, type TenantDirectory } from "./directory.ts";
import { createIntake, type Arrival, type Intake, type IntakeAnswer } from "./intake.ts";
import { makeTenant, type TestTenant } from "./testing.ts";
import { routeDocuments } from "./translate.ts";
import { createTurns } from "./turns.ts";

let deps: Deps;
let ownerUrl: string;
let close: () => Promise<void>;
let owner: pg.Client;
let directory: Directory;
let intake: Intake;
let tenant: TestTenant;
let tenants = 0;

beforeAll(async () => {
  ({ deps, ownerUrl, close } = await testDeps());
  owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  directory = createDirectory(deps.pools.app, deps);
  await directory.ready;
  intake = createIntake({ pool: deps.pools.app, directory, logger: deps.logger });
});
afterAll(async () => {
  await directory.close();
  await owner.end();
  await close();
});
beforeEach(async () => {
  tenants += 1;
  tenant = await makeTenant(deps, ownerUrl, `tenant-${tenants}`, [
    { code: "erp", connector: "magento", sourceTypes: ["item", "stock", "order"] },
    { code: "shop", connector: "centra", targetTypes: ["item", "stock", "order"] },
    { code: "till", connector: "sitoo", targetTypes: ["stock"] },
    { code: "test-erp", connector: "magento", sourceTypes: ["item"], environment: "development" },
    { code: "test-shop", connector: "centra", targetTypes: ["item"], environment: "development" },
    { code: "store", connector: "magento", sourceTypes: ["order"], settings: { baseUrl: "https://store.example" } },
    { code: "web", connector: "shopify", sourceTypes: ["item"], settings: { shopUrl: "https://shop.myshopify.com" } },
    { code: "old-shop", connector: "jetshop", targetTypes: ["item"], isActive: false },
  ]);
});

async function pointOf(code: string): Promise<Point> {
  const point = (await directory.of(tenant.tenantId)).points.get(tenant.points[code]?.id ?? 0);
  if (!point) throw new Error(`no point ${code}`);
  return point;
}

async function arrival(document: unknown, changes: Partial<Arrival> = {}): Promise<Arrival> {
  return {
    point: await pointOf("erp"),
    channel: "gateway",
    entityType: "stock",
    headers: { "content-type": "application/json", authorization: "Bearer secret" },
    body: Buffer.isBuffer(document) ? document : Buffer.from(JSON.stringify(document)),
    signature: "not-applicable",
    dedupeName: null,
    ...changes,
  };
}

const stock = (quantity: string, updatedAt?: string, sku = "A1") => ({ sku, quantity, ...(updatedAt === undefined ? {} : { updatedAt }) });

type Waiting = { queue: string; key: string; document: string };
async function waiting(): Promise<Waiting[]> {
  const { rows } = await owner.query<Waiting>(
    `select queue.name as queue, message.key, message.document from queue.message join queue.queue on queue.tenant_id = message.tenant_id and queue.id = message.queue_id
     where message.tenant_id = $1 order by message.id`,
    [tenant.tenantId],
  );
  return rows;
}

async function counts(): Promise<Record<string, number>> {
  const { rows } = await owner.query(
    `select (select count(*)::int from hub.external_message where tenant_id = $1) as raw, (select count(*)::int from hub.entity where tenant_id = $1) as entities,
       (select count(*)::int from hub.entity_version where tenant_id = $1) as versions, (select count(*)::int from queue.message where tenant_id = $1) as messages`,
    [tenant.tenantId],
  );
  return rows[0];
}

test("a document is stored raw, becomes an entity and goes to every active target of its type, but to no test system's queue of another type", async () => {
  const answer = await intake.receive(await arrival(stock("5")));
  expect(answer).toMatchObject({ state: "accepted", isDuplicate: false, reasons: [] });
  expect(answer.messageIds).toHaveLength(2);
  expect((await waiting()).map(({ queue, key }) => `${queue} ${key}`)).toEqual(["centra.stock A1@default", "sitoo.stock A1@default"]);
  expect(JSON.parse((await waiting())[0]?.document ?? "")).toMatchObject({ sku: "A1", warehouse: "default", quantity: "5" });
  expect(await counts()).toEqual({ raw: 1, entities: 1, versions: 1, messages: 2 });
});

test("real data also feeds test systems, test data stays among test systems and makes entities of its own", async () => {
  const item = { sku: "A1", name: "One" };
  const real = await intake.receive(await arrival(item, { entityType: "item" }));
  const trial = await intake.receive(await arrival(item, { entityType: "item", point: await pointOf("test-erp") }));
  expect(real).toMatchObject({ state: "accepted", messageIds: [expect.any(String), expect.any(String)] });
  expect(trial).toMatchObject({ state: "accepted", messageIds: [expect.any(String)] });
  expect(await counts()).toMatchObject({ entities: 2 });
});

test("the same content again is unchanged, an older one does not overwrite, and both are kept raw", async () => {
  await intake.receive(await arrival(stock("5", "2025-11-02T10:00:00Z")));
  expect(await intake.receive(await arrival(stock("5", "2025-11-02T11:00:00Z")))).toMatchObject({ state: "unchanged", messageIds: [] });
  const late = await intake.receive(await arrival(stock("9", "2025-11-02T10:30:00Z")));
  expect(late).toMatchObject({
    state: "unchanged",
    reasons: [{ path: "A1@default", message: "A newer stock is known already.", reason: "entity-outdated" }],
  });
  expect(await counts()).toEqual({ raw: 3, entities: 1, versions: 1, messages: 2 });
});

test("what is told again with an older time takes nothing back: what lies between the two stays outdated", async () => {
  await intake.receive(await arrival(stock("5", "2025-11-02T12:00:00Z")));
  const sql = "select changed_at from hub.entity where tenant_id = $1";
  const { rows: before } = await owner.query(sql, [tenant.tenantId]);
  expect(await intake.receive(await arrival(stock("5", "2025-11-02T10:00:00Z")))).toMatchObject({ state: "unchanged" });
  expect(await intake.receive(await arrival(stock("9", "2025-11-02T11:00:00Z")))).toMatchObject({
    state: "unchanged",
    reasons: [{ reason: "entity-outdated" }],
  });
  expect(await intake.receive(await arrival(stock("5", "2025-11-02T13:00:00Z")))).toMatchObject({ state: "unchanged" });
  expect((await owner.query(sql, [tenant.tenantId])).rows).toEqual(before);
});

test("a document without a time overtakes an older one with one, whether that waits, waits for its retry or is a dead letter", async () => {
  const pulling = await makeTenant(deps, ownerUrl, "overtaking", [
    { code: "erp", connector: "magento", sourceTypes: ["stock"] },
    { code: "shop", connector: "centra", targetTypes: ["stock"], deliveryMode: "pull" },
  ]);
  const { tenantId } = pulling;
  const configuration = await directory.of(tenantId);
  const point = configuration.points.get(pulling.points["erp"]?.id ?? 0);
  const queueId = configuration.queueOf(pulling.points["shop"]?.id ?? 0, "stock");
  if (!point || queueId === undefined) throw new Error("the tenant is incomplete");
  const lease = () => inTenant(deps.pools.app, tenantId, (client) => claim(client, { tenantId, queueId, max: 10, leaseSeconds: 60 }));
  const attempt = { durationMs: 1, error: { class: "e", message: "m" } };
  const failures: (Outcome | null)[] = [null, { kind: "retry", attempt, retryAfterMs: 0 }, { kind: "dead", attempt }];
  for (const [index, outcome] of failures.entries()) {
    const sku = `A${index}`;
    await intake.receive(await arrival(stock("5", "2025-11-02T10:00:00Z", sku), { point }));
    for (const { leaseToken } of outcome ? await lease() : [])
      if (outcome) await inTenant(deps.pools.app, tenantId, (client) => settle(client, { tenantId, leaseToken, outcome }));
    await intake.receive(await arrival(stock("4", undefined, sku), { point }));
    await inTenant(deps.pools.worker, tenantId, (client) => promoteRetries(client));
    const leased = await lease();
    expect(leased.map(({ document }) => JSON.parse(document))).toEqual([expect.objectContaining({ sku, quantity: "4" })]);
  }
});

test("a source's time of more than a day ahead is refused by name and outdates nothing, whichever comes first", async () => {
  const { rows } = await owner.query<{ soon: string; ahead: string }>(
    `select to_char(now() at time zone 'UTC' + interval '23 hours', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as soon,
       to_char(now() at time zone 'UTC' + interval '25 hours', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as ahead`,
  );
  const { soon = "", ahead = "" } = rows[0] ?? {};
  const farAhead = "9999-12-31T23:59:59.999999+00:00";
  for (const time of [farAhead, ahead]) {
    expect(await intake.receive(await arrival(stock("1", time), { dedupeName: "one" }))).toMatchObject({
      state: "rejected",
      reasons: [{ path: "stock[0].updatedAt", reason: "source-time-ahead", values: { time } }],
    });
  }
  expect(await counts()).toEqual({ raw: 2, entities: 0, versions: 0, messages: 0 });
  const known = await intake.receive(await arrival(stock("2", "2025-11-02T10:00:00Z"), { dedupeName: "one" }));
  expect(known).toMatchObject({ state: "accepted", isDuplicate: false });
  expect(await intake.receive(await arrival(stock("1", farAhead)))).toMatchObject({ state: "rejected" });
  expect(await intake.check(await arrival(stock("1", farAhead)))).toMatchObject({ kind: "rejected" });
  // Clocks that are a little fast are believed.
  expect(await intake.receive(await arrival(stock("3", soon)))).toMatchObject({ state: "accepted" });
});

test("of a message that is wrong throughout, no more is looked at than its reasons need", async () => {
  const read = vi.spyOn(canonicalSchemas.stock, "safeParse");
  const empty = Array.from({ length: 10_000 }, () => ({}));
  const translation = await routeDocuments(empty, "stock", await pointOf("erp"), await directory.of(tenant.tenantId));
  expect(translation).toMatchObject({ kind: "rejected", reasons: { length: 50 } });
  expect(read.mock.calls.length).toBeLessThanOrEqual(50);
  expect(await intake.check(await arrival(empty))).toMatchObject({ kind: "rejected", reasons: { length: 50 } });
  expect(read.mock.calls.length).toBeLessThanOrEqual(100);
  read.mockRestore();
});

test("whatever else waits goes on while a long message is read", async () => {
  const own = await directory.of(tenant.tenantId);
  const point = await pointOf("erp");
  const documents = Array.from({ length: 2_000 }, () => ({
    schemaVersion: 1,
    ...stock("1", "2025-11-02T10:00:00Z"),
    warehouse: "default",
  }));
  let turns = 0;
  let isRead = false;
  const count = (): void => {
    turns += 1;
    if (!isRead) setImmediate(count);
  };
  setImmediate(count);
  expect(await routeDocuments(documents, "stock", point, own)).toMatchObject({ kind: "documents", records: { length: 2_000 } });
  isRead = true;
  expect(turns).toBeGreaterThanOrEqual(10);
});

test("documents that are canonical already are refused for such a time as well", async () => {
  const given = { point: await pointOf("erp"), entityType: "stock" as const };
  const document = { schemaVersion: 1, ...stock("1", "9999-01-01T00:00:00Z"), warehouse: "default" };
  const receipt = await inTenant(deps.pools.app, tenant.tenantId, (client) =>
    intake.storeDocumentsIn(client, { ...given, documents: [document] }),
  );
  expect(receipt).toMatchObject({ state: "rejected", messageIds: [], reasons: [{ reason: "source-time-ahead" }] });
});

test("what a source gives again and again is rejected once, until it says something else", async () => {
  const named = { channel: "poll" as const, dedupeName: "poll stock A1" };
  const ahead = stock("1", "9999-12-31T23:59:59Z");
  const first = await intake.receive(await arrival(ahead, named));
  expect(first).toMatchObject({ state: "rejected", isDuplicate: false });
  expect(await intake.receive(await arrival(ahead, named))).toMatchObject({
    externalMessageId: first.externalMessageId,
    isDuplicate: true,
  });
  expect(await intake.receive(await arrival({ ...ahead, quantity: "2" }, named))).toMatchObject({ state: "rejected", isDuplicate: false });
  expect(await intake.receive(await arrival(stock("1", "2025-11-02T10:00:00Z"), named))).toMatchObject({ state: "accepted" });
  expect(await counts()).toMatchObject({ raw: 3, entities: 1 });
});

/** Takes in by the tenant's configuration with these changes. */
function intakeWith(changes: Partial<TenantDirectory>): Intake {
  const of: Directory["of"] = async (tenantId) => ({ ...(await directory.of(tenantId)), ...changes });
  return createIntake({ pool: deps.pools.app, directory: { ...directory, of }, logger: deps.logger });
}

test("what was rejected when it was polled is taken once nothing stands in its way any more", async () => {
  const polled = await arrival(stock("1"), { channel: "poll", dedupeName: "poll stock A1" });
  expect(await intakeWith({ messageBytesMax: polled.body.length - 1 }).receive(polled)).toMatchObject({ state: "rejected" });
  expect(await intakeWith({ messageBytesMax: polled.body.length }).receive(polled)).toMatchObject({
    state: "accepted",
    isDuplicate: false,
  });
});

test("a polled object is read again once its source's settings have changed", async () => {
  const store = await pointOf("store");
  const product = { sku: "P1", name: "Boots", status: 1, type_id: "simple", weight: 2, updated_at: "2025-11-02 08:00:00" };
  const poll = async (settings: object) => {
    const point: Point = { ...store, sourceTypes: ["item"], settings: { ...store.settings, ...settings } };
    return intake.receive(await arrival(product, { point, entityType: "item", channel: "poll", dedupeName: "poll item P1" }));
  };
  expect(await poll({})).toMatchObject({ state: "accepted", isDuplicate: false });
  expect(await poll({})).toMatchObject({ isDuplicate: true });
  expect(await poll({ weightUnit: "lb" })).toMatchObject({ state: "accepted", isDuplicate: false });
  expect(await poll({ weightUnit: "lb" })).toMatchObject({ isDuplicate: true });
});

test("a polled object that is again what it was before is taken, also within one transaction, and a repetition is not", async () => {
  const named = { channel: "poll" as const, dedupeName: "poll stock A1" };
  const poll = async (quantity: string) => intake.receive(await arrival(stock(quantity), named));
  for (const quantity of ["1", "2", "1"]) expect(await poll(quantity)).toMatchObject({ state: "accepted", isDuplicate: false });
  const arrivals = await Promise.all(["1", "2", "2", "1", "1"].map((quantity) => arrival(stock(quantity), named)));
  const answers = await Promise.all(arrivals.map((one) => intake.receive(one)));
  expect(answers.map(({ isDuplicate, isKeyReused }) => [isDuplicate, isKeyReused])).toEqual([
    [true, false],
    [false, false],
    [true, false],
    [false, false],
    [true, false],
  ]);
  expect(await counts()).toMatchObject({ raw: 5, versions: 5 });
});

test("concurrent requests share transactions, keep their order per object and get their own answers", async () => {
  const arrivals = await Promise.all(Array.from({ length: 300 }, (_, index) => arrival(stock(String(index), undefined, `S${index % 3}`))));
  const answers = await Promise.all(arrivals.map((one) => intake.receive(one)));
  expect(new Set(answers.map(({ externalMessageId }) => externalMessageId)).size).toBe(300);
  expect(new Set(answers.flatMap(({ messageIds }) => messageIds)).size).toBe(600);
  const { rows } = await owner.query<{ xmin: string }>("select distinct xmin::text from hub.external_message where tenant_id = $1", [
    tenant.tenantId,
  ]);
  expect(rows.length).toBeLessThan(10);
  const { rows: entities } = await owner.query("select business_key, version from hub.entity where tenant_id = $1 order by 1", [
    tenant.tenantId,
  ]);
  expect(entities).toEqual(["S0", "S1", "S2"].map((sku) => ({ business_key: `${sku}@default`, version: 100 })));
  const { rows: last } = await owner.query<{ quantity: string }>(
    "select document::json ->> 'quantity' as quantity from hub.entity_version where tenant_id = $1 and version = 100 order by business_key",
    [tenant.tenantId],
  );
  expect(last.map(({ quantity }) => quantity)).toEqual(["297", "298", "299"]);
});

test("what comes while two transactions are under way is published in its order per object", async () => {
  const arrivals = await Promise.all(Array.from({ length: 400 }, (_, index) => arrival(stock(String(index), undefined, `S${index % 37}`))));
  const answers: Promise<unknown>[] = [];
  for (const [index, one] of arrivals.entries()) {
    answers.push(intake.receive(one));
    if (index % 5 === 0) await nextTurn();
  }
  await Promise.all(answers);
  const published = Map.groupBy(
    (await waiting()).filter(({ queue }) => queue === "sitoo.stock"),
    ({ key }) => key,
  );
  expect(published.size).toBe(37);
  for (const [key, messages] of published) {
    const sent = arrivals.flatMap(({ body }) =>
      JSON.parse(body.toString()).sku === key.split("@")[0] ? [JSON.parse(body.toString()).quantity] : [],
    );
    expect(messages.map(({ document }) => JSON.parse(document).quantity)).toEqual(sent);
  }
});

test("two processes that create the same objects at the same time lose nothing", async () => {
  const other = createIntake({ pool: deps.pools.app, directory, logger: deps.logger });
  const arrivals = await Promise.all(Array.from({ length: 200 }, (_, index) => arrival(stock(String(index), undefined, `S${index % 10}`))));
  const answers = await Promise.all(arrivals.map((one, index) => (index % 2 === 0 ? intake : other).receive(one)));
  expect(answers.every(({ state }) => state === "accepted")).toBe(true);
  const { rows } = await owner.query<{ versions: number }>("select sum(version)::int as versions from hub.entity where tenant_id = $1", [
    tenant.tenantId,
  ]);
  expect(rows).toEqual([{ versions: 200 }]);
  expect(await counts()).toMatchObject({ raw: 200, entities: 10, versions: 200, messages: 400 });
});

/** Receives while another process has stored `first` and not committed yet; answers once that has. */
async function duringTheOther(first: unknown, second: unknown): Promise<IntakeAnswer> {
  // As the pools do it: see `createPools`.
  const other = new pg.Client({ connectionString: ownerUrl, pipeline: true });
  await other.connect();
  await other.query("begin");
  await other.query("select set_config('crossdock.tenant_id', $1, true)", [String(tenant.tenantId)]);
  const stored = await arrival(first);
  await intake.receiveIn(other, stored, await intake.check(stored));
  const answer = intake.receive(await arrival(second));
  const waits = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await expect.poll(async () => (await owner.query(waits)).rowCount).toBeGreaterThan(0);
  await other.query("commit");
  await other.end();
  return answer;
}

test("what another process is just writing is waited for: neither overwrites what the other has told", async () => {
  const made = await duringTheOther(stock("1", "2025-11-02T10:00:00Z"), stock("2", "2025-11-02T11:00:00Z"));
  expect(made).toMatchObject({ state: "accepted" });
  const back = await duringTheOther(stock("3", "2025-11-02T12:00:00Z"), stock("2", "2025-11-02T13:00:00Z"));
  expect(back).toMatchObject({ state: "accepted" });
  const sql =
    "select version, document::json ->> 'quantity' as quantity from hub.entity join hub.entity_version using (tenant_id, business_key, version) where tenant_id = $1";
  expect((await owner.query(sql, [tenant.tenantId])).rows).toEqual([{ version: 4, quantity: "2" }]);
});

test("a message sent again under its key is answered with the first receipt and written once", async () => {
  const named = { dedupeName: "webhook 1" };
  const [first, again] = await Promise.all([
    intake.receive(await arrival(stock("5"), named)),
    intake.receive(await arrival(stock("5"), named)),
  ]);
  const later = await intake.receive(await arrival(stock("5"), named));
  expect([first, again, later].map(({ isDuplicate }) => isDuplicate)).toEqual([false, true, true]);
  expect(new Set([first, again, later].map(({ externalMessageId }) => externalMessageId)).size).toBe(1);
  expect(await intake.receive(await arrival(stock("6"), named))).toMatchObject({ isDuplicate: true, isKeyReused: true });
  expect(await counts()).toMatchObject({ raw: 1, messages: 2 });
});

test("two sources may use the same key: neither's message is taken for a repetition of the other's", async () => {
  const named = { dedupeName: "webhook 1" };
  await intake.receive(await arrival(stock("5"), named));
  const other = { ...named, point: await pointOf("test-erp"), entityType: "item" as const };
  expect(await intake.receive(await arrival({ sku: "A1", name: "One" }, other))).toMatchObject({ state: "accepted", isDuplicate: false });
});

test("a mask of an export is not taken for what it stands for, however it is written", async () => {
  const lines = [{ lineNumber: "1", sku: "A", description: null, quantity: "1", unitPrice: { amount: "10", currency: "SEK" } }];
  const order = { orderNumber: "1", currency: "SEK", orderedAt: "2025-11-21T08:00:00Z", customer: { email: "••• 602861dc" }, lines };
  const escaped = JSON.stringify(order).replaceAll("•", "\\u2022");
  for (const body of [order, Buffer.from(escaped)]) {
    expect(await intake.receive(await arrival(body, { entityType: "order" }))).toMatchObject({
      state: "rejected",
      reasons: [{ path: "order[0].customer.email", reason: "mask-misplaced" }],
    });
  }
  const note = { ...order, customer: { email: "a@example.com" }, note: "••• three dots" };
  expect(await intake.receive(await arrival(note, { entityType: "order" }))).toMatchObject({ state: "accepted" });
});

test("a rejected message claims no key, so that it can be corrected and sent again", async () => {
  const named = { dedupeName: "webhook 2" };
  expect(await intake.receive(await arrival(stock("five"), named))).toMatchObject({
    state: "rejected",
    reasons: [{ path: "stock[0].quantity" }],
  });
  expect(await intake.receive(await arrival(stock("5"), named))).toMatchObject({ state: "accepted", isDuplicate: false });
});

test.each([
  ["bad JSON", Buffer.from('{"sku":'), "bad-json"],
  ["Latin-1", Buffer.from('{"sku":"å"}', "latin1"), "bad-encoding"],
  ["a NUL", Buffer.from('{"sku":"\\u0000"}'), "nul-character"],
])("%s is kept as a rejected message with its bytes", async (_what, body, code) => {
  const answer = await intake.receive(await arrival(body));
  expect(answer).toMatchObject({ state: "rejected", fault: { code } });
  const kept = await inTenant(deps.pools.readOnly, tenant.tenantId, (client) =>
    getExternalMessage(client, tenant.tenantId, answer.externalMessageId),
  );
  expect(Buffer.from(kept?.body ?? "", kept?.bodyEncoding === "base64" ? "base64" : "utf8")).toEqual(body);
  expect(kept).toMatchObject({ state: "rejected", headers: { authorization: "•••" }, reasons: [{ message: expect.any(String) }] });
});

test("an unproven message is kept and not translated", async () => {
  const answer = await intake.receive(await arrival(stock("5"), { signature: "invalid" }));
  expect(answer).toMatchObject({ state: "rejected", reasons: [{ message: "The signature is invalid." }] });
  expect(await counts()).toMatchObject({ raw: 1, entities: 0, messages: 0 });
});

test("a message that the database refuses spoils no other of its batch, and is kept raw", async () => {
  await owner.query(`alter table hub.entity_version add constraint no_poison check (document not like '%poison%')`);
  const skus = ["a", "poison", "b", "c"];
  const arrivals = await Promise.all(skus.map((sku) => arrival(stock("1", undefined, sku), { dedupeName: sku })));
  const answers = await Promise.all(arrivals.map((one) => intake.receive(one)));
  await owner.query("alter table hub.entity_version drop constraint no_poison");
  expect(answers.map(({ state }) => state)).toEqual(["accepted", "rejected", "accepted", "accepted"]);
  expect(await counts()).toEqual({ raw: 4, entities: 3, versions: 3, messages: 6 });
  // It has not claimed its key, so that its sender may try again.
  expect(await intake.receive(await arrival(stock("1", undefined, "poison"), { dedupeName: "poison" }))).toMatchObject({
    state: "accepted",
  });
});

test("a lost database connection is answered with an error that says to come back, and the next message goes through", async () => {
  await intake.receive(await arrival(stock("1")));
  await owner.query("alter table hub.entity_version add constraint gone check (pg_terminate_backend(pg_backend_pid())) not valid");
  await expect(intake.receive(await arrival(stock("2")))).rejects.toMatchObject({ code: "unavailable", extras: { retryAfterSeconds: 5 } });
  await owner.query("alter table hub.entity_version drop constraint gone");
  expect(await intake.receive(await arrival(stock("2")))).toMatchObject({ state: "accepted" });
});

test("what waits behind one of its sender's that was not stored is not stored either, and has to come again", async () => {
  await intake.receive(await arrival(stock("99")));
  const arrivals = await Promise.all(["10", "3", "4"].map((quantity) => arrival(stock(quantity))));
  const turns = createTurns();
  const receive = async (one: Arrival): Promise<IntakeAnswer> => intake.receive(one, turns());
  const [first, ...others] = arrivals;
  const { all } = await inTenant(deps.pools.app, tenant.tenantId, async (client) => {
    await client.query("select from hub.entity where tenant_id = $1 for update", [tenant.tenantId]);
    const ends = first ? [receive(first)] : [];
    const blocked = "from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0";
    await expect.poll(async () => (await owner.query(`select ${blocked}`)).rowCount).toBe(1);
    ends.push(...others.map(receive));
    const all = Promise.allSettled(ends);
    await owner.query(`select pg_terminate_backend(pid) ${blocked}`);
    await expect(ends[0]).rejects.toMatchObject({ code: "unavailable" });
    return { all };
  });
  expect(await all).toMatchObject([1, 2, 3].map(() => ({ status: "rejected", reason: { code: "unavailable" } })));
  const again = createTurns();
  const answers = await Promise.all(arrivals.map((one) => intake.receive(one, again())));
  expect(answers).toMatchObject([1, 2, 3].map(() => ({ state: "accepted" })));
});

test("a message is not rejected because the database could not be asked for its time", async () => {
  const gone = Object.assign(new Error("the database is away"), { code: "ECONNREFUSED" });
  const away = intakeWith({ clock: { faultOf: () => Promise.reject(gone) } });
  await expect(away.receive(await arrival(stock("1")))).rejects.toMatchObject({ code: "unavailable", extras: { retryAfterSeconds: 5 } });
  expect(await counts()).toMatchObject({ raw: 0 });
});

test("a configuration change is heard of before the next message", async () => {
  await intake.receive(await arrival(stock("1")));
  const before = await directory.of(tenant.tenantId);
  await owner.query("update hub.integration_point set is_active = false, version = version + 1 where tenant_id = $1 and code = 'till'", [
    tenant.tenantId,
  ]);
  await expect.poll(() => directory.of(tenant.tenantId).then((now) => now === before)).toBe(false);
  expect(await intake.receive(await arrival(stock("2")))).toMatchObject({ messageIds: [expect.any(String)] });
});

test("a configuration that could not be read is read again", async () => {
  const point = await pointOf("erp");
  const connect = vi.spyOn(deps.pools.app, "connect").mockImplementationOnce(() => {
    throw new Error("the database is away");
  });
  await expect(directory.fresh(tenant.tenantId)).rejects.toThrow("away");
  expect((await directory.of(tenant.tenantId)).points.get(point.id)).toEqual(point);
  connect.mockRestore();
});

test("what waits to be taken in has a limit of bytes, and gives its room back however it ends", async () => {
  const configuration = Promise.withResolvers<never>();
  const slow = createIntake({ pool: deps.pools.app, directory: { ...directory, of: () => configuration.promise }, logger: deps.logger });
  const large = await arrival(Buffer.alloc(80 * 1024 * 1024));
  const waiting = Promise.allSettled([slow.receive(large), slow.receive(large)]);
  await expect(slow.receive(large)).rejects.toMatchObject({ code: "unavailable", extras: { retryAfterSeconds: 1 } });
  const gone = new Error("the database is away");
  configuration.reject(gone);
  expect((await waiting).map((end) => (end.status === "rejected" ? end.reason : null))).toEqual([gone, gone]);
  await expect(slow.receive(large)).rejects.toBe(gone);
});

test("a tenant that floods the intake leaves room for the messages of others", async () => {
  const flooded = await arrival(Buffer.alloc(64 * 1024 * 1024));
  const configuration = Promise.withResolvers<TenantDirectory>();
  const of: Directory["of"] = (tenantId) => (tenantId === flooded.point.tenantId ? configuration.promise : directory.of(tenantId));
  const shared = createIntake({ pool: deps.pools.app, directory: { ...directory, of }, logger: deps.logger });
  const flood = Promise.allSettled(Array.from({ length: 5 }, () => shared.receive(flooded)));
  tenant = await makeTenant(deps, ownerUrl, "beside", [{ code: "erp", sourceTypes: ["stock"] }]);
  expect(await shared.receive(await arrival(stock("1")))).toMatchObject({ state: "accepted" });
  configuration.reject(new Error("the database is away"));
  expect((await flood).filter(({ status }) => status === "rejected")).toHaveLength(5);
});

test("documents that find no room refuse their message for now, keep nothing of it and leave their room to others", async () => {
  const crowd = await arrival(Buffer.alloc(248 * 1024 * 1024));
  const configuration = Promise.withResolvers<TenantDirectory>();
  const of: Directory["of"] = (tenantId) => (tenantId === crowd.point.tenantId ? configuration.promise : directory.of(tenantId));
  const crowded = createIntake({ pool: deps.pools.app, directory: { ...directory, of }, logger: deps.logger });
  tenant = await makeTenant(deps, ownerUrl, "crowded", [
    { code: "erp", sourceTypes: ["stock"] },
    { code: "web", connector: "shopify", sourceTypes: ["item"], settings: { shopUrl: "https://shop.myshopify.com" } },
  ]);
  const variants = Array.from({ length: 60 }, (_, index) => ({ id: index + 1, sku: `B-${index}` }));
  const product = { id: 1, title: "Boots", body_html: "x".repeat(199_000), variants };
  const large = await arrival(product, { point: await pointOf("web"), entityType: "item" });
  const held = Promise.allSettled([crowded.receive(crowd)]);
  await expect(crowded.receive(large)).rejects.toMatchObject({ code: "unavailable", extras: { retryAfterSeconds: 1 } });
  expect(await counts()).toMatchObject({ raw: 0 });
  expect(await crowded.receive(await arrival(stock("1")))).toMatchObject({ state: "accepted" });
  configuration.reject(new Error("the database is away"));
  await held;
  expect(await crowded.receive(large)).toMatchObject({ state: "accepted" });
});

test("what a connector's own translation refuses is told by name, as what the canonical schemas refuse", async () => {
  const point = await pointOf("store");
  const refused = async (body: object) => (await intake.receive(await arrival(body, { point, entityType: "order" }))).reasons;
  const told = await refused([{ increment_id: {}, created_at: 5 }, {}]);
  expect(told).toContainEqual(expect.objectContaining({ path: "0.created_at", reason: "wrong-type", values: { expected: "string" } }));
  expect(told).toContainEqual(expect.objectContaining({ path: "0.increment_id", reason: "wrong-kind" }));
  expect(told).toContainEqual(expect.objectContaining({ path: "0.items", reason: "missing" }));
  expect(await refused({ increment_id: "1" })).toContainEqual(expect.objectContaining({ path: "items", reason: "missing" }));
});

test("a shop's test order is ignored by name, and moved where the integration point is for tests", async () => {
  const web = { ...(await pointOf("web")), sourceTypes: ["order" as const] };
  const order = { id: 1, name: "#1001", test: true, currency: "SEK", created_at: "2025-11-02T10:00:00Z" };
  const given = { entityType: "order", point: web } as const;
  expect(await intake.check(await arrival(order, given))).toMatchObject({ kind: "ignored", reasons: [{ reason: "test-order" }] });
  const trial = await arrival(order, { ...given, point: { ...web, isDevelopment: true } });
  expect(await intake.check(trial)).toMatchObject({ kind: "documents", records: [{ key: "1001" }] });
});

test("what a product's message does not show is remarked by name, and the rest is moved", async () => {
  const variants = [{ id: 1, sku: "A1", price: "1.00" }];
  const product = { id: 7, title: "Boots", variants, variant_gids: ["1", "2"] };
  const web = { ...(await pointOf("web")), settings: { shopUrl: "https://shop.myshopify.com", currency: "SEK" } };
  const remark = { path: "variants", reason: "variants-not-shown", values: { shown: "1", count: "2" } };
  const given = await arrival(product, { entityType: "item", point: web });
  expect(toCheck(await intake.check(given))).toMatchObject({ state: "accepted", reasons: [remark], documents: [{ key: "A1" }] });
  expect(await intake.receive(given)).toMatchObject({ state: "accepted", reasons: [remark], messageIds: { length: 2 } });
});

test("settings that the connector does not understand make a rejected message, not a lost one", async () => {
  const point = { ...(await pointOf("erp")), settings: { receive: "nonsense" } };
  expect(await intake.receive(await arrival(stock("1"), { point }))).toMatchObject({ state: "rejected", fault: null });
  expect(await counts()).toMatchObject({ raw: 1, messages: 0 });
});

test("a message whose documents would be many times its size is kept as rejected", async () => {
  const variants = Array.from({ length: 400 }, (_, index) => ({ id: index + 1, sku: `B-${index}` }));
  const product = { id: 1, title: "Boots", body_html: "x".repeat(199_000), variants };
  const point = await pointOf("web");
  const answer = await intake.receive(await arrival(product, { point, entityType: "item" }));
  expect(answer).toMatchObject({ state: "rejected", reasons: [{ path: "", reason: "documents-too-long" }], fault: null });
  expect(await counts()).toMatchObject({ raw: 1, entities: 0 });
  const half = { ...product, variants: variants.slice(0, 2) };
  expect(await intake.receive(await arrival(half, { point, entityType: "item" }))).toMatchObject({ state: "accepted" });
});

test("external messages are listed newest first, filtered and paged, and hold nothing of another tenant", async () => {
  const mine = tenant;
  for (const quantity of ["1", "2", "bad", "3"]) await intake.receive(await arrival(stock(quantity, undefined, `K${quantity}`)));
  const list = (filter: Partial<Parameters<typeof listExternalMessages>[2]>) =>
    inTenant(deps.pools.readOnly, mine.tenantId, (client) => listExternalMessages(client, mine.tenantId, { limit: 2, ...filter }));
  const first = await list({});
  expect(first.items.map(({ key, state }) => `${key} ${state}`)).toEqual(["K3@default accepted", "null rejected"]);
  const second = await list({ cursor: first.nextCursor ?? "" });
  expect(second).toMatchObject({ items: [{ key: "K2@default", subtenantCode: "shop" }, { key: "K1@default" }], nextCursor: null });
  expect((await list({ state: ["rejected"] })).items).toHaveLength(1);
  expect((await list({ key: ["K2@default"] })).items).toHaveLength(1);
  expect((await list({ integrationPointId: mine.points.till?.id })).items).toEqual([]);
  expect((await list({ from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z" })).items).toEqual([]);
  const strangers = await makeTenant(deps, ownerUrl, `stranger-${tenants}`, []);
  const newest = first.items[0]?.id ?? "";
  const seen = await inTenant(deps.pools.readOnly, strangers.tenantId, async (client) => [
    await getExternalMessage(client, strangers.tenantId, newest),
    await getExternalMessage(client, mine.tenantId, newest),
  ]);
  expect(seen).toEqual([null, null]);
});
