import type { Selection } from "../ui/selection.ts";
import { isNarrowed } from "./search.ts";

/** Whether a choice is all that a list has: under no filter, and nothing left out. */
export function isEverything({ kind, ids }: Selection, filters: Record<string, string | undefined>, matching: number | null): boolean {
  if (isNarrowed(filters)) return false;
  return kind === "some" ? ids.size > 1 && ids.size === matching : ids.size === 0;
}
