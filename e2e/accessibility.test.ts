import { AxeBuilder } from "@axe-core/playwright";
import { testDatabase, testSecret, type TestDatabase } from "@crossdock/db/testing";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { desktop, launchBrowser, openView, signIn, type View } from "./browser.ts";
import { startCrossdock, type Crossdock } from "./crossdock.ts";
import { createWorkspace, startTarget, type Target } from "./workspace.ts";

let database: TestDatabase;
let target: Target;
let crossdock: Crossdock;
let browser: Browser;

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
  await workspace.pushItems("LAMP-1", "BROKEN-1");
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await crossdock?.stop();
  target?.close();
  await database?.drop();
});

const screens = [
  "/tenant-list",
  "/tenant/acme",
  "/subtenant-list",
  "/queue",
  "/retryqueue",
  "/deadletter-list",
  "/deadletter-list?view=list",
  "/nowhere",
];
const views: Record<string, View> = {
  light: { ...desktop, mode: "light" },
  dark: { ...desktop, mode: "dark" },
  "Arabic, semi-dark": { ...desktop, locale: "ar" },
  "a phone": { mode: "light", locale: "it", width: 360, height: 740 },
};

describe.each(Object.entries(views))("in %s", (_name, view) => {
  test("no screen breaks a WCAG AA rule or scrolls sideways", async () => {
    const context = await openView(browser, crossdock.url, view);
    const page = await context.newPage();
    const complaints: string[] = [];
    async function inspect(screen: string): Promise<void> {
      const { violations } = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]).analyze();
      complaints.push(...violations.map(({ id, nodes }) => `${screen}: ${id} at ${nodes[0]?.html}`));
      const excess = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
      if (excess > 0) complaints.push(`${screen}: ${excess} px too wide`);
    }

    await page.goto("/signin");
    await page.locator("#email").waitFor();
    await inspect("/signin");
    await signIn(page);
    await page.getByRole("button", { name: "Acme", exact: true }).click();
    for (const screen of screens) {
      await page.goto(screen);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.waitForLoadState("load");
      await inspect(screen);
    }
    await page.goto("/queue");
    await page.getByRole("link", { name: "BROKEN-1" }).click();
    await page.locator("details").first().waitFor();
    await inspect("details");
    await page.locator("main header button").first().click();
    await page.locator("p[data-type=success]").waitFor();
    await inspect("notice");
    expect(complaints).toEqual([]);
    await context.close();
  });
});
