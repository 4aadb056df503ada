import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { desktop, go, openView } from "./browser.ts";
import { admin } from "./crossdock.ts";
import { changeLook } from "./look.ts";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;
let page: Page;

beforeAll(async () => {
  stage = await openStage();
  await stage.workspace.pushItems("BROKEN-1");
  page = await (await openView(stage.browser, stage.url, desktop)).newPage();
});

afterAll(() => stage?.close());

/** More stops than any screen has. */
const stopsMax = 120;

/** Goes on from stop to stop until the wanted one has the focus. */
async function tabTo(wanted: Locator, key: "Tab" | "Shift+Tab" = "Tab"): Promise<void> {
  const page = wanted.page();
  await wanted.first().waitFor();
  for (let stop = 0; stop < stopsMax; stop += 1) {
    await page.keyboard.press(key);
    if ((await wanted.and(page.locator(":focus")).count()) > 0) return;
  }
  throw new Error(`The keyboard does not reach ${wanted.toString()}`);
}

test("the queues are one stop of the keyboard, and the arrows go from one to the next in the direction of the language", async () => {
  for (const code of ["outlet", "market"]) {
    await stage.workspace.post("/api/v1/tenants/acme/integration-points", {
      subtenantCode: "main",
      targetTypes: ["item"],
      connector: "magento",
      code,
      name: code,
      settings: { url: stage.target.url },
    });
  }
  const queue = await stage.open({ at: "/queue" });
  for (const [locale, forward, back] of [
    ["en", "ArrowRight", "ArrowLeft"],
    ["ar", "ArrowLeft", "ArrowRight"],
  ] as const) {
    await changeLook(queue, { locale });
    const tiles = queue.locator("main ul").first().getByRole("button");
    await expect.poll(() => tiles.count()).toBe(3);
    const place = () => tiles.evaluateAll((all) => all.findIndex((tile) => tile === document.activeElement));
    const places: number[] = [];
    await tiles.first().focus();
    for (const key of [forward, "End", back, "Home", "Tab", "Shift+Tab"]) {
      await queue.keyboard.press(key);
      places.push(await place());
    }
    expect({ locale, places }).toEqual({ locale, places: [1, 2, 1, 0, -1, 0] });
  }
  await queue.context().close();
});

test("where the arrows lead is shown, also after a click", async () => {
  const queue = await stage.open({ at: "/queue" });
  // Safari shows no focus that a script moves after a click, unless it is asked to.
  await queue.evaluate(() => {
    const { value: focus } = Object.getOwnPropertyDescriptor(HTMLElement.prototype, "focus") ?? {};
    HTMLElement.prototype.focus = function (options) {
      this.toggleAttribute("data-shown", options?.focusVisible ?? false);
      Reflect.apply(focus, this, [options]);
    };
  });
  const shown = queue.locator("[data-shown]:focus");
  await queue.locator("main ul").first().getByRole("button").first().press("End");
  await shown.and(queue.getByRole("button")).waitFor();
  await queue.getByRole("grid").locator("[data-row='0']").press("End");
  await shown.and(queue.getByRole("row")).waitFor();
  await queue.context().close();
});

test("the errors of dead letters are headings, from one to the next of which a screen reader jumps", async () => {
  const deadLetters = await stage.open({ at: "/deadletter-list" });
  await deadLetters.getByRole("heading", { level: 2, name: "colour is not known" }).waitFor();
  await deadLetters.context().close();
});

test("the skip link leads to the screen, and is no step of the way back", async () => {
  const skipper = await stage.open({ at: "/queue" });
  await go(skipper, "/entities");
  await skipper.getByRole("link", { name: "Skip to content" }).press("Enter");
  await expect.poll(() => skipper.evaluate(() => document.activeElement?.id)).toBe("content");
  await skipper.goBack();
  await expect.poll(() => new URL(skipper.url()).pathname).toBe("/queue");
  await skipper.context().close();
});

test("with the keyboard alone one signs in, finds a dead letter, requeues it and signs out", async () => {
  await page.goto("/");
  await page.getByLabel("Email").and(page.locator(":focus")).waitFor();
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

  stage.target.setPicky(false);
  await tabTo(page.getByRole("button", { name: "Requeue" }));
  await page.keyboard.press("Enter");
  const question = page.getByRole("dialog", { name: "Requeue 1 deadletter?" });
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

test("when the row that a drawer was of has left the list, the keyboard goes on at the one in its place", async () => {
  stage.target.setPicky(true);
  await stage.workspace.pushItems("BROKEN-2", "BROKEN-3", "BROKEN-4");
  const triage = await stage.open({ at: "/deadletter-list?view=list" });
  const row = (place: number) => triage.locator(`[data-row="${place}"]`);
  await row(2).waitFor();
  await row(0).focus();
  await triage.keyboard.press("ArrowDown");
  await triage.keyboard.press("Enter");
  await triage.locator("[data-drawer]").getByRole("button", { name: "Remove", exact: true }).click();
  const messageId = new URL(triage.url()).searchParams.get("message") ?? "";
  await triage.locator(`[data-row] a[href*="${messageId}"]`).waitFor({ state: "detached" });
  await triage.keyboard.press("Escape");
  await expect.poll(() => row(1).evaluate((place) => place === document.activeElement)).toBe(true);
});

test("behind a panel that scrolls the keyboard goes on to the page, and comes back to all of it", async () => {
  stage.target.setPicky(true);
  await stage.workspace.pushItems("BROKEN-5");
  const low = await stage.open({ at: "/deadletter-list?view=list", view: { ...desktop, height: 420 } });
  const skip = low.getByRole("link", { name: "Skip to content" });
  const gear = low.getByRole("button", { name: "Customizer" });
  await low.locator('[data-row="0"]').focus();
  await low.keyboard.press("Enter");
  await low.locator("[data-drawer]").getByText("Attempts").first().waitFor();
  await tabTo(skip);
  await tabTo(low.locator("[data-drawer]").getByRole("button", { name: "Close" }), "Shift+Tab");
  await low.keyboard.press("Enter");
  await low.locator("[data-drawer]").waitFor({ state: "detached" });
  await gear.focus();
  await low.keyboard.press("Enter");
  const panel = low.getByRole("dialog", { name: "Customizer" });
  await panel.getByRole("button", { name: "Reset to defaults" }).waitFor();
  await tabTo(skip);
  await tabTo(panel.getByRole("button", { name: "Close" }), "Shift+Tab");
});
