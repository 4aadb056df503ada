import { storedValue } from "./stored-value.ts";

export const themeModes = ["light", "semi-dark", "dark"] as const;
export type ThemeMode = (typeof themeModes)[number];

export const locales = ["en", "zh", "es", "fr", "it", "ar"] as const;
export type Locale = (typeof locales)[number];

function oneOf<T extends string>(values: readonly T[], fallback: T) {
  return (text: string | null): T => values.find((value) => value === text) ?? fallback;
}

export const themeMode = storedValue("crossdock.mode", oneOf(themeModes, "semi-dark"), String);
export const locale = storedValue("crossdock.locale", oneOf(locales, "en"), String);

/** Code of the tenant whose screens are shown, or null before one is activated. */
export const activeTenantCode = storedValue<string | null>(
  "crossdock.tenant",
  (text) => text,
  (code) => code,
);

/** Arabic is written from right to left; the other languages are not. */
export function directionOf(language: Locale): "ltr" | "rtl" {
  return language === "ar" ? "rtl" : "ltr";
}

const initialPathKey = "crossdock.initial-path";

/** The address someone asked for before signing in, in this tab. It is used once: whatever is opened then clears it. */
export const initialPath = {
  get: (): string | null => sessionStorage.getItem(initialPathKey),
  remember: (path: string): void => sessionStorage.setItem(initialPathKey, path),
  forget: (): void => sessionStorage.removeItem(initialPathKey),
};
