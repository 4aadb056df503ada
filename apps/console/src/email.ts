import type { TextKey } from "./i18n/i18n.tsx";

/** Loose on purpose: the server has the last word, this only catches slips. */
const pattern = /^[^\s@]+@[^\s@]+$/;

/** What is wrong with a typed address; null when nothing is. */
export function emailMistake(email: string): TextKey | null {
  if (email === "") return "validation.emailRequired";
  return pattern.test(email) ? null : "validation.emailFormat";
}
