import type { Locale } from "../settings.ts";

/** Each language in its own name, so that whoever landed in a foreign one finds the way back. */
export const languageNames: Record<Locale, string> = {
  en: "English",
  zh: "中文",
  es: "Español",
  fr: "Français",
  it: "Italiano",
  ar: "العربية",
};
