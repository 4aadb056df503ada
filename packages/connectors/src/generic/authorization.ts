import { type Dead, type OutboundRequest, dead } from "../connector.ts";
import { summaryOf, verdictOfStatus } from "../answers.ts";
import { isRecord } from "../json.ts";
import type { Credentials, Settings } from "./settings.ts";

/** The request with the headers of the integration point's kind of authorization, or behind a request for a token. */
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
  return behindToken(request, settings.tokenUrl, basic(encodeURIComponent(clientId), encodeURIComponent(clientSecret)), settings.scope);
}

/**
 * RFC 6749, section 4.4. A connector remembers nothing, so each delivery asks for its token and goes on with it; that costs a request.
 */
function behindToken(request: OutboundRequest, tokenUrl: string, authorization: string, scope: string | undefined): OutboundRequest {
  return {
    method: "POST",
    url: tokenUrl,
    headers: { authorization, accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ grant_type: "client_credentials", ...(scope === undefined ? {} : { scope }) }).toString(),
    secretHeaders: ["authorization"],
    hasSecretAnswer: true,
    read(response) {
      const verdict = verdictOfStatus(response);
      if (verdict.kind === "dead")
        return dead("authorization", `the token was refused: HTTP ${response.status}${summaryOf(response.body)}`);
      if (verdict.kind !== "delivered") return verdict;
      const token = accessTokenOf(response.body);
      if (token === null) return dead("authorization", "the token answer has no access_token");
      return { kind: "next", request: withSecret(request, "authorization", `Bearer ${token}`) };
    },
  };
}

function accessTokenOf(body: string): string | null {
  try {
    const answer: unknown = JSON.parse(body);
    const token = isRecord(answer) ? answer["access_token"] : undefined;
    return typeof token === "string" && /^[\x21-\x7e]{1,16000}$/.test(token) ? token : null;
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
