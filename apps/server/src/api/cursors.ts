import { MessageId } from "@crossdock/contract";
import { z } from "zod";
import { ApiError } from "../errors/errors.ts";

/** A cursor is the last row's place as base64url of JSON: opaque to callers, and checked like any other input. */

/** The place of a row in a list that goes by 64-bit ids. */
export const IdCursor = z.object({ id: MessageId });

export function writeCursor(place: unknown): string {
  return Buffer.from(JSON.stringify(place)).toString("base64url");
}

export function readCursor<Schema extends z.ZodType>(schema: Schema, cursor: string | undefined): z.output<Schema> | null {
  if (cursor === undefined) return null;
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")));
  } catch (cause) {
    throw new ApiError("cursor-invalid", { cause });
  }
}

/** Cuts `rows`, which were read with one more than `limit`, to a page. */
export function pageAfter<Row>(rows: Row[], limit: number, place: (last: Row) => unknown): { items: Row[]; nextCursor: string | null } {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last !== undefined ? writeCursor(place(last)) : null };
}
