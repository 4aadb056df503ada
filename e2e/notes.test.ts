import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inspectAccess } from "./axe.ts";
import { go, ready } from "./browser.ts";
import { addPeople, people } from "./people.ts";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;
let page: Page;
let messageId: string;

beforeAll(async () => {
  stage = await openStage();
  await stage.workspace.pushItems("LAMP-1");
  page = await stage.open();
});

afterAll(() => stage?.close());

test("a note on a message is written, removed and brought back", async () => {
  await page.goto("/queue");
  const address = await page.getByRole("link", { name: "LAMP-1" }).getAttribute("href");
  messageId = /\d+/.exec(address ?? "")?.[0] ?? "";
  await page.goto(`/queue/details/${messageId}`);
  const notes = page.getByRole("heading", { name: "Notes" }).locator("xpath=ancestor::section");
  await page.getByLabel("Note to the team").pressSequentially("@adm");
  await page.getByRole("listbox", { name: "Colleagues" }).getByRole("option").waitFor();
  await page.keyboard.press("Enter");
  await expect.poll(() => page.getByLabel("Note to the team").inputValue()).toBe("@Administrator ");
  await page.getByLabel("Note to the team").fill("The shop confirmed it");
  await page.keyboard.press("Control+Enter");
  await notes.getByRole("listitem").getByText("The shop confirmed it").waitFor();
  await expect.poll(() => page.getByLabel("Note to the team").inputValue()).toBe("");
  await notes.getByRole("button", { name: "Remove note" }).click();
  await notes.getByRole("listitem").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).click();
  await notes.getByRole("listitem").getByText("The shop confirmed it").waitFor();
});

test("a colleague's note is told at once, marked as unread until the messages are opened, and leads to its message", async () => {
  await page.goto("/tenant-list");
  await page.getByRole("button", { name: "Messages", exact: true }).waitFor();
  await stage.workspace.leaveNote(messageId, { text: "@administrator please have a look", authorName: "Maria Lee" });
  await page.getByRole("button", { name: "Messages: 1 unread" }).click();
  const popover = page.getByRole("dialog", { name: "Messages" });
  const note = popover.getByRole("listitem").filter({ hasText: "Maria Lee" });
  await note.getByText("Mentions you").waitFor();
  await note.getByLabel("Unread").waitFor();
  await page.getByRole("button", { name: "Messages", exact: true }).waitFor();
  expect(await inspectAccess(page)).toEqual([]);
  await note.getByRole("link").click();
  await page.waitForURL(`**/queue/details/${messageId}`);
  await popover.waitFor({ state: "hidden" });
  await page.getByText("via Service desk").waitFor();
});

test("popovers are worked by the keyboard and give the focus back", async () => {
  const button = page.getByRole("button", { name: "Notifications" });
  await button.focus();
  await page.keyboard.press("Enter");
  await page.getByText("No notifications. Nothing needs your attention.").waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("No notifications. Nothing needs your attention.").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Language" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "English" }).waitFor();
  await page.keyboard.press("Tab");
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("English");
  await page.keyboard.press("Escape");
  await expect.poll(() => page.evaluate("document.activeElement.ariaLabel")).toBe("Language");
});

test("an announcement is dismissed for good, another one is not", async () => {
  await stage.workspace.announce("Maintenance on Sunday");
  await page.reload();
  const banner = page.getByRole("complementary", { name: "Announcement" });
  await banner.getByText("Maintenance on Sunday").waitFor();
  await banner.getByRole("button", { name: "Dismiss announcement" }).click();
  await banner.waitFor({ state: "detached" });
  await stage.workspace.announce("New connectors are here");
  await page.reload();
  await banner.getByText("New connectors are here").waitFor();
  await expect.poll(() => page.getByText("Maintenance on Sunday").count()).toBe(0);
});

test("an announcement stands before anything that it would push down", async () => {
  await page.addInitScript(`
    window.pushed = [];
    new PerformanceObserver((list) => {
      for (const { node, previousRect, currentRect } of list.getEntries().flatMap(({ sources }) => sources))
        if (node?.closest?.("header") && currentRect.y !== previousRect.y) pushed.push(node.outerHTML);
    }).observe({ type: "layout-shift", buffered: true });
  `);
  await page.reload();
  await page.getByText("New connectors are here").waitFor();
  await ready(page);
  expect(await page.evaluate("pushed")).toEqual([]);
});

test("an admin publishes an announcement as it was shown, ends it and takes that back; others are told who may", async () => {
  await go(page, "/tenant-list");
  await page.getByRole("button", { name: "Announcement", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Announcement" });
  await dialog.getByLabel("Text", { exact: true }).fill("Stocktaking tonight");
  await dialog.getByText("Stocktaking tonight", { exact: true }).nth(1).waitFor();
  await dialog.getByLabel("Until").selectOption({ label: "8 hours" });
  await dialog.getByRole("button", { name: "Publish" }).click();
  await dialog.waitFor({ state: "detached" });
  const banner = page.getByRole("complementary", { name: "Announcement" });
  await banner.getByText("Stocktaking tonight").waitFor();

  await page.getByRole("button", { name: "Announcement", exact: true }).click();
  const current = dialog.locator("section > div", { hasText: "Stocktaking tonight" });
  await current.waitFor();
  // Whoever presses Enter twice ends nothing.
  await expect.poll(() => dialog.getByLabel("Text", { exact: true }).evaluate((field) => field === document.activeElement)).toBe(true);
  await current.getByRole("button", { name: "End" }).click();
  await current.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).click();
  await current.waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await banner.getByText("Stocktaking tonight").waitFor();

  await page.getByRole("button", { name: "Announcement", exact: true }).click();
  await dialog.getByLabel("Text", { exact: true }).fill("Inventory on Sunday");
  await dialog.getByLabel("From").selectOption({ label: "A time of your own" });
  const publish = dialog.getByRole("button", { name: "Publish" });
  await expect.poll(() => publish.getAttribute("aria-disabled")).toBe("true");
  await dialog.getByLabel("From (").fill("2020-01-01T08:00");
  await dialog.getByText("Choose a time to come").first().waitFor();
  await dialog.getByLabel("From (").fill("2199-01-01T08:00");
  await dialog.getByLabel("Until").selectOption({ label: "A time of your own" });
  await dialog.getByLabel("Until (").fill("2199-01-01T07:00");
  await dialog.getByText("Choose a time after the beginning").first().waitFor();
  await dialog.getByLabel("Until (").fill("2199-01-01T09:00");
  await publish.click();
  await page.getByText("Announcement scheduled").waitFor();
  await dialog.waitFor({ state: "detached" });

  await page.getByRole("button", { name: "Announcement", exact: true }).click();
  const scheduled = dialog.locator("section", { hasText: "Scheduled" }).locator("div", { hasText: "Inventory on Sunday" }).first();
  await scheduled.getByText("From Jan 1, 2199, 8:00:00 AM").waitFor();
  await scheduled.getByText("Until Jan 1, 2199, 9:00:00 AM").waitFor();
  await scheduled.getByRole("button", { name: "Call off" }).click();
  await scheduled.waitFor({ state: "detached" });
  await expect.poll(() => banner.getByText("Inventory on Sunday").count()).toBe(0);
  await dialog.getByRole("button", { name: "Cancel" }).click();

  await addPeople(stage.database.ownerUrl);
  const viewers = await stage.open({ as: people.viewer });
  const shut = viewers.getByRole("button", { name: "Announcement", exact: true });
  await expect.poll(() => shut.getAttribute("aria-disabled")).toBe("true");
  await expect.poll(() => shut.getAttribute("title")).toBeTruthy();
  await viewers.context().close();
});
