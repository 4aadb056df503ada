import { createHmac } from "node:crypto";

type OauthKeys = { consumerKey: string; consumerSecret: string; token: string; tokenSecret: string };

/** The authorization header of OAuth 1.0 with HMAC-SHA1 (RFC 5849, section 3.4). The body is JSON and takes no part in it. */
export function oauth1Header(method: string, url: string, keys: OauthKeys, now: Date, nonce: string): string {
  const { origin, pathname, searchParams } = new URL(url);
  const parameters: [string, string][] = [
    ["oauth_consumer_key", keys.consumerKey],
    ["oauth_nonce", nonce],
    ["oauth_signature_method", "HMAC-SHA1"],
    ["oauth_timestamp", String(Math.floor(now.getTime() / 1000))],
    ["oauth_token", keys.token],
    ["oauth_version", "1.0"],
  ];
  const all = [...parameters, ...searchParams].map(([name, value]) => `${encoded(name)}=${encoded(value)}`);
  const base = [method, origin + pathname, all.toSorted().join("&")].map(encoded).join("&");
  const signature = createHmac("sha1", `${encoded(keys.consumerSecret)}&${encoded(keys.tokenSecret)}`)
    .update(base)
    .digest("base64");
  const header = [...parameters, ["oauth_signature", signature]].map(([name = "", value = ""]) => `${name}="${encoded(value)}"`);
  return `OAuth ${header.join(", ")}`;
}

/** Stricter than encodeURIComponent, as the RFC wants. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
