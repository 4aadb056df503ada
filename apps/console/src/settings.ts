import { storedValue } from "./stored-value.ts";

export const themeModes = ["light", "semi-dark", "dark"] as const;
export type ThemeMode = (typeof themeModes)[number];

export const locales = ["en", "zh", "es", "fr", "it", "ar"] as const;
export type Locale = (typeof locales)[number];

export const directions = ["ltr", "rtl"] as const;
export type Direction = (typeof directions)[number];

function oneOf<T extends string>(values: readonly T[], fallback: T) {
  return (text: string | null): T => values.find((value) => value === text) ?? fallback;
}

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

/** Settings of the look, kept per browser. The first value of each list is the default, but for the mode. */
export const themeMode = storedValue("crossdock.mode", oneOf(themeModes, "semi-dark"), String);
export const themeStyle = storedValue("crossdock.style", oneOf(themeStyles, "standard"), String);
export const navStyle = storedValue("crossdock.nav", oneOf(navStyles, "standard"), String);
export const layoutType = storedValue("crossdock.layout", oneOf(layoutTypes, "full-width"), String);
export const isFooterShown = storedValue(
  "crossdock.footer",
  (text) => text === "shown",
  (isShown) => (isShown ? "shown" : null),
);
export const footerType = storedValue("crossdock.footer-type", oneOf(footerTypes, "fluid"), String);
export const headerType = storedValue("crossdock.header-type", oneOf(headerTypes, "light"), String);
export const routeTransition = storedValue("crossdock.transition", oneOf(routeTransitions, "none"), String);
/** Whether the operator collapsed the menu, in the layouts that let him; null as long as each starts its own way. */
export const isMenuCollapsed = storedValue<boolean | null>(
  "crossdock.menu",
  (text) => (text === null ? null : text === "collapsed"),
  (isCollapsed) => (isCollapsed === null ? null : isCollapsed ? "collapsed" : "whole"),
);
/** Null follows the language: Arabic runs from right to left. */
export const directionChoice = storedValue<Direction | null>(
  "crossdock.direction",
  (text) => directions.find((direction) => direction === text) ?? null,
  (direction) => direction,
);
export const locale = storedValue("crossdock.locale", oneOf(locales, "en"), String);

/** Code of the tenant whose screens are shown, or null before one is activated. */
export const activeTenantCode = storedValue<string | null>(
  "crossdock.tenant",
  (text) => text,
  (code) => code,
);

/** Arabic is written from right to left, the other languages are not; the choice overrules it. */
export function directionOf(language: Locale, choice: Direction | null): Direction {
  return choice ?? (language === "ar" ? "rtl" : "ltr");
}

const initialPathKey = "crossdock.initial-path";

/** The address someone asked for before signing in, in this tab. It is used once: whatever is opened then clears it. */
export const initialPath = {
  get: (): string | null => sessionStorage.getItem(initialPathKey),
  remember: (path: string): void => sessionStorage.setItem(initialPathKey, path),
  forget: (): void => sessionStorage.removeItem(initialPathKey),
};
