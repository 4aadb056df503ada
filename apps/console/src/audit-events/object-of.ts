import type { AuditEvent, Routes } from "@crossdock/contract";
import type { TextKey } from "../i18n/i18n.tsx";
import { idsMax } from "../message-filters/search.ts";
import { writeTextSearch } from "../text-search.ts";

/**
 * What an event is about: of which kind, how it is called, the address of its screen, null where it has none or is gone, and of the versions
 * by which the change can be taken back.
 */
type AuditObject = { kind: TextKey | null; name: string | null; href: string | null; versions: string | null };

type Given = { event: AuditEvent; id: string | null; read: (name: string) => string | null };
type Kind = { text: TextKey; href?: (given: Given) => string | null };

/** Of what is new the server names the number that it was given, of what was there its code. */
const codeOf = (id: string | null, read: Given["read"]) => read("code") ?? id;
const ofInstallation = ({ event }: Given) => (event.tenantCode === null ? { of: "installation" } : {});
/** Where several messages were changed or made at once, their list; else `otherwise`. */
const messagesAt =
  (otherwise: (given: Given) => string) =>
  (given: Given): string => {
    const { ids, messageIds = ids }: { ids?: unknown; messageIds?: unknown } = Object(given.event.after);
    const areIds = Array.isArray(messageIds) && messageIds.every((id) => typeof id === "string" && /^\d+$/.test(id));
    return areIds && messageIds.length > 0 && messageIds.length <= idsMax
      ? `/queue${writeTextSearch({ ids: messageIds.join(" ") })}`
      : otherwise(given);
  };
const messageAt = ({ id }: Given) => (id === null ? "/queue" : `/queue/details/${encodeURIComponent(id)}`);
const externalMessageAt = ({ id }: Given) => (id === null ? "/externalmessages" : `/externalmessages/details/${encodeURIComponent(id)}`);
const pointAt = ({ id }: Given) => `/configuration${writeTextSearch({ point: id })}`;
const pointVersionsAt = (given: Given) => `${pointAt(given)}#versions`;
const mappingVersionsAt = () => "/mapping-list?view=versions";
const runAt = ({ id }: Given) => `/jobstatus-list${writeTextSearch({ run: id })}`;

/** By the noun that the server names. */
const kinds: Record<string, Kind> = {
  tenants: {
    text: "audit.what.tenant",
    href: ({ event, id, read }) => `/tenant/${encodeURIComponent(codeOf(id, read) ?? event.tenantCode ?? "")}`,
  },
  subtenants: {
    text: "audit.what.subtenant",
    href: ({ id, read }) => {
      const code = codeOf(id, read);
      return code === null ? "/subtenant-list" : `/subtenant/${encodeURIComponent(code)}/dashboard`;
    },
  },
  // Where ending one session of a person was refused, the session's id stands here.
  users: {
    text: "audit.what.user",
    href: ({ id }) => (id !== null && /^\d+$/.test(id) ? `/users${writeTextSearch({ user: id })}` : "/users"),
  },
  "integration-points": { text: "audit.what.integrationPoint", href: pointAt },
  mappings: {
    text: "audit.what.mapping",
    href: ({ read }) => {
      const [field, source, target, search] = [read("fieldName"), read("source"), read("target"), read("sourceValue")];
      return `/mapping-list${writeTextSearch({ field, source, target, search })}`;
    },
  },
  "mapping-versions": { text: "audit.what.mappingVersion", href: mappingVersionsAt },
  "masking-rules": { text: "masking.title", href: ({ event }) => `/tenant/${event.tenantCode}` },
  limits: { text: "limits.title", href: ({ event }) => `/tenant/${event.tenantCode}` },
  messages: { text: "audit.what.message", href: messagesAt(messageAt) },
  message: { text: "audit.what.message", href: messageAt },
  attempt: { text: "audit.what.message", href: messageAt },
  "retry-queue": { text: "menu.retryQueue", href: messagesAt(() => "/retryqueue") },
  "dead-letters": { text: "menu.deadLetters", href: messagesAt(() => "/deadletter-list") },
  "dead-letter-groups": {
    text: "audit.what.deadLetterGroup",
    href: ({ id }) => `/deadletter-list${writeTextSearch({ view: "list", cause: id })}`,
  },
  "external-messages": { text: "audit.what.externalMessage", href: externalMessageAt },
  "external-message": { text: "audit.what.externalMessage", href: externalMessageAt },
  "external-items": { text: "audit.what.externalItem", href: () => "/externalitems" },
  entity: {
    text: "audit.what.object",
    href: ({ id, read }) => `/entities${writeTextSearch({ entity: read("entityType"), object: id, of: read("subtenant") })}`,
  },
  entities: { text: "menu.entities", href: () => "/entities" },
  "entity-resyncs": { text: "audit.what.object", href: messagesAt(() => "/entities") },
  jobs: { text: "audit.what.job", href: ({ id }) => (id === null ? "/jobstatus-list?view=bulk" : `/queue${writeTextSearch({ job: id })}`) },
  "external-jobs": { text: "audit.what.job", href: () => "/jobstatus-list?view=bulk" },
  runs: { text: "audit.what.run", href: runAt },
  imports: { text: "audit.what.run", href: runAt },
  schedules: { text: "audit.what.schedule", href: ({ id }) => `/jobstatus-list${writeTextSearch({ view: "schedules", schedule: id })}` },
  alerts: { text: "audit.what.alert", href: (given) => `/alerts${writeTextSearch({ ...ofInstallation(given), alert: given.id })}` },
  "alert-rules": {
    text: "audit.what.alertRule",
    href: (given) => `/alerts${writeTextSearch({ ...ofInstallation(given), view: "rules", rule: given.id })}`,
  },
  "alert-channels": {
    text: "audit.what.alertChannel",
    href: (given) => `/alerts${writeTextSearch({ ...ofInstallation(given), view: "channels" })}`,
  },
  "api-keys": { text: "audit.apiKey", href: () => "/api-keys" },
  notes: {
    text: "audit.what.note",
    href: ({ event, read }) => (read("messageId") ? messageAt({ event, read, id: read("messageId") }) : null),
  },
  "saved-views": {
    text: "audit.what.savedView",
    // Of what was refused anything may stand here: it leads to a screen, and to no other site.
    href: ({ read }) => {
      const list = read("list");
      return list !== null && /^\/[a-z-]+$/.test(list) ? `${list}?${read("query") ?? ""}` : null;
    },
  },
  "toolbox-runs": { text: "menu.toolbox", href: () => "/toolbox" },
  announcements: { text: "banner.label" },
  "coming-soon": { text: "audit.what.address" },
  account: { text: "audit.what.account" },
  invitation: { text: "audit.what.account" },
  mails: { text: "mails.title", href: () => "/outbox" },
  session: { text: "audit.what.account" },
};

/** What these did away with has no screen any more. What else is removed is shown as removed. */
const endings: ReadonlySet<string> = new Set<keyof Routes>([
  "revokeInvitation",
  "removeAlertRule",
  "removeAlertChannel",
  "removeInstallationAlertChannel",
  "removeSchedule",
  "removeMappings",
  "removeNote",
  "removeSavedView",
  "removeComingSoonAddress",
]);

/** What made a version, and where the one before it can be put back. */
const versionsAt: Partial<Record<string, (given: Given) => string>> = {
  updateIntegrationPoint: pointVersionsAt,
  restoreIntegrationPointVersion: pointVersionsAt,
  createMapping: mappingVersionsAt,
  updateMapping: mappingVersionsAt,
  removeMappings: mappingVersionsAt,
  restoreMappings: mappingVersionsAt,
  importMappings: mappingVersionsAt,
} satisfies Partial<Record<keyof Routes, (given: Given) => string>>;

/** About nobody else than who did it. */
const ownDoings: ReadonlySet<string> = new Set<keyof Routes>(["signIn", "signOut", "createTokens", "finishProviderSignIn"]);

/** `tenantCodes`: those that exist; what somebody asked for and was refused may never have. */
export function objectOf(event: AuditEvent, tenantCodes: ReadonlySet<string>): AuditObject {
  const { targetKind, targetId, tenantCode, outcome, action } = event;
  const read = (name: string) => textOf(event.after, name) ?? textOf(event.before, name);
  const called = read("name") ?? read("code") ?? read("email") ?? mappingName(read) ?? (ownDoings.has(action) ? event.actorName : null);
  const kind = targetKind === null ? undefined : kinds[targetKind];
  const id = targetId ?? (targetKind === "jobs" ? read("id") : null);
  const named = targetKind === "tenants" ? (codeOf(id, read) ?? tenantCode) : tenantCode;
  const isTenantThere = named === null || tenantCodes.has(named);
  const isThere = isTenantThere && !(outcome === "done" && endings.has(action));
  const given = { event, id, read };
  return {
    kind: kind?.text ?? null,
    name: called ?? id,
    href: isThere ? (kind?.href?.(given) ?? null) : null,
    versions: isTenantThere && outcome === "done" ? (versionsAt[action]?.(given) ?? null) : null,
  };
}

function mappingName(read: (name: string) => string | null): string | null {
  const [field, value, target] = [read("fieldName"), read("sourceValue"), read("target")];
  return field === null || value === null ? null : `${field} ${value} → ${target ?? ""}`;
}

/** A value of what stood before or after; of a single thing that was changed together with others, too. */
function textOf(document: unknown, name: string): string | null {
  const one = Array.isArray(document) && document.length === 1 ? (document as unknown[])[0] : document;
  if (typeof one !== "object" || one === null) return null;
  const value = (one as Record<string, unknown>)[name];
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : null;
}
