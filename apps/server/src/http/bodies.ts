import { isUtf8 } from "node:buffer";
import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { isTooDeep, jsonDepthMax, parseJson } from "@crossdock/connectors";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError, notFound } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import { onceClosed } from "./streaming.ts";

/**
 * The API takes only JSON, in UTF-8 and with whole characters, since the database would store a replacement for halves of them, nested no deeper
 * than documents, and without `__proto__`. Its numbers are read as those of documents are: one that a double can't hold becomes a text with all its
 * digits, which stays exact where any value is taken and is refused where a number is expected. The gateway and the hooks take messages as bytes and
 * read them by rules of their own.
 */
export function parseJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, async (request: FastifyRequest, body: Buffer) => {
    // Clients name the type of each request, also where there is no body. A route that needs one misses it.
    if (body.length === 0) return undefined;
    const text = jsonTextOf(request, body);
    // Refuses prototypes, and says what of a text is no JSON.
    await new Promise((resolve, reject) => {
      void parse(request, text, (error, value) => (error ? reject(error) : resolve(value)));
    });
    return parseWhole(text);
  });
}

/** A body as text that may be parsed. Throws media-type-unsupported, bad-encoding, bad-json. */
export function jsonTextOf(request: FastifyRequest, body: Uint8Array): string {
  const fault = compressionFault(request);
  if (fault) throw fault;
  if (!isUtf8(body)) throw new ApiError("bad-encoding");
  // Drops a byte order mark.
  const text = new TextDecoder().decode(body);
  if (isTooDeep(text)) throw new ApiError("bad-json", because("body-too-deep", { max: jsonDepthMax }));
  return text;
}

/** Throws SyntaxError, and bad-encoding for halves of characters. */
export function parseWhole(text: string): unknown {
  const value = parseJson(text);
  if (escapedSurrogate.test(text) && holdsHalfCharacter(value))
    throw new ApiError("bad-encoding", { detail: "The body contains half of a surrogate pair." });
  return value;
}

/** Nothing is unpacked here: a small body could become a large one. */
export function compressionFault({ headers }: FastifyRequest): ApiError | null {
  const { "content-encoding": compression = "identity" } = headers;
  if (compression === "identity") return null;
  return new ApiError("media-type-unsupported", { detail: `Send the body uncompressed, not in ${compression}.` });
}

const escapedSurrogate = /\\u[dD][89a-fA-F]/;

function holdsHalfCharacter(value: unknown): boolean {
  if (typeof value === "string") return !value.isWellFormed();
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([name, inner]) => !name.isWellFormed() || holdsHalfCharacter(inner));
}

/** Newline-delimited JSON has several names, none of them registered. Media types may be written in any case. */
export const batchType = /^application\/(?:x-)?(?:ndjson|jsonl|jsonlines)(?=\s*(?:;|$))/i;

export function isBatch({ headers }: FastifyRequest): boolean {
  return batchType.test(headers["content-type"] ?? "");
}

/** The gateway's batches are streams: as large as they get, and as long as they last. */
function isHeldWhole(request: FastifyRequest): boolean {
  const { "content-length": length, "transfer-encoding": encoding } = request.headers;
  const isStream = request.routeOptions.config.permission === "gateway" && isBatch(request);
  return (length !== undefined || encoding !== undefined) && !isStream;
}

/**
 * Hands on as one piece what has come of a chunked body meanwhile: a chunk of a single byte, held by itself, takes a hundred times as much as
 * `limitBodyBytes` counts. Call before what reads or ends bodies.
 */
export function joinChunks(app: FastifyInstance): void {
  app.addHook("preParsing", async (request, _reply, payload) => {
    if (!isHeldWhole(request) || request.headers["transfer-encoding"] === undefined) return payload;
    const joined = Readable.from(joinPieces(payload), { objectMode: false });
    // Whoever reads it hears of its errors. One that comes when nobody reads any more would end the process.
    return joined.on("error", () => undefined);
  });
}

async function* joinPieces(payload: Readable): AsyncGenerator<Buffer> {
  for await (const piece of payload) {
    yield piece;
    // By the next turn of the event loop all chunks are there that came in the same packets.
    await setImmediate();
    const rest: Buffer | null = payload.read(payload.readableLength);
    if (rest !== null) yield rest;
  }
}

declare module "fastify" {
  interface FastifyRequest {
    /** Whom a webhook is for, which nobody signs in to send. */
    hookTenantId: number | null;
  }
}

/** Bodies up to this size are in nobody's way, nor is anybody in theirs. */
export const smallBodyBytes = 64 * 1024;

/**
 * Refuses a body while the others that are being read or worked on have `bytesMax` with it, or half of that with others of the same person or tenant,
 * since each is held whole until its request is answered. Small ones always pass, and so does one alone. One that doesn't tell its length counts as the
 * largest that its route takes; where there is no route, only small ones are read.
 */
export function limitBodyBytes(app: FastifyInstance, bytesMax: number): void {
  let held = 0;
  const heldBy = new Map<string, number>();
  app.decorateRequest("hookTenantId", null);
  app.addHook("preParsing", async (request, reply, payload) => {
    const { bodyLimit } = request.routeOptions;
    const bytes = Math.min(Number(request.headers["content-length"] ?? bodyLimit), bodyLimit);
    if (!isHeldWhole(request) || bytes <= smallBodyBytes) return payload;
    if (request.is404) throw notFound();
    const callers = callersOf(request);
    const add = (caller: string): number => (heldBy.get(caller) ?? 0) + bytes;
    if ((held > 0 && held + bytes > bytesMax) || callers.some((caller) => heldBy.has(caller) && add(caller) > bytesMax / 2))
      throw new ApiError("unavailable", { detail: "Too many large bodies at once.", retryAfterSeconds: 1 });
    held += bytes;
    for (const caller of callers) heldBy.set(caller, add(caller));
    onceClosed(reply.raw, () => {
      held -= bytes;
      for (const caller of callers) {
        const left = (heldBy.get(caller) ?? 0) - bytes;
        if (left > 0) heldBy.set(caller, left);
        else heldBy.delete(caller);
      }
    });
    return payload;
  });
}

/** Both the person and the tenant: one person works in many tenants and in none, and a tenant has many people and keys. */
function callersOf({ tenantScope, principal, hookTenantId }: FastifyRequest): string[] {
  const tenantId = tenantScope?.tenantId ?? hookTenantId;
  return [...(principal?.kind === "user" ? [`user ${principal.userId}`] : []), ...(tenantId === null ? [] : [`tenant ${tenantId}`])];
}

/** Refuses bodies that take longer to arrive, whoever sends them. */
export function limitBodyTime(app: FastifyInstance, limitMs: number): void {
  app.addHook("preParsing", async (request, reply, payload) => {
    if (!isHeldWhole(request)) return payload;
    const timer = setTimeout(() => {
      // Whoever reads a body listens for its errors. Where nobody does, as for a GET, no body is expected, and the error would end the process.
      if (payload.listenerCount("error") === 0) return;
      // The rest of the body is not waited for.
      void reply.header("connection", "close");
      payload.emit("error", new ApiError("body-too-slow"));
    }, limitMs);
    request.raw.once("end", () => clearTimeout(timer));
    onceClosed(reply.raw, () => clearTimeout(timer));
    return payload;
  });
}
