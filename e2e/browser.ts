import { chromium, type Browser, type BrowserContext, type Page } from "playwright-core";
import { admin } from "./crossdock.ts";

/** Nothing but what the page asks for goes out; the sandbox is off because it can't be had as root. */
const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env["CROSSDOCK_CHROMIUM"] ?? "/usr/bin/chromium", args: flags });
}

/** What isn't on the screen after so long won't come. */
const waitMs = 15_000;

export type View = { mode: "light" | "semi-dark" | "dark"; locale: string; width: number; height: number };
export const desktop: View = { mode: "semi-dark", locale: "en", width: 1440, height: 900 };

/** A fresh browser profile in which the console looks as given. */
export async function openView(browser: Browser, url: string, view: View): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: view.width, height: view.height },
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  context.setDefaultTimeout(waitMs);
  await context.addInitScript(({ mode, locale }) => {
    if (localStorage.getItem("crossdock.mode") !== null) return;
    localStorage.setItem("crossdock.mode", mode);
    localStorage.setItem("crossdock.locale", locale);
  }, view);
  return context;
}

/** Signs in through the form, whatever its language. */
export async function signIn(page: Page, email: string = admin.email): Promise<void> {
  await page.goto("/signin");
  await page.locator("#email").fill(email);
  await page.locator("#password").fill(admin.password);
  await page.locator("button[type=submit]").click();
  await page.waitForURL("**/tenant-list");
}

/** Makes the tenant the active one by its card. */
export async function activateTenant(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
  await page.locator("aside").getByText(name, { exact: true }).waitFor();
}
