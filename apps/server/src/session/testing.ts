import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { CompactSign, exportJWK, generateKeyPair } from "jose";
import { pino } from "pino";
import { readConfig } from "../config.ts";
import { createProviderClient, type ProvenPerson } from "./providers.ts";

/** Where a provider's description, or its token endpoint, sends the server to; who signs, and what is said of the person. */
export type Lies = {
  issuer?: string;
  token_endpoint?: string;
  jwks_uri?: string;
  userinfo_endpoint?: string;
  redirect?: string;
  isSignedByAnother?: boolean;
  /** Stand in the ID token in place of its own; undefined leaves one out. */
  claims?: Record<string, unknown>;
  /** What `/userinfo` answers, where the description names that. */
  userInfo?: object;
};

/** `plainUrl` is where it answers without TLS. */
export type LyingProvider = { issuer: string; plainUrl: string; lie: (lies: Lies) => void; close: () => void };

/** Key and certificate of a TLS server at 127.0.0.1, which nobody but a test trusts. */
export const loopbackPem = readFileSync(new URL("loopback.pem", import.meta.url), "utf8");

async function urlOf(server: Server, protocol: "http" | "https"): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const json = { "content-type": "application/json" };

/**
 * An OpenID Connect provider on loopback that says what a test wants, to the client `crossdock` with the nonce `nonce`. Its ID tokens hold no
 * email address, so that it is asked for one, too. With TLS it answers without it as well, in the same name.
 */
export async function startLyingProvider(isTls = false): Promise<LyingProvider> {
  const [own, another] = [await generateKeyPair("RS256"), await generateKeyPair("RS256")];
  const keys = { keys: [{ ...(await exportJWK(own.publicKey)), alg: "RS256", use: "sig", kid: "one" }] };
  let lies: Lies = {};
  const respond: RequestListener = (request, response) => {
    // The bytes as they are: Node refuses to send letters beyond Latin 1.
    const location = lies.redirect && Buffer.from(lies.redirect).toString("latin1");
    if (location && request.url === "/token") response.writeHead(307, { location }).end();
    else void answer(request.url ?? "").then((body) => response.writeHead(200, json).end(JSON.stringify(body)));
  };
  const plain = createServer(respond);
  const secure = createTlsServer({ key: loopbackPem, cert: loopbackPem }, respond);
  const plainUrl = await urlOf(plain, "http");
  const issuer = isTls ? await urlOf(secure, "https") : plainUrl;

  function idToken(): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: issuer, aud: "crossdock", sub: "somebody", nonce: "nonce", iat: now, exp: now + 300, ...lies.claims };
    return new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: "RS256", kid: "one" })
      .sign(lies.isSignedByAnother ? another.privateKey : own.privateKey);
  }

  async function answer(path: string): Promise<object> {
    if (path === "/jwks") return keys;
    if (path === "/token") return { access_token: "a", token_type: "Bearer", id_token: await idToken() };
    if (path === "/userinfo" && lies.userInfo) return lies.userInfo;
    const { redirect: _redirect, isSignedByAnother: _signer, claims: _claims, userInfo: _person, ...described } = lies;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      ...described,
    };
  }

  return {
    issuer,
    plainUrl,
    lie: (wanted) => {
      lies = wanted;
    },
    close: () => {
      for (const server of [plain, secure]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

/** A client of that provider, to which the provider says what a test wants; each sign-in has the state and the nonce that the provider knows. */
export function lyingProviderClient(provider: LyingProvider) {
  const environment = {
    CROSSDOCK_DEMO: "0",
    CROSSDOCK_PUBLIC_URL: "https://hub.example.com",
    CROSSDOCK_SERVICE_ALLOW: [provider.issuer, provider.plainUrl].map((url) => new URL(url).host).join(","),
    CROSSDOCK_OIDC: JSON.stringify([{ id: "lying", clientId: "crossdock", clientSecret: "a secret", issuer: provider.issuer }]),
  };
  const config = readConfig(environment);
  const [configured] = config.providers;
  if (!configured) throw new Error("there is no provider");
  const client = createProviderClient({ config, logger: pino({ level: "silent" }) });
  const flow = { state: "state", nonce: "nonce", codeVerifier: "v".repeat(43) };
  return {
    signIn: (lies: Lies): Promise<ProvenPerson> => {
      provider.lie(lies);
      return client.complete(configured, "code=code&state=state", flow);
    },
    close: () => client.close(),
  };
}
