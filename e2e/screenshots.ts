/** Writes docs/screenshots/*.png: every screen of the demo workspace, light and dark, one in Arabic and one at phone width, and all layouts. */
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { desktop, launchBrowser, openView, signIn, type View } from "./browser.ts";
import { writeLayoutSheets } from "./contact-sheet.ts";
import { startCrossdock } from "./crossdock.ts";

const folder = fileURLToPath(new URL("../docs/screenshots/", import.meta.url));
const paths: Record<string, string> = {
  tenants: "/tenant-list",
  subtenants: "/subtenant-list",
  queue: "/queue",
  "retry-queue": "/retryqueue",
  "dead-letters": "/deadletter-list",
  "dead-letter-list": "/deadletter-list?view=list",
  "subtenant-hub": "/subtenant/fjellsport-no/dashboard",
  alerts: "/alerts?state=all",
  "alert-rules": "/alerts?view=rules",
  mappings: "/mapping-list",
  configuration: "/configuration",
  "external-items": "/externalitems",
  "external-messages": "/externalmessages",
  entities: "/entities",
  users: "/users",
  "api-keys": "/api-keys",
  "audit-log": "/audit-log",
  "missing-mappings": "/mapping-list?view=missing",
  flow: "/configuration?view=flow",
  dashboard: "/brightcom-dashboard",
  "job-status": "/jobstatus-list",
  toolbox: "/toolbox",
  account: "/account",
  "not-found": "/error-pages/error-404",
};
/** The demo needs so long until every screen has something to show, dead letters included. */
const demoWarmUpMs = 45_000;

mkdirSync(folder, { recursive: true });
const crossdock = await startCrossdock({ CROSSDOCK_DEMO: "1" });
const browser = await launchBrowser();
try {
  await pause(demoWarmUpMs);
  await takeAll(browser, "light", { ...desktop, mode: "light" });
  await takeAll(browser, "dark", { ...desktop, mode: "dark" });
  await takeOne(browser, "queue-arabic", { ...desktop, locale: "ar" });
  await takeOne(browser, "queue-phone", { mode: "light", locale: "en", width: 360, height: 740 });
  await takeOpened(browser);
  await takeRepair(browser);
  await takeOrder(browser);
  await takeLayouts(browser);
} finally {
  await browser.close();
  await crossdock.stop();
}

async function takeAll(on: Browser, name: string, view: View): Promise<void> {
  const context = await openView(on, crossdock.url, view);
  const page = await context.newPage();
  await page.goto("/signin");
  await page.locator("#email").waitFor();
  await save(page, `sign-in-${name}`);
  await enter(page);
  for (const [screen, path] of Object.entries(paths)) {
    await page.goto(path);
    await save(page, `${screen}-${name}`);
  }
  await page.goto("/queue?state=delivered");
  await page.getByRole("row").getByRole("link").first().click();
  await page.getByRole("dialog").getByRole("tree").first().waitFor();
  await save(page, `message-${name}`);
  await page.goto("/deadletter-list");
  await page.getByRole("button", { name: "Triage", exact: true }).first().click();
  await page.getByRole("dialog", { name: "Who looks into this error" }).getByLabel("Comment").waitFor();
  await save(page, `triage-${name}`);
  await page.goto("/deadletter-list?view=list");
  await page.getByRole("row").getByRole("link").first().click();
  await page.getByRole("dialog").getByRole("link", { name: "Open as a page" }).click();
  await page.getByRole("main").getByRole("tree").first().waitFor();
  await save(page, `dead-letter-details-${name}`);
  await context.close();
}

async function takeOne(on: Browser, name: string, view: View): Promise<void> {
  const context = await openView(on, crossdock.url, view);
  const page = await context.newPage();
  await enter(page);
  await page.goto("/queue");
  await save(page, name);
  await context.close();
}

/** What opens over a screen, as the guide shows it. */
async function takeOpened(on: Browser): Promise<void> {
  const context = await openView(on, crossdock.url, { ...desktop, mode: "light" });
  const page = await context.newPage();
  await enter(page);
  await page.goto("/queue");
  await page.getByRole("row").getByRole("link").first().waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("option").first().waitFor();
  await save(page, "palette");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Customizer" }).click();
  await page.getByRole("dialog").getByRole("radio").first().waitFor();
  await save(page, "customizer");
  await page.goto("/configuration?point=new");
  await page.getByLabel("Connector").selectOption({ label: "Shopify" });
  await page.getByLabel("Access token").scrollIntoViewIfNeeded();
  await save(page, "connector-form");
  await context.close();
}

/** A patch of many dead letters before it is sent. */
async function takeRepair(on: Browser): Promise<void> {
  const context = await openView(on, crossdock.url, { ...desktop, mode: "light" });
  const page = await context.newPage();
  await enter(page);
  await page.goto("/deadletter-list");
  await page.getByRole("button", { name: "Bulk patch" }).first().click();
  const form = page.getByRole("dialog", { name: "Patch many deadletters" });
  await form.getByLabel("Change").selectOption("JSON merge patch");
  await form.getByLabel("Members to set").fill('{\n  "attributes": { "checked": "yes" }\n}');
  await form.getByRole("button", { name: "Try it out" }).click();
  await page.getByText("Would change:").waitFor();
  await page.locator("ins").first().waitFor();
  await save(page, "bulk-patch");
  await context.close();
}

/** An order found by its number, and its whole way. */
async function takeOrder(on: Browser): Promise<void> {
  const context = await openView(on, crossdock.url, { ...desktop, mode: "light" });
  const page = await context.newPage();
  await enter(page);
  await page.goto("/queue?state=delivered&entity=order");
  const link = page.getByRole("row").getByRole("link").first();
  const number = (await link.textContent()) ?? "";
  await page.keyboard.press("Control+k");
  await page.locator("input[role=combobox]:focus").waitFor();
  await page.keyboard.type(number);
  const way = page.getByRole("option", { name: `Whole way of ${number}` });
  await way.waitFor();
  await save(page, "where-palette");
  await way.click();
  await page.getByRole("group", { name: /events, from the first on/ }).waitFor();
  await save(page, "where-trace");
  await context.close();
}

async function takeLayouts(on: Browser): Promise<void> {
  const context = await openView(on, crossdock.url, desktop);
  const page = await context.newPage();
  await enter(page);
  await page.goto("/queue");
  await page.getByRole("row").getByRole("link").first().waitFor();
  await writeLayoutSheets(page, folder);
  await context.close();
}

async function enter(page: Page): Promise<void> {
  await signIn(page);
  await page.locator("main li button").first().click();
}

/** A picture is taken when the page has loaded and nothing is shown as loading any more. */
async function save(page: Page, name: string): Promise<void> {
  await page.locator("h1").first().waitFor();
  await page.locator(".animate-pulse").first().waitFor({ state: "detached" });
  await page.evaluate("document.fonts.ready.then(() => null)");
  await page.screenshot({ path: `${folder}${name}.png` });
  console.log(`${name}.png`);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
