import { z } from "zod";
import { defineRoute } from "./define-route.ts";
import { Role } from "./permissions.ts";

const SignIn = z.strictObject({
  email: z.string().trim().toLowerCase().min(3).max(320),
  password: z.string().min(1).max(1000),
  remember: z.boolean().default(false).describe("Keeps the session for 30 days instead of until the browser closes (12 hours at most)"),
});

/** The signed-in person as the console knows it. `role` is a list because the specified user object has one. */
export const CurrentUser = z
  .object({
    _id: z.string(),
    name: z.string(),
    email: z.string(),
    avatar: z.string().nullable(),
    role: z.array(Role),
    locale: z.string().nullable(),
  })
  .meta({ id: "CurrentUser" });
export type CurrentUser = z.infer<typeof CurrentUser>;

export const Session = z
  .object({
    access_token: z.string(),
    token_type: z.literal("Bearer"),
    expires_in: z.number().int().describe("Seconds"),
    user: CurrentUser,
  })
  .meta({ id: "Session" });
export type Session = z.infer<typeof Session>;

/** For API clients without a cookie jar: the refresh token rotates with every use, and using an old one ends the session. */
const TokenPair = z
  .object({ access_token: z.string(), refresh_token: z.string(), expires_in: z.number().int().describe("Seconds") })
  .meta({ id: "TokenPair" });

export const sessionRoutes = {
  signIn: defineRoute({
    method: "POST",
    path: "/api/v1/session",
    permission: "public",
    changes: false,
    summary: "Sign in; sets the refresh cookie",
    body: SignIn,
    responses: { 200: Session },
  }),
  refreshSession: defineRoute({
    method: "POST",
    path: "/api/v1/session/refresh",
    permission: "public",
    changes: false,
    summary: "A new access token for the refresh cookie, which rotates",
    responses: { 200: Session },
  }),
  signOut: defineRoute({
    method: "DELETE",
    path: "/api/v1/session",
    permission: "public",
    changes: false,
    summary: "Sign out: ends the session of the refresh cookie and removes the cookie",
    responses: { 204: z.undefined() },
  }),
  createTokens: defineRoute({
    method: "POST",
    path: "/api/v1/tokens",
    permission: "public",
    changes: false,
    summary: "Sign in as an API client: the refresh token is in the answer instead of a cookie",
    body: SignIn,
    responses: { 200: TokenPair },
  }),
  getCurrentUser: defineRoute({
    method: "GET",
    path: "/auth",
    permission: "signed-in",
    summary: "The user of the access token",
    responses: { 200: CurrentUser },
  }),
  refreshTokens: defineRoute({
    method: "GET",
    path: "/gateway/v1/admin/refresh",
    permission: "public",
    summary: "A new token pair for a refresh token, which rotates",
    query: z.object({ refresh: z.string().min(1).max(500) }),
    responses: { 200: TokenPair },
  }),
};
