import { chromium, type Browser, type BrowserContext, type Locator, type Page } from "playwright-core";
import { findChromium } from "./chromium.mjs";
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
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error("There is no Chromium: npm test installs it.");
  return chromium.launch({ executablePath, args: flags });
}

/** What isn't on the screen after so long won't come, however busy the machine is. */
const waitMs = 30_000;

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
    // Safari has none.
    Reflect.deleteProperty(ReadableStream.prototype, Symbol.asyncIterator);
    if (localStorage.getItem("crossdock.mode") !== null) return;
    localStorage.setItem("crossdock.mode", mode);
    localStorage.setItem("crossdock.locale", locale);
  }, view);
  return context;
}

/**
 * Signs the page's browser in without the form, which has its own tests: by the cookie that the server sets, and by what the console
 * notes when it has a session and when a tenant is activated. No screen is open afterwards.
 */
export async function enter(page: Page, email: string, tenantCode: string | null): Promise<void> {
  const answer = await page.request.post("/api/v1/session", { data: { email, password: admin.password, remember: true } });
  if (!answer.ok()) throw new Error(`${email} can't sign in: ${answer.status()} ${await answer.text()}`);
  // What a page notes belongs to its address, so something small of that address is opened first.
  await page.goto("/readyz");
  await page.evaluate((tenant) => {
    localStorage.setItem("crossdock.session", "open");
    if (tenant !== null) localStorage.setItem("crossdock.tenant", tenant);
  }, tenantCode);
}

/** Signs in and opens the tenant list, with no tenant active yet. */
export async function signIn(page: Page, email: string = admin.email): Promise<void> {
  await enter(page, email, null);
  await page.goto("/tenant-list");
  await ready(page);
}

/** Waits for a screen that can be worked with: its heading stands, nothing is on its way any more, and its keys are listened to. */
export async function ready(page: Page): Promise<void> {
  await page.locator("h1").first().waitFor();
  await page.locator(".animate-pulse, .animate-progress").first().waitFor({ state: "detached" });
  await settle(page);
}

/**
 * Lists measure themselves anew, and transitions of a millisecond end, in the frame after the one that changed something; what a screen
 * begins to listen to, it does after that frame.
 */
export async function settle(page: Page): Promise<void> {
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(null)))))");
}

/** Goes to another screen as a link does, without loading the page, and waits until it is ready. */
export async function go(page: Page, address: string): Promise<void> {
  const isOtherScreen = new URL(address, page.url()).pathname !== new URL(page.url()).pathname;
  // On another path there will be another heading than that of the screen that is left.
  await page.locator("h1").evaluateAll((headings, isLeft) => {
    for (const heading of headings) heading.toggleAttribute("data-left", isLeft);
  }, isOtherScreen);
  await page.evaluate(`history.pushState(null, "", ${JSON.stringify(address)})`);
  await settle(page);
  await page.locator("h1:not([data-left])").first().waitFor();
  await ready(page);
}

/**
 * Waits for what a list shows next. One that has the pointer or the focus in it stays as it is and offers its news; whether it has taken
 * them in before depends on which comes first.
 */
export async function seeLatest(page: Page, wanted: Locator): Promise<void> {
  const offer = page.getByRole("button", { name: "Show the latest" });
  await wanted.or(offer).first().waitFor();
  if (!(await wanted.isVisible())) await offer.click();
  await wanted.waitFor();
}

/** Makes the tenant the active one by its card. */
export async function activateTenant(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
  await page.locator("aside").getByText(name, { exact: true }).waitFor();
}
