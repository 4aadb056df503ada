import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { routes, type Session } from "@crossdock/contract";
import { accessTokenSeconds, signAccessToken } from "../access-token.ts";
import { personOf } from "../access.ts";
import type { Deps } from "../deps.ts";
import { ApiError } from "../errors.ts";
import { networkOf } from "../rate-limit.ts";
import { addRoute } from "../route.ts";
import { createGuesses } from "./guesses.ts";
import { verifyPassword } from "./passwords.ts";
import { createSession, rememberedSeconds, revokeSession, rotateSession, type StartedSession } from "./sessions.ts";
import { findUserByEmail, findUserById, type KnownUser } from "./users.ts";

// A guess costs the server 20 ms of argon2 and the guesser one of these.
const signInLimit = { config: { rateLimit: { max: 20, timeWindow: "1 minute" } } };
const sessionOver = (): ApiError => new ApiError("token-invalid", { detail: "Sign in again" });

export function registerSession(app: FastifyInstance, { config, pools, keys }: Deps): void {
  const isTls = config.publicUrl?.startsWith("https:") ?? false;
  const cookie = { path: "/api/v1/session", httpOnly: true, sameSite: "strict", secure: isTls } as const;
  // Browsers take a name with this prefix from a TLS connection only.
  const cookieName = isTls ? "__Secure-crossdock_refresh" : "crossdock_refresh";

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

  const start = (user: KnownUser, isRemembered: boolean, request: FastifyRequest): Promise<StartedSession> =>
    createSession(pools.app, {
      userId: user.userId,
      isRemembered,
      userAgent: request.headers["user-agent"] ?? null,
      address: request.ip,
    });

  const accessTokenOf = (session: StartedSession): Promise<string> => signAccessToken(keys.accessToken, session);

  async function answerWithCookie(session: StartedSession, user: KnownUser, reply: FastifyReply): Promise<Session> {
    // Without "remember me" the cookie has no age, so the browser drops it when it closes.
    void reply.setCookie(cookieName, session.refreshToken, { ...cookie, ...(session.isRemembered ? { maxAge: rememberedSeconds } : {}) });
    void reply.header("cache-control", "no-store");
    return { access_token: await accessTokenOf(session), token_type: "Bearer", expires_in: accessTokenSeconds, user: user.currentUser };
  }

  addRoute(
    app,
    routes.signIn,
    async ({ body, request, reply }) => {
      const user = await checkPassword(body, request);
      return answerWithCookie(await start(user, body.remember, request), user, reply);
    },
    signInLimit,
  );

  addRoute(app, routes.getSignInOptions, () => ({ isSignUpOpen: config.isSignUpOpen, providers: [] }));

  addRoute(app, routes.refreshSession, async ({ request, reply }) => {
    refuseOtherSites(request);
    const session = await rotateSession(pools.app, keys.refreshToken, request.cookies[cookieName] ?? "");
    const user = session && (await findUserById(pools.app, session.userId));
    if (!user) {
      void reply.clearCookie(cookieName, cookie);
      throw sessionOver();
    }
    return answerWithCookie(session, user, reply);
  });

  addRoute(app, routes.signOut, async ({ request, reply }) => {
    refuseOtherSites(request);
    await revokeSession(pools.app, request.cookies[cookieName] ?? "");
    void reply.clearCookie(cookieName, cookie);
    return undefined;
  });

  addRoute(
    app,
    routes.createTokens,
    async ({ body, request, reply }) => {
      const session = await start(await checkPassword(body, request), body.remember, request);
      void reply.header("cache-control", "no-store");
      return { access_token: await accessTokenOf(session), refresh_token: session.refreshToken, expires_in: accessTokenSeconds };
    },
    signInLimit,
  );

  addRoute(app, routes.refreshTokens, async ({ query, reply }) => {
    const session = await rotateSession(pools.app, keys.refreshToken, query.refresh);
    if (!session) throw sessionOver();
    void reply.header("cache-control", "no-store");
    return { access_token: await accessTokenOf(session), refresh_token: session.refreshToken, expires_in: accessTokenSeconds };
  });

  addRoute(app, routes.getCurrentUser, async ({ principal }) => {
    const user = await findUserById(pools.app, personOf(principal).userId);
    if (!user) throw sessionOver();
    return user.currentUser;
  });
}

/** The cookie alone must not act for a page of somebody else, not even of a neighbouring host, which SameSite lets pass. */
function refuseOtherSites(request: FastifyRequest): void {
  const site = request.headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none")
    throw new ApiError("bad-request", { detail: "Sent by another site" });
}
