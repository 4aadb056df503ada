import { AxeBuilder } from "@axe-core/playwright";
import { testDatabase, testSecret, type TestDatabase } from "@crossdock/db/testing";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { activateTenant, desktop, launchBrowser, openView, signIn } from "./browser.ts";
import { startCrossdock, type Crossdock } from "./crossdock.ts";
import { createTenant, createWorkspace, startTarget, type Target } from "./workspace.ts";

let database: TestDatabase;
let target: Target;
let crossdock: Crossdock;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  database = await testDatabase();
  target = await startTarget();
  crossdock = await startCrossdock({
    DATABASE_URL: database.ownerUrl,
    CROSSDOCK_SECRET: testSecret,
    CROSSDOCK_DEMO: "0",
    CROSSDOCK_EGRESS_ALLOW: target.hostAndPort,
  });
  const workspace = await createWorkspace(crossdock.url, target);
  await workspace.pushItems("LAMP-1", "LAMP-2", "CHAIR-1");
  await createTenant(crossdock.url, { code: "beta", name: "Beta Trading" });
  browser = await launchBrowser();
  page = await (await openView(browser, crossdock.url, desktop)).newPage();
  await signIn(page);
  await activateTenant(page, "Acme");
});

afterAll(async () => {
  await browser?.close();
  await crossdock?.stop();
  target?.close();
  await database?.drop();
});

const field = () => page.getByRole("combobox", { name: "Search and commands" });
const active = () => page.locator("[role=option][aria-selected=true]");

/** From here on the mouse is not touched. */
async function ask(text: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await field().waitFor();
  await page.keyboard.type(text);
}

async function settle(optionName: string): Promise<void> {
  await page.getByRole("option", { name: optionName }).first().waitFor();
}

test("a screen is opened by a part of its name, and is the first of the recent ones then", async () => {
  await ask("retry");
  await expect.poll(() => active().textContent()).toBe("Retry Queue");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/retryqueue");
  await ask("");
  await expect.poll(() => active().textContent()).toBe("Retry Queue");
  await page.getByRole("group", { name: "Recent" }).waitFor();
});

test("Escape and the same keys again close it, and the focus is back where it was", async () => {
  await page.keyboard.press("Escape");
  await field().waitFor({ state: "detached" });
  await page.getByRole("navigation").getByRole("link", { name: "Queue", exact: true }).focus();
  await page.keyboard.press("Control+k");
  await field().waitFor();
  await page.keyboard.press("Control+k");
  await field().waitFor({ state: "detached" });
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toContain("Queue");
});

test("Enter pressed before the answer is there opens what is found; a message's key and its id both find it", async () => {
  await ask("chair-1");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/queue/details/*");
  await page.getByRole("heading", { name: "CHAIR-1" }).waitFor();
  const { pathname } = new URL(page.url());
  await page.goto("/tenant-list");
  await page.getByText("Selected").waitFor();
  await ask(pathname.split("/").at(-1) ?? "");
  await page.keyboard.press("Enter");
  await page.waitForURL(`**${pathname}`);
});

test("the arrows go through what is found, round its ends, and Enter lists a key's messages", async () => {
  await ask("lam");
  await settle("LAMP-2");
  const titles = await page.getByRole("option").allTextContents();
  expect(titles).toEqual(["LAMP-1All messages with this key", "LAMP-2All messages with this key"]);
  await page.keyboard.press("ArrowUp");
  await expect.poll(() => active().textContent()).toContain("LAMP-2");
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => active().textContent()).toContain("LAMP-1");
  await page.keyboard.press("ArrowDown");
  expect(await field().getAttribute("aria-activedescendant")).toBe(await active().getAttribute("id"));
  await page.keyboard.press("Enter");
  await page.waitForURL(({ pathname, searchParams }) => pathname === "/queue" && searchParams.get("key") === "LAMP-2");
  await page.getByRole("link", { name: "LAMP-2" }).waitFor();
});

test("subtenants and integration points are found by name", async () => {
  await ask("main sh");
  await settle("Main shop");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/queue?subtenant=main");
  await ask("the shop");
  await settle("The shop");
  await page.keyboard.press("Enter");
  await page.waitForURL(({ searchParams }) => searchParams.has("queue"));
});

test("a tenant is activated on the screen at hand, without the filters of the one before", async () => {
  await ask("beta");
  await settle("Beta Trading");
  await page.keyboard.press("Enter");
  await page.locator("aside").getByText("Beta Trading", { exact: true }).waitFor();
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe("/queue");
  await ask("acme");
  await page.keyboard.press("Enter");
  await page.locator("aside").getByText("Acme", { exact: true }).waitFor();
});

test("what is not there is said, and a search that fails can be tried again", async () => {
  await ask("no such thing");
  await page.getByText("Nothing found for “no such thing”").waitFor();
  await page.keyboard.press("Escape");
  await page.route("**/search?**", (route) => route.fulfill({ status: 500, body: "" }));
  await ask("chair");
  await page.getByRole("alert").getByText("The search gave no answer.").waitFor();
  await page.unroute("**/search?**");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Try again");
  await page.keyboard.press("Enter");
  await settle("CHAIR-1");
  await page.keyboard.press("Escape");
});

test("mode and language are set by name, also from right to left", async () => {
  await ask("theme dark");
  await page.keyboard.press("Enter");
  await page.locator("html[data-mode=dark]").waitFor();
  await ask("العربية");
  await page.keyboard.press("Enter");
  await page.locator("html[dir=rtl]").waitFor();
  await page.keyboard.press("Control+k");
  const arabic = page.getByRole("combobox", { name: "البحث والأوامر" });
  await arabic.waitFor();
  const { violations } = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]).analyze();
  expect(violations.map(({ id, nodes }) => `${id} at ${nodes[0]?.html}`)).toEqual([]);
  await page.keyboard.type("english");
  await page.keyboard.press("Enter");
  await page.locator("html[dir=ltr]").waitFor();
});

test("signing out is one of the commands", async () => {
  await ask("logout");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/signin");
});
