import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** What a sealed value belongs to. It is authenticated with the value, so that a row copied to another tenant or record does not open. */
export type SealedPlace = { tenantId: number; record: string; field: string };

/** A key for one purpose, derived from the installation's secret (HKDF-SHA-256, RFC 5869). */
export function deriveKey(secret: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", `crossdock ${purpose}`, 32));
}

const format = 1;
const nonceBytes = 12;
const tagBytes = 16;

/** AES-256-GCM: one byte of format, the nonce, the tag, the ciphertext. */
export function seal(key: Buffer, place: SealedPlace, text: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(associatedData(place));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([Buffer.of(format), nonce, cipher.getAuthTag(), sealed]);
}

/** Throws when the bytes were changed, belong to another place, or were sealed with another secret. */
export function unseal(key: Buffer, place: SealedPlace, bytes: Buffer): string {
  if (bytes[0] !== format) throw new Error(`sealed value of unknown format ${bytes[0]}`);
  const nonce = bytes.subarray(1, 1 + nonceBytes);
  const tag = bytes.subarray(1 + nonceBytes, 1 + nonceBytes + tagBytes);
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes }).setAAD(associatedData(place));
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(bytes.subarray(1 + nonceBytes + tagBytes)), decipher.final()]).toString("utf8");
}

function associatedData(place: SealedPlace): Buffer {
  return Buffer.from(JSON.stringify([place.tenantId, place.record, place.field]));
}
