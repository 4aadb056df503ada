import type { Page } from "playwright-core";
import { settle } from "./browser.ts";

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
export const modes = ["light", "semi-dark", "dark"] as const;

/** Settings of the look by the names under which the browser keeps them; null is the default. */
export type Look = Partial<
  Record<
    "nav" | "mode" | "style" | "layout" | "footer" | "footer-type" | "header-type" | "transition" | "locale" | "direction" | "menu",
    string | null
  >
>;

/** Changes the look as another tab would: without a reload, and without a control of the page being touched. */
export async function changeLook(page: Page, look: Look): Promise<void> {
  await page.evaluate((settings) => {
    for (const [name, value] of Object.entries(settings)) {
      const key = `crossdock.${name}`;
      if (value === null) localStorage.removeItem(key);
      else localStorage.setItem(key, value);
      dispatchEvent(new StorageEvent("storage", { key, newValue: value }));
    }
  }, look);
  if (look.locale) await page.locator(`html[lang=${look.locale}]`).waitFor();
  await settle(page);
}
