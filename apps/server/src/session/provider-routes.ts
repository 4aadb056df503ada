import { randomBytes } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { routes } from "@crossdock/contract";
import { installation } from "../api/change.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { ApiError, notFound } from "../errors/errors.ts";
import { addRoute } from "../api/route.ts";
import { sha256 } from "../keys/sha256.ts";
import { createSessionCookie, onlyCookie, refuseOtherSites } from "./open-session.ts";
import { personOf } from "./provider-people.ts";
import { createProviderClient } from "./providers.ts";
import { findUserById } from "./users.ts";

/** How long a person may take at the provider. */
const flowSeconds = 600;
const limit = { config: { rateLimit: { max: 30, timeWindow: "1 minute" } } };

const beginSql = `
  with over as (delete from hub.oidc_flow where expires_at < now())
  insert into hub.oidc_flow (state_hash, browser_hash, provider, nonce, code_verifier, is_remembered, expires_at)
  values ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))`;

// It is accepted once, and only in the browser that began it: nobody can be slipped somebody else's answer.
const takeSql = `
  delete from hub.oidc_flow where state_hash = $1 and browser_hash = $2 and expires_at > now()
  returning provider, nonce, code_verifier as "codeVerifier", is_remembered as "isRemembered"`;

type FlowRow = { provider: string; nonce: string; codeVerifier: string; isRemembered: boolean };

/** Sign-in at other providers, and what the sign-in offers. */
export function registerProviders(app: FastifyInstance, deps: Deps): void {
  const { config, pools } = deps;
  const cookie = createSessionCookie(deps);
  const browserCookie = `${cookie.prefix}crossdock_flow`;
  const client = createProviderClient(deps);
  app.addHook("onClose", () => client.close());

  addRoute(app, routes.getSignInOptions, () => ({
    isSignUpOpen: config.isSignUpOpen,
    isMailed: config.smtpUrl !== null,
    providers: config.providers.map(({ id, kind, name }) => ({ id, kind, name })),
  }));

  addRoute(
    app,
    routes.startProviderSignIn,
    async ({ params, body, request, reply }) => {
      refuseOtherSites(request);
      const provider = config.providers.find(({ id }) => id === params.providerId);
      if (!provider) throw notFound();
      const { url, state, nonce, codeVerifier } = await client.begin(provider);
      // Several sign-ins of one browser may be under way at once. An empty cookie is none: every browser without one would do for the other.
      const secret = onlyCookie(request, browserCookie) || randomBytes(32).toString("base64url");
      const values = [sha256(state), sha256(secret), provider.id, nonce, codeVerifier, body.remember, flowSeconds];
      await pools.app.query(beginSql, values);
      void reply.setCookie(browserCookie, secret, { ...cookie.options, maxAge: flowSeconds });
      return { url };
    },
    limit,
  );

  addRoute(
    app,
    routes.finishProviderSignIn,
    async ({ body, request, reply }) => {
      refuseOtherSites(request);
      const state = new URLSearchParams(body.query).get("state") ?? "";
      const secret = onlyCookie(request, browserCookie);
      const { rows } = await pools.app.query<FlowRow>(takeSql, [sha256(state), sha256(secret)]);
      const [flow] = rows;
      const provider = flow && config.providers.find(({ id }) => id === flow.provider);
      if (!provider) throw new ApiError("provider-refused");
      const proven = await client.complete(provider, body.query, { state, nonce: flow.nonce, codeVerifier: flow.codeVerifier });
      const { session, user } = await inTenant(pools.app, installation, async (db) => {
        const { userId, told } = await personOf(db, provider, proven, config.isSignUpOpen);
        const known = await findUserById(db, userId);
        if (!known) throw new ApiError("provider-refused");
        const signedIn = { user: known, isRemembered: flow.isRemembered, secondsMax: provider.sessionSeconds, told };
        return { session: await cookie.start(db, request, signedIn), user: known };
      });
      return cookie.answer(session, user, reply);
    },
    limit,
  );
}
