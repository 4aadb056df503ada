import type { FastifyReply, FastifyRequest } from "fastify";
import type pg from "pg";
import type { Session } from "@crossdock/contract";
import { accessTokenSeconds, signAccessToken } from "../access/access-token.ts";
import { writeAuditEvent } from "../api/audit-event.ts";
import type { Deps } from "../deps.ts";
import { ApiError } from "../errors/errors.ts";
import { createSession, rememberedSeconds, type StartedSession } from "./sessions.ts";
import type { KnownUser } from "./users.ts";

/** A person who has proven their identity, and what else the audit event of the sign-in tells. */
type SignedIn = { user: KnownUser; isRemembered: boolean; secondsMax?: number; told?: Record<string, unknown> };

/** The session of a browser: its refresh token is in a cookie that no script can read and that is sent only to the session's own routes. */
export function createSessionCookie({ config, keys }: Pick<Deps, "config" | "keys">) {
  const isTls = config.publicUrl?.startsWith("https:") ?? false;
  const options = { path: "/api/v1/session", httpOnly: true, sameSite: "strict", secure: isTls } as const;
  // Browsers accept a name with this prefix over TLS only.
  const prefix = isTls ? "__Secure-" : "";
  const name = `${prefix}crossdock_refresh`;
  return {
    options,
    prefix,
    read: (request: FastifyRequest): string => onlyCookie(request, name),
    clear: (reply: FastifyReply): void => void reply.clearCookie(name, options),

    /** Begins a session, and writes the audit event of the sign-in, in the transaction of the installation that `client` is in. */
    async start(
      client: pg.ClientBase,
      request: FastifyRequest,
      { user, isRemembered, secondsMax, told = {} }: SignedIn,
    ): Promise<StartedSession> {
      const { userId, passwordHash } = user;
      const userAgent = request.headers["user-agent"] ?? null;
      const session = await createSession(client, { userId, passwordHash, isRemembered, userAgent, address: request.ip, secondsMax });
      if (!session) throw new ApiError("credentials-invalid", { attempt: { userId, after: { email: user.currentUser.email } } });
      await writeSessionEvent(client, request, userId, { sessionId: session.sessionId, isRemembered, ...told });
      return session;
    },

    async answer(session: StartedSession, user: KnownUser, reply: FastifyReply): Promise<Session> {
      // Without "remember me" the cookie has no age, so the browser drops it when it closes.
      void reply.setCookie(name, session.refreshToken, { ...options, ...(session.isRemembered ? { maxAge: rememberedSeconds } : {}) });
      const accessToken = await signAccessToken(keys.accessToken, session);
      return { access_token: accessToken, token_type: "Bearer", expires_in: accessTokenSeconds, user: user.currentUser };
    },
  };
}

/**
 * What a cookie says. Empty where a request brings none, or several of its name: a neighbouring host can set one beside ours, and nothing tells which
 * of them is whose.
 */
export function onlyCookie({ headers, cookies }: FastifyRequest, name: string): string {
  const named = (headers.cookie ?? "").split(";").filter((pair) => pair.split("=", 1)[0]?.trim() === name);
  return named.length > 1 ? "" : (cookies[name] ?? "");
}

/** The audit event of somebody who signs in or out. */
export function writeSessionEvent(client: pg.ClientBase, request: FastifyRequest, userId: number, after: object): Promise<void> {
  const target = { kind: "users", id: String(userId) };
  return writeAuditEvent(client, request, {
    tenantId: null,
    outcome: "done",
    code: null,
    userId,
    target,
    reason: null,
    before: null,
    after,
  });
}

/** The cookie alone must not act for another site's page, nor for a neighbouring host's, which SameSite lets through. */
export function refuseOtherSites(request: FastifyRequest): void {
  const site = request.headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none")
    throw new ApiError("bad-request", { detail: "Sent by another site" });
}
