import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addPeople, people } from "./people.ts";
import { openStage, type Stage } from "./stage.ts";

/** Two operators at two browsers: the admin and Uli. */
let stage: Stage;
let page: Page;
let other: Page;

beforeAll(async () => {
  stage = await openStage();
  await addPeople(stage.database.ownerUrl);
  await stage.workspace.pushItems("BROKEN-1", "BROKEN-2", "BROKEN-3");
  page = await stage.open();
  other = await stage.open({ as: people.user });
});

afterAll(() => stage?.close());

const openTriage = async (at: Page) => {
  await at.getByRole("button", { name: "Triage", exact: true }).click();
  // A notice is a dialog, too.
  return at.getByRole("dialog", { name: "Who looks into this error" });
};
const row = (at: Page, key: string) => at.getByRole("row").filter({ hasText: key });

test("failures of one cause are one group with its day, its places and no owner", async () => {
  await page.goto("/deadletter-list");
  await page.getByRole("img", { name: "3 failures in the last 24 hours" }).waitFor();
  const group = page.getByRole("main").getByRole("listitem").filter({ hasText: "HTTP 422" });
  await expect.poll(() => group.count()).toBe(1);
  for (const text of ["magento.item", "The shop · Main shop", "New", "No owner"]) await group.getByText(text, { exact: true }).waitFor();
});

test("groups take the list's filters, keep them on the way to the list, and act on what is shown", async () => {
  const group = page.getByRole("main").getByRole("listitem").filter({ hasText: "HTTP 422" });
  await page.goto("/deadletter-list?key=BROKEN-2");
  await page.getByRole("img", { name: "1 failure in the last 24 hours" }).waitFor();
  await group.getByRole("button", { name: "Remove" }).click();
  const question = page.getByRole("dialog", { name: "Remove 1 deadletter?" });
  await question.waitFor();
  await question.getByRole("button", { name: "Cancel" }).click();
  await group.getByRole("button", { name: "Show" }).click();
  await page.getByRole("link", { name: "BROKEN-2" }).waitFor();
  await expect.poll(() => page.getByRole("link", { name: /^BROKEN-/ }).count()).toBe(1);
  expect(Object.keys(Object.fromEntries(new URL(page.url()).searchParams)).toSorted()).toEqual(["cause", "key", "view"]);
  await page.goto(`/deadletter-list?payload=${encodeURIComponent('$.sku != "BROKEN-3"')}`);
  await page.getByText("All messages searched · 2 found").waitFor();
  await page.getByRole("img", { name: "2 failures in the last 24 hours" }).waitFor();
  await page.goto("/deadletter-list?status=503");
  await page.getByText("Nothing matches these filters.").waitFor();
  await page.getByRole("main").getByRole("button", { name: "Clear all" }).last().click();
  await page.getByRole("img", { name: "3 failures in the last 24 hours" }).waitFor();
});

test("of two operators who triage one error the second sees who was faster, and loses nothing", async () => {
  await other.goto("/deadletter-list");
  const [first, second] = [await openTriage(page), await openTriage(other)];
  await first.getByLabel("Triage status").selectOption("Waiting for partner");
  await second.getByLabel("Comment").fill("The colour is new");
  await first.getByRole("button", { name: "Save" }).click();
  await page.getByText("Changes saved").waitFor();
  await second.getByLabel("Owner").selectOption("Uli");
  await second.getByRole("button", { name: "Save" }).click();
  await second.getByText("changed this meanwhile. Nothing has been overwritten.").waitFor();
  await second.getByText("Waiting for partner", { exact: true }).last().waitFor();
  await expect.poll(() => second.getByLabel("Comment").inputValue()).toBe("The colour is new");
  await second.getByLabel("Triage status").selectOption("Investigating");
  await second.getByRole("button", { name: "Save mine all the same" }).click();
  await second.waitFor({ state: "detached" });
  await page.mouse.move(5, 5);
  await page.getByRole("main").getByText("Owner: Uli").waitFor();
  await page.getByRole("main").getByText("The colour is new").waitFor();
});

test("a resolved error that comes back is new again", async () => {
  const dialog = await openTriage(other);
  await dialog.getByLabel("Triage status").selectOption("Resolved");
  await dialog.getByRole("button", { name: "Save" }).click();
  await other.getByRole("main").getByRole("listitem").getByText("Resolved", { exact: true }).waitFor();
  await stage.workspace.pushItems("BROKEN-4");
  await other.mouse.move(5, 5);
  await other.getByRole("main").getByRole("listitem").getByText("New", { exact: true }).waitFor();
});

test("news don't move the group under the pointer", async () => {
  const button = page.getByRole("button", { name: "Requeue" });
  await page.getByRole("img", { name: "4 failures in the last 24 hours" }).waitFor();
  await button.hover();
  const before = await button.boundingBox();
  await stage.workspace.pushItems("BROKEN-5");
  await page.getByRole("img", { name: "5 failures in the last 24 hours" }).waitFor();
  expect(await button.boundingBox()).toEqual(before);
});

test("the details lead to the others of the same error", async () => {
  await page.goto("/deadletter-list?view=list");
  await page.getByRole("link", { name: "BROKEN-3" }).click();
  await page.getByRole("link", { name: "Open as a page" }).click();
  await page.getByRole("heading", { level: 1, name: "BROKEN-3" }).waitFor();
  await page.getByRole("link", { name: "Previous of the same error" }).click();
  await page.getByRole("heading", { name: "BROKEN-4" }).waitFor();
  expect(new URL(page.url()).pathname).toMatch(/^\/deadletter\/details\/magento\.item\/\d+$/);
  await page.getByRole("link", { name: "Next of the same error" }).click();
  await page.getByRole("heading", { name: "BROKEN-3" }).waitFor();
  // The way to the list leads to it as it was left.
  await page.getByRole("main").getByRole("link", { name: "Deadletters" }).click();
  await page.waitForURL("**/deadletter-list?view=list*");
  await page.goBack();
  await page.getByRole("heading", { name: "BROKEN-3" }).waitFor();
});

test("an address that names another queue than the dead letter's is put right", async () => {
  const id = new URL(page.url()).pathname.split("/").at(-1);
  await page.goto(`/deadletter/details/magento.order/${id}`);
  await page.getByRole("heading", { name: "BROKEN-3" }).waitFor();
  await page.waitForURL(`**/deadletter/details/magento.item/${id}`);
});

test("beside the list one goes on from a dead letter that is dealt with, and the keyboard stays there", async () => {
  await page.goto("/deadletter-list?view=list");
  await page.getByRole("link", { name: "BROKEN-4" }).click();
  const panel = page.getByRole("dialog", { name: "BROKEN-4" });
  await panel.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("row").filter({ hasText: "BROKEN-4" }).waitFor({ state: "detached" });
  await panel.getByText("Removed", { exact: true }).first().waitFor();
  await panel.and(page.locator(":focus-within")).waitFor();
  await expect.poll(() => panel.getByRole("link", { name: "Open as a page" }).getAttribute("href")).toMatch(/^\/queue\/details\/\d+$/);
  await panel.getByRole("button", { name: "Next row" }).click();
  await page.getByRole("dialog", { name: "BROKEN-3" }).getByRole("button", { name: "Previous row" }).click();
  await page.getByRole("dialog", { name: "BROKEN-5" }).waitFor();
});

test("who removes what a colleague has requeued is told by whom and what became of it", async () => {
  await page.goto("/deadletter-list?view=list");
  await page.getByRole("checkbox", { name: "Select BROKEN-1" }).check();
  await page.getByRole("checkbox", { name: "Select BROKEN-2" }).check();
  await other.goto("/deadletter-list?view=list");
  await other.getByRole("checkbox", { name: "Select BROKEN-1" }).check();
  stage.target.setPicky(false);
  await other.getByRole("button", { name: "Requeue" }).click();
  await other.getByRole("alertdialog").getByRole("button", { name: "Requeue" }).click();
  await other.getByText("1 deadletter requeued").waitFor();
  await expect.poll(() => stage.target.hasTaken("BROKEN-1")).toBe(true);
  stage.target.setPicky(true);
  // What was changed is one step away, by itself.
  await other.getByRole("button", { name: "Show", exact: true }).click();
  await other.waitForURL("**/queue?ids=*");
  await other.getByRole("row").filter({ hasText: "BROKEN-1" }).getByText("Delivered", { exact: true }).waitFor();
  expect(await other.getByRole("row").count()).toBe(2);
  await other.getByRole("button", { name: "Remove the filter Messages" }).click();
  await other.getByRole("row").filter({ hasText: "BROKEN-2" }).first().waitFor();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("Deadletter successfully removed").waitFor();
  await page
    .getByText(/BROKEN-1 was requeued by Uli/)
    .first()
    .waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("1 message restored").waitFor();
});

test("removing all dead letters by their rows takes the tenant's code, a part of them doesn't", async () => {
  // What others hang on an address, as mails do to count clicks, is no filter.
  await page.goto("/deadletter-list?view=list&utm_source=mail");
  await page.getByRole("checkbox", { name: "Select all loaded rows" }).check();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  const dialog = page.getByRole("alertdialog");
  await dialog.getByLabel("Type acme to confirm").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("checkbox", { name: "Select BROKEN-2" }).uncheck();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await dialog.getByRole("button", { name: "Remove" }).waitFor();
  expect(await dialog.getByRole("textbox").count()).toBe(0);
  await dialog.getByRole("button", { name: "Cancel" }).click();
});

test("removing all that the queue lists by their rows takes the tenant's code, too, and so does removing all mappings", async () => {
  await page.goto("/queue");
  await page.getByRole("checkbox", { name: "Select all loaded rows" }).check();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Type acme to confirm").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("checkbox", { name: "Select BROKEN-2" }).uncheck();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await dialog.getByLabel("Reason (optional)").waitFor();
  expect(await dialog.getByLabel("Type acme to confirm").count()).toBe(0);
  await dialog.getByRole("button", { name: "Cancel" }).click();

  const mapping = { fieldName: "color", source: "litium", target: "magento", targetValue: "x" };
  for (const sourceValue of ["navy", "black"]) await stage.workspace.post("/api/v1/tenants/acme/mappings", { ...mapping, sourceValue });
  await page.goto("/mapping-list");
  await page.getByRole("checkbox", { name: "Select all loaded rows" }).check();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByRole("alertdialog").getByLabel("Type acme to confirm").waitFor();
  await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click();
});

test("a row that leaves the list stays in its place until the list is read again, and the bar counts", async () => {
  await page.goto("/deadletter-list?view=list");
  const link = page.getByRole("link", { name: "BROKEN-2" });
  await link.hover();
  const before = await link.boundingBox();
  await stage.workspace.pushItems("BROKEN-6", "BROKEN-7");
  await page.getByRole("button", { name: "2 new" }).waitFor();
  expect(await link.boundingBox()).toEqual(before);
  await page.getByRole("button", { name: "Show the latest" }).click();
  await page.getByRole("link", { name: "BROKEN-7" }).waitFor();
});

test("a followed list takes new rows in on top, under the pointer too", async () => {
  await page.goto("/queue");
  await page.getByRole("button", { name: "Follow" }).click();
  await row(page, "BROKEN-7").hover();
  await stage.workspace.pushItems("LAMP-9");
  await row(page, "LAMP-9").waitFor();
  await page.getByRole("button", { name: "Follow" }).click();
  await row(page, "LAMP-9").hover();
  await stage.workspace.pushItems("LAMP-10");
  await page.getByRole("button", { name: "1 new" }).waitFor();
  await expect.poll(() => row(page, "LAMP-10").count()).toBe(0);
});

test("an error leads to the change of settings that came before it", async () => {
  await stage.database.pool("owner", 1).query(`
    begin;
    select set_config('crossdock.actor', 'Eva', true);
    update hub.integration_point set version = version + 1 where code = 'shop';
    update hub.integration_point_version set made_at = now() - interval '2 hours' where made_by = 'Eva';
    commit`);
  await page.goto("/deadletter-list");
  await page.getByRole("link", { name: /^\d hours? before the first, Eva changed the settings of The shop$/ }).click();
  await page.waitForURL(/\/configuration\?point=\d+$/);
  await page.getByText("Eva").first().waitFor();
});
