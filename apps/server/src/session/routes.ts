import type { FastifyInstance, FastifyRequest } from "fastify";
import { routes } from "@crossdock/contract";
import { personOf } from "../access.ts";
import { accessTokenSeconds, signAccessToken } from "../access-token.ts";
import type { Deps } from "../deps.ts";
import { ApiError } from "../errors.ts";
import { networkOf } from "../rate-limit.ts";
import { addRoute } from "../route.ts";
import { createGuesses } from "./guesses.ts";
import { createSessionCookie, refuseOtherSites } from "./open-session.ts";
import { verifyPassword } from "./passwords.ts";
import { revokeSession, rotateSession, type StartedSession } from "./sessions.ts";
import { findUserByEmail, findUserById, type KnownUser } from "./users.ts";

// A guess costs the server 20 ms of argon2 and the guesser one of these.
const signInLimit = { config: { rateLimit: { max: 20, timeWindow: "1 minute" } } };
const sessionOver = (): ApiError => new ApiError("token-invalid", { detail: "Sign in again" });

export function registerSession(app: FastifyInstance, deps: Deps): void {
  const { pools, keys } = deps;
  const cookie = createSessionCookie(deps);
  const guesses = createGuesses(pools.app, keys.guesses);

  async function checkPassword({ email, password }: { email: string; password: string }, request: FastifyRequest): Promise<KnownUser> {
    const guesser = { email: email.toLowerCase(), network: networkOf(request.ip) };
    await guesses.count(guesser);
    const user = await findUserByEmail(pools.app, email);
    const isRight = await verifyPassword(user?.passwordHash ?? null, password);
    if (!user || !isRight) throw new ApiError("credentials-invalid");
    await guesses.forgive(guesser, user.userId);
    return user;
  }

  const pairOf = async (session: StartedSession) => ({
    access_token: await signAccessToken(keys.accessToken, session),
    refresh_token: session.refreshToken,
    expires_in: accessTokenSeconds,
  });

  addRoute(
    app,
    routes.signIn,
    async ({ body, request, reply }) => {
      const user = await checkPassword(body, request);
      return cookie.answer(await cookie.start(user, body.remember, request), user, reply);
    },
    signInLimit,
  );

  addRoute(app, routes.refreshSession, async ({ request, reply }) => {
    refuseOtherSites(request);
    const session = await rotateSession(pools.app, keys.refreshToken, cookie.read(request));
    const user = session && (await findUserById(pools.app, session.userId));
    if (!user) {
      cookie.clear(reply);
      throw sessionOver();
    }
    return cookie.answer(session, user, reply);
  });

  addRoute(app, routes.signOut, async ({ request, reply }) => {
    refuseOtherSites(request);
    await revokeSession(pools.app, cookie.read(request));
    cookie.clear(reply);
    return undefined;
  });

  addRoute(
    app,
    routes.createTokens,
    async ({ body, request, reply }) => {
      const session = await cookie.start(await checkPassword(body, request), body.remember, request);
      void reply.header("cache-control", "no-store");
      return pairOf(session);
    },
    signInLimit,
  );

  addRoute(app, routes.refreshTokens, async ({ query, reply }) => {
    const session = await rotateSession(pools.app, keys.refreshToken, query.refresh);
    if (!session) throw sessionOver();
    void reply.header("cache-control", "no-store");
    return pairOf(session);
  });

  addRoute(app, routes.getCurrentUser, async ({ principal }) => {
    const user = await findUserById(pools.app, personOf(principal).userId);
    if (!user) throw sessionOver();
    return user.currentUser;
  });
}
