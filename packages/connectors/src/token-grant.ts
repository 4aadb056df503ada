import { summaryOf, verdictOfStatus } from "./answers.ts";
import type { AccessToken, OutboundRequest, Retry, TokenGrant } from "./connector.ts";
import { isRecord, parseJson } from "./json.ts";

/** What an answer says about a token; null where it has none. */
type TokenReader = (answer: unknown) => { token: unknown; expiresIn?: unknown } | null;

const oauthAnswer: TokenReader = (answer) => (isRecord(answer) ? { token: answer["access_token"], expiresIn: answer["expires_in"] } : null);

/** A token that is had by `request`; by default its answer is that of OAuth 2 (RFC 6749, section 5.1). */
export function tokenGrant(request: Pick<OutboundRequest, "url" | "headers" | "body" | "secretHeaders">, read = oauthAnswer): TokenGrant {
  return {
    request: { method: "POST", ...request, hasSecretAnswer: true },
    read(response) {
      const verdict = verdictOfStatus(response);
      if (verdict.kind === "retry" && response.status !== 401) return verdict;
      if (verdict.kind === "delivered") return accessTokenOf(response.body, read) ?? refused("the token answer has no token");
      return refused(`the token was refused: HTTP ${response.status}${summaryOf(response.body)}`);
    },
  };
}

/** Without a token nothing goes out, whatever the message. */
function refused(message: string): Retry {
  return { kind: "retry", error: { class: "authorization", message }, isTargetFault: true };
}

/** The client credentials grant of RFC 6749, section 4.4; the client names itself as section 2.3.1 has it. */
export function clientCredentials(url: string, clientId: string, clientSecret: string, scope?: string): TokenGrant {
  return tokenGrant({
    url,
    headers: {
      authorization: basic(encodeURIComponent(clientId), encodeURIComponent(clientSecret)),
      accept: "application/json",
      "content-type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams({ grant_type: "client_credentials", ...(scope === undefined ? {} : { scope }) }).toString(),
    secretHeaders: ["authorization"],
  });
}

export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

function accessTokenOf(body: string, read: TokenReader): AccessToken | null {
  try {
    const found = read(parseJson(body));
    if (found === null || typeof found.token !== "string" || !/^[\x21-\x7e]{1,16000}$/.test(found.token)) return null;
    // A number by the RFC; some send it as text.
    const seconds = Number(found.expiresIn ?? Number.NaN);
    return { kind: "token", token: found.token, expiresInSeconds: seconds >= 0 ? seconds : null };
  } catch {
    return null;
  }
}
