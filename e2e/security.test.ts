import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { go } from "./browser.ts";
import { openStage, type Stage } from "./stage.ts";

/** Runs where a text of somebody's is taken for a part of the page. */
const html = `<img src="x" onerror="window.wasRun=1"><script>window.wasRun=1</script>`;

let stage: Stage;
let page: Page;

beforeAll(async () => {
  stage = await openStage();
  await stage.workspace.pushRaw({ schemaVersion: 1, sku: "LAMP-1", name: "Lamp", attributes: { contactEmail: "eva@example.com" } });
  page = await stage.open();
});

afterAll(() => stage?.close());

test("a masked value is revealed with a reason, which then stands in the audit log", async () => {
  await go(page, "/queue");
  await page.getByRole("link", { name: "LAMP-1" }).first().click();
  const line = page.getByRole("treeitem").filter({ hasText: "contactEmail" }).first();
  await line.waitFor();
  expect(await line.textContent()).not.toContain("eva@example.com");
  await line.click();
  await page.getByRole("button", { name: "Reveal", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Reveal a value" });
  await dialog.getByRole("button", { name: "Reveal", exact: true }).click();
  await dialog.getByText("Say why").waitFor();
  await dialog.getByLabel("Reason").fill("Eva called");
  await dialog.getByRole("button", { name: "Reveal", exact: true }).click();
  await dialog.getByText("eva@example.com").waitFor();

  await go(page, "/audit-log?action=revealValue");
  await page.getByRole("link", { name: "revealValue" }).first().click();
  const drawer = page.getByRole("dialog", { name: "revealValue" });
  await drawer.getByText("Eva called").first().waitFor();
  await drawer.getByText("/attributes/contactEmail").first().waitFor();
  expect(await drawer.textContent()).not.toContain("eva@example.com");
});

test("texts that are pages of their own stay texts wherever they are shown", async () => {
  await stage.workspace.pushRaw({ schemaVersion: 1, sku: `BROKEN ${html}`, name: html });
  await stage.workspace.pushRaw({ name: html });
  await stage.workspace.announce(html);
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  const screens = [
    "/tenant-list",
    "/queue",
    "/deadletter-list?view=list",
    "/externalmessages",
    "/entities",
    `/queue?search=${encodeURIComponent(html)}`,
  ];
  for (const screen of screens) {
    await go(page, screen);
    if (screen !== "/tenant-list")
      await page.getByRole("main").getByRole("row").or(page.getByRole("main").getByRole("listitem")).first().waitFor();
    expect(await page.evaluate(() => "wasRun" in window)).toBe(false);
  }
  await go(page, "/queue");
  const row = page.getByRole("main").getByRole("link", { name: "onerror" }).first();
  await row.waitFor();
  expect(await row.textContent()).toContain(html);
  await row.click();
  await page.getByRole("dialog").getByRole("tree").first().waitFor();
  await page.getByRole("dialog").getByText("onerror").first().waitFor();
  expect(await page.evaluate(() => "wasRun" in window)).toBe(false);
  expect(faults).toEqual([]);
});
