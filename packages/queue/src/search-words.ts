import type { MessageFilter } from "./message-filter.ts";
import { textWithin } from "./payload-filter.ts";

/** What a search looks for, small as the search texts are: each word; words in double quotes belong together. */
export function wordsOf(search: string): string[] {
  const words = Array.from(search.toLowerCase().matchAll(/"([^"]*)"?|[^\s"]+/g), ([word, quoted]) => (quoted ?? word).trim());
  return [...new Set(words)].filter((word) => word !== "");
}

/** Words by which the text index narrows the search; empty when it can't. */
export function wordsOfFilter({ search, payload }: MessageFilter): string[] {
  const ofPayload = payload === undefined ? null : textWithin(payload);
  const words = [...(search === undefined ? [] : wordsOf(search)), ...(ofPayload === null ? [] : [ofPayload])];
  return [...new Set(words)];
}

/** The index knows three characters in a row and up. */
export const wordLengthMin = 3;
