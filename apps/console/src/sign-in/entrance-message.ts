import type { TextKey } from "../i18n/i18n.tsx";

let left: { path: string; text: TextKey } | null = null;

/** Leaves a text for the screen that is opened next. */
export function leaveMessage(path: string, text: TextKey): void {
  left = { path, text };
}

/** What was left for the screen that is open, in the language that it will have. */
export function messageFor(path: string): TextKey | null {
  return left?.path === path ? left.text : null;
}
