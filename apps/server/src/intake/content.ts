import { isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import { decodeJson } from "@crossdock/connectors";

export type ContentFault = { code: "bad-encoding" | "nul-character" | "bad-json"; message: string };

/**
 * Reads a body as JSON, naming exactly what is wrong with it. A byte order mark is dropped.
 * `\u0000` within strings is valid JSON, but no text that the database keeps, and is therefore a fault too.
 */
export function parseContent(body: Buffer): { json: unknown } | { fault: ContentFault } {
  const nul = body.indexOf(0);
  if (nul !== -1) return { fault: { code: "nul-character", message: `The body contains a NUL character at byte ${nul}.` } };
  if (!isUtf8(body)) return { fault: { code: "bad-encoding", message: "The body is not valid UTF-8." } };
  const decoded = decodeJson(body);
  if (decoded.kind === "rejected") {
    return { fault: { code: "bad-json", message: `The body is ${decoded.reasons.map(({ message }) => message).join("; ")}.` } };
  }
  if (body.includes("\\u0000") && holdsNul(decoded.value)) {
    return { fault: { code: "nul-character", message: "The body contains an escaped NUL character (\\u0000)." } };
  }
  return { json: decoded.value };
}

function holdsNul(value: unknown): boolean {
  if (typeof value === "string") return value.includes("\0");
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([name, part]) => name.includes("\0") || holdsNul(part));
}

export function sha256(data: string | Uint8Array): Buffer {
  return hash("sha256", data, "buffer");
}

const secretHeader = /^(authorization|proxy-authorization|cookie|x-api-key|x-shopify-access-token|.*(secret|password|token).*)$/;

/** Header names in small letters with one value each, as connectors read them. */
export function singleHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const single: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) single[name] = typeof value === "string" ? value : value.join(", ");
  }
  return single;
}

/** The headers as they are kept: secrets masked. Signatures stay: they say nothing without the key. */
export function keptHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, secretHeader.test(name) ? "•••" : value]));
}
