import { onceReachable } from "./api/connection.ts";
import { storedValue, tabValue, type StoredValue } from "./stored-value.ts";
import { applyMode } from "./theme/apply-look.ts";
import { locales, look, tenantKey, type Locale, type Setting } from "./theme/look.ts";

export {
  directionOf,
  footerTypes,
  headerTypes,
  layoutTypes,
  locales,
  navStyles,
  routeTransitions,
  themeModes,
  themeStyles,
  type HeaderType,
  type Locale,
  type NavStyle,
  type RouteTransition,
} from "./theme/look.ts";

function stored<T>({ key, parse, write }: Setting<T>): StoredValue<T> {
  return storedValue(key, parse, write);
}

export const themeMode = stored(look.mode);
export const themeStyle = stored(look.style);
export const themeColours = stored(look.colours);
export const navStyle = stored(look.nav);
export const layoutType = stored(look.layout);
export const isFooterShown = stored(look.footer);
export const footerType = stored(look.footerType);
export const headerType = stored(look.headerType);
export const routeTransition = stored(look.transition);
/** Whether the operator collapsed the menu, in the layouts that allow it; null while each layout starts in its own way. */
export const isMenuCollapsed = storedValue<boolean | null>(
  "crossdock.menu",
  (text) => (text === null ? null : text === "collapsed"),
  (isCollapsed) => (isCollapsed === null ? null : isCollapsed ? "collapsed" : "whole"),
);
/** Null follows the language: Arabic runs from right to left. */
export const directionChoice = stored(look.direction);
export const locale = stored(look.locale);

/** Applies mode, style and colours to the page whenever they change, in this tab or another one; the page's head has done so first. */
export function followLook(): void {
  themeMode.subscribe(applyMode);
  themeStyle.subscribe(applyMode);
  themeColours.subscribe(() => void onceReachable(() => import("./theme/apply-colours.ts")).then((theme) => theme?.applyColours()));
}

/** Every choice of the language takes its own direction; overruling it comes after. */
export function chooseLanguage(language: Locale): void {
  directionChoice.set(null);
  locale.set(language);
}

/** In a browser where nobody chose a language, people get their account's when they sign in, or follow their invitation. */
export function followLanguage(ofAccount: string | null): void {
  const known = locales.find((one) => one === ofAccount);
  if (known && localStorage.getItem(look.locale.key) === null) chooseLanguage(known);
}

/** Puts the look back to its defaults, all but the language. Answers the way back. */
export function resetLook(): () => void {
  const undos = [
    themeMode,
    themeStyle,
    themeColours,
    navStyle,
    layoutType,
    isFooterShown,
    footerType,
    headerType,
    routeTransition,
    isMenuCollapsed,
    directionChoice,
  ].map((setting) => setting.reset());
  return () => {
    for (const undo of undos) undo();
  };
}

/**
 * Code of the tenant whose screens are shown, or null before one is activated. Each tab has its own, so that choosing in one takes nothing
 * away from under the hands of who works in another.
 */
export const activeTenantCode = tabValue(tenantKey);

const initialPathKey = "crossdock.initial-path";

/** The address someone asked for before signing in, in this tab. It is used once: whatever is opened then clears it. */
export const initialPath = {
  get: (): string | null => sessionStorage.getItem(initialPathKey),
  remember: (path: string): void => sessionStorage.setItem(initialPathKey, path),
  forget: (): void => sessionStorage.removeItem(initialPathKey),
};
