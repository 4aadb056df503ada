import * as oidc from "openid-client";
import { Name } from "@crossdock/contract";
import { z } from "zod";
import type { Deps } from "../deps.ts";
import { createEgress } from "../egress/egress.ts";
import { parseAllowList } from "../egress/addresses.ts";
import { ApiError } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import type { Provider } from "./provider-config.ts";

/** A sign-in that has begun: what is sent along, and what must come back with the answer. */
type Flow = { url: string; state: string; nonce: string; codeVerifier: string };

/** Who somebody is, as the provider says; the signature, the issuer, the audience, the times and the nonce have been checked. */
export type ProvenPerson = { issuer: string; subject: string; email: string | null; name: string | null; groups: string[] };

/** After this time a provider's own description is read again. */
const discoveryMs = 3_600_000;

const Claims = z.object({
  iss: z.string(),
  sub: z.string().min(1).max(500),
  email: z.string().trim().toLowerCase().max(320).optional(),
  // Some providers write it as text.
  email_verified: z.union([z.boolean(), z.enum(["true", "false"]).transform((text) => text === "true")]).optional(),
  // One that is no name here keeps nobody out.
  name: Name.optional().catch(undefined),
});

/** How the server talks to the providers that CROSSDOCK_OIDC names (OpenID Connect Core 1.0, authorization code flow with PKCE). */
export function createProviderClient({ config, logger }: Pick<Deps, "config" | "logger">) {
  const egress = createEgress({ allow: parseAllowList(config.serviceAllow, "CROSSDOCK_SERVICE_ALLOW") });
  const known = new Map<string, { described: Promise<oidc.Configuration>; until: number }>();
  const redirectUri = `${config.publicUrl ?? ""}/redirect`;

  /** Sends the library's requests through `egress`, the server's one way out. */
  const throughEgress: oidc.CustomFetch = async (url, { method, headers, body, signal }) => {
    const text = body === undefined || body === null ? null : await new Response(body).text();
    const { "content-length": _, ...plain } = Object.fromEntries(new Headers(headers));
    const sent = { method: z.enum(["GET", "POST"]).parse(method), url, headers: plain, body: text };
    const answer = await egress.send(sent, signal ?? undefined);
    return new Response(answer.body, { status: answer.status, headers: answer.headers });
  };

  function describe(provider: Provider): Promise<oidc.Configuration> {
    const found = known.get(provider.id);
    if (found && found.until > performance.now()) return found.described;
    const authentication = provider.clientSecret === null ? oidc.None() : oidc.ClientSecretPost(provider.clientSecret);
    // The signature of the ID token is checked, too, though it comes straight from the provider. The settings allow http on this machine alone.
    const execute = [oidc.enableNonRepudiationChecks, ...(provider.issuer.startsWith("http:") ? [oidc.allowInsecureRequests] : [])];
    const options = { [oidc.customFetch]: throughEgress, timeout: 15, execute };
    const described = oidc
      .discovery(new URL(provider.issuer), provider.clientId, undefined, authentication, options)
      .catch((cause: unknown) => {
        known.delete(provider.id);
        logger.warn({ err: cause, provider: provider.id }, "a sign-in provider can't be reached");
        throw new ApiError("unavailable", { ...because("provider-away", { name: provider.name }), retryAfterSeconds: 10 });
      });
    known.set(provider.id, { described, until: performance.now() + discoveryMs });
    return described;
  }

  return {
    async begin(provider: Provider): Promise<Flow> {
      const described = await describe(provider);
      const flow = { state: oidc.randomState(), nonce: oidc.randomNonce(), codeVerifier: oidc.randomPKCECodeVerifier() };
      const url = oidc.buildAuthorizationUrl(described, {
        redirect_uri: redirectUri,
        scope: provider.scope,
        state: flow.state,
        nonce: flow.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(flow.codeVerifier),
        code_challenge_method: "S256",
      });
      return { ...flow, url: url.href };
    },

    /** Throws provider-refused for whatever the provider, or somebody in its name, sent that does not prove who it is. */
    async complete(provider: Provider, query: string, flow: Omit<Flow, "url">): Promise<ProvenPerson> {
      const described = await describe(provider);
      try {
        const checks = { expectedState: flow.state, expectedNonce: flow.nonce, pkceCodeVerifier: flow.codeVerifier };
        const tokens = await oidc.authorizationCodeGrant(described, new URL(`${redirectUri}?${query}`), checks);
        const proven = z.record(z.string(), z.unknown()).parse(tokens.claims());
        let claims = Claims.parse(proven);
        // Some providers give the address only at their userinfo endpoint, not in the token.
        if (claims.email === undefined && described.serverMetadata().userinfo_endpoint !== undefined) {
          const told = await oidc.fetchUserInfo(described, tokens.access_token, claims.sub);
          claims = { ...claims, ...Claims.omit({ iss: true, sub: true }).parse(told) };
        }
        return {
          issuer: claims.iss,
          subject: claims.sub,
          email: claims.email_verified === true ? (claims.email ?? null) : null,
          name: claims.name ?? null,
          groups: z.array(z.string()).max(1000).catch([]).parse(proven[provider.groupsClaim]),
        };
      } catch (cause) {
        logger.info(
          { provider: provider.id, reason: cause instanceof Error ? cause.message : String(cause) },
          "a sign-in at a provider failed",
        );
        throw new ApiError("provider-refused", { cause });
      }
    },

    close: () => egress.close(),
  };
}
