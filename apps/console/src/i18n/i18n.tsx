import { useCallback, useEffect, useState, type ReactNode } from "react";
import { DirectionProvider } from "@base-ui/react/direction-provider";
import { createIntl, createIntlCache, RawIntlProvider, useIntl, type IntlShape } from "react-intl";
import { onceReachable } from "../api/connection.ts";
import { directionChoice, directionOf, locale, type Locale } from "../settings.ts";
import type english from "./messages/en.json";

export type TextKey = keyof typeof english;
export type Language = { code: Locale; intl: IntlShape };
type Values = Record<string, string | number | Date>;

type Texts = Record<string, string>;
type Catalogue = () => Promise<{ default: Texts }>;

/**
 * A language's texts come in three parts, so that the sign-in isn't kept waiting for those of the screens, nor the first screen for those of all
 * others; entrance.ts tells which are which.
 */
type Part = "entrance" | "first" | "rest";
const catalogues: Record<Locale, Record<Part, Catalogue>> = {
  en: {
    entrance: () => import("./messages/en.json?entrance"),
    first: () => import("./messages/en.json?first"),
    rest: () => import("./messages/en.json?rest"),
  },
  zh: {
    entrance: () => import("./messages/zh.json?entrance"),
    first: () => import("./messages/zh.json?first"),
    rest: () => import("./messages/zh.json?rest"),
  },
  ar: {
    entrance: () => import("./messages/ar.json?entrance"),
    first: () => import("./messages/ar.json?first"),
    rest: () => import("./messages/ar.json?rest"),
  },
  it: {
    entrance: () => import("./messages/it.json?entrance"),
    first: () => import("./messages/it.json?first"),
    rest: () => import("./messages/it.json?rest"),
  },
  es: {
    entrance: () => import("./messages/es.json?entrance"),
    first: () => import("./messages/es.json?first"),
    rest: () => import("./messages/es.json?rest"),
  },
  fr: {
    entrance: () => import("./messages/fr.json?entrance"),
    first: () => import("./messages/fr.json?first"),
    rest: () => import("./messages/fr.json?rest"),
  },
};

const cache = createIntlCache();
/** What is here of each language. The objects grow in place: nothing asks for a text of the screens before it is here. */
const loaded = new Map<Locale, Texts>();
const expected = new Set<Part>(["entrance"]);

/** From now on languages come with the texts of the first screens. */
export function expectFirstScreen(): void {
  expected.add("first");
}

/** Resolves when the texts of the frame and of the first screens are here. */
export const loadFirstTexts = (): Promise<void> => loadPart("first");

/** Resolves when all texts are here. */
export async function loadAllTexts(): Promise<void> {
  await Promise.all([loadPart("first"), loadPart("rest")]);
}

/** Loads code together with all texts, which come with every language from then on. */
export async function withAllTexts<Module>(load: () => Promise<Module>): Promise<Module> {
  const [module] = await Promise.all([load(), loadAllTexts()]);
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
    const stop = new AbortController();
    void onceReachable(() => loadLanguage(wanted), stop.signal).then((next) => next && setLanguage(next));
    return () => stop.abort();
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
