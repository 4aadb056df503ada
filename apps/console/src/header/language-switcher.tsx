import { Check, Languages } from "lucide-react";
import { useText } from "../i18n/i18n.tsx";
import { languageNames } from "../i18n/language-names.ts";
import { chooseLanguage, locale, locales } from "../settings.ts";
import { HeaderPopover, PopoverTitle } from "./header-popover.tsx";

export function LanguageSwitcher() {
  const t = useText();
  const current = locale.use();
  return (
    <HeaderPopover label={t("header.language")} trigger={<Languages aria-hidden className="size-5" />}>
      {(close) => (
        <>
          <PopoverTitle>{t("header.language")}</PopoverTitle>
          <ul className="p-2">
            {locales.map((one) => (
              <li key={one}>
                <button
                  type="button"
                  lang={one}
                  aria-current={one === current}
                  onClick={() => {
                    chooseLanguage(one);
                    close();
                  }}
                  className={`flex min-h-11 w-full items-center gap-3 rounded-button px-3 text-start hover:bg-hover ${
                    one === current ? "bg-primary-soft font-medium text-primary-ink" : ""
                  }`}
                >
                  <span className="flex-1">{languageNames[one]}</span>
                  {one === current && <Check aria-hidden className="size-4" />}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </HeaderPopover>
  );
}
