import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { sha256 } from "../keys/sha256.ts";

export const apiKeyPrefix = "cdk_";
/** Characters of the signature: 128 bits. */
const signatureLength = 22;

/** A new key: 256 random bits, and a signature, by which it is told from a guess without asking the database. */
export function createApiKey(secret: Buffer): string {
  const key = apiKeyPrefix + randomBytes(32).toString("base64url");
  return key + signatureOf(secret, key);
}

/** Whether the key was made with this secret; it may have been revoked since. One made before the secret was changed is right as well. */
export function isOwnApiKey(secret: Buffer, key: string): boolean {
  const signature = signatureOf(secret, key.slice(0, -signatureLength));
  return timingSafeEqual(sha256(key.slice(-signatureLength)), sha256(signature));
}

function signatureOf(secret: Buffer, text: string): string {
  return createHmac("sha256", secret).update(text).digest("base64url").slice(0, signatureLength);
}
