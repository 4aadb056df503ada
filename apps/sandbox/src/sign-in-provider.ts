import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider, type InteractionResults } from "oidc-provider";

/** Who somebody is at the provider; the claims are told as they are. */
export type TestPerson = { sub: string; email?: string; email_verified?: boolean; name?: string; groups?: string[] };

export type TestProvider = {
  issuer: string;
  /** Whoever comes next is this person, and agrees to everything. */
  signInAs: (person: TestPerson | null) => void;
  close: () => Promise<void>;
};

export const testClient = { clientId: "crossdock", clientSecret: "a secret of the client" };

/**
 * A certified OpenID Connect provider on loopback, whose people need no password. With null as the next person it refuses
 * (access_denied), as when somebody turns back there.
 */
export async function startTestProvider(redirectUri: string): Promise<TestProvider> {
  let next: TestPerson | null = null;
  const people = new Map<string, TestPerson>();
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: testClient.clientId,
        client_secret: testClient.clientSecret,
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: "client_secret_post",
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "groups"] },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    cookies: { keys: ["only for tests"] },
    pkce: { required: () => true },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ ...people.get(sub), sub }) }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
  });
  const callback = provider.callback();

  /** What a person would do on the provider's own pages. */
  async function decide(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const finish = (result: InteractionResults, isMerged = false): Promise<void> =>
      provider.interactionFinished(request, response, result, { mergeWithLastSubmission: isMerged });
    const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
    if (next === null) return finish({ error: "access_denied", error_description: "turned back" });
    people.set(next.sub, next);
    if (prompt.name === "login") return finish({ login: { accountId: next.sub } });
    const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
    const grant = known ?? new provider.Grant({ accountId: session?.accountId ?? next.sub, clientId: String(params["client_id"]) });
    grant.addOIDCScope("openid email profile");
    return finish({ consent: { grantId: await grant.save() } }, true);
  }

  server.on("request", (request, response) => {
    if (request.url?.startsWith("/interaction/")) void decide(request, response);
    else void callback(request, response);
  });
  return {
    issuer,
    signInAs: (person) => {
      next = person;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Goes where a browser is sent, with its cookies, until it is sent back to `until`; answers that address's query. */
export async function followSignIn(url: string, until: string): Promise<string> {
  const cookies = new Map<string, string>();
  let at = url;
  for (let steps = 0; steps < 15; steps += 1) {
    if (at.startsWith(until)) return new URL(at).search.slice(1);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(at, { redirect: "manual", headers: { cookie } });
    for (const set of answer.headers.getSetCookie()) {
      const [pair = ""] = set.split(";");
      const [name = "", value = ""] = pair.split("=");
      cookies.set(name, value);
    }
    const location = answer.headers.get("location");
    if (location === null) throw new Error(`${at} answered ${answer.status}: ${(await answer.text()).slice(0, 500)}`);
    at = new URL(location, at).href;
  }
  throw new Error("the sign-in goes in circles");
}
