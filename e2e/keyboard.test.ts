import { testDatabase, testSecret, type TestDatabase } from "@crossdock/db/testing";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { desktop, launchBrowser, openView } from "./browser.ts";
import { admin, startCrossdock, type Crossdock } from "./crossdock.ts";
import { createWorkspace, startTarget, type Target } from "./workspace.ts";

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
  await workspace.pushItems("BROKEN-1");
  browser = await launchBrowser();
  page = await (await openView(browser, crossdock.url, desktop)).newPage();
});

afterAll(async () => {
  await browser?.close();
  await crossdock?.stop();
  target?.close();
  await database?.drop();
});

/** More stops than any screen has. */
const stopsMax = 120;

/** Goes on from stop to stop until the wanted one has the focus. */
async function tabTo(wanted: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  await wanted.first().waitFor();
  for (let stop = 0; stop < stopsMax; stop += 1) {
    await page.keyboard.press(key);
    if ((await wanted.and(page.locator(":focus")).count()) > 0) return;
  }
  throw new Error(`The keyboard does not reach ${wanted.toString()}`);
}

test("with the keyboard alone one signs in, finds a dead letter, requeues it and signs out", async () => {
  await page.goto("/");
  await tabTo(page.getByLabel("Email"));
  await page.keyboard.type(admin.email);
  await tabTo(page.getByLabel("Password"));
  await page.keyboard.type(admin.password);
  await page.keyboard.press("Enter");

  await tabTo(page.getByRole("button", { name: "Acme", exact: true }));
  await page.keyboard.press("Enter");
  await page.getByText("Selected").waitFor();

  await tabTo(page.getByRole("navigation").getByRole("link", { name: "Deadletters" }), "Shift+Tab");
  await page.keyboard.press("Enter");
  await page.locator("h1:focus", { hasText: "Deadletters" }).waitFor();

  target.setPicky(false);
  await tabTo(page.getByRole("button", { name: "Requeue" }));
  await page.keyboard.press("Enter");
  const question = page.getByRole("dialog", { name: "Requeue 1 dead letter?" });
  await tabTo(question.getByRole("button", { name: "Requeue" }));
  await page.keyboard.press("Enter");
  const progress = page.getByRole("dialog", { name: "Requeue", exact: true });
  await progress.getByText("1 of 1", { exact: true }).waitFor();
  await tabTo(progress.getByRole("button", { name: "Close" }));
  await page.keyboard.press("Enter");
  await progress.waitFor({ state: "detached" });
  // The focus is back in the list: unless that has read its news before, it waits to be asked for them.
  const [empty, offer] = [page.getByText("No message waits for a decision here."), page.getByRole("button", { name: "Show the latest" })];
  await empty.or(offer).first().waitFor();
  if (!(await empty.isVisible())) {
    await tabTo(offer, "Shift+Tab");
    await page.keyboard.press("Enter");
  }
  await empty.waitFor();

  await tabTo(page.getByRole("button", { name: "Account of" }), "Shift+Tab");
  await page.keyboard.press("Enter");
  await tabTo(page.getByRole("button", { name: "Logout" }));
  await page.keyboard.press("Enter");
  await page.waitForURL("**/signin");
});
