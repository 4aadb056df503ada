import { useSyncExternalStore } from "react";
import { flushSync } from "react-dom";

let printedAt: Date | null = null;
const listeners = new Set<() => void>();

function become(next: Date | null): void {
  printedAt = next;
  for (const listener of listeners) listener();
}

// The page is taken as it is when its listeners have been told.
addEventListener("beforeprint", () => flushSync(() => become(new Date())));
addEventListener("afterprint", () => become(null));

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Since when the page is being put on paper, or null: what only paper shows, such as a whole document, needn't be in the page before. What comes
 * into the page meanwhile is put on paper, too.
 */
export function usePrintedAt(): Date | null {
  return useSyncExternalStore(subscribe, () => printedAt);
}
