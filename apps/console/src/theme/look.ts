import { parseColours, writeColours, type Colours } from "./presets.ts";

export const themeModes = ["light", "semi-dark", "dark"] as const;
export type ThemeMode = (typeof themeModes)[number];
export const themeStyles = ["standard", "modern"] as const;
export const navStyles = [
  "standard",
  "default",
  "mini-sidebar-toggle",
  "user-header",
  "user-mini-header",
  "mini",
  "drawer",
  "bit-bucket",
  "h-default",
  "hor-light-nav",
  "hor-dark-layout",
] as const;
export type NavStyle = (typeof navStyles)[number];
export const layoutTypes = ["full-width", "boxed"] as const;
export const footerTypes = ["fluid", "fixed"] as const;
export const headerTypes = ["light", "dark"] as const;
export type HeaderType = (typeof headerTypes)[number];
export const routeTransitions = ["none", "fade", "slideLeft", "slideRight", "slideUp", "slideDown"] as const;
export type RouteTransition = (typeof routeTransitions)[number];
export const locales = ["en", "zh", "es", "fr", "it", "ar"] as const;
export type Locale = (typeof locales)[number];
export const directions = ["ltr", "rtl"] as const;
export type Direction = (typeof directions)[number];

/** Where the code of the active tenant is kept, which an address may choose like a setting of the look. */
export const tenantKey = "crossdock.tenant";

/** A setting as the browser keeps it. `parse` turns what is stored (or null) into a valid value. */
export type Setting<T> = { key: string; parse: (text: string | null) => T; write: (value: T) => string | null };

function choice<T extends string>(key: string, values: readonly [T, ...T[]], fallback: T = values[0]): Setting<T> {
  return { key, parse: (text) => values.find((value) => value === text) ?? fallback, write: String };
}

/**
 * The settings of the look, kept per browser; the first value of each list is the default, but for the mode.
 * They are free of React, because the script that runs before the first paint reads them too.
 */
export const look = {
  mode: choice("crossdock.mode", themeModes, "semi-dark"),
  style: choice("crossdock.style", themeStyles),
  colours: { key: "crossdock.colours", parse: parseColours, write: writeColours } satisfies Setting<Colours>,
  nav: choice("crossdock.nav", navStyles),
  layout: choice("crossdock.layout", layoutTypes),
  footer: {
    key: "crossdock.footer",
    parse: (text: string | null) => text === "shown",
    write: (isShown: boolean) => (isShown ? "shown" : null),
  } satisfies Setting<boolean>,
  footerType: choice("crossdock.footer-type", footerTypes),
  headerType: choice("crossdock.header-type", headerTypes),
  transition: choice("crossdock.transition", routeTransitions),
  locale: choice("crossdock.locale", locales),
  /** Null follows the language. */
  direction: {
    key: "crossdock.direction",
    parse: (text: string | null) => directions.find((direction) => direction === text) ?? null,
    write: (direction: Direction | null) => direction,
  } satisfies Setting<Direction | null>,
};

/** Arabic is written from right to left, the other languages are not; the choice overrules it. */
export function directionOf(language: Locale, choice: Direction | null): Direction {
  return choice ?? (language === "ar" ? "rtl" : "ltr");
}
