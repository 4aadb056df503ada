import type { FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../errors/errors.ts";

/** Optimistic locking by ETag and If-Match (RFC 9110, 13.1.1): the tag is the record's version number in quotes. */

export function tagVersion<Row extends { version: number }>(reply: FastifyReply, row: Row): Row {
  void reply.header("etag", `"${row.version}"`);
  return row;
}

declare module "fastify" {
  interface FastifyContextConfig {
    takesIfMatch?: boolean;
  }
}

/** A proxy that compresses answers marks their tags as weak, and so they come back. */
const tagList = /^\s*(?:W\/)?"[^"]*"(?:\s*,\s*(?:W\/)?"[^"]*")*\s*$/;

/** Throws bad-request for an If-Match that holds no tag: it would never match, and the caller be told of a change that nobody made. */
export function isStale(request: FastifyRequest, stored: { version: number }): boolean {
  const { method, routeOptions, headers } = request;
  if (!routeOptions.config.takesIfMatch) throw new Error(`${method} ${routeOptions.url ?? ""} reads If-Match and does not declare it`);
  const tags = headers["if-match"];
  if (tags === undefined || tags === "*") return false;
  if (!tagList.test(tags)) throw new ApiError("bad-request", { detail: 'If-Match names a version in quotes, such as "3".' });
  return !tags.includes(`"${stored.version}"`);
}

/** Throws when the request names another version than the stored one, with what there is to say of that. Without If-Match the last writer wins. */
export function checkVersion(
  request: FastifyRequest,
  stored: { version: number },
  said: Pick<ApiError["extras"], "detail" | "current"> = {},
): void {
  if (isStale(request, stored)) throw new ApiError("version-changed", said);
}
