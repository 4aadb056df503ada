import { useCallback, useEffect, useState, type ReactNode } from "react";
import { DirectionProvider } from "@base-ui/react/direction-provider";
import { createIntl, createIntlCache, RawIntlProvider, useIntl, type IntlShape } from "react-intl";
import { directionChoice, directionOf, locale, type Locale } from "../settings.ts";
import type english from "./messages/en.json";

export type TextKey = keyof typeof english;
export type Language = { code: Locale; intl: IntlShape };
type Values = Record<string, string | number | Date>;

const catalogues = {
  en: () => import("./messages/en.json"),
  zh: () => import("./messages/zh.json"),
  ar: () => import("./messages/ar.json"),
  it: () => import("./messages/it.json"),
  es: () => import("./messages/es.json"),
  fr: () => import("./messages/fr.json"),
} satisfies Record<Locale, () => Promise<{ default: Record<TextKey, string> }>>;

const cache = createIntlCache();

/** Digits stay Latin in every language, so that ids and counts can be compared and pasted. */
export async function loadLanguage(code: Locale): Promise<Language> {
  const { default: messages } = await catalogues[code]();
  return { code, intl: createIntl({ locale: code === "ar" ? "ar-u-nu-latn" : code, messages }, cache) };
}

/** Texts and direction change together, once the new catalogue is here; until then the old language stays. */
export function LanguageProvider({ initial, children }: { initial: Language; children: ReactNode }) {
  const wanted = locale.use();
  const [language, setLanguage] = useState(initial);
  const direction = directionOf(language.code, directionChoice.use());

  useEffect(() => {
    let isCurrent = true;
    void loadLanguage(wanted).then((next) => isCurrent && setLanguage(next));
    return () => {
      isCurrent = false;
    };
  }, [wanted]);

  useEffect(() => {
    if (language.code !== wanted) return;
    document.documentElement.lang = language.code;
    document.documentElement.dir = direction;
  }, [wanted, language.code, direction]);

  return (
    <RawIntlProvider value={language.intl}>
      <DirectionProvider direction={direction}>{children}</DirectionProvider>
    </RawIntlProvider>
  );
}

/** The translator: `t("queue.title")`. Keys are checked by the compiler, their use by check-messages.ts. */
export function useText(): (key: TextKey, values?: Values) => string {
  const { formatMessage } = useIntl();
  return useCallback((key, values) => formatMessage({ id: key }, values), [formatMessage]);
}
