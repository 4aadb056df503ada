import type { MessageFilter } from "./message-filter.ts";
import { textWithin } from "./payload-filter.ts";

/** What a search looks for, in lower case as the search texts are: each word by itself, words in double quotes together. */
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

/** The trigram index cannot look for fewer than three characters in a row. */
const wordLengthMin = 3;

/** Whether the text index can look for one of these words. */
export const isIndexed = (words: readonly string[]): boolean => words.some((word) => Array.from(word).length >= wordLengthMin);
