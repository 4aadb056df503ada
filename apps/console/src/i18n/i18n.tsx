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

/**
 * A language's texts come in three parts, so that the sign-in isn't kept waiting for those of the screens, nor every screen for those of the
 * ones that are opened seldom; entrance.ts tells which are which.
 */
type Part = "entrance" | "screens" | "far";
const catalogues: Record<Locale, Record<Part, Catalogue>> = {
  en: {
    entrance: () => import("./messages/en.json?entrance"),
    screens: () => import("./messages/en.json?screens"),
    far: () => import("./messages/en.json?far"),
  },
  zh: {
    entrance: () => import("./messages/zh.json?entrance"),
    screens: () => import("./messages/zh.json?screens"),
    far: () => import("./messages/zh.json?far"),
  },
  ar: {
    entrance: () => import("./messages/ar.json?entrance"),
    screens: () => import("./messages/ar.json?screens"),
    far: () => import("./messages/ar.json?far"),
  },
  it: {
    entrance: () => import("./messages/it.json?entrance"),
    screens: () => import("./messages/it.json?screens"),
    far: () => import("./messages/it.json?far"),
  },
  es: {
    entrance: () => import("./messages/es.json?entrance"),
    screens: () => import("./messages/es.json?screens"),
    far: () => import("./messages/es.json?far"),
  },
  fr: {
    entrance: () => import("./messages/fr.json?entrance"),
    screens: () => import("./messages/fr.json?screens"),
    far: () => import("./messages/fr.json?far"),
  },
};

const cache = createIntlCache();
/** What is here of each language. The objects grow in place: nothing asks for a text of the screens before it is here. */
const loaded = new Map<Locale, Texts>();
const expected = new Set<Part>(["entrance"]);

/** From now on languages come with the texts of the screens. */
export function expectScreens(): void {
  expected.add("screens");
}

/** Resolves when the texts of the screens are here. */
export async function loadScreenTexts(): Promise<void> {
  await loadPart("screens");
}

/** Loads a screen that is opened seldom together with the texts of such screens, which come with every language from then on. */
export async function withFarTexts<Module>(load: () => Promise<Module>): Promise<Module> {
  const [module] = await Promise.all([load(), loadPart("far")]);
  return module;
}

async function loadPart(part: Part): Promise<void> {
  expected.add(part);
  await Promise.all([...new Set([...loaded.keys(), locale.get()])].map((code) => loadTexts(code, [part])));
}

/** Digits stay Latin in every language, so that ids and counts can be compared and pasted. */
export async function loadLanguage(code: Locale): Promise<Language> {
  const messages = await loadTexts(code);
  return { code, intl: createIntl({ locale: code === "ar" ? "ar-u-nu-latn" : code, messages }, cache) };
}

/** A part that can't be had keeps none of the others back. */
async function loadTexts(code: Locale, parts: Iterable<Part> = expected): Promise<Texts> {
  const texts = loaded.get(code) ?? {};
  loaded.set(code, texts);
  await Promise.all([...parts].map(async (part) => Object.assign(texts, (await catalogues[code][part]()).default)));
  return texts;
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
