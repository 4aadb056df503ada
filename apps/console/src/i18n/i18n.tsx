import { useCallback, useEffect, useState, type ReactNode } from "react";
import { DirectionProvider } from "@base-ui/react/direction-provider";
import { createIntl, createIntlCache, RawIntlProvider, useIntl, type IntlShape } from "react-intl";
import { directionChoice, directionOf, locale, type Locale } from "../settings.ts";
import type english from "./messages/en.json";

export type TextKey = keyof typeof english;
export type Language = { code: Locale; intl: IntlShape };
type Values = Record<string, string | number | Date>;

type Texts = Record<string, string>;
type Catalogue = () => Promise<{ default: Texts }>;

/** A language's texts come in two parts, so that the sign-in isn't kept waiting for the others; entrance.ts tells which are which. */
const catalogues: Record<Locale, { entrance: Catalogue; screens: Catalogue }> = {
  en: { entrance: () => import("./messages/en.json?entrance"), screens: () => import("./messages/en.json?screens") },
  zh: { entrance: () => import("./messages/zh.json?entrance"), screens: () => import("./messages/zh.json?screens") },
  ar: { entrance: () => import("./messages/ar.json?entrance"), screens: () => import("./messages/ar.json?screens") },
  it: { entrance: () => import("./messages/it.json?entrance"), screens: () => import("./messages/it.json?screens") },
  es: { entrance: () => import("./messages/es.json?entrance"), screens: () => import("./messages/es.json?screens") },
  fr: { entrance: () => import("./messages/fr.json?entrance"), screens: () => import("./messages/fr.json?screens") },
};

const cache = createIntlCache();
/** What is here of each language. The objects grow in place: nothing asks for a text of the screens before it is here. */
const loaded = new Map<Locale, Texts>();
let areScreensExpected = false;

/** From now on languages come with the texts of the screens. */
export function expectScreens(): void {
  areScreensExpected = true;
}

/** Resolves when the texts of the screens are here. */
export async function loadScreenTexts(): Promise<void> {
  expectScreens();
  await Promise.all([...new Set([...loaded.keys(), locale.get()])].map(loadTexts));
}

/** Digits stay Latin in every language, so that ids and counts can be compared and pasted. */
export async function loadLanguage(code: Locale): Promise<Language> {
  const messages = await loadTexts(code);
  return { code, intl: createIntl({ locale: code === "ar" ? "ar-u-nu-latn" : code, messages }, cache) };
}

async function loadTexts(code: Locale): Promise<Texts> {
  const texts = loaded.get(code) ?? {};
  loaded.set(code, texts);
  const { entrance, screens } = catalogues[code];
  const parts = await Promise.all(areScreensExpected ? [entrance(), screens()] : [entrance()]);
  return Object.assign(texts, ...parts.map((part) => part.default));
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
