import { routes, type RouteDefinition } from "@crossdock/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RegisteredRoute } from "./access.ts";
import { plantAlert } from "./alerts/testing.ts";
import { fillQueues } from "./testing-queues.ts";
import { testApp, type TestApp } from "./testing.ts";

/**
 * The cross-tenant probe. Every route is called by people and keys that have no right to what they name; what they are told must be, to
 * the letter, what they would be told if it did not exist. A route that is not listed here fails the run.
 */

/** Names of things. The probe calls each route with those of tenant `acme` and with ones that nobody has. */
type Ids = {
  subtenantCode: string;
  integrationPointId: number;
  queueId: number;
  messageId: string;
  externalMessageId: string;
  mappingId: number;
  apiKeyId: number;
  fingerprint: string;
  noteId: number;
  viewId: number;
  jobId: number;
  scheduleId: number;
  runId: number;
  alertId: number;
  ruleId: number;
  channelId: number;
};

type Call = { params?: Record<string, string | number>; query?: Record<string, string | number>; body?: object };

const missing: Ids = {
  subtenantCode: "nowhere",
  integrationPointId: 999_999,
  queueId: 999_999,
  messageId: "207990000000001",
  externalMessageId: "207990000000001",
  mappingId: 999_999,
  apiKeyId: 999_999,
  fingerprint: "none",
  noteId: 999_999,
  viewId: 999_999,
  jobId: 999_999,
  scheduleId: 999_999,
  runId: 999_999,
  alertId: 999_999,
  ruleId: 999_999,
  channelId: 999_999,
};

/** Other values than `missing` has, only to see which calls depend on them. */
const namesakes: Ids = {
  ...missing,
  subtenantCode: "x",
  integrationPointId: 1,
  queueId: 1,
  messageId: "1",
  externalMessageId: "1",
  mappingId: 1,
  apiKeyId: 1,
  noteId: 1,
  viewId: 1,
  jobId: 1,
  scheduleId: 1,
  runId: 1,
  alertId: 1,
  ruleId: 1,
  channelId: 1,
};

const newPoint = { connector: "centra", code: "probe", name: "Probe", entityTypes: ["item"], settings: { url: "https://shop.example" } };
const newSource = {
  connector: "magento",
  name: "Source",
  direction: "source",
  entityTypes: ["order"],
  settings: { baseUrl: "https://shop.example" },
};
const noLimits = {
  historyDays: 7,
  attemptDays: null,
  rawMessageDays: null,
  removedDays: null,
  runDays: null,
  messageBytes: null,
  version: 0,
};
const newView = { list: "/queue", name: "Dead ones", query: "state=dead" };
const newMapping = { fieldName: "color", source: "litium", sourceValue: "b", target: "shopify", targetValue: "d" };

/** How each route of a tenant is called, so that it names as many things as it can. */
const tenantProbes: Record<string, (ids: Ids) => Call> = {
  getTenant: () => ({}),
  getTenantLimits: () => ({}),
  updateTenantLimits: () => ({ body: noLimits }),
  getTenantUsage: () => ({}),
  updateTenant: () => ({ body: { name: "Renamed" } }),
  listSubtenants: () => ({}),
  exportSubtenants: () => ({}),
  createSubtenant: () => ({ body: { code: "shop", name: "Shop" } }),
  updateSubtenant: ({ subtenantCode }) => ({ params: { subtenantCode }, body: { name: "Renamed" } }),
  switchSubtenant: ({ subtenantCode }) => ({ params: { subtenantCode }, body: { outgoingPaused: true } }),
  listIntegrationPoints: ({ subtenantCode }) => ({ query: { subtenant: subtenantCode } }),
  createIntegrationPoint: ({ subtenantCode }) => ({ body: { ...newPoint, subtenantCode } }),
  updateIntegrationPoint: ({ integrationPointId }) => ({ params: { integrationPointId }, body: { name: "Renamed" } }),
  testConnection: ({ integrationPointId }) => ({
    body: { connector: "centra", settings: { url: "https://shop.example" }, integrationPointId },
  }),
  previewIntegrationPoint: ({ integrationPointId }) => ({ params: { integrationPointId }, body: { change: {} } }),
  listIntegrationPointVersions: ({ integrationPointId }) => ({ params: { integrationPointId } }),
  restoreIntegrationPointVersion: ({ integrationPointId }) => ({ params: { integrationPointId, version: 1 }, body: {} }),
  pauseIntegrationPoint: ({ integrationPointId }) => ({ params: { integrationPointId }, body: { isPaused: true } }),
  listMappings: () => ({ query: { search: "navy" } }),
  exportMappings: () => ({ query: { search: "navy" } }),
  createMapping: ({ subtenantCode }) => ({ body: { ...newMapping, subtenantCode } }),
  countMappings: () => ({ query: { fieldName: "color" } }),
  updateMapping: ({ mappingId }) => ({ params: { mappingId }, body: { targetValue: "e" } }),
  removeMapping: ({ mappingId }) => ({ params: { mappingId } }),
  removeMappings: ({ mappingId }) => ({ body: { ids: [mappingId] } }),
  restoreMappings: ({ mappingId }) => ({ body: { ids: [mappingId] } }),
  importMappings: () => ({ body: { csv: "fieldName", isDryRun: true } }),
  previewMappings: ({ subtenantCode }) => ({ body: { draft: { upsert: [{ ...newMapping, subtenantCode }] } } }),
  listMappingVersions: () => ({}),
  getMappingVersion: () => ({ params: { version: 1 } }),
  restoreMappingVersion: () => ({ params: { version: 1 }, body: {} }),
  listMissingMappings: () => ({}),
  checkMissingMappings: ({ subtenantCode }) => ({ body: { mappings: [{ ...newMapping, subtenantCode }] } }),
  getMaskingRules: () => ({}),
  updateMaskingRules: () => ({ body: { fields: ["email"] } }),
  revealValue: ({ messageId }) => ({ body: { source: { kind: "message", messageId }, pointer: "", reason: "probe" } }),
  listApiKeys: () => ({}),
  createApiKey: () => ({ body: { name: "Probe" } }),
  revokeApiKey: ({ apiKeyId }) => ({ params: { apiKeyId } }),
  listQueues: ({ subtenantCode }) => ({ query: { subtenant: subtenantCode } }),
  listMessages: ({ queueId }) => ({ query: { queueId } }),
  exportMessages: ({ queueId }) => ({ query: { queueId } }),
  countMessages: ({ integrationPointId }) => ({ query: { integrationPointId } }),
  scanMessages: ({ queueId }) => ({ query: { queueId } }),
  getMessage: ({ messageId }) => ({ params: { messageId } }),
  listAttempts: ({ messageId }) => ({ params: { messageId } }),
  getMessageTrace: ({ messageId }) => ({ params: { messageId } }),
  checkReplacement: ({ messageId, queueId }) => ({ params: { messageId }, body: { queueId } }),
  replaceMessage: ({ messageId, queueId }) => ({ params: { messageId }, body: { document: "{}", queueId, reason: "probe" } }),
  getObjectTrace: ({ messageId }) => ({ params: { messageId } }),
  traceObject: ({ externalMessageId }) => ({ query: { externalMessageId } }),
  removeMessages: ({ messageId }) => ({ body: { ids: [messageId] } }),
  restoreMessages: ({ messageId }) => ({ body: { ids: [messageId] } }),
  listDeadLetters: ({ queueId, fingerprint }) => ({ query: { queueId, fingerprint } }),
  exportDeadLetters: ({ queueId, fingerprint }) => ({ query: { queueId, fingerprint } }),
  listDeadLetterGroups: ({ queueId }) => ({ query: { queueId } }),
  triageDeadLetterGroup: ({ fingerprint }) => ({ body: { fingerprint, version: 0, status: "investigating", ownerId: null } }),
  getDeadLetter: ({ messageId }) => ({ params: { messageId } }),
  listOperators: () => ({}),
  requeueDeadLetters: ({ messageId }) => ({ body: { ids: [messageId] } }),
  removeDeadLetters: ({ messageId }) => ({ body: { ids: [messageId] } }),
  listRetryQueue: ({ queueId }) => ({ query: { queueId } }),
  exportRetryQueue: ({ queueId }) => ({ query: { queueId } }),
  listSchedules: ({ subtenantCode }) => ({ query: { subtenant: subtenantCode } }),
  createSchedule: ({ integrationPointId }) => ({ body: { integrationPointId, entityType: "order", everySeconds: 600 } }),
  updateSchedule: ({ scheduleId }) => ({ params: { scheduleId }, body: { everySeconds: 600 } }),
  removeSchedule: ({ scheduleId }) => ({ params: { scheduleId } }),
  runSchedule: ({ scheduleId }) => ({ params: { scheduleId } }),
  listRuns: ({ subtenantCode, scheduleId }) => ({ query: { subtenant: subtenantCode, schedule: scheduleId } }),
  exportRuns: ({ subtenantCode, scheduleId }) => ({ query: { subtenant: subtenantCode, schedule: scheduleId } }),
  getRun: ({ runId }) => ({ params: { runId } }),
  listRunLines: ({ runId }) => ({ params: { runId } }),
  cancelRun: ({ runId }) => ({ params: { runId } }),
  createRun: ({ integrationPointId }) => ({ body: { kind: "resync", integrationPointId, entityType: "item" } }),
  pauseRun: ({ runId }) => ({ params: { runId } }),
  resumeRun: ({ runId }) => ({ params: { runId } }),
  listDifferences: ({ runId }) => ({ params: { runId } }),
  exportDifferences: ({ runId }) => ({ params: { runId } }),
  fixDifferences: ({ runId }) => ({ params: { runId }, body: {} }),
  downloadExport: ({ runId }) => ({ params: { runId } }),
  createImport: ({ integrationPointId }) => ({ body: { integrationPointId, entityType: "order", name: "a.csv", format: "csv" } }),
  putImportPart: ({ runId }) => ({ params: { runId, number: 1 }, body: { text: "sku" } }),
  startImport: ({ runId }) => ({ params: { runId }, body: { parts: 1 } }),
  listToolboxRuns: () => ({ query: { operation: "resend" } }),
  runOperation: ({ integrationPointId }) => ({ body: { operation: "test-connection", integrationPointId } }),
  listJobs: () => ({}),
  createJob: () => ({ body: { kind: "remove", selection: { filter: { key: "none" } } } }),
  createExternalJob: () => ({ body: { subject: "external-messages", kind: "remove", selection: { filter: { key: "none" } } } }),
  getJob: ({ jobId }) => ({ params: { jobId } }),
  listJobItems: ({ jobId }) => ({ params: { jobId } }),
  startJob: ({ jobId }) => ({ params: { jobId }, body: { total: 1 } }),
  pauseJob: ({ jobId }) => ({ params: { jobId } }),
  resumeJob: ({ jobId }) => ({ params: { jobId } }),
  cancelJob: ({ jobId }) => ({ params: { jobId } }),
  undoJob: ({ jobId }) => ({ params: { jobId } }),
  dryRunJob: ({ jobId }) => ({ params: { jobId } }),
  countDryRun: ({ jobId }) => ({ params: { jobId } }),
  retryNow: ({ messageId }) => ({ body: { ids: [messageId] } }),
  listExternalMessages: ({ integrationPointId }) => ({ query: { integrationPointId } }),
  exportExternalMessages: ({ integrationPointId }) => ({ query: { integrationPointId } }),
  countExternalMessages: ({ integrationPointId }) => ({ query: { integrationPointId } }),
  getExternalMessage: ({ externalMessageId }) => ({ params: { externalMessageId } }),
  checkExternalMessage: ({ externalMessageId }) => ({ params: { externalMessageId }, body: {} }),
  replayExternalMessage: ({ externalMessageId }) => ({ params: { externalMessageId }, body: {} }),
  removeExternalMessages: ({ externalMessageId }) => ({ body: { ids: [externalMessageId] } }),
  restoreExternalMessages: ({ externalMessageId }) => ({ body: { ids: [externalMessageId] } }),
  listEntityTypes: ({ subtenantCode }) => ({ query: { subtenant: subtenantCode } }),
  listEntities: ({ subtenantCode }) => ({ query: { entityType: "item", subtenant: subtenantCode } }),
  exportEntities: ({ subtenantCode }) => ({ query: { entityType: "item", subtenant: subtenantCode } }),
  getEntity: ({ subtenantCode }) => ({ query: { entityType: "item", subtenant: subtenantCode, key: "probe-1" } }),
  getEntityVersion: ({ subtenantCode }) => ({ query: { entityType: "item", subtenant: subtenantCode, key: "probe-1", version: 1 } }),
  resyncEntity: ({ subtenantCode }) => ({ body: { entityType: "item", subtenant: subtenantCode, key: "probe-1" } }),
  listExternalItems: ({ integrationPointId }) => ({ query: { integrationPointId } }),
  exportExternalItems: ({ integrationPointId }) => ({ query: { integrationPointId } }),
  countExternalItems: ({ integrationPointId }) => ({ query: { integrationPointId } }),
  removeExternalItems: ({ integrationPointId }) => ({ body: { items: [{ integrationPointId, entityType: "item", key: "a-1" }] } }),
  restoreExternalItems: ({ messageId }) => ({ body: { removedIds: [messageId] } }),
  importExternalItems: () => ({ body: { csv: "integrationPoint,entityType,key,externalId\nqueues,item,a-1,7", isDryRun: true } }),
  streamEvents: () => ({}),
  searchTenant: ({ messageId }) => ({ query: { q: messageId } }),
  listSavedViews: () => ({}),
  createSavedView: () => ({ body: newView }),
  updateSavedView: ({ viewId }) => ({ params: { viewId }, body: { name: "Renamed" } }),
  removeSavedView: ({ viewId }) => ({ params: { viewId } }),
  listMetrics: ({ subtenantCode }) => ({
    query: { from: "2026-01-01T00:00:00Z", to: "2026-01-01T01:00:00Z", subtenant: subtenantCode },
  }),
  listAlerts: ({ subtenantCode }) => ({ query: { subtenant: subtenantCode } }),
  getAlert: ({ alertId }) => ({ params: { alertId } }),
  updateAlert: ({ alertId }) => ({ params: { alertId }, body: { state: "acknowledged" } }),
  listNotifications: () => ({}),
  markNotificationsRead: () => ({ body: { upTo: "1" } }),
  getDelays: ({ subtenantCode }) => ({ query: { subtenant: subtenantCode } }),
  listAlertChannels: () => ({}),
  createAlertChannel: () => ({ body: { kind: "email", name: "Probe" } }),
  updateAlertChannel: ({ channelId }) => ({ params: { channelId }, body: { name: "Probe" } }),
  rotateAlertChannel: ({ channelId }) => ({ params: { channelId } }),
  testAlertChannel: ({ channelId }) => ({ params: { channelId } }),
  listAlertDeliveries: ({ channelId }) => ({ params: { channelId } }),
  removeAlertChannel: ({ channelId }) => ({ params: { channelId } }),
  listAlertRules: () => ({}),
  createAlertRule: ({ queueId, subtenantCode }) => ({ body: { kind: "queue-age", threshold: 1, queueId, subtenantCode } }),
  updateAlertRule: ({ ruleId }) => ({ params: { ruleId }, body: { threshold: 2 } }),
  removeAlertRule: ({ ruleId }) => ({ params: { ruleId } }),
  listNotes: () => ({}),
  markNotesRead: ({ noteId }) => ({ body: { upTo: noteId } }),
  listMessageNotes: ({ messageId }) => ({ params: { messageId } }),
  createNote: ({ messageId }) => ({ params: { messageId }, body: { text: "probe" } }),
  removeNote: ({ noteId }) => ({ params: { noteId } }),
  restoreNote: ({ noteId }) => ({ params: { noteId } }),
};

/** Routes that name nothing of a tenant: their answer depends on the caller alone. */
const callerRoutes = new Set([
  "listTenants",
  "listMails",
  "exportMails",
  "createTenant",
  "getCurrentUser",
  "listConnectors",
  "listAnnouncements",
  "createAnnouncement",
  "endAnnouncement",
  "notifyMe",
  "listComingSoonAddresses",
  "exportComingSoonAddresses",
  "removeComingSoonAddress",
  "listAuditEvents",
  "exportAuditEvents",
  "getAuditEvent",
  "getOverview",
  "listInstallationAlerts",
  "getInstallationAlert",
  "updateInstallationAlert",
  "listInstallationNotifications",
  "markInstallationNotificationsRead",
  "listInstallationAlertRules",
  "listInstallationAlertChannels",
  "createInstallationAlertChannel",
  "updateInstallationAlertChannel",
  "removeInstallationAlertChannel",
  "rotateInstallationAlertChannel",
  "testInstallationAlertChannel",
  "listInstallationAlertDeliveries",
  "updateInstallationAlertRule",
  "listUsers",
  "exportUsers",
  "inviteUser",
  "inviteUserAgain",
  "revokeInvitation",
  "updateUser",
  "listUserSessions",
  "revokeUserSession",
  "revokeUserSessions",
  "updateAccount",
  "setAvatar",
  "removeAvatar",
  "changePassword",
  "listSessions",
  "revokeOtherSessions",
  "revokeOwnSession",
]);
/** Open to everybody. Session routes take a secret; a hook's address is one, and what it gets must be signed. */
const publicRoutes = new Set([
  ...["getLiveness", "getReadiness", "getOpenApi", "signIn", "refreshSession", "signOut", "createTokens", "refreshTokens"].map(nameToKey),
  nameToKey("acceptInvitation"),
  ...["startProviderSignIn", "finishProviderSignIn"].map(nameToKey),
  ...["getSignInOptions", "signUp", "confirmSignUp", "requestPasswordReset", "resetPassword"].map(nameToKey),
  "POST /hooks/:hookId",
]);

function nameToKey(name: string): string {
  const { method, path } = routeOf(name);
  return `${method} ${path}`;
}

function routeOf(name: string): RouteDefinition {
  const route = Object.entries(routes).find(([key]) => key === name)?.[1];
  if (!route) throw new Error(`the contract has no route ${name}`);
  return route;
}

let made: TestApp;
let acme: Ids;
let keys: { acme: string; other: string };

beforeAll(async () => {
  made = await testApp();
  await made.call("admin", "POST", "/api/v1/tenants/acme/subtenants", { code: "secret", name: "Secret" });
  await made.call("admin", "POST", "/api/v1/tenants/acme/integration-points", { ...newPoint, code: "hidden", subtenantCode: "secret" });
  const mapping = await made.call("admin", "POST", "/api/v1/tenants/acme/mappings", { ...newMapping, sourceValue: "navy" });
  const createKey = async (tenant: string) => {
    const created = await made.call("admin", "POST", `/api/v1/tenants/${tenant}/api-keys`, { name: "worker" });
    return created.json<{ id: number; key: string }>();
  };
  const [acmeKey, otherKey] = [await createKey("acme"), await createKey("other")];
  keys = { acme: acmeKey.key, other: otherKey.key };
  const queues = await fillQueues(made, "acme");
  await fillQueues(made, "other");
  const groups = await made.call("admin", "GET", "/api/v1/tenants/acme/dead-letter-groups");
  // Kept as rejected: it is a message all the same.
  await made.app.inject({
    method: "POST",
    url: "/centra/v1/items?subtenant=shop",
    headers: { "x-api-key": acmeKey.key, "content-type": "application/json" },
    payload: { sku: "a-1" },
  });
  await made.app.inject({
    method: "POST",
    url: "/centra/v1/items?subtenant=secret",
    headers: { "x-api-key": acmeKey.key, "content-type": "application/json" },
    payload: { schemaVersion: 1, sku: "probe-1", name: "Probe" },
  });
  const note = await made.call("admin", "POST", `/api/v1/tenants/acme/messages/${queues.deadId}/notes`, { text: "Waits for the ERP" });
  const job = await made.call("admin", "POST", "/api/v1/tenants/acme/jobs", { kind: "remove", selection: { ids: [queues.readyId] } });
  const view = await made.call("admin", "POST", "/api/v1/tenants/acme/saved-views", newView);
  const received = await made.call("admin", "GET", "/api/v1/tenants/acme/external-messages");
  await made.call("admin", "POST", "/api/v1/tenants/acme/external-items/import", {
    csv: "integrationPoint,entityType,key,externalId\nqueues,item,a-1,7",
  });
  const source = await made.call("admin", "POST", "/api/v1/tenants/acme/integration-points", {
    ...newSource,
    code: "polled",
    subtenantCode: "secret",
  });
  const schedule = await made.call("admin", "POST", "/api/v1/tenants/acme/schedules", {
    integrationPointId: source.json<{ id: number }>().id,
    entityType: "order",
    everySeconds: 600,
  });
  const scheduleId = schedule.json<{ id: number }>().id;
  const run = await made.call("admin", "POST", `/api/v1/tenants/acme/schedules/${scheduleId}/run`);
  const channel = await made.call("admin", "POST", "/api/v1/tenants/acme/alert-channels", { kind: "email", name: "Operators" });
  acme = {
    subtenantCode: "secret",
    integrationPointId: queues.integrationPointId,
    queueId: queues.orderQueueId,
    messageId: queues.deadId,
    externalMessageId: received.json<{ items: { id: string }[] }>().items[0]?.id ?? "",
    mappingId: mapping.json<{ id: number }>().id,
    apiKeyId: acmeKey.id,
    fingerprint: groups.json<{ items: { fingerprint: string }[] }>().items[0]?.fingerprint ?? "",
    noteId: note.json<{ id: number }>().id,
    viewId: view.json<{ id: number }>().id,
    jobId: job.json<{ id: number }>().id,
    scheduleId,
    runId: run.json<{ id: number }>().id,
    channelId: channel.json<{ id: number }>().id,
    ...(await plantAlert(made.pool("owner", 1), 1001, "secret")),
  };
});
afterAll(() => made.close());

type Answer = { status: number; body: string };

/** Calls as `token`. What the caller named himself is taken out of the answer, with the request's id. */
async function ask(route: { method: string; path: string }, call: Call, token: string | null): Promise<Answer> {
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => String(call.params?.[name] ?? "none"));
  const answer = await made.app.inject({
    method: route.method as "GET",
    url: path,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    ...(call.query && { query: Object.fromEntries(Object.entries(call.query).map(([name, value]) => [name, String(value)])) }),
    ...(call.body && { payload: call.body }),
  });
  const lists = Object.values(call.body ?? {}).filter((value) => Array.isArray(value));
  const named = [...Object.values(call.params ?? {}), ...Object.values(call.query ?? {}), ...lists.flat()];
  let body = answer.body.replaceAll(String(answer.headers["x-request-id"]), "REQUEST");
  for (const name of named) if (typeof name === "string" && name !== "") body = body.replaceAll(name, "NAMED");
  return { status: answer.statusCode, body };
}

const inTenant = (tenantCode: string, call: Call): Call => ({ ...call, params: { ...call.params, tenantCode } });

test("every registered route is listed here, and nothing else is", () => {
  const listed = [...Object.keys(tenantProbes), ...callerRoutes].map(nameToKey).concat([...publicRoutes]);
  const registered = made.app.registeredRoutes.filter((route) => route.permission !== "gateway");
  expect(registered.map((route) => `${route.method} ${route.path}`).toSorted()).toEqual(listed.toSorted());
  expect(
    registered
      .filter((route) => route.permission === "public")
      .map((route) => `${route.method} ${route.path}`)
      .toSorted(),
  ).toEqual([...publicRoutes].toSorted());
  expect(Object.keys(routes).toSorted()).toEqual(expect.arrayContaining([...Object.keys(tenantProbes), ...callerRoutes].toSorted()));
});

test.each(Object.keys(tenantProbes))("%s: a stranger learns nothing of the tenant, not even that it exists", async (name) => {
  const route = routeOf(name);
  const call = tenantProbes[name]?.(acme) ?? {};
  const answer = await ask(route, inTenant("acme", call), made.accounts.stranger);
  expect(answer.status).toBe(404);
  expect(answer).toEqual(await ask(route, inTenant("no-such-tenant", call), made.accounts.stranger));
  expect(answer).toEqual(await ask(route, inTenant("acme", call), keys.other));
});

/** Those that name something besides the tenant; the others have nothing to mix up. */
const naming = Object.entries(tenantProbes).filter(([, probe]) => JSON.stringify(probe(missing)) !== JSON.stringify(probe(namesakes)));
const reading = naming.filter(([name]) => routeOf(name).method === "GET");

test.each(naming)("%s: another tenant's ids are as good as none", async (name, probe) => {
  // An admin has every permission, so nothing but the tenant stands between him and the row.
  const foreign = await ask(routeOf(name), inTenant("other", probe(acme)), made.accounts.admin);
  expect(foreign).toEqual(await ask(routeOf(name), inTenant("other", probe(missing)), made.accounts.admin));
});

test.each(reading)("%s: the same ids do reach something in their own tenant, so the probe is sound", async (name, probe) => {
  const own = await ask(routeOf(name), inTenant("acme", probe(acme)), made.accounts.admin);
  expect(own).not.toEqual(await ask(routeOf(name), inTenant("acme", probe(missing)), made.accounts.admin));
});

test.each([...Object.keys(tenantProbes), ...callerRoutes])("%s: without a valid token there is no answer", async (name) => {
  const route = routeOf(name);
  const call = tenantProbes[name]?.(acme) ?? {};
  const answer = await ask(route, inTenant("acme", call), null);
  expect(answer.status).toBe(401);
  expect(answer).toEqual(await ask(route, inTenant("no-such-tenant", call), null));
  expect((await ask(route, inTenant("acme", call), "cdk_madeup")).status).toBe(401);
});

test.each([...Object.keys(tenantProbes), "createTenant"])(
  "%s: a role that lacks the permission is refused alike for what is and what is not",
  async (name) => {
    const route = routeOf(name);
    const probe = tenantProbes[name] ?? (() => ({ body: { code: "probe", name: "Probe" } }));
    const lacking = {
      read: keys.acme,
      operate: made.accounts.viewer,
      reveal: made.accounts.viewer,
      configure: made.accounts.user,
      administer: made.accounts.user,
    };
    const token = route.permission in lacking ? lacking[route.permission as keyof typeof lacking] : "";
    const answer = await ask(route, inTenant("acme", probe(acme)), token);
    expect(answer.status).toBe(403);
    expect(answer).toEqual(await ask(route, inTenant("acme", probe(missing)), token));
  },
);

test("gateway: a key reaches its own tenant only, and every path is closed without one", async () => {
  const gateway = made.app.registeredRoutes.filter((route) => route.permission === "gateway");
  expect(gateway.length).toBeGreaterThan(100);
  for (const route of gateway) expect(await probeGateway(route), `${route.method} ${route.path}`).toEqual([]);
});

/** What is wrong with one gateway route; empty when nothing is. */
async function probeGateway(route: RegisteredRoute): Promise<string[]> {
  const faults: string[] = [];
  const body = { leaseToken: "00000000-0000-4000-8000-000000000000" };
  const call = (subtenant: string, messageId: string, query: Call["query"] = {}): Call => ({
    params: { messageId },
    query: { subtenant, ...query },
    ...(route.method === "POST" && { body }),
  });
  const isSame = async (what: string, left: [Call, string | null], right: [Call, string | null], status?: number): Promise<void> => {
    const [first, second] = [await ask(route, ...left), await ask(route, ...right)];
    if (first.status !== second.status || first.body !== second.body) faults.push(`${what}: ${first.body} is not ${second.body}`);
    if (status !== undefined && first.status !== status) faults.push(`${what}: ${first.status}`);
  };
  await isSame("no token", [call("shop", acme.messageId), null], [call("nowhere", missing.messageId), null], 401);
  await isSame("foreign subtenant", [call("secret", acme.messageId), keys.other], [call("nowhere", missing.messageId), keys.other]);
  if (route.path.includes(":messageId")) {
    await isSame("foreign message", [call("shop", acme.messageId), keys.other], [call("shop", missing.messageId), keys.other]);
  }
  if (route.method === "GET" && route.path.endsWith("/orders/next")) {
    const resend = (retry: string): Call => call("shop", "", { retry });
    await isSame("resend of a foreign message", [resend(acme.messageId), keys.other], [resend(missing.messageId), keys.other]);
  }
  const stranger = made.accounts.stranger;
  const asAcme = call("shop", acme.messageId, { tenant: "acme" });
  await isSame("foreign tenant", [asAcme, stranger], [call("shop", acme.messageId, { tenant: "no-such-tenant" }), stranger], 404);
  await isSame(
    "viewer",
    [asAcme, made.accounts.viewer],
    [call("nowhere", missing.messageId, { tenant: "acme" }), made.accounts.viewer],
    403,
  );
  return faults;
}
