import type { TextKey } from "../i18n/i18n.tsx";

const lengthMin = 10;

/** What is wrong with a new password and its repetition, by the fields' names. The server has the last word. */
export function newPasswordMistakes(password: string, retyped: string): { password: TextKey | null; retype: TextKey | null } {
  return { password: passwordMistake(password), retype: retypeMistake(password, retyped) };
}

function passwordMistake(password: string): TextKey | null {
  if (password === "") return "validation.passwordRequired";
  // The server counts whole characters, not the two that JavaScript takes an emoji for.
  return Array.from(password).length < lengthMin ? "validation.passwordLength" : null;
}

function retypeMistake(password: string, retyped: string): TextKey | null {
  if (retyped === "") return "validation.retypeRequired";
  return retyped === password ? null : "validation.passwordsMismatch";
}
