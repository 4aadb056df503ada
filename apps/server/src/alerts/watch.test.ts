import type pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Alert, Queue } from "@crossdock/contract";
import { because } from "../errors/faults.ts";
import { fillQueues } from "../testing/queues.ts";
import { testApp, waitingForLocks, type TestApp } from "../testing/test-app.ts";
import { plantAlert } from "./testing.ts";
import { watchTenant } from "./watch.ts";

let made: TestApp;
let owner: pg.Pool;
let pointId: number;
let now: Date;
const tenantId = 1001;

beforeAll(async () => {
  made = await testApp();
  owner = made.pool("owner", 2);
  pointId = (await fillQueues(made, "acme")).integrationPointId;
});
beforeEach(async () => {
  await owner.query("delete from hub.alert");
  await owner.query("update hub.alert_rule set is_active = false");
  await owner.query("update hub.alert_watch set next_at = '-infinity', slow_next_at = '-infinity'");
  await owner.query("update queue.target set circuit = 'closed', circuit_open_until = null, circuit_fault = null");
  now = new Date();
});
afterAll(() => made.close());

const later = (seconds: number): Date => (now = new Date(now.getTime() + seconds * 1000));
const round = (of = tenantId) => watchTenant(made.deps.pools, of, async () => undefined, now);
const use = (kind: string, fields: string) =>
  owner.query(`update hub.alert_rule set is_active = true, ${fields} where kind = $1 and tenant_id in ($2, 0)`, [kind, tenantId]);
const cut = (isOpen: boolean) =>
  owner.query(
    isOpen
      ? "update queue.target set circuit = 'open', circuit_open_until = now() + interval '1 hour' where id = $1"
      : "update queue.target set circuit = 'closed', circuit_open_until = null where id = $1",
    [pointId],
  );
const list = async (query = "") =>
  (await made.call("viewer", "GET", `/api/v1/tenants/acme/alerts${query}`)).json<{ items: Alert[]; openCount: number }>();
const states = async () => (await list()).items.map(({ state }) => state);
const events = async () => {
  const { rows } = await owner.query<{ kind: string }>("select kind from hub.alert_event order by id");
  return rows.map(({ kind }) => kind);
};

test("alerts are watched on when the database's clock has been set back", async () => {
  await owner.query("update hub.alert_watch set next_at = now() + interval '2 hours', slow_next_at = now() + interval '2 hours'");
  const { rows } = await owner.query("select from hub.tenants_to_watch(clock_timestamp()) as id where id = $1", [tenantId]);
  const watch = async () => {
    const sql =
      "select next_at < now() + interval '1 minute' as next, slow_next_at < now() + interval '2 minutes' as slow from hub.alert_watch where tenant_id = $1";
    return (await owner.query(sql, [tenantId])).rows;
  };
  expect([rows.length, await round(), await watch()]).toEqual([1, true, [{ next: true, slow: true }]]);
});

test("an alert fires once its condition held for long enough, however many processes watch, and is listed with what it is about", async () => {
  await use("circuit-open", "for_seconds = 60, recover_seconds = 120");
  await cut(true);
  await round();
  expect(await states()).toEqual([]);
  later(61);
  const rounds = await Promise.all([round(), round(), round()]);
  expect(rounds.filter((isDone) => isDone)).toHaveLength(1);
  const { items, openCount } = await list();
  expect(openCount).toBe(1);
  expect(items).toMatchObject([
    { kind: "circuit-open", state: "firing", subtenant: { code: "shop" }, details: { name: "https://shop.example", points: ["Queues"] } },
  ]);
  expect(await events()).toEqual(["fired"]);
});

test("what a target answers that fails is told by its queues and its alert, with the point whose messages wait", async () => {
  const fault = { since: "2026-11-02T08:00:00.000000Z", messageId: "17", errorClass: "http-500", status: 500 };
  await use("circuit-open", "for_seconds = 0");
  await cut(true);
  await owner.query("update queue.target set circuit_fault = $1 where id = $2", [fault, pointId]);
  await round();
  expect((await list()).items).toMatchObject([{ details: { pointId, circuitFault: fault } }]);
  const { items } = (await made.call("viewer", "GET", "/api/v1/tenants/acme/queues")).json<{ items: Queue[] }>();
  expect(items.find(({ integrationPoint }) => integrationPoint.id === pointId)?.circuitFault).toEqual(fault);
});

test("dead letters are told as they are counted anyway, however many there are", async () => {
  await use("dead-letters", "threshold = 300000, for_seconds = 0");
  await owner.query(
    `insert into queue.dead_tally (tenant_id, queue_id, fingerprint, count, hours, to_hour)
     select tenant_id, id, 'a flood', 300000, array_fill(0, array[24]), 0 from queue.queue where tenant_id = $1 and target_id = $2`,
    [tenantId, pointId],
  );
  await round();
  expect((await list()).items).toMatchObject([{ kind: "dead-letters", value: 600_001, details: { name: "Queues" } }]);
  await owner.query("delete from queue.dead_tally where fingerprint = 'a flood'");
});

test("each integration point with dead letters is told, however many have more of them", async () => {
  await use("dead-letters", "threshold = 5, for_seconds = 0");
  const plant = (sql: string) => owner.query(`${sql} from generate_series(1, 250) n`);
  await plant(`insert into hub.integration_point (tenant_id, id, subtenant_id, connector, code, name, environment, delivery_mode, source_types, target_types, settings, retry)
    select 1001, 5000 + n, 1101, 'centra', 'many-' || n, 'Many', 'production', 'push', '{}', '{item}', '{}', '{}'`);
  await plant("insert into queue.target (tenant_id, id) select 1001, 5000 + n");
  await plant(`insert into queue.queue (tenant_id, id, target_id, name, mode, delivery, shards)
    select 1001, 5000 + n, 5000 + n, 'centra.item', 'latest', 'push', 1`);
  await plant(`insert into queue.dead_tally (tenant_id, queue_id, fingerprint, count, hours, to_hour)
    select 1001, 5000 + n, 'many', 5, array_fill(0, array[24]), 0`);
  await round();
  expect((await owner.query("select from hub.alert where object > 'point:5000'")).rowCount).toBe(250);
  await owner.query(
    "delete from queue.dead_tally where fingerprint = 'many'; update hub.integration_point set is_active = false where id > 5000",
  );
});

test("what comes and goes is one alert, which recovers once it has been over for long enough", async () => {
  await use("circuit-open", "for_seconds = 0, recover_seconds = 120");
  await cut(true);
  await round();
  for (let flap = 0; flap < 3; flap += 1) {
    await cut(false);
    later(60);
    await round();
    await cut(true);
    later(60);
    await round();
  }
  expect(await states()).toEqual(["firing"]);
  await cut(false);
  later(60);
  await round();
  expect((await list()).items).toMatchObject([{ state: "firing", isQuiet: true }]);
  later(121);
  await round();
  expect(await states()).toEqual(["recovered"]);
  expect(await events()).toEqual(["fired", "recovered"]);
  // It is back soon after, and has to be over for twice as long this time.
  await cut(true);
  later(60);
  await round();
  await cut(false);
  later(20);
  await round();
  later(121);
  await round();
  expect(await states()).toEqual(["firing", "recovered"]);
  later(120);
  await round();
  expect(await states()).toEqual(["recovered", "recovered"]);
});

test("what never lasted long enough is nobody's concern", async () => {
  await use("circuit-open", "for_seconds = 300, recover_seconds = 0");
  await cut(true);
  await round();
  await cut(false);
  later(60);
  await round();
  expect((await owner.query("select from hub.alert")).rowCount).toBe(0);
});

test("a target's outage in five tenants is one incident for the installation, which begins and ends once", async () => {
  await owner.query(`insert into hub.tenant (id, code, name) select 2000 + n, 'away-' || n, 'Away ' || n from generate_series(1, 5) n`);
  await owner.query(
    `insert into hub.subtenant (tenant_id, id, code, name) select 2000 + n, 2100 + n, 'shop', 'Shop' from generate_series(1, 5) n`,
  );
  await owner.query(
    `insert into hub.integration_point (tenant_id, id, subtenant_id, connector, code, name, environment, delivery_mode, source_types, target_types, settings, retry)
     select 2000 + n, 2200 + n, 2100 + n, 'centra', 'erp', 'ERP', 'production', 'push', '{}', '{item}', jsonb_build_object('url', 'https://erp.example/' || n), '{}'
     from generate_series(1, 5) n`,
  );
  await owner.query(`insert into queue.target (tenant_id, id) select 2000 + n, 2200 + n from generate_series(1, 5) n`);
  await owner.query("update hub.alert_rule set is_active = kind = 'outage', for_seconds = 60, recover_seconds = 120 where tenant_id = 0");
  const away = (first: number, last: number) =>
    owner.query(
      "update queue.target set circuit = 'open', circuit_open_until = now() + interval '1 hour' where id between 2200 + $1::integer and 2200 + $2::integer",
      [first, last],
    );
  // They notice it one after the other.
  await away(1, 2);
  await round(0);
  later(61);
  await round(0);
  await away(3, 5);
  later(61);
  await round(0);
  const admin = () => made.call("admin", "GET", "/api/v1/installation/alerts");
  const incidents = (await admin()).json<{ items: Alert[] }>().items;
  expect(incidents).toHaveLength(1);
  expect(incidents[0]).toMatchObject({ kind: "outage", state: "firing", value: 5, details: { name: "https://erp.example" } });
  expect(incidents[0]?.details.tenants?.map(({ code }) => code)).toEqual(["away-1", "away-2", "away-3", "away-4", "away-5"]);
  // They are back one after the other, too.
  await owner.query("update queue.target set circuit = 'closed', circuit_open_until = null where id between 2201 and 2203");
  later(61);
  await round(0);
  await owner.query("update queue.target set circuit = 'closed', circuit_open_until = null where id > 2200");
  later(61);
  await round(0);
  later(121);
  await round(0);
  expect((await admin()).json<{ items: Alert[] }>().items).toMatchObject([{ state: "recovered" }]);
  expect(await events()).toEqual(["fired", "recovered"]);
  expect((await made.call("user", "GET", "/api/v1/installation/alerts")).statusCode).toBe(403);
});

test("dead letters and old messages are told by the integration point that they were meant for", async () => {
  await use("dead-letters", "threshold = 1, for_seconds = 0");
  await use("dead-letters-rising", "threshold = 1");
  await use("queue-age", "threshold = 30, for_seconds = 0");
  await made.deps.pools.worker.query("select hub.collect_metrics()");
  await round();
  const kinds = async () => (await list("?state=firing")).items.map(({ kind }) => kind).toSorted();
  expect(await kinds()).toEqual(["dead-letters", "dead-letters-rising"]);
  await owner.query("update hub.metric set oldest_seconds = 1860 where grain = 1 and depth_max > 0");
  later(16);
  await round();
  expect(await kinds()).toEqual(["dead-letters", "dead-letters-rising", "queue-age"]);
  expect((await list("?kind=queue-age")).items).toMatchObject([{ value: 31, threshold: 30, details: { name: "Queues" } }]);
});

test("what waits behind a pause, or fails to answer then, is somebody's decision and no alert until it ends", async () => {
  await use("circuit-open", "for_seconds = 0, recover_seconds = 0");
  await use("outage", "threshold = 1, for_seconds = 0, recover_seconds = 0");
  await use("queue-age", "threshold = 30, for_seconds = 0, recover_seconds = 0");
  await made.deps.pools.worker.query("select hub.collect_metrics()");
  await owner.query("update hub.metric set oldest_seconds = 1860 where grain = 1 and depth_max > 0");
  const pause = (isPaused: boolean) => made.call("user", "PUT", `/api/v1/tenants/acme/integration-points/${pointId}/pause`, { isPaused });
  const firing = async (isCut: boolean) => {
    await cut(isCut);
    later(61);
    for (const of of [tenantId, 0]) await round(of);
    const { rows } = await owner.query<{ kind: string }>("select kind from hub.alert where state = 'firing' order by kind");
    return rows.map(({ kind }) => kind);
  };
  expect(await firing(false)).toEqual(["queue-age"]);
  expect(await firing(true)).toEqual(["circuit-open", "outage"]);
  await pause(true);
  expect(await firing(true)).toEqual([]);
  expect(await firing(false)).toEqual([]);
  await pause(false);
  expect(await firing(true)).toEqual(["circuit-open", "outage"]);
});

const addRun = (state: string, fault: string | null) =>
  owner.query(
    `insert into hub.run (tenant_id, kind, subtenant_id, integration_point_id, entity_type, state, fault, finished_at)
     values ($1, 'import', 1101, $2, 'order', $3, $4, now())`,
    [tenantId, pointId, state, fault],
  );

test("a job that failed is told with its fault, until it goes through", async () => {
  await use("job-failed", "for_seconds = 0");
  await addRun("failed", "line 3 is no CSV");
  await round();
  expect((await list()).items).toMatchObject([
    { kind: "job-failed", details: { fault: "line 3 is no CSV", name: "Queues", entityType: "order" } },
  ]);
  await addRun("done", null);
  later(16);
  await round();
  expect(await states()).toEqual(["recovered"]);
});

test("a scheduled export that failed is told, though it is of no integration point", async () => {
  await use("job-failed", "for_seconds = 0");
  const { rows } = await owner.query<{ id: number }>(
    `insert into hub.schedule (tenant_id, kind, subtenant_id, entity_type, every_seconds, next_at) values ($1, 'export', 1101, 'item', 600, now() + interval '1 hour')
     returning id`,
    [tenantId],
  );
  await owner.query(
    `insert into hub.run (tenant_id, kind, schedule_id, subtenant_id, entity_type, state, fault, finished_at)
     values ($1, 'export', $2, 1101, 'item', 'failed', 'the disk is full', now())`,
    [tenantId, rows[0]?.id],
  );
  await round();
  expect((await list()).items).toMatchObject([
    { kind: "job-failed", details: { fault: "the disk is full", name: "Shop", entityType: "item" } },
  ]);
});

test("the reason why a job failed keeps its name, for whoever tells it in another language", async () => {
  await use("job-failed", "for_seconds = 0");
  const { detail: fault } = because("run-subject-gone");
  await addRun("failed", fault);
  await round();
  expect((await list()).items[0]).toMatchObject({ details: { fault, failure: { message: fault, reason: "run-subject-gone" } } });
});

test("people acknowledge, snooze, give away and reopen; a snooze ends by itself; what has recovered stays as it is", async () => {
  await use("circuit-open", "for_seconds = 0, recover_seconds = 0");
  await cut(true);
  await round();
  const id = (await list()).items[0]?.id;
  const path = `/api/v1/tenants/acme/alerts/${id}`;
  expect((await made.call("viewer", "PATCH", path, { state: "acknowledged" })).statusCode).toBe(403);
  expect((await made.call("user", "PATCH", path, { state: "acknowledged", ownerId: 2 })).json()).toMatchObject({
    state: "acknowledged",
    owner: { id: 2, name: "Uli" },
  });
  // Of another tenant, and one who may only look.
  for (const ownerId of [4, 3]) expect((await made.call("user", "PATCH", path, { ownerId })).statusCode).toBe(404);
  expect((await made.call("user", "PATCH", path, { state: "snoozed" })).statusCode).toBe(400);
  const over = { state: "snoozed", snoozedUntil: new Date(Date.now() - 1000).toISOString() };
  expect((await made.call("user", "PATCH", path, over)).json()).toMatchObject({
    status: 400,
    reason: "time-passed",
    errors: [{ path: "body/snoozedUntil", reason: "time-passed" }],
  });
  const snoozedUntil = new Date(now.getTime() + 600_000).toISOString();
  expect((await made.call("user", "PATCH", path, { state: "snoozed", snoozedUntil })).json()).toMatchObject({ state: "snoozed" });
  later(300);
  await round();
  expect(await states()).toEqual(["snoozed"]);
  later(301);
  await round();
  expect(await states()).toEqual(["firing"]);
  await cut(false);
  later(16);
  await round();
  expect((await made.call("user", "PATCH", path, { state: "firing" })).json()).toMatchObject({ status: 409, reason: "alert-recovered" });
  const whole = (await made.call("viewer", "GET", path)).json<{ events: { kind: string; actorName: string | null }[] }>();
  expect(whole.events.map(({ kind, actorName }) => [kind, actorName])).toEqual([
    ["recovered", null],
    ["woken", null],
    ["snoozed", "Uli"],
    ["assigned", "Uli"],
    ["acknowledged", "Uli"],
    ["fired", null],
  ]);
  // Each person's own count, of what fired, woke and recovered.
  const unread = async () =>
    (await made.call("viewer", "GET", "/api/v1/tenants/acme/notifications")).json<{ unreadCount: number; items: { id: string }[] }>();
  const before = await unread();
  expect(before.unreadCount).toBe(3);
  await made.call("viewer", "PUT", "/api/v1/tenants/acme/notifications/read", { upTo: before.items[0]?.id ?? "0" });
  expect((await unread()).unreadCount).toBe(0);
});

test("who acknowledges what is nobody's takes it, and reopening gives it back; what is somebody's stays theirs", async () => {
  await use("circuit-open", "for_seconds = 0");
  await cut(true);
  await round();
  const id = (await list()).items[0]?.id ?? 0;
  const ownerAfter = async (who: "admin" | "user", body: object) =>
    (await made.call(who, "PATCH", `/api/v1/tenants/acme/alerts/${id}`, body)).json<Alert>().owner?.name ?? null;
  expect(await ownerAfter("user", { state: "acknowledged" })).toBe("Uli");
  expect(await ownerAfter("admin", { state: "firing" })).toBeNull();
  expect(await ownerAfter("user", { ownerId: 1 })).toBe("Ada");
  expect(await ownerAfter("user", { state: "acknowledged" })).toBe("Ada");
  expect(await ownerAfter("user", { state: "firing" })).toBe("Ada");
  // Taken, and then given away: that stands.
  await ownerAfter("admin", { ownerId: null });
  await ownerAfter("user", { state: "acknowledged" });
  await ownerAfter("user", { ownerId: 1 });
  expect(await ownerAfter("user", { state: "firing" })).toBe("Ada");
});

test("many are acknowledged, given away and reopened by one request, which says which ones it left and why", async () => {
  const planted = await owner.query<{ id: number }>(
    `insert into hub.alert (tenant_id, rule_id, kind, object, state, value, since, fired_at, recovered_at, snoozed_until)
     select $1, (select min(id) from hub.alert_rule where tenant_id = $1), 'job-failed', state || n, state, 1, now(), now(),
       case state when 'recovered' then now() end, case state when 'snoozed' then now() + interval '1 hour' end
     from unnest(array['firing', 'firing', 'acknowledged', 'snoozed', 'recovered']) with ordinality planted (state, n) order by n returning id`,
    [tenantId],
  );
  const ids = planted.rows.map(({ id }) => id);
  const [first = 0, second = 0, acknowledged = 0, snoozed = 0, recovered = 0] = ids;
  const path = "/api/v1/tenants/acme/alerts/update";
  const ask = (body: object) => made.call("user", "POST", path, { ids: [...ids, 999_999], ...body });
  expect((await made.call("viewer", "POST", path, { ids, state: "acknowledged" })).statusCode).toBe(403);
  expect((await ask({ state: "snoozed" })).statusCode).toBe(400);
  const missing = { id: "999999", state: null };
  expect((await ask({ state: "acknowledged" })).json()).toEqual({
    ids: [first, second],
    skipped: [
      { id: String(acknowledged), state: "acknowledged" },
      { id: String(snoozed), state: "snoozed" },
      { id: String(recovered), state: "recovered" },
      missing,
    ],
  });
  expect((await ask({ ownerId: 2 })).json()).toEqual({
    ids: [first, second, acknowledged, snoozed],
    skipped: [{ id: String(recovered), state: "recovered" }, missing],
  });
  for (const ownerId of [4, 3]) expect((await ask({ ownerId })).statusCode).toBe(404);
  const { items } = await list();
  expect(items.map(({ owner: by }) => by?.name ?? null)).toEqual([null, "Uli", "Uli", "Uli", "Uli"]);
  expect((await ask({ state: "firing" })).json<{ ids: number[] }>().ids).toEqual([first, second, acknowledged, snoozed]);
  expect((await list("?state=firing")).items.map(({ snoozedUntil }) => snoozedUntil)).toEqual([null, null, null, null]);
  const { events: history } = (await made.call("viewer", "GET", `/api/v1/tenants/acme/alerts/${snoozed}`)).json<{
    events: { kind: string; actorName: string; detail: string | null }[];
  }>();
  expect(history.map(({ kind, actorName, detail }) => [kind, actorName, detail])).toEqual([
    ["reopened", "Uli", null],
    ["assigned", "Uli", "Uli"],
  ]);
  const { rows } = await owner.query<{ before: Alert[]; after: Alert[] }>(
    "select before, after from hub.audit_event where action = 'updateAlerts' and outcome = 'done' order by id limit 1",
  );
  expect(rows[0]?.before.map(({ id, state }) => [id, state])).toEqual([
    [first, "firing"],
    [second, "firing"],
  ]);
  expect(rows[0]?.after.map(({ state }) => state)).toEqual(["acknowledged", "acknowledged"]);
});

test("a round and a change of many take alerts in one order, so that neither waits for the other in a circle", async () => {
  const { ruleId } = await plantAlert(owner, tenantId);
  await owner.query("update hub.alert_rule set is_active = true where id = $1", [ruleId]);
  await owner.query(
    `insert into hub.alert (tenant_id, rule_id, kind, object, state, value, details, since, fired_at)
     select tenant_id, rule_id, kind, 'further', state, value, details, since, fired_at from hub.alert`,
  );
  const many = await owner.connect();
  const lock = "select from hub.alert where object = $1 for update nowait";
  await many.query("begin");
  await many.query(lock, ["planted"]);
  const watched = round();
  await expect.poll(() => waitingForLocks(owner)).toBe(1);
  const isFree = await many.query(lock, ["further"]).then(
    () => true,
    () => false,
  );
  await many.query("rollback");
  many.release();
  expect(isFree).toBe(true);
  expect(await watched).toBe(true);
});

test("all alerts that a filter matches are exported, a tenant's as well as the installation's", async () => {
  await use("circuit-open", "for_seconds = 0");
  await cut(true);
  await round();
  const [alert] = (await list()).items;
  const exported = await made.call("viewer", "GET", "/api/v1/tenants/acme/alerts/export?state=firing&format=ndjson");
  expect(JSON.parse(exported.body)).toEqual(alert);
  expect((await made.call("viewer", "GET", "/api/v1/tenants/acme/alerts/export?state=recovered&format=ndjson")).body).toBe("");
  expect((await made.call("user", "GET", "/api/v1/installation/alerts/export")).statusCode).toBe(403);
  expect((await made.call("admin", "GET", "/api/v1/installation/alerts/export")).body).toMatch(/^id,ruleId,kind,state/);
});

test("a new tenant has rules; admins change them, and one that is switched off has no open alerts", async () => {
  const created = await made.call("admin", "POST", "/api/v1/tenants", { code: "fresh", name: "Fresh" });
  expect(created.statusCode).toBe(201);
  const rules = (await made.call("admin", "GET", "/api/v1/tenants/fresh/alert-rules")).json<{
    items: { kind: string; isActive: boolean }[];
  }>().items;
  expect(rules.length).toBeGreaterThanOrEqual(8);
  expect(rules.every(({ isActive }) => isActive)).toBe(true);
  const path = "/api/v1/tenants/acme/alert-rules";
  const body = { kind: "circuit-open", threshold: 1, subtenantCode: "shop", forSeconds: 0, recoverSeconds: 600, ownerId: 2 };
  const rule = (await made.call("admin", "POST", path, body)).json<{ id: number }>();
  expect((await made.call("admin", "POST", path, { ...body, subtenantCode: "none" })).json()).toMatchObject({ code: "unknown-subtenant" });
  expect((await made.call("user", "PATCH", `${path}/${rule.id}`, { threshold: 2 })).statusCode).toBe(403);
  // Who may only look owns no alerts.
  expect((await made.call("admin", "POST", path, { ...body, ownerId: 3 })).statusCode).toBe(404);
  expect((await made.call("admin", "PATCH", `${path}/${rule.id}`, { ownerId: 3 })).statusCode).toBe(404);
  await cut(true);
  await round();
  expect((await list()).items).toMatchObject([{ ruleId: rule.id, owner: { name: "Uli" } }]);
  expect((await made.call("admin", "PATCH", `${path}/${rule.id}`, { isActive: false })).json()).toMatchObject({ isActive: false });
  later(16);
  await round();
  expect(await states()).toEqual(["recovered"]);
  expect((await made.call("admin", "DELETE", `${path}/${rule.id}`)).statusCode).toBe(204);
  expect((await made.call("admin", "GET", path)).body).not.toContain(`"id":${rule.id},`);
});
