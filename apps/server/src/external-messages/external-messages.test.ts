import type { ExternalMessage, ExternalMessageDetails, ExternalMessageGroup } from "@crossdock/contract";
import { fillSearch, publish } from "@crossdock/queue";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { inTenant } from "../db.ts";
import { makeTenant, type TestTenant } from "../intake/testing.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";

let made: TestApp;
let tenant: TestTenant;
const base = "/api/v1/tenants/received/external-messages";

beforeAll(async () => {
  made = await testApp();
  tenant = await makeTenant(made.deps, made.ownerUrl, "received", [
    { code: "erp", connector: "magento", sourceTypes: ["item", "stock"] },
    { code: "pim", connector: "litium", sourceTypes: ["item"] },
    { code: "shop", connector: "centra", targetTypes: ["item"] },
  ]);
  await made.pool("owner", 1).query("insert into hub.user_tenant (tenant_id, user_id) values ($1, 2), ($1, 3)", [tenant.tenantId]);
});
afterAll(() => made.close());

const item = (sku: string, name = sku) => ({ schemaVersion: 1, sku, name });

async function push(body: object | string, path = "/magento/v1/items"): Promise<string> {
  const answer = await made.app.inject({
    method: "POST",
    url: `${path}?subtenant=shop`,
    headers: { "x-api-key": tenant.apiKey, "content-type": "application/json" },
    payload: body,
  });
  const { externalMessageId, detail = "" } = answer.json<{ externalMessageId?: string; detail?: string }>();
  return externalMessageId ?? /\d+/.exec(detail)?.[0] ?? "";
}

async function replay(id: string, body: object = {}) {
  return (await made.call("user", "POST", `${base}/${id}/replay`, body)).json();
}

async function list(query = ""): Promise<string[]> {
  const answer = await made.call("user", "GET", `${base}${query}`);
  return answer.json<{ items: ExternalMessage[] }>().items.map(({ id }) => id);
}

const between = (from: number, to: number) => list(`?key=M-1&from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}`);

async function groups(query = ""): Promise<{ items: ExternalMessageGroup[]; isFloor: boolean }> {
  return (await made.call("viewer", "GET", `/api/v1/tenants/received/external-message-groups${query}`)).json();
}

async function details(id: string): Promise<ExternalMessageDetails> {
  return (await made.call("viewer", "GET", `${base}/${id}`)).json();
}

test("each filter finds its messages and no others", async () => {
  const good = await push(item("F-1"));
  const same = await push(item("F-1"));
  const broken = await push({ sku: "F-2", name: 5, colour: "Mauvette" });
  const other = await push(item("F-3"), "/litium/v1/items");
  expect(await list()).toEqual([other, broken, same, good]);
  expect(await list("?state=rejected")).toEqual([broken]);
  expect(await list("?state=unchanged&state=rejected")).toEqual([broken, same]);
  expect(await list("?state=accepted")).toEqual([other, good]);
  expect(await list(`?integrationPointId=${tenant.points["pim"]?.id}`)).toEqual([other]);
  expect(await list("?subtenant=shop&entityType=item&keyPrefix=F-1")).toEqual([same, good]);
  expect(await list("?key=F-1&key=F-")).toEqual([same, good]);
  expect(await list("?key=F-&key=none")).toEqual([]);
  expect(await list("?entityType=stock")).toEqual([]);
  expect(await list("?subtenant=nowhere")).toEqual([]);
  expect(await list("?search=mauvette")).toEqual([broken]);
  expect(await list(`?search=${good}`)).toEqual([good]);
  expect(await list(`?from=${new Date(Date.now() + 3_600_000).toISOString()}`)).toEqual([]);
  const pages = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const answer = await made.call("viewer", "GET", `${base}?limit=1${cursor && `&cursor=${cursor}`}`);
    const page: { items: ExternalMessage[]; nextCursor: string | null } = answer.json();
    pages.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  expect(pages).toEqual([other, broken, same, good]);
  expect((await made.call("viewer", "GET", "/api/v1/tenants/received/external-message-count?state=accepted")).json()).toEqual({
    count: 2,
    isExact: true,
  });
});

test("the list and the groups hold a message that was refused for a name with half a character in it", async () => {
  const broken = await push(String.raw`{"sku":"H-1","name":null,"\ud83d":1}`);
  expect(await list("?state=rejected&limit=1")).toEqual([broken]);
  expect((await groups()).items).toContainEqual(expect.objectContaining({ reason: expect.objectContaining({ reason: "fields-unknown" }) }));
  expect((await details(broken)).reasons).toMatchObject([{ message: 'Unrecognized key: "\ufffd"', values: { names: "\ufffd" } }]);
});

test("a text search finds all that was published, however much that is, page by page", async () => {
  const owner = made.pool("owner", 1);
  const first = await push(item("S-1", "Searched stool"));
  const last = await push(item("S-2", "Searched stool"));
  const { rows } = await owner.query<{ queueId: number; subtenantId: number }>(
    'select queue_id as "queueId", subtenant_id as "subtenantId" from queue.message where origin_id = $1',
    [last],
  );
  // Sent again by hand, over and over.
  const again = {
    tenantId: tenant.tenantId,
    ...rows[0]!,
    key: "S-2",
    entityType: "item",
    document: '{"name":"Searched stool"}',
    originId: last,
  };
  await publish(
    made.deps.pools.worker,
    Array.from({ length: 600 }, () => again),
  );
  while ((await fillSearch(made.deps.pools.worker, 5000)) > 0);
  expect(await list("?search=searched%20stool")).toEqual([last, first]);
  expect(await list(`?search=searched%20stool&key=S-1`)).toEqual([first]);
  const page = (await made.call("user", "GET", `${base}?search=searched%20stool&limit=1`)).json<{ nextCursor: string }>();
  expect(await list(`?search=searched%20stool&limit=1&cursor=${page.nextCursor}`)).toEqual([first]);
  expect((await made.call("user", "GET", "/api/v1/tenants/received/external-message-count?search=searched%20stool")).json()).toEqual({
    count: 2,
    isExact: true,
  });
});

test("a filter of times finds what came around midnight, when ids are still of the day before or already of the next", async () => {
  const id = await push(item("M-1"));
  const owner = made.pool("owner", 1);
  const dayMs = 86_400_000;
  const midnight = Math.floor(Date.now() / dayMs) * dayMs;
  const receive = (at: number) => owner.query("update hub.external_message set received_at = $2 where id = $1", [id, new Date(at)]);
  await receive(midnight + dayMs + 1_000);
  expect(await between(midnight + dayMs, midnight + dayMs + 60_000)).toEqual([id]);
  await receive(midnight - 2);
  expect(await between(midnight - dayMs, midnight - 1)).toEqual([id]);
});

test("rejected messages are grouped by sender and by what was wrong, and each group is a filter of the list", async () => {
  const nameless = [await push({ schemaVersion: 1, sku: "G-1" }), await push({ schemaVersion: 1, sku: "G-2" })];
  for (const text of ['{"sku": 1,,', '{"sku": "G-3",, "na']) await push(text);
  const ofPim = await push({ schemaVersion: 1, sku: "G-4" }, "/litium/v1/items");
  const { items, isFloor } = await groups();
  expect(isFloor).toBe(false);
  expect(items.reduce((sum, { count }) => sum + count, 0)).toBe((await list("?state=rejected")).length);
  for (const { fault, integrationPointId, count } of items) {
    expect(await list(`?state=rejected&fault=${fault}&integrationPointId=${integrationPointId}`)).toHaveLength(count);
  }
  const ofErp = items.filter(({ source }) => source === "magento");
  const byPath = ofErp.find(({ count, reason }) => count === 2 && reason?.path.includes("name"));
  expect(await list(`?fault=${byPath?.fault}&source=magento`)).toEqual(nameless.toReversed());
  // Where each text broke off differs, and is no other reason.
  expect(ofErp.filter(({ reason }) => reason?.reason?.startsWith("body-not-json"))).toMatchObject([{ count: 2 }]);
  const pim = items.find(({ source }) => source === "litium");
  expect((await groups(`?integrationPointId=${pim?.integrationPointId}`)).items).toEqual([pim]);
  expect(await list(`?fault=${pim?.fault}&source=litium`)).toEqual([ofPim]);
  expect((await groups("?subtenant=nobody")).items).toEqual([]);
});

test("a rejected message is corrected, checked and sent through intake, and the two know each other", async () => {
  const id = await push({ schemaVersion: 1, sku: "C-1", name: 7 });
  const wrong = await made.call("user", "POST", `${base}/${id}/check`, {});
  expect(wrong.json()).toMatchObject({ state: "rejected", documents: [], reasons: [{ path: expect.stringContaining("name") }] });
  const refused = await made.call("user", "POST", `${base}/${id}/replay`, {});
  expect(refused.json()).toMatchObject({ status: 422, code: "rejected-message", errors: [{ path: expect.stringContaining("name") }] });
  const body = JSON.stringify(item("C-1", "Chair"));
  expect((await made.call("user", "POST", `${base}/${id}/check`, { body })).json()).toEqual({
    state: "accepted",
    reasons: [],
    documents: [{ entityType: "item", key: "C-1", queues: 1 }],
  });
  expect((await details(id)).replays).toEqual([]);
  const replayed = await made.call("user", "POST", `${base}/${id}/replay`, { body });
  expect(replayed.statusCode).toBe(201);
  const answer = replayed.json<{ id: string; messageIds: string[] }>();
  expect(answer).toMatchObject({ state: "accepted", messageIds: [expect.any(String)] });
  expect(await details(answer.id)).toMatchObject({
    replayOf: id,
    body,
    channel: "gateway",
    signature: "not-applicable",
    messages: [{ id: answer.messageIds[0], key: "C-1", state: "ready" }],
  });
  expect((await details(id)).replays).toMatchObject([{ id: answer.id, state: "accepted" }]);
});

test("a message sent through unchanged publishes nothing twice", async () => {
  const id = await push(item("U-1"));
  const answer = await made.call("user", "POST", `${base}/${id}/replay`, {});
  expect(answer.json()).toMatchObject({ state: "unchanged", messageIds: [] });
});

test("a message is translated before the transaction in which it is replayed", async () => {
  const id = await push(item("U-2"));
  const { intake } = made.parts;
  const translate = intake.check;
  const inTransaction: (number | null)[] = [];
  const check = vi.spyOn(intake, "check").mockImplementation(async (arrival) => {
    const sql = "select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'";
    inTransaction.push((await made.pool("owner", 1).query(sql)).rowCount);
    return translate(arrival);
  });
  expect(await replay(id)).toMatchObject({ state: "unchanged" });
  check.mockRestore();
  expect(inTransaction).toEqual([0]);
});

async function importItems(...documents: object[]): Promise<string> {
  const { directory, intake } = made.parts;
  const point = (await directory.of(tenant.tenantId)).points.get(tenant.points["erp"]?.id ?? 0);
  if (!point) throw new Error("no point");
  const stored = await inTenant(made.deps.pools.app, tenant.tenantId, (client) =>
    intake.storeDocumentsIn(client, { point, entityType: "item", documents }),
  );
  return stored.externalMessageId;
}

test("an older message that is replayed takes no newer one's place, though neither says when it changed", async () => {
  const refused = await push({ ...item("R-9", "Old"), colour: "red" });
  await push(item("R-9", "New"));
  const outdated = { state: "unchanged", messageIds: [] };
  expect(await replay(refused, { body: JSON.stringify(item("R-9", "Old")) })).toMatchObject(outdated);
  const [newest = ""] = await list("?key=R-9&state=accepted");
  // What was corrected of the newest one may be corrected again.
  expect(await replay(newest, { body: JSON.stringify(item("R-9", "Newer")) })).toMatchObject({
    state: "accepted",
    messageIds: { length: 1 },
  });
  expect(await replay(newest, { body: JSON.stringify(item("R-9", "Newest")) })).toMatchObject({ state: "accepted" });
  expect(await replay(refused, { body: JSON.stringify(item("R-9", "Old")) })).toMatchObject(outdated);
});

test("imported documents are replayed as the canonical ones they are, all of a message and a deletion as well", async () => {
  const known = { ...item("I-1", "Boot"), brand: "ACME", isActive: true };
  const first = await importItems(known, item("I-2"), item("I-3"));
  const deleted = await importItems({ ...item("I-1", "Boot"), name: null, isActive: false, deletedAt: "2026-11-02T08:00:00Z" });
  expect(await replay(deleted)).toMatchObject({ state: "unchanged", messageIds: [] });
  expect((await made.call("user", "POST", `${base}/${first}/check`, {})).json()).toMatchObject({
    state: "accepted",
    documents: [{ key: "I-1" }, { key: "I-2" }, { key: "I-3" }],
  });
  const body = [known, item("I-2", "Bench"), item("I-3", "Chair")].map((document) => JSON.stringify(document)).join("\n");
  const corrected = await replay(first, { body });
  expect(corrected).toMatchObject({ state: "accepted" });
  expect(await replay(first, { body: body.slice(0, -1) })).toMatchObject({ code: "rejected-message", errors: [{ path: "item[2]" }] });
  // What was deleted behind it stays so.
  const { rows } = await made
    .pool("owner", 1)
    .query<{ document: string }>(
      "select document from hub.entity_version where tenant_id = $1 and external_message_id = $2 order by business_key",
      [tenant.tenantId, corrected.id],
    );
  expect(rows.map(({ document }) => JSON.parse(document))).toMatchObject([{ name: "Bench" }, { name: "Chair" }]);
});

const setPaused = (incomingPaused: boolean) =>
  made.call("user", "PATCH", "/api/v1/tenants/received/subtenants/shop/switches", { incomingPaused });

test("nothing is replayed while intake is paused", async () => {
  const id = await push(item("P-1"));
  const check = async () => (await made.call("user", "POST", `${base}/${id}/check`, {})).statusCode;
  await setPaused(true);
  await expect.poll(check).toBe(409);
  await setPaused(false);
  await expect.poll(check).toBe(200);
});

test("what was removed leaves every list but its own and comes back whole", async () => {
  const ids = [await push(item("R-1")), await push({ sku: "R-2", name: 1 })].toReversed();
  const before = await list();
  const removed = await made.call("user", "POST", `${base}/remove`, { ids });
  expect(removed.json<{ ids: string[] }>().ids.toSorted()).toEqual(ids.toSorted());
  expect(await list()).toEqual(before.filter((id) => !ids.includes(id)));
  expect(await list("?removed=true")).toEqual(ids);
  expect(await list("?state=rejected")).not.toContain(ids[0]);
  expect(await details(ids[0] ?? "")).toMatchObject({ removedBy: "Uli", removedAt: expect.any(String) });
  // What is named twice is told once.
  const late = await made.call("admin", "POST", `${base}/remove`, { ids: [...ids, "7", ...ids] });
  const told = ids.map((id) => expect.objectContaining({ id, isThere: false, removedBy: "Uli", removedAt: expect.any(String) }));
  expect(late.json()).toEqual({ ids: [], hasMore: false, skipped: [...told, expect.objectContaining({ id: "7", removedBy: null })] });
  expect((await made.call("user", "POST", `${base}/restore`, { ids })).json<{ ids: string[] }>().ids).toHaveLength(2);
  const again = await made.call("admin", "POST", `${base}/restore`, { ids });
  expect(again.json()).toMatchObject({ ids: [], skipped: [{ isThere: true }, { isThere: true }] });
  expect(await list()).toEqual(before);
  expect(await list("?removed=true")).toEqual([]);
});

test("all that match are removed, the others stay", async () => {
  const before = await list();
  const rejected = await list("?state=rejected");
  const removed = await made.call("user", "POST", `${base}/remove`, { filter: { state: ["rejected"] } });
  expect(removed.json()).toEqual({ ids: expect.arrayContaining(rejected), skipped: [], hasMore: false });
  expect(await list()).toEqual(before.filter((id) => !rejected.includes(id)));
  await made.call("user", "POST", `${base}/restore`, { ids: rejected });
  expect(await list()).toEqual(before);
});

test("a search finds what its other filters leave, however many newer messages hold the text", async () => {
  const broken = { sku: "V-1", name: 5, colour: "Vermilion" };
  const rejected = await push(broken, "/litium/v1/items");
  const accepted = await push(item("V-2", "Vermilion chair"), "/litium/v1/items");
  for (const sku of ["V-3", "V-4", "V-5"]) await push({ ...broken, sku });
  const newer = Array.from({ length: 501 }, (_, index) => JSON.stringify(item(`V-${index + 6}`, "Vermilion chair"))).join("\n");
  const answer = await made.app.inject({
    method: "POST",
    url: "/magento/v1/items?subtenant=shop",
    headers: { "x-api-key": tenant.apiKey, "content-type": "application/x-ndjson" },
    payload: newer,
  });
  expect(answer.body.trim().split("\n")).toHaveLength(501);
  expect(await list(`?search=vermilion&limit=1&state=rejected&integrationPointId=${tenant.points["pim"]?.id}`)).toEqual([rejected]);
  await fillSearch(made.deps.pools.worker, 1_000);
  // As if all but the first two had come an hour later.
  const owner = made.pool("owner", 1);
  const later = "+ interval '1 hour' where tenant_id = $1 and";
  await owner.query(`update queue.message set created_at = created_at ${later} origin_id > $2`, [tenant.tenantId, accepted]);
  await owner.query(`update hub.external_message set received_at = received_at ${later} id > $2`, [tenant.tenantId, accepted]);
  const to = new Date(Date.parse((await details(accepted)).receivedAt) + 1).toISOString();
  expect(await list(`?search=vermilion&to=${to}`)).toEqual([accepted, rejected]);
});

test("a rejected body is found by its text among those of a filter, though thousands of newer ones hold it, too", async () => {
  const rejected = await push({ sku: "W-1", name: 5, colour: "Celadon" }, "/litium/v1/items");
  const owner = made.pool("owner", 1);
  await owner.query(
    `insert into hub.external_message (tenant_id, id, subtenant_id, integration_point_id, channel, entity_type, state, signature, headers, body)
     select tenant_id, id + n, subtenant_id, $3, channel, entity_type, state, signature, headers, 'celadon'
     from hub.external_message, generate_series(1, 10000) n where tenant_id = $1 and id = $2`,
    [tenant.tenantId, rejected, tenant.points["erp"]?.id],
  );
  expect(await list(`?search=celadon&source=litium`)).toEqual([rejected]);
  await owner.query("delete from hub.external_message where tenant_id = $1 and body = 'celadon'", [tenant.tenantId]);
});

test("bad input and unknown messages are told apart", async () => {
  expect((await made.call("viewer", "GET", `${base}?search=ab`)).statusCode).toBe(400);
  expect((await made.call("viewer", "GET", `${base}?cursor=nonsense`)).json()).toMatchObject({ code: "cursor-invalid" });
  expect((await made.call("user", "POST", `${base}/remove`, {})).statusCode).toBe(400);
  expect((await made.call("user", "POST", `${base}/remove`, { ids: [] })).statusCode).toBe(400);
  expect((await made.call("user", "POST", `${base}/207990000000001/replay`, {})).statusCode).toBe(404);
});

const refused = async (body: object) => (await made.call("user", "POST", `${base}/remove`, body)).json<{ errors: object[] }>().errors;

test("a selection that fits neither form is told what it lacks, or what is wrong with it", async () => {
  expect(await refused({})).toMatchObject([{ path: "body/", reason: "no-alternative", values: { names: "ids, filter" } }]);
  expect(await refused({ ids: ["1", "x"] })).toMatchObject([{ path: "body/ids/1" }]);
  const [fault] = await refused({ filter: { state: "lost" } });
  expect(fault).toMatchObject({ path: expect.stringMatching(/^body\/filter\/state/), reason: "not-offered" });
});
