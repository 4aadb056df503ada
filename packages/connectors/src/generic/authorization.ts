import { type AccessToken, type Dead, type OutboundRequest, type TokenGrant, dead } from "../connector.ts";
import { summaryOf, verdictOfStatus } from "../answers.ts";
import { isRecord } from "../json.ts";
import type { Credentials, Settings } from "./settings.ts";

/** The request with the headers of the integration point's kind of authorization, or with the grant of its token. */
export function authorize(request: OutboundRequest, settings: Settings, credentials: Credentials): OutboundRequest | Dead {
  const { username, password, token, apiKey, clientId, clientSecret } = credentials;
  switch (settings.auth) {
    case "none":
      return request;
    case "basic":
      if (username === undefined || password === undefined) return incomplete("username and password");
      return withSecret(request, "authorization", basic(username, password));
    case "bearer":
      return token === undefined ? incomplete("token") : withSecret(request, "authorization", `Bearer ${token}`);
    case "api-key":
      return apiKey === undefined ? incomplete("apiKey") : withSecret(request, settings.apiKeyHeader.toLowerCase(), apiKey);
    case "oauth2-client-credentials":
      break;
  }
  if (clientId === undefined || clientSecret === undefined) return incomplete("clientId and clientSecret");
  if (settings.tokenUrl === undefined) return dead("configuration", "settings: tokenUrl is missing");
  return { ...request, grant: clientCredentials(settings.tokenUrl, settings.scope, clientId, clientSecret) };
}

/** The client credentials grant of RFC 6749, section 4.4; the client names itself as section 2.3.1 has it. */
function clientCredentials(tokenUrl: string, scope: string | undefined, clientId: string, clientSecret: string): TokenGrant {
  return {
    request: {
      method: "POST",
      url: tokenUrl,
      headers: {
        authorization: basic(encodeURIComponent(clientId), encodeURIComponent(clientSecret)),
        accept: "application/json",
        "content-type": "application/x-www-form-urlencoded",
      },
      body: new URLSearchParams({ grant_type: "client_credentials", ...(scope === undefined ? {} : { scope }) }).toString(),
      secretHeaders: ["authorization"],
      hasSecretAnswer: true,
    },
    read(response) {
      const verdict = verdictOfStatus(response);
      if (verdict.kind === "retry") return verdict;
      if (verdict.kind === "delivered")
        return accessTokenOf(response.body) ?? dead("authorization", "the token answer has no access_token");
      return dead("authorization", `the token was refused: HTTP ${response.status}${summaryOf(response.body)}`);
    },
  };
}

function accessTokenOf(body: string): AccessToken | null {
  try {
    const answer: unknown = JSON.parse(body);
    if (!isRecord(answer)) return null;
    const { access_token: token, expires_in: lifetime } = answer;
    if (typeof token !== "string" || !/^[\x21-\x7e]{1,16000}$/.test(token)) return null;
    // A number by the RFC; some send it as text.
    const seconds = Number(lifetime ?? Number.NaN);
    return { kind: "token", token, expiresInSeconds: seconds >= 0 ? seconds : null };
  } catch {
    return null;
  }
}

function withSecret(request: OutboundRequest, name: string, value: string): OutboundRequest {
  return { ...request, headers: { ...request.headers, [name]: value }, secretHeaders: [...request.secretHeaders, name] };
}

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

function incomplete(names: string): Dead {
  return dead("configuration", `credentials: ${names} missing`);
}
