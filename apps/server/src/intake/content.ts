import { isUtf8 } from "node:buffer";
import { decodeJson } from "@crossdock/connectors";
import { isSecretHeader, mask } from "../masking/headers.ts";

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

/** Reads canonical documents, one a line, as an import keeps them. `at`: which of them is at fault, from 0. */
export function parseDocuments(body: Buffer): { documents: unknown[] } | { fault: ContentFault; at: number } {
  const documents: unknown[] = [];
  for (const [at, line] of body.toString("utf8").trim().split("\n").entries()) {
    const content = parseContent(Buffer.from(line));
    if ("fault" in content) return { fault: content.fault, at };
    documents.push(content.json);
  }
  return { documents };
}

function holdsNul(value: unknown): boolean {
  if (typeof value === "string") return value.includes("\0");
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([name, part]) => name.includes("\0") || holdsNul(part));
}

/** The headers as they are kept: those that carry secrets masked, and all in which one of `secrets` stands, such as that of the webhook. */
export function keptHeaders(headers: Record<string, string>, secrets: readonly string[]): Record<string, string> {
  const isSecret = (name: string, value: string): boolean => isSecretHeader(name) || secrets.some((secret) => value.includes(secret));
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, isSecret(name, value) ? mask : value]));
}
