import { createHmac, timingSafeEqual } from "node:crypto";
import type { SignatureResult, VerifyInput } from "./connector.ts";

/** HMAC-SHA256 of the parts, in base64. */
export function hmacBase64(secret: string | Uint8Array, ...parts: (string | Uint8Array)[]): string {
  const hmac = createHmac("sha256", secret);
  for (const part of parts) hmac.update(part);
  return hmac.digest("base64");
}

/** Compares in constant time, so that a signature can't be guessed byte by byte. */
export function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** How far the signed time may be from ours, in seconds; the value the specification suggests. */
export const signatureToleranceSeconds = 300;

/**
 * Standard Webhooks (https://www.standardwebhooks.com): `webhook-signature` holds, separated by blanks, `v1,` + base64 of the HMAC
 * over `{webhook-id}.{webhook-timestamp}.{body}`; several while a secret is being changed. `secret` is base64, maybe behind `whsec_`.
 */
export function verifyStandardWebhook({ body, headers, now }: Omit<VerifyInput, "credentials">, secret: string): SignatureResult {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures } = headers;
  if (id === undefined || timestamp === undefined || signatures === undefined) return "missing";
  if (!/^[0-9]{1,12}$/.test(timestamp)) return "invalid";
  const expected = `v1,${hmacBase64(Buffer.from(secret.replace(/^whsec_/, ""), "base64"), `${id}.${timestamp}.`, body)}`;
  // Only who knows the secret hears that the time is what is wrong.
  if (!signatures.split(" ").some((given) => isSame(given, expected))) return "invalid";
  return Math.abs(now.getTime() / 1000 - Number(timestamp)) > signatureToleranceSeconds ? "stale" : "valid";
}
