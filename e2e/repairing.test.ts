import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { desktop } from "./browser.ts";
import { openStage, type Stage } from "./stage.ts";

const count = 500;
/** Its article number is what the target refuses, so that no patch of the name mends it. */
const poisoned = "BROKEN-MUG";

/** What a busy machine needs to make or to move hundreds. */
const patience = { timeout: 120_000 };

let stage: Stage;
let page: Page;

beforeAll(async () => {
  stage = await openStage();
  page = await stage.open();
});

afterAll(() => stage?.close());

async function deadKeys(): Promise<string[]> {
  const { rows } = await stage.database
    .pool("owner", 1)
    .query<{ key: string }>(
      "select m.key from queue.dead w join queue.message m on m.tenant_id = w.tenant_id and m.queue_id = w.queue_id and m.id = w.id",
    );
  return rows.map(({ key }) => key);
}

test("500 dead letters of one cause are repaired by one patch, which a poisoned one stops", async () => {
  const push = (sku: string) => stage.workspace.pushRaw({ schemaVersion: 1, sku, name: "BROKEN mug" });
  // The patch begins with the oldest: one, then five.
  for (const sku of ["MUG-0", "MUG-1", poisoned]) await push(sku);
  await Promise.all(Array.from({ length: count - 3 }, (_, index) => push(`MUG-${index + 2}`)));
  await expect.poll(async () => (await deadKeys()).length, patience).toBe(count);

  await page.goto("/deadletter-list");
  await page.getByRole("button", { name: "Bulk patch" }).click();
  const form = page.getByRole("dialog", { name: "Patch many deadletters" });
  await form.getByLabel("Field").fill("$.name");
  await form.getByLabel("Present value").fill("BROKEN mug");
  await form.getByLabel("New value").fill("Mug");
  await form.getByRole("button", { name: "Try it out" }).click();
  const trial = page.getByRole("dialog", { name: `Dry run on ${count} deadletters` });
  await trial.getByText(`Would change: ${count}`, { exact: true }).waitFor();
  await trial.getByLabel("Reason").fill("the ERP calls a mug broken");
  await trial.getByLabel("Type acme to confirm").fill("acme");
  await trial.getByRole("button", { name: "Start with one" }).click();

  const progress = page.getByRole("dialog", { name: "Bulk patch" });
  await progress.getByText("Stopped", { exact: true }).waitFor(patience);
  // One went alone, five after it: of these the poisoned one is dead again.
  expect((await deadKeys()).length).toBe(count - 5);
  await progress.getByRole("button", { name: "Resume" }).click();
  await progress.getByText("Done", { exact: true }).waitFor(patience);
  await expect.poll(() => deadKeys()).toEqual([poisoned]);
  for (const sku of ["MUG-0", `MUG-${count - 2}`]) expect(stage.target.hasTaken(`"${sku}"`)).toBe(true);
  expect(stage.target.hasTaken(`"${poisoned}"`)).toBe(false);
});

test("an old price that is requeued after a newer one was published is never sent", async () => {
  const { workspace, target } = stage;
  const point = { subtenantCode: "outlet" };
  await workspace.post("/api/v1/tenants/acme/subtenants", { code: "outlet", name: "Outlet" });
  await workspace.post("/api/v1/tenants/acme/integration-points", {
    ...point,
    connector: "litium",
    code: "erp-outlet",
    name: "The ERP of the outlet",
    sourceTypes: ["price"],
  });
  await workspace.post("/api/v1/tenants/acme/integration-points", {
    ...point,
    connector: "magento",
    code: "outlet",
    name: "The outlet",
    targetTypes: ["price"],
    settings: { url: target.url },
  });
  const push = (amount: string, updatedAt: string) =>
    workspace.post("/litium/v1/prices?tenant=acme&subtenant=outlet&integrationPoint=erp-outlet", {
      schemaVersion: 1,
      sku: "BROKEN-LAMP",
      price: { amount, currency: "SEK" },
      updatedAt,
    });
  await push("111.00", "2025-11-01T08:00:00Z");
  await expect.poll(deadKeys, patience).toContain("BROKEN-LAMP@default");
  await page.goto("/deadletter-list?view=list&subtenant=outlet");
  await page.getByRole("checkbox", { name: "Select BROKEN-LAMP@default" }).check();

  target.setPicky(false);
  await push("99.00", "2025-11-02T08:00:00Z");
  await expect.poll(() => target.hasTaken("99.00"), patience).toBe(true);
  await page.getByRole("button", { name: "Requeue", exact: true }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Requeue" }).click();
  await page.getByRole("alert").getByText("BROKEN-LAMP@default was replaced by a newer message.").waitFor();
  await page.goto("/queue?key=BROKEN-LAMP");
  await page.getByRole("row").filter({ hasText: "Superseded" }).waitFor();
  expect(target.hasTaken("111.00")).toBe(false);
});

test("an error for want of a value offers to fill it in before it offers to send again", async () => {
  const owner = stage.database.pool("owner", 1);
  await owner.query("update queue.dead set error_class = 'mapping-missing', error_message = $1", ["mapping missing: taxCode 'books'"]);
  await page.goto("/deadletter-list");
  const group = page.getByRole("main").getByRole("listitem").filter({ hasText: "taxCode 'books'" });
  await group.getByRole("button", { name: "Requeue" }).waitFor();
  const offered = await group.locator("a, button").allTextContents();
  expect(offered.slice(0, 3)).toEqual(["Show", "Fill in the missing value", "Requeue"]);
  await group.getByText("Requeue helps once the missing value is filled in.").waitFor();
});

test("why a delivery failed is told in the reader's language, beside what had come in as well", async () => {
  const french = await stage.open({ at: `/externalmessages?key=${poisoned}`, view: { ...desktop, locale: "fr" } });
  await french.locator("main [data-row-link]").first().click();
  await french.getByText("correspondance manquante").waitFor();
  await french.context().close();
});

test.for([
  { errorClass: "http-401", message: "HTTP 401: wrong key", link: "Correct the credentials", card: "credentials" },
  { errorClass: "configuration", message: "settings: baseUrl is missing", link: "Correct the settings", card: "settings" },
  { errorClass: "warehouse", message: "stock of warehouse 1 is sent only", link: "Correct the settings", card: "settings" },
])("an error of the class $errorClass leads to the form that mends it before it offers to send again", async (given) => {
  const { errorClass, message, link, card } = given;
  const owner = stage.database.pool("owner", 1);
  const { rows } = await owner.query<{ pointId: number }>(
    `update queue.dead set error_class = $1, error_message = $2
     where (tenant_id, queue_id) = (select tenant_id, queue_id from queue.dead limit 1)
     returning (select target_id from queue.queue where queue.tenant_id = dead.tenant_id and queue.id = dead.queue_id) as "pointId"`,
    [errorClass, message],
  );
  await page.goto("/deadletter-list");
  const group = page.getByRole("main").getByRole("listitem").filter({ hasText: message });
  await group.getByRole("button", { name: "Requeue" }).waitFor();
  expect((await group.locator("a, button").allTextContents()).slice(0, 3)).toEqual(["Show", link, "Requeue"]);
  await group.getByRole("link", { name: link }).click();
  await page.waitForURL(`**/configuration?point=${rows[0]?.pointId}#${card}`);
  await page.locator(`#${card} input:not([type=checkbox]):focus`).waitFor();
});

test("an object that the target has lost leads to its external item, whose removal mends it", async () => {
  const owner = stage.database.pool("owner", 1);
  await owner.query("update queue.dead set error_class = 'external-gone', error_message = 'the shop has lost it'");
  await page.goto("/deadletter-list");
  const group = page.getByRole("main").getByRole("listitem").filter({ hasText: "the shop has lost it" });
  await group.getByRole("button", { name: "Requeue" }).waitFor();
  expect((await group.locator("a, button").allTextContents()).slice(0, 3)).toEqual(["Show", "External items", "Requeue"]);
  const { rows } = await owner.query<{ id: string; pointId: number }>(
    `select dead.id, queue.target_id as "pointId" from queue.dead
     join queue.queue on queue.tenant_id = dead.tenant_id and queue.id = dead.queue_id limit 1`,
  );
  await owner.query("update queue.attempt set error_class = 'external-gone' where id = $1", [rows[0]?.id]);
  await page.goto(`/queue/details/${rows[0]?.id}`);
  await page.getByRole("main").getByRole("link", { name: "External items" }).click();
  await page.waitForURL(`**/externalitems?point=${rows[0]?.pointId}&key=*`);
});

const ground = (control: Locator) => control.evaluate((element) => getComputedStyle(element).backgroundColor);

test("what the target refuses for its content is offered to be corrected before it is offered to be sent again as it is", async () => {
  const owner = stage.database.pool("owner", 1);
  await owner.query("update queue.dead set error_class = 'http-422', error_message = 'HTTP 422: no such unit'");
  await page.goto("/deadletter-list");
  const group = page.getByRole("main").getByRole("listitem").filter({ hasText: "no such unit" });
  await group.getByText("The target refused the content").waitFor();
  const offered = await group.locator("a, button").allTextContents();
  expect(offered.slice(0, 3)).toEqual(["Show", "Bulk patch", "Requeue"]);
  expect(offered.filter((text) => text === "Bulk patch")).toHaveLength(1);
  const { rows } = await owner.query<{ id: string }>("select id from queue.dead limit 1");
  await owner.query("update queue.attempt set error_class = 'http-422' where id = $1", [rows[0]?.id]);
  await page.goto(`/queue/details/${rows[0]?.id}`);
  await page.getByText("The target refused the content").waitFor();
  const quiet = await ground(page.getByRole("link", { name: "Trace", exact: true }).first());
  expect(await ground(page.getByRole("button", { name: "Requeue", exact: true }))).toBe(quiet);
  expect(await ground(page.getByRole("button", { name: "Edit and resend" }))).not.toBe(quiet);
});
