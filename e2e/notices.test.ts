import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { activateTenant, desktop, openView, signIn } from "./browser.ts";
import { openStage, type Stage } from "./stage.ts";

const showMs = 6000;
const removed = "Deadletter successfully removed";

let stage: Stage;
let page: Page;

beforeAll(async () => {
  stage = await openStage();
  await stage.workspace.pushItems("BROKEN-1", "BROKEN-2", "BROKEN-3", "BROKEN-4", "BROKEN-5", "BROKEN-6", "BROKEN-7", "BROKEN-8");
  page = await (await openView(stage.browser, stage.url, desktop)).newPage();
  await page.clock.install();
  await signIn(page);
  await activateTenant(page, "Acme");
  await page.goto("/deadletter-list?view=list");
});

afterAll(() => stage?.close());

async function remove(key: string): Promise<void> {
  await page.getByRole("checkbox", { name: `Select ${key}` }).check();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await page.getByRole("checkbox", { name: `Select ${key}` }).waitFor({ state: "detached" });
}

const notices = () => page.locator("p[data-type=success]").filter({ hasText: removed });

test("a notice stands at the bottom start corner and goes after six seconds, but not from under the pointer", async () => {
  await remove("BROKEN-1");
  const box = await notices().boundingBox();
  expect(box).not.toBeNull();
  expect(box?.x).toBeLessThan(desktop.width / 2);
  expect(box?.y).toBeGreaterThan(desktop.height - 120);
  await notices().hover();
  await page.clock.fastForward(showMs * 3);
  await expect.poll(() => notices().isVisible()).toBe(true);
  await page.mouse.move(desktop.width - 5, desktop.height / 2);
  await page.clock.fastForward(showMs);
  await notices().waitFor({ state: "detached" });
});

test("a notice can be closed before its time", async () => {
  await remove("BROKEN-7");
  await notices().hover();
  await page.getByRole("button", { name: "Close" }).click();
  await notices().waitFor({ state: "detached" });
});

test("F8 leads to the newest notice, which waits meanwhile, and back to where the keyboard was, as does what is pressed in it", async () => {
  await remove("BROKEN-2");
  const search = page.getByRole("searchbox", { name: "Search", exact: true });
  const undo = notices().locator("..").getByRole("button", { name: "Undo" });
  await search.focus();
  await page.keyboard.press("F8");
  await expect.poll(() => undo.evaluate((button) => button === document.activeElement)).toBe(true);
  expect(await undo.evaluate((button) => getComputedStyle(button).outlineColor)).toBe(
    await undo.evaluate((button) => getComputedStyle(button).color),
  );
  await page.clock.fastForward(showMs * 3);
  await page.keyboard.press("F8");
  await expect.poll(() => search.evaluate((field) => field === document.activeElement)).toBe(true);
  await page.keyboard.press("F8");
  await page.keyboard.press("Enter");
  await page.getByRole("checkbox", { name: "Select BROKEN-2" }).waitFor();
  expect(await search.evaluate((field) => field === document.activeElement)).toBe(true);
});

test("no more than three notices are seen at once; the older ones make room", async () => {
  await page.mouse.move(desktop.width - 5, desktop.height / 2);
  await page.clock.pauseAt(Date.now() + 60_000);
  for (const key of ["BROKEN-3", "BROKEN-4", "BROKEN-5", "BROKEN-6"]) await remove(key);
  await expect.poll(() => notices().count()).toBe(4);
  await expect.poll(() => notices().locator("visible=true").count()).toBe(3);
});

test("what the server says of bad input is told in the console's language, with the value's place and bounds", async () => {
  const french = await stage.open({ at: "/tenant/acme", view: { ...desktop, locale: "fr" } });
  // The form itself would not let it go out.
  await french.route("**/api/v1/tenants/acme/limits", (route) => {
    const sent = route.request().postDataJSON() as object | null;
    return route.continue(route.request().method() === "PUT" ? { postData: JSON.stringify({ ...sent, historyDays: 0 }) } : {});
  });
  await french.locator("#limit-historyDays").fill("30");
  await french
    .locator("form", { has: french.locator("#limit-historyDays") })
    .getByRole("button", { name: "Enregistrer" })
    .click();
  const said = "Une donnée saisie n’est pas valable. historyDays : ne doit pas être inférieur à 1";
  await french.locator("p[data-type=error]").filter({ hasText: said }).waitFor();
  await french.context().close();
});

test("a double click creates one thing, however slow the answer is", async () => {
  const slow = await stage.open({ at: "/api-keys" });
  let sent = 0;
  const answer = Promise.withResolvers<void>();
  await slow.route("**/api/v1/tenants/acme/api-keys", async (route) => {
    if (route.request().method() === "POST") {
      sent += 1;
      await answer.promise;
    }
    await route.continue();
  });
  await slow.getByRole("button", { name: "Create key" }).click();
  const dialog = slow.getByRole("dialog");
  await dialog.getByRole("textbox").first().fill("Twice");
  await dialog.getByRole("button", { name: "Create key" }).dblclick();
  await expect.poll(() => sent).toBe(1);
  answer.resolve();
  await slow.getByText("Twice").first().waitFor();
  await slow.reload();
  await slow.getByText("Twice").first().waitFor();
  expect([sent, await slow.getByRole("row", { name: "Twice" }).count()]).toEqual([1, 1]);
  await slow.context().close();
});

test("a removal whose rows can't be read says so, and removes nothing", async () => {
  const value = { fieldName: "color", source: "litium", sourceValue: "Black", target: "magento", targetValue: "Svart" };
  await stage.workspace.post("/api/v1/tenants/acme/mappings", value);
  const reader = await stage.open();
  await reader.route("**/api/v1/tenants/acme/mappings?*", async (route) => {
    const asked = new URL(route.request().url()).searchParams;
    // The list has more rows, which never come; what goes through all of them is refused.
    if (asked.has("cursor")) return;
    if (asked.get("limit") === "500")
      return route.fulfill({ status: 500, json: { status: 500, title: "Out of order", code: "out-of-order" } });
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), nextCursor: "more" } });
  });
  await reader.goto("/mapping-list");
  await reader.getByRole("checkbox", { name: "Select all loaded rows" }).check();
  await reader.getByRole("button", { name: "Select all 1 that match" }).click();
  await reader.getByRole("button", { name: "Remove", exact: true }).click();
  const question = reader.getByRole("alertdialog");
  await question.getByLabel("Type acme to confirm").fill("acme");
  await question.getByRole("button", { name: "Remove" }).click();
  await question.getByRole("alert").filter({ hasText: "Out of order" }).waitFor();
  await question.getByRole("button", { name: "Cancel" }).click();
  await question.waitFor({ state: "detached" });
  await reader.getByRole("button", { name: "Source value: Black", exact: true }).waitFor();
  await reader.unrouteAll({ behavior: "ignoreErrors" });
  await reader.context().close();
});

test("a question stays while what it asks for is on its way, says why that was refused, and takes it again", async () => {
  const operator = await stage.open({ at: "/deadletter-list?view=list" });
  const removals: Route[] = [];
  await operator.route("**/dead-letters/remove", (route) => void removals.push(route));
  const chosen = operator.getByRole("checkbox", { name: "Select BROKEN-8" });
  await chosen.check();
  await operator.getByRole("button", { name: "Remove", exact: true }).click();
  const question = operator.getByRole("alertdialog");
  const confirm = question.getByRole("button", { name: "Remove" });
  await confirm.click();
  await expect.poll(() => removals.length).toBe(1);
  // Whoever could leave it now would take it for called off.
  await operator.keyboard.press("Escape");
  await question.getByRole("button", { name: "Cancel" }).click();
  await confirm.press("Enter");
  expect([await question.count(), removals.length]).toEqual([1, 1]);
  await removals[0]?.abort();
  await question.getByText("The server cannot be reached. Check the connection and try again.").waitFor();
  expect(await operator.locator("p[data-type=error]").count()).toBe(0);
  await operator.unroute("**/dead-letters/remove");
  await confirm.click();
  await operator.getByText(removed).waitFor();
  await question.waitFor({ state: "detached" });
  await chosen.waitFor({ state: "detached" });
  await operator.context().close();
});
