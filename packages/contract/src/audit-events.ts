import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { Code, MessageId, Time } from "./fields.ts";
import { pageOf, pageQuery } from "./paging.ts";

/** Something that was changed, or that somebody was refused. Secrets are masked; nobody can alter it. */
export const AuditEvent = z
  .object({
    id: MessageId,
    at: z.string(),
    tenantCode: z.string().nullable().describe("Null: of the installation, not of one tenant"),
    outcome: z.enum(["done", "denied"]),
    action: z.string().describe("The operation's id in this document, e.g. createMapping; of paths without one, method and path"),
    code: z.string().nullable().describe("The error that was answered, where it was refused"),
    targetKind: z.string().nullable(),
    targetId: z.string().nullable(),
    actorKind: z.enum(["user", "api-key", "anonymous"]),
    actorName: z.string().nullable().describe("As it was then"),
    address: z.string().nullable(),
    userAgent: z.string().nullable(),
    requestId: z.string(),
    reason: z.string().nullable(),
    before: z.unknown().nullable(),
    after: z.unknown().nullable(),
  })
  .meta({ id: "AuditEvent" });
export type AuditEvent = z.infer<typeof AuditEvent>;

const filter = {
  tenant: Code.optional(),
  outcome: z.enum(["done", "denied"]).optional(),
  action: z.string().min(1).max(1000).optional().describe("An operation's id, or several separated by commas"),
  actor: z.string().min(1).max(200).optional().describe("A part of the name"),
  target: z.string().min(1).max(500).optional().describe("What it is about: a kind such as mappings, or an id"),
  requestId: z.uuid().optional(),
  from: Time.optional(),
  to: Time.optional(),
};

export const auditEventRoutes = {
  listAuditEvents: defineRoute({
    method: "GET",
    path: "/api/v1/audit-events",
    permission: "administer",
    summary: "Who changed or was refused what, in all tenants, newest first",
    query: z.object({ ...filter, ...pageQuery }),
    responses: { 200: pageOf(AuditEvent) },
  }),
  getAuditEvent: defineRoute({
    method: "GET",
    path: "/api/v1/audit-events/:auditEventId",
    permission: "administer",
    summary: "One audit event",
    params: z.object({ auditEventId: MessageId }),
    responses: { 200: AuditEvent },
  }),
};
