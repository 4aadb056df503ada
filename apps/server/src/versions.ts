import type { FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "./errors.ts";

/** Optimistic locking by ETag and If-Match (RFC 9110, 13.1.1): the tag is the record's version number in quotes. */

export function tagVersion<Row extends { version: number }>(reply: FastifyReply, row: Row): Row {
  void reply.header("etag", `"${row.version}"`);
  return row;
}

export function isStale(request: FastifyRequest, stored: { version: number }): boolean {
  const tag = request.headers["if-match"];
  return tag !== undefined && tag !== "*" && tag !== `"${stored.version}"`;
}

/** Throws when the request names another version than the stored one, with what there is to say of that. Without If-Match the last writer wins. */
export function checkVersion(
  request: FastifyRequest,
  stored: { version: number },
  said: Pick<ApiError["extras"], "detail" | "current"> = {},
): void {
  if (isStale(request, stored)) throw new ApiError("version-changed", said);
}
