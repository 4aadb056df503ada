import { z } from "zod";
import { fromText } from "./fields.ts";

/** Keyset paging: `cursor` is what the previous page answered as `nextCursor`; null means that this was the last page. */
export const pageQuery = {
  cursor: z.string().max(500).optional(),
  limit: fromText(z.number().int().min(1).max(500)).prefault(50),
};

export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() });
}

/** A line of a scan's answer: rows as they are found, and how far it has looked. The last one has `isEnd`. */
export type ScanLine<Item> = {
  items: Item[];
  /** The time, or where the list goes by keys the business key, that the search has got to; null: everything has been looked at. */
  searchedTo: string | null;
  /** Where another scan goes on; null: everything has been looked at. */
  nextCursor: string | null;
  isEnd: boolean;
};

/** What every scan's route says of its answer. */
export const scanAnswer = {
  description:
    "`application/x-ndjson`; each line holds `items`, `searchedTo` (the time or business key that the search has got to; null: everything has been looked at), `nextCursor` (where another scan goes on, or null) and, of the last line true, `isEnd`. Ends after `limit` rows, when everything has been looked at, or after a minute. Hanging up ends the search.",
  contentTypes: ["application/x-ndjson"],
};

/** Counts are exact up to 10,000; beyond that `isExact` is false and `count` is 10,000, shown as "10,000+". */
export const CappedCount = z.object({ count: z.number().int(), isExact: z.boolean() });
export type CappedCount = z.infer<typeof CappedCount>;
