import { type Dead, type OutboundRequest, incomplete } from "../connector.ts";
import { tokenGrant } from "../token-grant.ts";
import type { Credentials, Settings } from "./settings.ts";

const header = "x-shopify-access-token";

export type Access = Pick<OutboundRequest, "headers" | "secretHeaders" | "grant">;

/**
 * How a request shows who sends it. An app of the Dev Dashboard gets tokens of a day for its id and secret, one that a shop's admin made long ago has
 * one that stays. https://shopify.dev/docs/apps/build/authentication-authorization/access-tokens/client-credentials-grant
 */
export function accessOf({ settings, credentials }: { settings: Settings; credentials: Credentials }): Access | Dead {
  const { accessToken, clientId, clientSecret } = credentials;
  if (clientId !== undefined && clientSecret !== undefined) {
    const grant = tokenGrant({
      url: `${settings.shopUrl.replace(/\/+$/, "")}/admin/oauth/access_token`,
      headers: { accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret }).toString(),
      secretHeaders: [],
    });
    return { headers: {}, secretHeaders: [], grant: { ...grant, header } };
  }
  if (clientId !== undefined || clientSecret !== undefined) return incomplete("credentials", { clientId, clientSecret });
  if (accessToken === undefined) return incomplete("credentials", { accessToken });
  return { headers: { [header]: accessToken }, secretHeaders: [header] };
}
