import type { fillQueues } from "./queues.ts";
import { testPassword } from "./test-app.ts";
import { pngOf } from "../users/testing.ts";

/** What a route is called with; the tenant is acme unless another is named. */
export type Call = { params?: Record<string, string | number>; body?: object; tenant?: string };
export type Calls = Record<string, () => Call>;

/** What the calls so far were answered, by the route's name; the calls read what they need from it. */
export type Answers = Record<string, Record<string, unknown>>;

/** What the calls are about. */
export type Subjects = {
  ids: Awaited<ReturnType<typeof fillQueues>>;
  fingerprint: string;
  rejectedId: string;
  alerts: { acme: number; installation: number; installationRule: number };
  answers: Answers;
  /** Of what the call of this name has made. */
  idOf: (name: string) => number;
};

const newPoint = {
  connector: "centra",
  code: "audited",
  name: "Audited",
  sourceTypes: ["item"],
  targetTypes: ["item"],
  settings: { url: "https://shop.example" },
};

export const newSource = {
  ...newPoint,
  connector: "magento",
  code: "polled",
  subtenantCode: "shop",
  sourceTypes: ["order"],
  settings: { baseUrl: "https://shop.example" },
};

const edited = JSON.stringify({ schemaVersion: 1, sku: "a-1", name: "Right" });

export const sessions = { ofUser: "00000000-0000-4000-8000-000000000001", ofAdmin: "00000000-0000-4000-8000-000000000002" };

const invitedId = ({ inviteUser }: Answers): number => (inviteUser as { user: { id: number } }).user.id;

/** Tenants, subtenants and integration points. */
const configurationCalls = ({ idOf }: Subjects): Calls => ({
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
  tryIntegrationPoint: () => ({ params: { integrationPointId: idOf("createIntegrationPoint") } }),
});

/** Mappings, and what is masked. */
const mappingCalls = ({ ids, idOf }: Subjects): Calls => ({
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
});

/** What runs by itself. */
const runCalls = ({ idOf }: Subjects): Calls => ({
  createSchedule: () => ({ body: { integrationPointId: idOf("source"), entityType: "order", everySeconds: 600 } }),
  updateSchedule: () => ({ params: { scheduleId: idOf("createSchedule") }, body: { everySeconds: 900 } }),
  runSchedule: () => ({ params: { scheduleId: idOf("createSchedule") } }),
  cancelRun: () => ({ params: { runId: idOf("runSchedule") } }),
  removeSchedule: () => ({ params: { scheduleId: idOf("createSchedule") } }),
  restoreSchedule: () => ({ params: { scheduleId: idOf("createSchedule") } }),
  createRun: () => ({ body: { kind: "resync", integrationPointId: idOf("createIntegrationPoint"), entityType: "item" } }),
  pauseRun: () => ({ params: { runId: idOf("createRun") } }),
  resumeRun: () => ({ params: { runId: idOf("createRun") } }),
  fixDifferences: () => ({ params: { runId: idOf("createRun") }, body: {} }),
  createImport: () => ({ body: { integrationPointId: idOf("source"), entityType: "order", name: "a.csv", format: "csv" } }),
  startImport: () => ({ params: { runId: idOf("createImport") }, body: { parts: 1 } }),
});

/** Alerts, their rules and channels. */
const alertCalls = ({ alerts, idOf }: Subjects): Calls => ({
  updateAlert: () => ({ params: { alertId: alerts.acme }, body: { state: "acknowledged" } }),
  updateAlerts: () => ({ body: { ids: [alerts.acme], state: "firing" } }),
  updateInstallationAlerts: () => ({ body: { ids: [alerts.installation], state: "acknowledged" } }),
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
});

/** What people write down, and keys. */
const noteCalls = ({ ids, idOf }: Subjects): Calls => ({
  createApiKey: () => ({ body: { name: "Audited" } }),
  revokeApiKey: () => ({ params: { apiKeyId: idOf("createApiKey") } }),
  createNote: () => ({ params: { messageId: ids.deadId }, body: { text: "Waits for the ERP" } }),
  removeNote: () => ({ params: { noteId: idOf("createNote") } }),
  restoreNote: () => ({ params: { noteId: idOf("createNote") } }),
  createSavedView: () => ({ body: { list: "/queue", name: "Dead ones", query: "state=dead" } }),
  updateSavedView: () => ({ params: { viewId: idOf("createSavedView") }, body: { name: "Renamed" } }),
  createInstallationSavedView: () => ({ body: { list: "/audit-log", name: "Refusals", query: "outcome=denied" } }),
  updateInstallationSavedView: () => ({ params: { viewId: idOf("createInstallationSavedView") }, body: { name: "Refused" } }),
  removeInstallationSavedView: () => ({ params: { viewId: idOf("createInstallationSavedView") } }),
  removeSavedView: () => ({ params: { viewId: idOf("createSavedView") } }),
  createAnnouncement: () => ({ body: { text: "Tonight at ten" } }),
  endAnnouncement: () => ({ params: { announcementId: idOf("createAnnouncement") } }),
  notifyMe: () => ({ body: { email: "someone@example.com", locale: "en" } }),
  removeComingSoonAddress: () => ({ params: { addressId: 1 } }),
});

/** Messages and jobs. */
const messageCalls = ({ ids, fingerprint, answers, idOf }: Subjects): Calls => ({
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
});

/** What came in, and what targets call it. */
const externalCalls = ({ ids, rejectedId, answers }: Subjects): Calls => ({
  replayExternalMessage: () => ({ params: { externalMessageId: rejectedId }, body: { body: edited } }),
  removeExternalMessages: () => ({ body: { ids: [rejectedId] } }),
  restoreExternalMessages: () => ({ body: { ids: [rejectedId] } }),
  importExternalItems: () => ({ body: { csv: "integrationPoint,entityType,key,externalId\nqueues,item,a-1,7", isDryRun: false } }),
  removeExternalItems: () => ({ body: { items: [{ integrationPointId: ids.integrationPointId, entityType: "item", key: "a-1" }] } }),
  restoreExternalItems: () => ({ body: { removedIds: answers.removeExternalItems?.removedIds ?? [] } }),
  undoExternalItemImport: () => ({ params: { importId: Number(answers.importExternalItems?.importId) } }),
  resyncEntity: () => ({ body: { entityType: "item", subtenant: "shop", key: "probe-1" } }),
  runOperation: () => ({ body: { operation: "fetch-next", queueId: ids.orderQueueId } }),
});

/** People, and what is the caller's own. */
const peopleCalls = ({ answers }: Subjects): Calls => ({
  inviteUser: () => ({ body: { email: "audited@example.com", role: "user", tenants: ["acme"] } }),
  inviteUserAgain: () => ({ params: { userId: invitedId(answers) } }),
  acceptInvitation: () => ({
    body: { token: String(answers.inviteUserAgain?.link).split("#")[1], name: "Audited", password: testPassword },
  }),
  revokeInvitation: () => ({ params: { userId: (answers.taken as { user: { id: number } }).user.id } }),
  updateUser: () => ({ params: { userId: invitedId(answers) }, body: { role: "viewer" } }),
  revokeUserSession: () => ({ params: { userId: 2, sessionId: sessions.ofUser } }),
  revokeUserSessions: () => ({ params: { userId: 2 } }),
  updateAccount: () => ({ body: { locale: "fr" } }),
  setAvatar: () => ({ body: { png: pngOf({ width: 4, height: 4 }).toString("base64") } }),
  removeAvatar: () => ({}),
  changePassword: () => ({ body: { present: testPassword, next: "another long password" } }),
  revokeOwnSession: () => ({ params: { sessionId: sessions.ofAdmin } }),
  revokeOtherSessions: () => ({}),
});

/** A valid call of every route that changes something, in an order in which what is restored was removed. */
export const callsOf = (subjects: Subjects): Calls => ({
  ...configurationCalls(subjects),
  ...mappingCalls(subjects),
  ...runCalls(subjects),
  ...alertCalls(subjects),
  ...noteCalls(subjects),
  ...messageCalls(subjects),
  ...externalCalls(subjects),
  ...peopleCalls(subjects),
});
