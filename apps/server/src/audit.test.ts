import { routes } from "@crossdock/contract";
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { plantAlert } from "./alerts/testing.ts";
import { withoutSecrets } from "./audit-event.ts";
import { fillQueues } from "./testing-queues.ts";
import { testApp, testPassword, type TestApp } from "./testing.ts";
import { pngOf } from "./users/testing.ts";

/**
 * Every route that changes something is called here, and writes exactly one audit event. A route that is not listed fails the run; one that
 * changes nothing says `changes: false` in its declaration.
 */

type Call = { params?: Record<string, string | number>; body?: object; tenant?: string };
type Answers = Record<string, Record<string, unknown>>;

let made: TestApp;
let owner: pg.Pool;
let ids: { deadId: string; readyId: string; retryingId: string; integrationPointId: number; orderQueueId: number };
let rejectedId: string;
let fingerprint: string;
let alerts: { acme: number; installation: number; installationRule: number };
/** What the calls so far were answered, by the route's name. */
const answers: Answers = {};

const idOf = (name: string): number => Number(answers[name]?.id);
const newPoint = {
  connector: "centra",
  code: "audited",
  name: "Audited",
  entityTypes: ["item"],
  settings: { url: "https://shop.example" },
};

const newSource = {
  ...newPoint,
  connector: "magento",
  code: "polled",
  subtenantCode: "shop",
  direction: "source",
  entityTypes: ["order"],
  settings: { baseUrl: "https://shop.example" },
};

const edited = JSON.stringify({ schemaVersion: 1, sku: "a-1", name: "Right" });

/** In this order: what is restored must have been removed. Each is called as an admin. */
const calls: Record<string, () => Call> = {
  createTenant: () => ({ body: { code: "audited", name: "Audited" } }),
  updateTenant: () => ({ tenant: "audited", body: { name: "Renamed" } }),
  updateTenantLimits: () => ({
    tenant: "audited",
    body: { historyDays: 7, attemptDays: null, rawMessageDays: null, removedDays: null, runDays: null, messageBytes: null, version: 0 },
  }),
  createSubtenant: () => ({ body: { code: "audited", name: "Audited" } }),
  updateSubtenant: () => ({ params: { subtenantCode: "audited" }, body: { name: "Renamed" } }),
  switchSubtenant: () => ({ params: { subtenantCode: "audited" }, body: { outgoingPaused: true } }),
  createIntegrationPoint: () => ({ body: { ...newPoint, subtenantCode: "shop", credentials: { token: "audit-canary-1" } } }),
  updateIntegrationPoint: () => ({
    params: { integrationPointId: idOf("createIntegrationPoint") },
    body: { name: "Renamed", credentials: { token: "audit-canary-2" } },
  }),
  restoreIntegrationPointVersion: () => ({ params: { integrationPointId: idOf("createIntegrationPoint"), version: 1 }, body: {} }),
  testConnection: () => ({
    body: { connector: "shopify", settings: { shopUrl: "http://127.0.0.1:9" }, credentials: { accessToken: "audit-canary-3" } },
  }),
  pauseIntegrationPoint: () => ({ params: { integrationPointId: idOf("createIntegrationPoint") }, body: { isPaused: true } }),
  createMapping: () => ({
    body: { subtenantCode: null, fieldName: "color", source: "litium", sourceValue: "b", target: "shopify", targetValue: "d" },
  }),
  updateMapping: () => ({ params: { mappingId: idOf("createMapping") }, body: { targetValue: "e" } }),
  removeMappings: () => ({ body: { ids: [idOf("createMapping")] } }),
  restoreMappings: () => ({ body: { ids: [idOf("createMapping")] } }),
  importMappings: () => ({ body: { csv: "fieldName,source,sourceValue,target,targetValue\nsize,litium,1,shopify,XS" } }),
  restoreMappingVersion: () => ({ params: { version: 1 }, body: {} }),
  removeMapping: () => ({ params: { mappingId: idOf("createMapping") } }),
  updateMaskingRules: () => ({ body: { fields: ["email", "$.customer.name"] } }),
  revealValue: () => ({
    body: { source: { kind: "message", messageId: ids.deadId }, pointer: "/orderNumber", reason: "the customer asks" },
  }),
  createSchedule: () => ({ body: { integrationPointId: idOf("source"), entityType: "order", everySeconds: 600 } }),
  updateSchedule: () => ({ params: { scheduleId: idOf("createSchedule") }, body: { everySeconds: 900 } }),
  runSchedule: () => ({ params: { scheduleId: idOf("createSchedule") } }),
  cancelRun: () => ({ params: { runId: idOf("runSchedule") } }),
  removeSchedule: () => ({ params: { scheduleId: idOf("createSchedule") } }),
  createRun: () => ({ body: { kind: "resync", integrationPointId: idOf("createIntegrationPoint"), entityType: "item" } }),
  pauseRun: () => ({ params: { runId: idOf("createRun") } }),
  resumeRun: () => ({ params: { runId: idOf("createRun") } }),
  fixDifferences: () => ({ params: { runId: idOf("createRun") }, body: {} }),
  createImport: () => ({ body: { integrationPointId: idOf("source"), entityType: "order", name: "a.csv", format: "csv" } }),
  startImport: () => ({ params: { runId: idOf("createImport") }, body: { parts: 1 } }),
  updateAlert: () => ({ params: { alertId: alerts.acme }, body: { state: "acknowledged" } }),
  updateInstallationAlert: () => ({ params: { alertId: alerts.installation }, body: { ownerId: 1 } }),
  createAlertRule: () => ({ body: { kind: "queue-age", threshold: 10 } }),
  updateAlertRule: () => ({ params: { ruleId: idOf("createAlertRule") }, body: { threshold: 20 } }),
  removeAlertRule: () => ({ params: { ruleId: idOf("createAlertRule") } }),
  updateInstallationAlertRule: () => ({ params: { ruleId: alerts.installationRule }, body: { threshold: 3 } }),
  createAlertChannel: () => ({ body: { kind: "webhook", name: "Chat", url: "http://127.0.0.1:9/audit-canary-3" } }),
  updateAlertChannel: () => ({
    params: { channelId: idOf("createAlertChannel") },
    body: { url: "http://127.0.0.1:9/audit-canary-4", isActive: false },
  }),
  rotateAlertChannel: () => ({ params: { channelId: idOf("createAlertChannel") } }),
  testAlertChannel: () => ({ params: { channelId: idOf("createAlertChannel") } }),
  removeAlertChannel: () => ({ params: { channelId: idOf("createAlertChannel") } }),
  createInstallationAlertChannel: () => ({ body: { kind: "webhook", name: "Chat", url: "http://127.0.0.1:9/audit-canary-5" } }),
  updateInstallationAlertChannel: () => ({ params: { channelId: idOf("createInstallationAlertChannel") }, body: { name: "Renamed" } }),
  rotateInstallationAlertChannel: () => ({ params: { channelId: idOf("createInstallationAlertChannel") } }),
  testInstallationAlertChannel: () => ({ params: { channelId: idOf("createInstallationAlertChannel") } }),
  removeInstallationAlertChannel: () => ({ params: { channelId: idOf("createInstallationAlertChannel") } }),
  createApiKey: () => ({ body: { name: "Audited" } }),
  revokeApiKey: () => ({ params: { apiKeyId: idOf("createApiKey") } }),
  createNote: () => ({ params: { messageId: ids.deadId }, body: { text: "Waits for the ERP" } }),
  removeNote: () => ({ params: { noteId: idOf("createNote") } }),
  restoreNote: () => ({ params: { noteId: idOf("createNote") } }),
  createSavedView: () => ({ body: { list: "/queue", name: "Dead ones", query: "state=dead" } }),
  updateSavedView: () => ({ params: { viewId: idOf("createSavedView") }, body: { name: "Renamed" } }),
  removeSavedView: () => ({ params: { viewId: idOf("createSavedView") } }),
  createAnnouncement: () => ({ body: { text: "Tonight at ten" } }),
  endAnnouncement: () => ({ params: { announcementId: idOf("createAnnouncement") } }),
  notifyMe: () => ({ body: { email: "someone@example.com", locale: "en" } }),
  removeComingSoonAddress: () => ({ params: { addressId: 1 } }),
  triageDeadLetterGroup: () => ({ body: { fingerprint, version: 0, status: "investigating", ownerId: null } }),
  retryNow: () => ({ body: { ids: [ids.retryingId] } }),
  removeMessages: () => ({ body: { ids: [ids.readyId] } }),
  restoreMessages: () => ({ body: { ids: [ids.readyId] } }),
  removeDeadLetters: () => ({ body: { ids: [ids.deadId] } }),
  requeueDeadLetters: () => ({ body: { ids: [ids.deadId] } }),
  replaceMessage: () => ({ params: { messageId: ids.readyId }, body: { reason: "wrong size", document: edited } }),
  startJob: () => ({
    params: { jobId: idOf("createJob") },
    body: { total: answers.createJob?.total, confirmation: "acme", reason: "end" },
  }),
  pauseJob: () => ({ params: { jobId: idOf("createJob") } }),
  resumeJob: () => ({ params: { jobId: idOf("createJob") } }),
  cancelJob: () => ({ params: { jobId: idOf("createJob") } }),
  undoJob: () => ({ params: { jobId: idOf("createJob") } }),
  replayExternalMessage: () => ({ params: { externalMessageId: rejectedId }, body: { body: edited } }),
  removeExternalMessages: () => ({ body: { ids: [rejectedId] } }),
  restoreExternalMessages: () => ({ body: { ids: [rejectedId] } }),
  importExternalItems: () => ({ body: { csv: "integrationPoint,entityType,key,externalId\nqueues,item,a-1,7", isDryRun: false } }),
  removeExternalItems: () => ({ body: { items: [{ integrationPointId: ids.integrationPointId, entityType: "item", key: "a-1" }] } }),
  restoreExternalItems: () => ({ body: { removedIds: answers.removeExternalItems?.removedIds ?? [] } }),
  resyncEntity: () => ({ body: { entityType: "item", subtenant: "shop", key: "probe-1" } }),
  runOperation: () => ({ body: { operation: "fetch-next", queueId: ids.orderQueueId } }),
  inviteUser: () => ({ body: { email: "audited@example.com", role: "user", tenants: ["acme"] } }),
  inviteUserAgain: () => ({ params: { userId: invitedId() } }),
  acceptInvitation: () => ({
    body: { token: String(answers.inviteUserAgain?.link).split("#")[1], name: "Audited", password: testPassword },
  }),
  revokeInvitation: () => ({ params: { userId: (answers.taken as { user: { id: number } }).user.id } }),
  updateUser: () => ({ params: { userId: invitedId() }, body: { role: "viewer" } }),
  revokeUserSession: () => ({ params: { userId: 2, sessionId: sessions.ofUser } }),
  revokeUserSessions: () => ({ params: { userId: 2 } }),
  updateAccount: () => ({ body: { locale: "fr" } }),
  setAvatar: () => ({ body: { png: pngOf({ width: 4, height: 4 }).toString("base64") } }),
  removeAvatar: () => ({}),
  changePassword: () => ({ body: { present: testPassword, next: "another long password" } }),
  revokeOwnSession: () => ({ params: { sessionId: sessions.ofAdmin } }),
  revokeOtherSessions: () => ({}),
};

const sessions = { ofUser: "00000000-0000-4000-8000-000000000001", ofAdmin: "00000000-0000-4000-8000-000000000002" };
const invitedId = (): number => (answers.inviteUser as { user: { id: number } }).user.id;

function routeOf(name: string) {
  const route = Object.entries(routes).find(([key]) => key === name)?.[1];
  if (!route) throw new Error(`the contract has no route ${name}`);
  return route;
}

async function ask(name: string, account: "admin" | "viewer" | "stranger", call: Call) {
  const route = routeOf(name);
  const params: Record<string, string | number> = { tenantCode: call.tenant ?? "acme", ...call.params };
  return made.call(
    account,
    route.method,
    route.path.replace(/:(\w+)/g, (_, param: string) => String(params[param])),
    call.body,
  );
}

const openSession = (id: string, userId: number) =>
  owner.query("insert into hub.session (id, user_id, is_remembered, expires_at) values ($1, $2, false, now() + interval '1 hour')", [
    id,
    userId,
  ]);

const eventsSql = `
  select tenant_id as "tenantId", outcome, action, code, target_kind as "targetKind", target_id as "targetId", user_id as "userId",
    actor_name as "actorName", address, reason, before, after
  from hub.audit_event where request_id = $1`;

type EventRow = Record<string, unknown> & { tenantId: number | null; outcome: string; action: string };

async function eventsOf(answer: { headers: Record<string, unknown> }): Promise<EventRow[]> {
  return (await owner.query<EventRow>(eventsSql, [answer.headers["x-request-id"]])).rows;
}

beforeAll(async () => {
  made = await testApp();
  owner = made.pool("owner", 2);
  await made.call("admin", "PATCH", "/api/v1/tenants/acme/subtenants/shop/switches", { debugMode: true });
  ids = await fillQueues(made, "acme");
  const groups = await made.call("admin", "GET", "/api/v1/tenants/acme/dead-letter-groups");
  fingerprint = groups.json<{ items: { fingerprint: string }[] }>().items[0]?.fingerprint ?? "";
  for (const payload of [{ schemaVersion: 1, sku: "probe-1", name: "Probe" }, { sku: "a-1" }]) {
    await made.call("user", "POST", "/centra/v1/items?tenant=acme&subtenant=shop", payload);
  }
  const received = await made.call("admin", "GET", "/api/v1/tenants/acme/external-messages");
  await openSession(sessions.ofUser, 2);
  const [ofAcme, ofInstallation] = [await plantAlert(owner, 1001), await plantAlert(owner, 0)];
  alerts = { acme: ofAcme.alertId, installation: ofInstallation.alertId, installationRule: ofInstallation.ruleId };
  rejectedId = received.json<{ items: { id: string }[] }>().items[0]?.id ?? "";
});
afterAll(() => made.close());

/** As if its worker had found a difference. */
async function endReconciliation(id: number): Promise<void> {
  await owner.query("update hub.run set kind = 'reconciliation', state = 'done', finished_at = now() where id = $1", [id]);
  await owner.query(
    "insert into hub.run_difference (tenant_id, run_id, business_key, kind) select tenant_id, id, 'a-1', 'missing' from hub.run where id = $1",
    [id],
  );
}

test("every route that changes something is listed here", () => {
  const changing = made.app.registeredRoutes.filter(({ changes }) => changes).map(({ method, path }) => `${method} ${path}`);
  const listed = Object.keys(calls).map((name) => `${routeOf(name).method} ${routeOf(name).path}`);
  expect(changing.toSorted()).toEqual(listed.toSorted());
});

test("each change writes exactly one event, and its refusal one more", async () => {
  for (const [name, call] of Object.entries(calls)) {
    if (name === "startJob") {
      answers.createJob = (await ask("createJob", "admin", { body: { kind: "remove", selection: { filter: {} } } })).json();
    }
    if (name === "createSchedule") answers.source = (await ask("createIntegrationPoint", "admin", { body: newSource })).json();
    if (name === "startImport")
      await ask("putImportPart", "admin", { params: { runId: idOf("createImport"), number: 1 }, body: { text: "orderNumber" } });
    if (name === "revokeInvitation") answers.taken = (await ask("inviteUser", "admin", { body: { email: "taken@example.com" } })).json();
    if (name === "fixDifferences") await endReconciliation(idOf("createRun"));
    // As if its runner had done one of them.
    if (name === "undoJob") await owner.query("update hub.job set done = 1 where id = $1", [idOf("createJob")]);
    const answer = await ask(name, "admin", call());
    // With the name and the body, so that a failure says which route it was.
    if (name === "changePassword") await openSession(sessions.ofAdmin, 1);
    expect({ name, body: answer.body, isDone: answer.statusCode < 300 }).toMatchObject({ name, isDone: true });
    if (answer.body !== "") answers[name] = answer.json();
    // Who follows an invitation is nobody yet.
    const actor = routeOf(name).permission === "public" ? { userId: null, actorName: null } : { userId: 1, actorName: "Ada" };
    const done = { outcome: "done", action: name, code: null, address: "127.0.0.1", ...actor };
    const events = await eventsOf(answer);
    expect(events).toMatchObject([done]);
    if (!routeOf(name).path.includes(":tenantCode")) continue;
    expect(events[0]?.tenantId).not.toBeNull();
    const refused = await eventsOf(await ask(name, "stranger", call()));
    expect(refused).toMatchObject([{ tenantId: null, outcome: "denied", action: name, code: "not-found", actorName: "Stan" }]);
    if (routeOf(name).permission === "read") continue;
    const forbidden = await eventsOf(await ask(name, "viewer", { ...call(), tenant: "acme" }));
    expect(forbidden).toMatchObject([{ tenantId: 1001, outcome: "denied", action: name, code: "permission-missing", actorName: "Vera" }]);
  }
});

test("an event tells before and after, and no secret", async () => {
  const { rows } = await owner.query<EventRow>("select * from hub.audit_event order by id");
  const text = JSON.stringify(rows);
  expect(text).not.toContain("audit-canary");
  expect(text).not.toContain(answers.createApiKey?.key);
  expect(text).not.toContain("whsec_");
  expect(text).not.toContain(String(answers.inviteUserAgain?.link).split("#")[1]);
  expect(text).not.toContain(testPassword);
  expect(rows.find(({ action }) => action === "updateUser")).toMatchObject({ before: { role: "user" }, after: { role: "viewer" } });
  const updated = rows.find(({ action }) => action === "updateIntegrationPoint");
  expect(updated).toMatchObject({ before: { name: "Audited" }, after: { name: "Renamed", credentials: "•••" } });
  expect(rows.find(({ action }) => action === "replaceMessage")).toMatchObject({ reason: "wrong size", target_kind: "messages" });
  expect(rows.find(({ action }) => action === "startJob")).toMatchObject({ after: { kind: "remove", selection: { filter: {} } } });
});

test("what fails, is only asked or repeated by its Idempotency-Key writes none", async () => {
  const path = "/api/v1/tenants/acme/subtenants";
  const body = { code: "twice", name: "Twice" };
  const headers = { "idempotency-key": "twice" };
  expect(await eventsOf(await made.call("admin", "POST", path, body, headers))).toHaveLength(1);
  const again = await made.call("admin", "POST", path, body, headers);
  expect(again.headers["idempotent-replayed"]).toBe("true");
  expect(await eventsOf(again)).toEqual([]);
  expect(await eventsOf(await made.call("admin", "POST", path, body))).toEqual([]);
  expect(await eventsOf(await made.call("admin", "GET", path))).toEqual([]);
  const csv = "integrationPoint,entityType,key,externalId\nqueues,item,a-2,8";
  expect(await eventsOf(await ask("importExternalItems", "admin", { body: { csv, isDryRun: true } }))).toEqual([]);
});

test("wrong tokens and passwords are kept, but a flood of them is not", async () => {
  const before = await owner.query("select from hub.audit_event where code in ('token-invalid', 'credentials-invalid')");
  for (let count = 0; count < 25; count += 1) {
    const answer = await made.app.inject({
      url: "/api/v1/tenants",
      headers: { authorization: "Bearer cdk_wrong" },
      remoteAddress: "192.0.2.7",
    });
    expect(answer.statusCode).toBe(401);
  }
  const after = await owner.query("select from hub.audit_event where code in ('token-invalid', 'credentials-invalid')");
  const kept = Number(after.rowCount) - Number(before.rowCount);
  expect(kept).toBeGreaterThanOrEqual(1);
  expect(kept).toBeLessThan(25);
});

test("the app role adds events of its own tenant and can neither change nor remove one", async () => {
  const app = made.pool("app", 1);
  const client = await app.connect();
  await client.query("begin; set local crossdock.tenant_id = '1002'");
  expect((await client.query("select from hub.audit_event where tenant_id = 1001")).rowCount).toBe(0);
  for (const sql of [
    "update hub.audit_event set action = 'other'",
    "delete from hub.audit_event",
    "truncate hub.audit_event",
    "insert into hub.audit_event (tenant_id, outcome, action, request_id) values (1001, 'done', 'forged', gen_random_uuid())",
    "insert into hub.audit_event (tenant_id, outcome, action, request_id) values (null, 'done', 'forged', gen_random_uuid())",
  ]) {
    await client.query("savepoint attempt");
    await expect(client.query(sql)).rejects.toMatchObject({ code: "42501" });
    await client.query("rollback to attempt");
  }
  await client.query("rollback");
  client.release();
});

test("a text that is cut in the middle of a character is kept, as far as it goes", async () => {
  const name = `${"a".repeat(1_999)}👩`;
  const { rows } = await owner.query<{ kept: object }>("select $1::jsonb as kept", [JSON.stringify(withoutSecrets({ name }))]);
  expect(rows[0]?.kept).toEqual({ name: `${"a".repeat(1_999)}\ufffd` });
});
