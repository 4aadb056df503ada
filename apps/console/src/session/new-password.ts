import type { TextKey } from "../i18n/i18n.tsx";

const lengthMin = 10;

/** What is wrong with a new password and its repetition; null when nothing is. */
export function passwordMistake(password: string, repeated: string): { field: "password" | "repeated"; text: TextKey } | null {
  if (password === "") return { field: "password", text: "validation.passwordRequired" };
  // The server counts whole characters, not the two that JavaScript takes an emoji for.
  if (Array.from(password).length < lengthMin) return { field: "password", text: "validation.passwordShort" };
  return password === repeated ? null : { field: "repeated", text: "validation.passwordsDiffer" };
}
