import { type Dead, type OutboundRequest, incomplete } from "../connector.ts";
import { basic, clientCredentials } from "../token-grant.ts";
import type { Credentials, Settings } from "./settings.ts";

/** The request with the headers of the integration point's kind of authorization, or with the grant of its token. */
export function authorize(request: OutboundRequest, settings: Settings, credentials: Credentials): OutboundRequest | Dead {
  const { username, password, token, apiKey, clientId, clientSecret } = credentials;
  switch (settings.auth) {
    case "none":
      return request;
    case "basic":
      if (username === undefined || password === undefined) return incomplete("credentials", { username, password });
      return withSecret(request, "authorization", basic(username, password));
    case "bearer":
      return token === undefined ? incomplete("credentials", { token }) : withSecret(request, "authorization", `Bearer ${token}`);
    case "api-key":
      return apiKey === undefined
        ? incomplete("credentials", { apiKey })
        : withSecret(request, settings.apiKeyHeader.toLowerCase(), apiKey);
    case "oauth2-client-credentials":
      break;
  }
  if (clientId === undefined || clientSecret === undefined) return incomplete("credentials", { clientId, clientSecret });
  const { tokenUrl } = settings;
  if (tokenUrl === undefined) return incomplete("settings", { tokenUrl });
  return { ...request, grant: clientCredentials(tokenUrl, clientId, clientSecret, settings.scope) };
}

function withSecret(request: OutboundRequest, name: string, value: string): OutboundRequest {
  return { ...request, headers: { ...request.headers, [name]: value }, secretHeaders: [...request.secretHeaders, name] };
}
