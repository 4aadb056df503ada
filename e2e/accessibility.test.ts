import { AxeBuilder } from "@axe-core/playwright";
import { testDatabase, testSecret, type TestDatabase } from "@crossdock/db/testing";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
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
  "/externalitems",
  "/entities",
  "/entities?object=LAMP-1&of=main",
  "/externalmessages",
  "/audit-log",
  "/error-pages/error-404",
  "/error-pages/error-500",
  "/error-pages/coming-soon",
  "/error-pages/maintenance",
];
const phone = { width: 360, height: 740 };
const modes = ["light", "semi-dark", "dark"] as const;
/** Every mode in both directions, and both directions on a phone. */
const views: Record<string, View> = {
  ...Object.fromEntries(modes.map((mode) => [mode, { ...desktop, mode }])),
  ...Object.fromEntries(modes.map((mode) => [`Arabic, ${mode}`, { ...desktop, mode, locale: "ar" }])),
  "a phone": { ...phone, mode: "light", locale: "it" },
  "a phone, Arabic, dark": { ...phone, mode: "dark", locale: "ar" },
};

/** What opens over a screen, as the way to open it; everything is found by what it is, as names differ by language. */
const openings: { name: string; path: string; open: (page: Page) => Promise<void> }[] = [
  {
    name: "the row's drawer",
    path: "/queue?key=BROKEN",
    open: async (page) => {
      await page.locator("main [data-row-link]").first().click();
      await page.getByRole("dialog").getByRole("tree").first().waitFor();
    },
  },
  {
    name: "the columns",
    path: "/queue",
    open: async (page) => {
      await page.locator("main [role=grid]").waitFor();
      await page.locator("[data-toolbar] button[aria-haspopup=dialog]").first().click();
      await page.getByRole("dialog").getByRole("radio").first().waitFor();
    },
  },
  {
    name: "the export",
    path: "/queue",
    open: async (page) => {
      await page.locator("main [role=grid]").waitFor();
      await page.locator("[data-toolbar] button[aria-haspopup=dialog]").last().click();
      await page.getByRole("dialog").getByRole("radio").first().waitFor();
    },
  },
  {
    name: "chosen rows and the question before they are removed",
    path: "/deadletter-list?view=list",
    open: async (page) => {
      await page.locator("main [role=grid] input").first().check();
      await page.locator("[data-toolbar] button.text-bad").click();
      await page.getByRole("alertdialog").waitFor();
    },
  },
  {
    name: "filters in force",
    path: "/queue?key=BROKEN&state=dead",
    open: async (page) => {
      await page.locator("search ul").waitFor();
    },
  },
];

describe.each(Object.entries(views))("in %s", (_name, view) => {
  const complaints: string[] = [];
  let page: Page;

  async function inspect(what: string, at: Page = page): Promise<void> {
    const { violations } = await new AxeBuilder({ page: at }).withTags(["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]).analyze();
    complaints.push(...violations.map(({ id, nodes }) => `${what}: ${id} at ${nodes[0]?.html}`));
    const excess = await at.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
    if (excess > 0) complaints.push(`${what}: ${excess} px too wide`);
  }

  beforeAll(async () => {
    page = await (await openView(browser, crossdock.url, view)).newPage();
    await signIn(page);
    await page.getByRole("button", { name: "Acme", exact: true }).click();
  });

  beforeEach(() => {
    complaints.length = 0;
  });

  afterAll(() => page?.context().close());

  test("the sign-in breaks no WCAG AA rule and doesn't scroll sideways", async () => {
    const context = await openView(browser, crossdock.url, view);
    const door = await context.newPage();
    await door.goto("/signin");
    await door.locator("#email").waitFor();
    await inspect("/signin", door);
    await context.close();
    expect(complaints).toEqual([]);
  });

  test("no screen breaks one or scrolls sideways", async () => {
    for (const screen of screens) {
      await page.goto(screen);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.waitForLoadState("load");
      await inspect(screen);
    }
    expect(complaints).toEqual([]);
  });

  test("nothing that opens over a screen does", async () => {
    for (const { name, path, open } of openings) {
      await page.goto(path);
      await open(page);
      await inspect(name);
    }
    expect(complaints).toEqual([]);
  });

  test("neither does what is said about the connection", async () => {
    await page.goto("/queue");
    await page.locator("main [role=grid]").waitFor();
    await page.context().setOffline(true);
    await page.locator("div.fixed > [role=status] svg").waitFor();
    await inspect("offline");
    await page.context().setOffline(false);
    await page.locator("div.fixed > [role=status] svg").waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
  });

  test("neither does a message's page, nor a notice", async () => {
    await page.goto("/queue?key=BROKEN");
    await page.locator("main [data-row-link]").first().click();
    await page.getByRole("dialog").getByRole("link").first().click();
    await page.locator("details").first().waitFor();
    await inspect("details");
    await page.locator("main header button").first().click();
    await page.locator("p[data-type=success]").waitFor();
    await inspect("notice");
    expect(complaints).toEqual([]);
  });
});
