import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { Code, Line, Name, RecordIdText } from "./fields.ts";
import { pageOf, pageQuery } from "./paging.ts";

/** What a person can be; `gateway` is a role of keys. */
export const PersonRole = z.enum(["viewer", "user", "admin"]);
export type PersonRole = z.infer<typeof PersonRole>;

export const UserState = z.enum(["active", "invited", "disabled"]);
export type UserState = z.infer<typeof UserState>;

/** A person as admins see them. */
export const User = z
  .object({
    id: z.number().int(),
    email: z.string(),
    name: z.string(),
    role: PersonRole,
    state: UserState.describe("`invited`: has not been here yet, neither by the invitation's link nor by another provider"),
    avatar: z.string().nullable(),
    tenants: z.array(z.string()).describe("Codes of the tenants granted; an admin reaches all without"),
    sessions: z.number().int().describe("Open now"),
    lastSeenAt: z.string().nullable(),
    createdAt: z.string(),
    invitedUntil: z.string().nullable().describe("Until when the invitation's link can be followed"),
    version: z.number().int().describe("Raised by every change of role, grants or state; not by what people change of themselves"),
  })
  .meta({ id: "User" });
export type User = z.infer<typeof User>;

/** `link` is shown this once; only its hash is kept. */
export const Invitation = z
  .object({
    user: User,
    link: z.string(),
    expiresAt: z.string(),
    isMailed: z.boolean().describe("A mail server is set up and sends the link; else the mail lies in the outbox for admins"),
  })
  .meta({ id: "Invitation" });
export type Invitation = z.infer<typeof Invitation>;

export const UserSession = z
  .object({
    id: z.uuid(),
    userAgent: z.string().nullable(),
    address: z.string().nullable().describe("From where it was opened"),
    createdAt: z.string(),
    lastSeenAt: z.string(),
    expiresAt: z.string(),
    isCurrent: z.boolean().describe("The one that asks"),
  })
  .meta({ id: "UserSession" });
export type UserSession = z.infer<typeof UserSession>;

/** Of the console; another one would have no texts. */
export const Locale = z.enum(["en", "zh", "ar", "it", "es", "fr"]);

export const Email = z.string().trim().toLowerCase().max(320).pipe(z.email());
/** Long enough that guessing is hopeless; how many bytes argon2 may have to read is bounded. */
export const NewPassword = z.string().min(10, "at least 10 characters").max(200);

const userParams = z.object({ userId: RecordIdText });
const TenantCodes = z.array(Code).max(1000);

export const userRoutes = {
  listUsers: defineRoute({
    method: "GET",
    path: "/api/v1/users",
    permission: "administer",
    summary: "People by email, with their roles, grants and when they were here last",
    query: z.object({
      ...pageQuery,
      search: z.string().trim().max(200).optional().describe("Part of the name or the email"),
      role: PersonRole.optional(),
      state: UserState.optional(),
      tenant: Code.optional().describe("Those who may see this tenant; admins see every one"),
    }),
    responses: { 200: pageOf(User) },
  }),
  getUser: defineRoute({
    method: "GET",
    path: "/api/v1/users/:userId",
    permission: "administer",
    summary: "One person, with their role, grants and when they were here last",
    params: userParams,
    hasETag: true,
    responses: { 200: User },
  }),
  inviteUser: defineRoute({
    method: "POST",
    path: "/api/v1/users",
    permission: "administer",
    summary: "Invite a person; the link is mailed to them, and shown in the answer, once",
    body: z.strictObject({
      email: Email,
      name: Line.max(200).default(""),
      locale: Locale.default("en").describe("The person's language: of the mail, and of the console until they choose another"),
      role: PersonRole.default("viewer"),
      tenants: TenantCodes.default([]),
    }),
    responses: { 201: Invitation },
  }),
  inviteUserAgain: defineRoute({
    method: "POST",
    path: "/api/v1/users/:userId/invitation",
    permission: "administer",
    summary: "Mail a new link to a person who has not followed the invitation; the old one ends",
    params: userParams,
    responses: { 200: Invitation },
  }),
  revokeInvitation: defineRoute({
    method: "DELETE",
    path: "/api/v1/users/:userId/invitation",
    permission: "administer",
    summary: "Take an invitation back before it is followed; the link is worth nothing, and the address is free again",
    params: userParams,
    responses: { 204: z.undefined() },
  }),
  updateUser: defineRoute({
    method: "PATCH",
    path: "/api/v1/users/:userId",
    permission: "administer",
    summary: "Change a person's name, role or grants, disable or enable them; holds at once, in open streams within seconds",
    params: userParams,
    body: z
      .strictObject({
        name: Name,
        role: PersonRole,
        isActive: z.boolean(),
        tenants: TenantCodes.describe("All that are granted from now on"),
        grant: TenantCodes.describe("Granted besides"),
        withdraw: TenantCodes.describe("Taken of those granted"),
      })
      .partial(),
    hasETag: true,
    takesIfMatch: true,
    responses: { 200: User },
  }),
  listUserSessions: defineRoute({
    method: "GET",
    path: "/api/v1/users/:userId/sessions",
    permission: "administer",
    summary: "A person's open sessions, newest first",
    params: userParams,
    responses: { 200: z.object({ items: z.array(UserSession) }) },
  }),
  revokeUserSession: defineRoute({
    method: "DELETE",
    path: "/api/v1/users/:userId/sessions/:sessionId",
    permission: "administer",
    summary: "End one session of a person",
    params: userParams.extend({ sessionId: z.uuid() }),
    responses: { 204: z.undefined() },
  }),
  revokeUserSessions: defineRoute({
    method: "DELETE",
    path: "/api/v1/users/:userId/sessions",
    permission: "administer",
    summary: "End all sessions of a person",
    params: userParams,
    responses: { 204: z.undefined() },
  }),
  readInvitation: defineRoute({
    method: "POST",
    path: "/api/v1/invitation/person",
    permission: "public",
    changes: false,
    summary: "Whom an invitation is for, by its link's secret",
    body: z.strictObject({ token: z.string().min(1).max(200) }),
    responses: {
      200: z.object({
        email: z.string(),
        name: z.string().describe("As the admin wrote it; empty when the admin left it out"),
        locale: z.string().nullable(),
      }),
    },
  }),
  acceptInvitation: defineRoute({
    method: "POST",
    path: "/api/v1/invitation",
    permission: "public",
    summary: "Follow an invitation: its link's secret, and the name and password chosen. The link works once",
    body: z.strictObject({ token: z.string().min(1).max(200), name: Name, password: NewPassword }),
    responses: { 200: z.object({ email: z.string() }) },
  }),
};
