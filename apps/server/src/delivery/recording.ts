import type { OutboundRequest, TargetResponse } from "@crossdock/connectors";
import type { Attempt, AttemptError } from "@crossdock/queue";
import { isSecretHeader, mask } from "../masking/headers.ts";
import { writtenForms } from "../masking/scrubbing.ts";
import { fingerprintOf } from "./fingerprint.ts";

/** Bytes of a body that an attempt keeps. */
const bodyBytesMax = 64 * 1024;
/** Shorter values occur by chance in any text, and masking them would garble it. */
const secretLengthMin = 6;

/** One integration point's credentials are looked for with each of its deliveries. */
const known = new WeakMap<Record<string, unknown>, readonly string[]>();

/** The values in credentials that must not appear in what is recorded, in each form in which a request may say them. */
export function secretsOf(credentials: Record<string, unknown>): readonly string[] {
  const found = known.get(credentials);
  if (found) return found;
  const secrets = Object.values(credentials).filter(
    (value): value is string => typeof value === "string" && value.length >= secretLengthMin,
  );
  // The longest first, so that one secret within another leaves nothing behind.
  const forms = [...new Set(secrets.flatMap(writtenForms))].toSorted((one, other) => other.length - one.length);
  known.set(credentials, forms);
  return forms;
}

/** What the headers that must not be shown say, behind the name of the scheme where there is one. */
export function secretsIn({ headers, secretHeaders }: OutboundRequest): string[] {
  const values = secretHeaders.map((name) => headers[name]?.replace(/^[A-Za-z]+ /, "") ?? "");
  return values.filter((value) => value.length >= secretLengthMin);
}

/** An attempt as the history keeps it: bodies cut, secrets masked wherever they appear. */
export function recordAttempt(
  durationMs: number,
  request: OutboundRequest | null,
  response: TargetResponse | null,
  error: { class: string; message: string } | null,
  secrets: readonly string[],
  bodyMax: number = bodyBytesMax,
): Attempt {
  // An access token is no credential of the configuration, and may come back in an answer all the same.
  const all = request === null ? secrets : [...secretsIn(request), ...secrets];
  const clean = (text: string): string => storable(maskAll(text, all));
  return {
    durationMs: Math.round(durationMs),
    request: request && {
      method: request.method,
      url: clean(request.url),
      headers: cleanHeaders(request.headers, request.secretHeaders, clean),
      body: request.body === null ? null : cut(clean(request.body), bodyMax),
    },
    response: response && {
      status: response.status,
      headers: cleanHeaders(response.headers, [], clean),
      body: request?.hasSecretAnswer ? mask : cut(clean(response.body), bodyMax),
    },
    error: error && recordError(error, response?.status ?? null, clean),
  };
}

function recordError(error: { class: string; message: string }, status: number | null, clean: (text: string) => string): AttemptError {
  // A cut may go through a pair of surrogates.
  const message = storable(clean(error.message).slice(0, 2_000));
  return { class: error.class, message, fingerprint: fingerprintOf(error.class, status, message) };
}

function cleanHeaders(
  headers: Record<string, string>,
  secretHeaders: readonly string[],
  clean: (text: string) => string,
): Record<string, string> {
  const cleaned: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const isSecret = secretHeaders.includes(name) || isSecretHeader(name.toLowerCase());
    cleaned[name] = isSecret ? mask : clean(value);
  }
  return cleaned;
}

/** The text without these secrets, of which the longest come first. */
export function maskAll(text: string, secrets: readonly string[]): string {
  let masked = text;
  for (const secret of secrets) if (masked.includes(secret)) masked = masked.replaceAll(secret, mask);
  return masked;
}

/** PostgreSQL keeps neither NUL nor half surrogate pairs, and targets answer with anything. */
export function storable(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes("\0") ? whole.replaceAll("\0", "\ufffd") : whole;
}

function cut(body: string, bytesMax: number): string {
  // A character has at most four bytes, so most bodies need no count.
  if (body.length * 3 <= bytesMax) return body;
  const bytes = Buffer.from(body);
  if (bytes.length <= bytesMax) return body;
  let end = bytesMax;
  // Not in the middle of a character: continuation bytes begin with 10.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.toString("utf8", 0, end)}… (${bytes.length} bytes)`;
}
