import type { FastifyInstance, FastifyRequest } from "fastify";
import { routes } from "@crossdock/contract";
import { personOf } from "../access/access.ts";
import { accessTokenSeconds, signAccessToken } from "../access/access-token.ts";
import { installation } from "../api/change.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { ApiError } from "../errors/errors.ts";
import { addRoute } from "../api/route.ts";
import { createSessionCookie, refuseOtherSites, writeSessionEvent } from "./open-session.ts";
import type { Credentials, PasswordCheck } from "./password-check.ts";
import { revokeSession, rotateSession, type StartedSession } from "./sessions.ts";
import { findUserById, type KnownUser } from "./users.ts";

// A guess costs the server 20 ms of argon2, and the guesser one of these requests.
const signInLimit = { config: { rateLimit: { max: 20, timeWindow: "1 minute" } } };

/** Refuses nobody anything, unless a copied refresh token ended the session: then the audit log gets whose it was. */
function sessionOver(copied: { userId: number; sessionId: string } | null = null): ApiError {
  const detail = "Sign in again";
  if (copied === null) return new ApiError("token-invalid", { detail, isDenial: false });
  const { userId, sessionId } = copied;
  return new ApiError("token-invalid", { detail, attempt: { userId, after: { sessionId, isEndedByCopy: true } } });
}

export function registerSession(app: FastifyInstance, deps: Deps, checkPassword: PasswordCheck): void {
  const { pools } = deps;
  const cookie = createSessionCookie(deps);
  const start = createStart(deps, cookie, checkPassword);
  registerCookieSession(app, deps, cookie, start);
  registerTokens(app, deps, start);

  addRoute(app, routes.getCurrentUser, async ({ principal }) => {
    const user = await findUserById(pools.app, personOf(principal).userId);
    if (!user) throw sessionOver();
    return user.currentUser;
  });
}

type Cookie = ReturnType<typeof createSessionCookie>;
type Start = (body: Credentials & { remember: boolean }, request: FastifyRequest) => Promise<{ user: KnownUser; session: StartedSession }>;

/** Begins a session for whoever knows a password. */
function createStart({ pools }: Deps, cookie: Cookie, checkPassword: PasswordCheck): Start {
  return async (body, request) => {
    const { user, isRight } = await checkPassword(body, request);
    if (!user || !isRight) {
      // An address that nobody has is not kept: people type passwords into the wrong field.
      const known = user && { userId: user.userId, after: { email: user.currentUser.email, isActive: user.isActive } };
      throw new ApiError("credentials-invalid", { attempt: known ?? { userId: null } });
    }
    const signedIn = { user, isRemembered: body.remember };
    return { user, session: await inTenant(pools.app, installation, (client) => cookie.start(client, request, signedIn)) };
  };
}

/** The console's routes: the refresh token is in a cookie that its code can't read. */
function registerCookieSession(app: FastifyInstance, { pools, keys }: Deps, cookie: Cookie, start: Start): void {
  addRoute(
    app,
    routes.signIn,
    async ({ body, request, reply }) => {
      const { session, user } = await start(body, request);
      return cookie.answer(session, user, reply);
    },
    signInLimit,
  );

  addRoute(app, routes.refreshSession, async ({ request, reply }) => {
    refuseOtherSites(request);
    const rotation = await rotateSession(pools.app, keys.refreshToken, cookie.read(request));
    const user = rotation.session && (await findUserById(pools.app, rotation.session.userId));
    if (!rotation.session || !user) {
      cookie.clear(reply);
      throw sessionOver(rotation.session ? null : rotation.copied);
    }
    return cookie.answer(rotation.session, user, reply);
  });

  addRoute(app, routes.signOut, async ({ request, reply }) => {
    refuseOtherSites(request);
    await inTenant(pools.app, installation, async (client) => {
      const ended = await revokeSession(client, cookie.read(request));
      if (ended) await writeSessionEvent(client, request, ended.userId, { sessionId: ended.sessionId });
    });
    cookie.clear(reply);
    return undefined;
  });
}

/** The routes for API clients: both tokens are in the answer. */
function registerTokens(app: FastifyInstance, { pools, keys }: Deps, start: Start): void {
  const pairOf = async (session: StartedSession) => ({
    access_token: await signAccessToken(keys.accessToken, session),
    refresh_token: session.refreshToken,
    expires_in: accessTokenSeconds,
  });

  addRoute(
    app,
    routes.createTokens,
    async ({ body, request }) => {
      const { session } = await start(body, request);
      return pairOf(session);
    },
    signInLimit,
  );

  addRoute(app, routes.refreshTokens, async ({ query }) => {
    const rotation = await rotateSession(pools.app, keys.refreshToken, query.refresh);
    if (!rotation.session) throw sessionOver(rotation.copied);
    return pairOf(rotation.session);
  });
}
