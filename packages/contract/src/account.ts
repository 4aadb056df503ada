import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { Name } from "./fields.ts";
import { CurrentUser } from "./session.ts";
import { Locale, NewPassword, UserSession } from "./users.ts";

/** As base64. The server reads it to the last pixel and writes it anew, so that nothing but a picture is kept. */
const Avatar = z.strictObject({ png: z.base64().max(120_000) });

export const accountRoutes = {
  updateAccount: defineRoute({
    method: "PATCH",
    path: "/api/v1/account",
    permission: "signed-in",
    summary: "Change the caller's own name or language",
    body: z.strictObject({ name: Name, locale: Locale }).partial(),
    responses: { 200: CurrentUser },
  }),
  setAvatar: defineRoute({
    method: "PUT",
    path: "/api/v1/account/avatar",
    permission: "signed-in",
    summary: "Set the caller's picture: a PNG of at most 256 × 256 pixels, 8 bits deep, with or without transparency",
    body: Avatar,
    responses: { 200: CurrentUser },
  }),
  removeAvatar: defineRoute({
    method: "DELETE",
    path: "/api/v1/account/avatar",
    permission: "signed-in",
    summary: "Remove the caller's picture",
    responses: { 200: CurrentUser },
  }),
  changePassword: defineRoute({
    method: "POST",
    path: "/api/v1/account/password",
    permission: "signed-in",
    summary: "Change the caller's password; needs the present one and ends their other sessions",
    body: z.strictObject({ present: z.string().min(1).max(1000), next: NewPassword }),
    responses: { 204: z.undefined() },
  }),
  listSessions: defineRoute({
    method: "GET",
    path: "/api/v1/account/sessions",
    permission: "signed-in",
    summary: "The caller's open sessions, newest first",
    responses: { 200: z.object({ items: z.array(UserSession) }) },
  }),
  revokeOtherSessions: defineRoute({
    method: "DELETE",
    path: "/api/v1/account/sessions",
    permission: "signed-in",
    summary: "End all of the caller's sessions but the one that asks",
    responses: { 204: z.undefined() },
  }),
  revokeOwnSession: defineRoute({
    method: "DELETE",
    path: "/api/v1/account/sessions/:sessionId",
    permission: "signed-in",
    summary: "End one of the caller's sessions",
    params: z.object({ sessionId: z.uuid() }),
    responses: { 204: z.undefined() },
  }),
};
