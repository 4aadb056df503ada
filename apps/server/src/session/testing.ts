import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";

/** Where a provider's description, or its token endpoint, sends the server to; and who signs. */
export type Lies = {
  token_endpoint?: string;
  jwks_uri?: string;
  userinfo_endpoint?: string;
  redirect?: string;
  isSignedByAnother?: boolean;
};

export type LyingProvider = { issuer: string; lie: (lies: Lies) => void; close: () => void };

const json = { "content-type": "application/json" };

/**
 * An OpenID Connect provider on loopback that says what a test wants, to the client `crossdock` with the nonce `nonce`. Its ID tokens hold no
 * email address, so that it is asked for one, too.
 */
export async function startLyingProvider(): Promise<LyingProvider> {
  const [own, another] = [await generateKeyPair("RS256"), await generateKeyPair("RS256")];
  const keys = { keys: [{ ...(await exportJWK(own.publicKey)), alg: "RS256", use: "sig", kid: "one" }] };
  let lies: Lies = {};
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const idToken = (): Promise<string> =>
    new SignJWT({ nonce: "nonce" })
      .setProtectedHeader({ alg: "RS256", kid: "one" })
      .setIssuer(issuer)
      .setAudience("crossdock")
      .setSubject("somebody")
      .setIssuedAt()
      .setExpirationTime("5m")
      .sign(lies.isSignedByAnother ? another.privateKey : own.privateKey);

  async function answer(path: string): Promise<object> {
    if (path === "/jwks") return keys;
    if (path === "/token") return { access_token: "a", token_type: "Bearer", id_token: await idToken() };
    const { redirect: _redirect, isSignedByAnother: _signer, ...endpoints } = lies;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      ...endpoints,
    };
  }

  server.on("request", (request, response) => {
    // The bytes as they are: Node refuses to send letters beyond Latin 1.
    const location = lies.redirect && Buffer.from(lies.redirect).toString("latin1");
    if (location && request.url === "/token") response.writeHead(307, { location }).end();
    else void answer(request.url ?? "").then((body) => response.writeHead(200, json).end(JSON.stringify(body)));
  });
  return {
    issuer,
    lie: (wanted) => {
      lies = wanted;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
