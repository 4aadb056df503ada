import { isUtf8 } from "node:buffer";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError } from "./errors.ts";

/**
 * The API takes only JSON, in UTF-8 and with whole characters, since the database would store a replacement for halves of them, and without
 * `__proto__`. The gateway and the hooks take bytes and read them by rules of their own.
 */
export function parseJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser<Buffer>("application/json", { parseAs: "buffer" }, (request, body, done) => {
    if (!isUtf8(body)) return done(new ApiError("bad-encoding"));
    const text = body.toString("utf8");
    return parse(request, text, (error, value: unknown) => {
      const isHalf = error === null && escapedSurrogate.test(text) && holdsHalfCharacter(value);
      done(isHalf ? new ApiError("bad-encoding", { detail: "The body contains half of a surrogate pair." }) : error, value);
    });
  });
}

const escapedSurrogate = /\\u[dD][89a-fA-F]/;

/** Not recursive: a body may be nested as deep as it is long. */
function holdsHalfCharacter(value: unknown): boolean {
  const left = [value];
  while (left.length > 0) {
    const part = left.pop();
    if (typeof part === "string" && !part.isWellFormed()) return true;
    if (typeof part !== "object" || part === null) continue;
    for (const [name, inner] of Object.entries(part)) left.push(name, inner);
  }
  return false;
}

/** Batches are streams: as large as they get, and as long as they last. */
function isHeldWhole({ headers }: FastifyRequest): boolean {
  const { "content-type": type = "", "content-length": length, "transfer-encoding": encoding } = headers;
  return (length !== undefined || encoding !== undefined) && !type.startsWith("application/x-ndjson");
}

/** Bodies up to this size are in nobody's way, nor is anybody in theirs. */
const smallBodyBytes = 64 * 1024;

/**
 * Refuses a body while the others that are being read or worked on have `bytesMax` with it, since each is held whole until its request is
 * answered. Small ones always pass, and so does one alone. `largestBytes`: what a body may have that doesn't tell its length.
 */
export function limitBodyBytes(app: FastifyInstance, bytesMax: number, largestBytes: number): void {
  let held = 0;
  app.addHook("preParsing", async (request, reply, payload) => {
    const bytes = Number(request.headers["content-length"] ?? largestBytes);
    if (!isHeldWhole(request) || bytes <= smallBodyBytes) return payload;
    if (held > 0 && held + bytes > bytesMax)
      throw new ApiError("unavailable", { detail: "Too many large bodies at once.", retryAfterSeconds: 1 });
    held += bytes;
    reply.raw.once("close", () => (held -= bytes));
    return payload;
  });
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
    reply.raw.once("close", () => clearTimeout(timer));
    return payload;
  });
}
