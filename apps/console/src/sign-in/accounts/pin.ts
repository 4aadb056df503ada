import type { TextKey } from "../../i18n/i18n.tsx";

export function pinMistake(pin: string): TextKey | null {
  return /^\d{6}$/.test(pin) ? null : "validation.pinDigits";
}

/** As people copy it from a mail: with spaces around or between. */
export const pinOf = (typed: string): string => typed.replace(/\s/g, "");
