import { routes, type RouteDefinition } from "@crossdock/contract";
import type { LightMyRequestResponse } from "fastify";
import type pg from "pg";
import { plantAlert } from "./alerts/testing.ts";
import { fillQueues } from "./testing-queues.ts";
import { testApp, testPassword, type TestAccounts, type TestApp } from "./testing.ts";
import { pngOf } from "./users/testing.ts";

/** What a route is called with; the tenant is acme unless another is named. */
export type Call = { params?: Record<string, string | number>; body?: object; tenant?: string };
export type Ask = (name: string, account: keyof TestAccounts, call: Call) => Promise<LightMyRequestResponse>;

/** An application on a fresh database, and a valid call of every route that changes something. */
export type Changes = {
  made: TestApp;
  owner: pg.Pool;
  /** In this order: what is restored must have been removed. Each is called as an admin. */
  calls: Record<string, () => Call>;
  /** What the calls so far were answered, by the route's name; the calls read what they need from it. */
  answers: Record<string, Record<string, unknown>>;
  ask: Ask;
  /** Makes what the call of this name needs and none before it has made. */
  prepare: (name: string, ask?: Ask) => Promise<void>;
  /** To be called with each call's answer. */
  keep: (name: string, answer: LightMyRequestResponse) => Promise<void>;
};

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

const sessions = { ofUser: "00000000-0000-4000-8000-000000000001", ofAdmin: "00000000-0000-4000-8000-000000000002" };

export function routeOf(name: string): RouteDefinition {
  const route = Object.entries(routes).find(([key]) => key === name)?.[1];
  if (!route) throw new Error(`the contract has no route ${name}`);
  return route;
}

export async function stageChanges(): Promise<Changes> {
  const made = await testApp();
  const owner = made.pool("owner", 2);
  const answers: Changes["answers"] = {};
  const idOf = (name: string): number => Number(answers[name]?.id);
  const invitedId = (): number => (answers.inviteUser as { user: { id: number } }).user.id;

  const ask: Ask = (name, account, call) => {
    const { method, path } = routeOf(name);
    const params: Record<string, string | number> = { tenantCode: call.tenant ?? "acme", ...call.params };
    return made.call(
      account,
      method,
      path.replace(/:(\w+)/g, (_, param: string) => String(params[param])),
      call.body,
    );
  };
  const openSession = (id: string, userId: number) =>
    owner.query("insert into hub.session (id, user_id, is_remembered, expires_at) values ($1, $2, false, now() + interval '1 hour')", [
      id,
      userId,
    ]);

  await made.call("admin", "PATCH", "/api/v1/tenants/acme/subtenants/shop/switches", { debugMode: true });
  const ids = await fillQueues(made, "acme");
  const groups = await made.call("admin", "GET", "/api/v1/tenants/acme/dead-letter-groups");
  const fingerprint = groups.json<{ items: { fingerprint: string }[] }>().items[0]?.fingerprint ?? "";
  for (const payload of [{ schemaVersion: 1, sku: "probe-1", name: "Probe" }, { sku: "a-1" }]) {
    await made.call("user", "POST", "/centra/v1/items?tenant=acme&subtenant=shop", payload);
  }
  const received = await made.call("admin", "GET", "/api/v1/tenants/acme/external-messages");
  const rejectedId = received.json<{ items: { id: string }[] }>().items[0]?.id ?? "";
  await openSession(sessions.ofUser, 2);
  const [ofAcme, ofInstallation] = [await plantAlert(owner, 1001), await plantAlert(owner, 0)];
  const alerts = { acme: ofAcme.alertId, installation: ofInstallation.alertId, installationRule: ofInstallation.ruleId };

  /** As if its worker had found a difference. */
  async function endReconciliation(id: number): Promise<void> {
    await owner.query("update hub.run set kind = 'reconciliation', state = 'done', finished_at = now() where id = $1", [id]);
    await owner.query(
      "insert into hub.run_difference (tenant_id, run_id, business_key, kind) select tenant_id, id, 'a-1', 'missing' from hub.run where id = $1",
      [id],
    );
  }

  const preparations: Record<string, (askFor: Ask) => Promise<unknown>> = {
    startJob: async (askFor) => {
      answers.createJob = (await askFor("createJob", "admin", { body: { kind: "remove", selection: { filter: {} } } })).json();
    },
    createSchedule: async (askFor) => {
      answers.source = (await askFor("createIntegrationPoint", "admin", { body: newSource })).json();
    },
    startImport: (askFor) =>
      askFor("putImportPart", "admin", { params: { runId: idOf("createImport"), number: 1 }, body: { text: "orderNumber" } }),
    revokeInvitation: async (askFor) => {
      answers.taken = (await askFor("inviteUser", "admin", { body: { email: "taken@example.com" } })).json();
    },
    fixDifferences: () => endReconciliation(idOf("createRun")),
    // As if its runner had done one of them.
    undoJob: () => owner.query("update hub.job set done = 1 where id = $1", [idOf("createJob")]),
  };

  const calls: Changes["calls"] = {
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

  return {
    made,
    owner,
    calls,
    answers,
    ask,
    prepare: async (name, askFor = ask) => {
      await preparations[name]?.(askFor);
    },
    keep: async (name, answer) => {
      // It has ended all the others.
      if (name === "changePassword") await openSession(sessions.ofAdmin, 1);
      if (answer.body !== "") answers[name] = answer.json();
    },
  };
}
