import { Languages } from "lucide-react";
import { useText } from "../i18n/i18n.tsx";
import { locale, locales, type Locale } from "../settings.ts";

/** Each language in its own name, so that whoever landed in a foreign one finds the way back. */
const names: Record<Locale, string> = { en: "English", zh: "中文", es: "Español", fr: "Français", it: "Italiano", ar: "العربية" };

export function LanguageSelect() {
  const t = useText();
  const current = locale.use();
  return (
    <label className="relative inline-flex items-center" title={t("header.language")}>
      <Languages aria-hidden className="pointer-events-none absolute start-2.5 size-4.5" />
      <select
        aria-label={t("header.language")}
        value={current}
        onChange={(event) => {
          const chosen = locales.find((one) => one === event.target.value);
          if (chosen) locale.set(chosen);
        }}
        className="min-h-9 w-9 appearance-none rounded-full bg-transparent ps-9 hover:bg-hover sm:w-auto sm:pe-3"
      >
        {locales.map((one) => (
          <option key={one} value={one} lang={one} className="bg-paper text-ink">
            {names[one]}
          </option>
        ))}
      </select>
    </label>
  );
}
