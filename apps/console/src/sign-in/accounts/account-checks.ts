import type { TextKey } from "../../i18n/i18n.tsx";

const passwordLengthMin = 10;

/** What is wrong with a new password and its repetition, by the fields' names. The server has the last word. */
export function newPasswordMistakes(password: string, retyped: string): { password: TextKey | null; retype: TextKey | null } {
  return { password: passwordMistake(password), retype: retypeMistake(password, retyped) };
}

function passwordMistake(password: string): TextKey | null {
  if (password === "") return "validation.passwordRequired";
  return password.length < passwordLengthMin ? "validation.passwordLength" : null;
}

function retypeMistake(password: string, retyped: string): TextKey | null {
  if (retyped === "") return "validation.retypeRequired";
  return retyped === password ? null : "validation.passwordsMismatch";
}

export function pinMistake(pin: string): TextKey | null {
  return /^\d{6}$/.test(pin) ? null : "validation.pinDigits";
}

/** As people copy it from a mail: with spaces around or between. */
export const pinOf = (typed: string): string => typed.replace(/\s/g, "");
