import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { activateTenant, desktop, openView, signIn } from "./browser.ts";
import { addPeople, people } from "./people.ts";
import { openStage, type Stage } from "./stage.ts";

const count = 220;

let stage: Stage;
let page: Page;

beforeAll(async () => {
  stage = await openStage();
  await addPeople(stage.database.ownerUrl);
  await stage.workspace.pushItems(...Array.from({ length: count }, (_, index) => `BROKEN-${index}`));
  page = await stage.open();
});

afterAll(() => stage?.close());

async function keysIn(table: "dead" | "removed"): Promise<string[]> {
  const owner = stage.database.pool("owner", 1);
  const { rows } = await owner.query<{ key: string }>(
    `select m.key from queue.${table} w join queue.message m on m.tenant_id = w.tenant_id and m.queue_id = w.queue_id and m.id = w.id order by m.id`,
  );
  return rows.map(({ key }) => key);
}

test("everything that matches is removed after its count is confirmed, and Undo brings all of it back", async () => {
  await expect.poll(async () => (await keysIn("dead")).length).toBe(count);
  const before = await keysIn("dead");
  await page.goto("/queue?state=dead");
  await page.getByText(`${count} messages`).waitFor();
  await page.getByRole("checkbox", { name: "Select all loaded rows" }).check();
  await page.getByRole("button", { name: `Select all ${count} that match` }).click();
  await page.getByRole("button", { name: "Remove", exact: true }).click();

  const dialog = page.getByRole("dialog");
  await dialog.getByText(`Remove ${count} messages?`).waitFor();
  const remove = dialog.getByRole("button", { name: "Remove" });
  // A button that is off cannot be clicked; a key press is what an operator may still try.
  await remove.press("Enter");
  await expect.poll(() => keysIn("removed")).toEqual([]);
  await dialog.getByLabel("Reason").fill("sent twice by the ERP");
  await dialog.getByLabel("Type acme to confirm").fill("acme");
  const held = Promise.withResolvers<Route>();
  await page.route("**/jobs/*/start", (route) => held.resolve(route));
  await remove.click();
  const start = await held.promise;
  await dialog.locator("[aria-busy=true]").waitFor();
  // It can't be called back any more, so nobody leaves without seeing it run.
  await page.keyboard.press("Escape");
  expect(await page.getByRole("alertdialog").count()).toBe(0);
  await start.continue();
  await page.unroute("**/jobs/*/start");
  let undone = 0;
  page.on("request", (request) => (undone += Number(request.url().endsWith("/undo"))));
  // The second of two clicks, on the button that comes under the pointer.
  await page.evaluate(() => {
    const observer = new MutationObserver(() => {
      const undo = [...document.querySelectorAll("button")].find(({ textContent }) => textContent === "Undo");
      if (!undo) return;
      undo.click();
      observer.disconnect();
    });
    observer.observe(document.body, { subtree: true, childList: true });
  });
  await dialog.getByText(`${count} of ${count}`).waitFor();
  await dialog.getByText("You may close this: the job goes on").waitFor({ state: "detached" });
  await expect.poll(() => keysIn("removed")).toEqual(before);
  await expect.poll(() => keysIn("dead")).toEqual([]);

  await dialog.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => keysIn("dead")).toEqual(before);
  await expect.poll(() => keysIn("removed")).toEqual([]);
  expect(undone).toBe(1);
  await dialog.getByRole("link", { name: "All results" }).click();
  const job = page.getByRole("dialog", { name: "Job" });
  await job.getByText(`${count} of ${count}`).waitFor();
  await job.getByText(/Queue: .+ · State: \u2068Deadletter/).waitFor();
  await job.getByRole("link", { name: /^Takes job \d+ back$/ }).click();
  await job.getByText("sent twice by the ERP").waitFor();
  await job.getByRole("link", { name: /^Taken back by job \d+$/ }).waitFor();
  await page.getByRole("dialog", { name: "Job" }).getByRole("button", { name: "Close" }).click();
  await page.getByText(`${count} messages`).waitFor();
});

test("what was changed before the connection went is told, and comes back with Undo", async () => {
  // More than the server takes at once.
  const values = Array.from({ length: 1001 }, (_, index) => `colour,litium,${index},magento,${index}`);
  const csv = ["fieldName,source,sourceValue,target,targetValue", ...values].join("\n");
  await stage.workspace.post("/api/v1/tenants/acme/mappings/import", { csv, isDryRun: false });
  await page.goto("/mapping-list");
  await page.getByRole("checkbox", { name: "Select all loaded rows" }).check();
  await page.getByRole("button", { name: "Select all 1,001 that match" }).click();
  await page.route("**/mappings/remove", (route) => (route.request().postDataJSON().ids.length === 1 ? route.abort() : route.continue()));
  await page.getByRole("main").getByRole("button", { name: "Remove" }).click();
  const question = page.getByRole("alertdialog");
  await question.getByLabel("Type acme to confirm").fill("acme");
  await question.getByRole("button", { name: "Remove" }).click();
  await page.getByText("The server cannot be reached.").waitFor();
  await page.getByText("1,000 mappings successfully removed").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("mappings restored").waitFor();
  await page.getByText("Nothing selected").waitFor();
  await page.unroute("**/mappings/remove");
});

test("a job is found again in the header, and has an address with each of its results", async () => {
  await page.getByRole("button", { name: "Jobs", exact: true }).click();
  const list = page.getByRole("dialog", { name: "Jobs" });
  await list.getByText("sent twice by the ERP").waitFor();
  await list.getByRole("link", { name: "All results" }).last().click();
  await page.waitForURL(/\/queue\?job=\d+$/);
  const drawer = page.getByRole("dialog", { name: "Job" });
  await drawer.getByRole("link", { name: "BROKEN-0", exact: true }).waitFor();
  await page.reload();
  await drawer.getByText(`${count} of ${count}`).waitFor();
  // There is no list beside it to go on in.
  expect(await drawer.getByRole("button", { name: /^(Previous|Next)/ }).count()).toBe(0);
  await drawer.getByRole("button", { name: "Close" }).click();
});

test("the focus stays with a job whose pressed button goes away", async () => {
  const owner = stage.database.pool("owner", 1);
  const { rows } = await owner.query<{ id: number }>(
    "update hub.job set state = 'stopped', finished_at = null, total = total + 1 where id = (select max(id) from hub.job where undo_of is null) returning id",
  );
  const id = rows[0]?.id;
  const other = await stage.open({ at: `/queue?job=${id}` });
  const card = other.getByRole("dialog", { name: "Job" }).getByRole("region", { name: "Remove" });
  await card.getByRole("button", { name: "Cancel" }).press("Enter");
  await card.getByText("Cancelled").waitFor();
  await expect.poll(() => card.evaluate((section) => section === document.activeElement)).toBe(true);
  await other.context().close();
  await owner.query("update hub.job set state = 'done', total = total - 1 where id = $1", [id]);
});

test("what a slow search matches is not counted by what was listed before it", async () => {
  await page.goto("/queue?state=dead");
  await page.getByText(`${count} messages`).waitFor();
  await page.getByRole("button", { name: "More filters" }).click();
  const payload = page.getByLabel("Payload field");
  await payload.fill('$.sku contains "-1"');
  await payload.press("Enter");
  await page.keyboard.press("Escape");
  await page.getByText("100 found").waitFor();
  await page.getByRole("checkbox", { name: "Select all loaded rows" }).check();
  const all = page.getByRole("button", { name: "that match" });
  expect(await all.textContent()).toBe("Select everything that matches");
  await all.click();
  await page.getByText("Everything that matches is selected").waitFor();
});

test("closing the question leaves everything as it is", async () => {
  await page.goto("/deadletter-list");
  await page.getByRole("button", { name: "Requeue" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(`Requeue ${count} deadletters?`).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  // An error's group is asked about in the same word, whatever is to be done with it.
  await page.getByRole("button", { name: "Remove" }).click();
  await dialog.getByText(`Remove ${count} deadletters?`).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  await expect.poll(() => keysIn("dead")).toHaveLength(count);
});

test("many that lack no mapping any more are asked about before they are requeued, by a job that leads to them", async () => {
  const owner = stage.database.pool("owner", 1);
  const { rows } = await owner.query<{ id: string }>("select id::text from queue.dead");
  const json = { items: [], total: 0, examined: count, isComplete: true, readyIds: rows.map(({ id }) => id) };
  await page.route("**/missing-mappings", (route) => route.fulfill({ json }));
  await page.goto("/mapping-list?view=missing");
  await page.getByRole("button", { name: `Requeue these ${count}` }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(`Requeue ${count} deadletters?`).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.unroute("**/missing-mappings");
});

test("what a requeue is done with is called requeued, as its target may refuse it again", async () => {
  const [key] = await keysIn("dead");
  await page.goto(`/deadletter-list?key=${key}`);
  await page.getByRole("button", { name: "Requeue" }).click();
  await page.getByRole("dialog", { name: "Requeue 1 deadletter?" }).getByRole("button", { name: "Requeue" }).click();
  const progress = page.getByRole("dialog", { name: "Requeue", exact: true });
  await progress.getByText("Requeued", { exact: true }).waitFor();
  await progress.getByRole("link", { name: "All results" }).click();
  const result = page.getByRole("grid", { name: "Results one by one" }).getByText("Requeued", { exact: true });
  expect(await result.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  await expect.poll(async () => (await keysIn("dead")).length).toBe(count);
  // It died again: the job tells, and lists it.
  const died = page.getByRole("group", { name: "Now" }).getByRole("button", { name: "1 Deadletter" });
  await died.click();
  await expect.poll(() => died.getAttribute("aria-pressed")).toBe("true");
  await page
    .getByRole("grid", { name: "Results one by one" })
    .getByRole("link", { name: key ?? "", exact: true })
    .waitFor();
});

test("a viewer sees the jobs and can change none of them", async () => {
  const viewer = await (await openView(stage.browser, stage.url, desktop)).newPage();
  await signIn(viewer, people.viewer);
  await activateTenant(viewer, "Acme");
  await viewer.goto("/queue?state=dead");
  await viewer
    .getByRole("checkbox", { name: "Select BROKEN-0", exact: true })
    .or(viewer.getByRole("checkbox", { name: "Select all loaded rows" }))
    .first()
    .check();
  const remove = viewer.getByRole("button", { name: "Remove", exact: true });
  await expect.poll(() => remove.getAttribute("title")).toBe("Your role may look, but not change anything");
  await remove.press("Enter");
  await expect.poll(() => viewer.getByRole("dialog").count()).toBe(0);
  await viewer.getByRole("button", { name: "Jobs", exact: true }).click();
  await viewer.getByRole("dialog", { name: "Jobs" }).getByText("sent twice by the ERP").waitFor();
  await viewer.context().close();
});

/** Removes all external messages by a job that stands still until its dialog is closed; `before` happens when they have been counted. */
async function removeWithDialogClosed(before: () => Promise<unknown> = async () => undefined): Promise<void> {
  await page.goto("/externalmessages");
  await page.getByRole("checkbox", { name: "Select all loaded rows" }).check();
  await page.getByRole("button", { name: `Select all ${count} that match` }).click();
  await page.locator("[data-toolbar]").getByRole("button", { name: "Remove" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(`Remove ${count} external messages?`).waitFor();
  await before();
  const holder = await stage.database.pool("owner", 1).connect();
  try {
    await holder.query("begin");
    await holder.query("select from hub.job_item for update");
    await dialog.getByLabel("Reason").fill("sent twice by the ERP");
    await dialog.getByLabel("Type acme to confirm").fill("acme");
    await dialog.getByRole("button", { name: "Remove" }).click();
    await dialog.getByText("You may close this: the job goes on").waitFor();
    await dialog.getByRole("button", { name: "Close" }).last().click();
    await dialog.waitFor({ state: "detached" });
  } finally {
    await holder.query("rollback");
    holder.release();
  }
}

async function removedCount(): Promise<number> {
  const sql = "select count(*)::int as count from hub.external_message where removed_at is not null";
  return (await stage.database.pool("owner", 1).query<{ count: number }>(sql)).rows[0]?.count ?? 0;
}

test("a job whose dialog is closed early tells of its end in the notice bar, with Undo, which tells of its own", async () => {
  await removeWithDialogClosed();
  const notices = page.locator("p[data-type=success]");
  await notices.getByText("All external messages successfully removed").waitFor();
  expect(await removedCount()).toBe(count);
  await page.getByRole("button", { name: "Undo" }).click();
  await notices.getByText(`Restore: ${count} of ${count} done`).waitFor();
  expect(await page.getByRole("button", { name: "Undo" }).count()).toBe(0);
  expect(await removedCount()).toBe(0);
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.getByRole("grid", { name: "Results one by one" }).waitFor();
});

test("a job whose dialog is closed early tells how many it has done where a colleague was faster with some", async () => {
  const oldest = "select min(id) from hub.external_message";
  await removeWithDialogClosed(() =>
    stage.database.pool("owner", 1).query(`update hub.external_message set removed_at = now(), removed_by = 'Bo' where id = (${oldest})`),
  );
  await page.getByText(`Remove: ${count - 1} of ${count} done · 1 skipped`).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(removedCount).toBe(1);
});

test("documents of one error are patched: tried out first, then a few are sent, then the rest", async () => {
  for (let index = 0; index < 9; index++) await stage.workspace.pushRaw({ schemaVersion: 1, sku: `MUG-${index}`, name: "BROKEN mug" });
  await expect.poll(async () => (await keysIn("dead")).length).toBe(count + 9);
  await page.goto("/deadletter-list");
  await page.getByRole("button", { name: "Bulk patch" }).click();
  const form = page.getByRole("dialog", { name: "Patch many deadletters" });
  await form.getByLabel("Field").fill("$.name");
  await form.getByLabel("Present value").fill("BROKEN mug");
  await form.getByLabel("New value").fill("Mug");
  await form.getByRole("button", { name: "Try it out" }).click();

  const trial = page.getByRole("dialog", { name: `Dry run on ${count + 9} deadletters` });
  await trial.getByText("Would change: 9", { exact: true }).waitFor();
  // Newer data takes the place of one meanwhile.
  await stage.workspace.pushRaw({ schemaVersion: 1, sku: "MUG-8", name: "Mug" });
  await trial.getByText("Would change: 8", { exact: true }).waitFor();
  await trial.getByText("No longer a deadletter: 1", { exact: true }).waitFor();
  await trial.getByText(`Nothing to change in it: ${count}`, { exact: true }).waitFor();
  await trial.getByLabel("Shown").selectOption(`Nothing to change in it (${count})`);
  const row = trial.getByRole("listitem").filter({ hasText: "Nothing to change in it" }).first();
  const below = () =>
    row.evaluate((item) => item.getBoundingClientRect().bottom - (item.querySelector("p span")?.getBoundingClientRect().bottom ?? 0));
  await expect.poll(below).toBeGreaterThan(6);
  await trial.getByLabel("Shown").selectOption("Would change (8)");
  await trial.getByText("MUG-0", { exact: true }).waitFor();
  await trial.getByText('"BROKEN mug"').first().waitFor();
  await expect.poll(() => keysIn("dead")).toHaveLength(count + 8);

  await trial.getByLabel("Reason *", { exact: true }).fill("the colour is known as Mug");
  await trial.getByLabel("Type acme to confirm").fill("acme");
  await trial.getByRole("button", { name: "Start with one" }).click();
  const progress = page.getByRole("dialog", { name: "Bulk patch" });
  await progress.getByText(`${count + 9} of ${count + 9}`).waitFor({ timeout: 60_000 });
  await progress.getByText("Done", { exact: true }).waitFor();
  await progress.getByText(`${count + 1} skipped`).waitFor();
  await expect.poll(() => keysIn("dead")).toHaveLength(count);
  await progress.getByRole("button", { name: "Close" }).click();
});

test("one error's dead letters are redirected to another target: tried out first, and Undo brings back what still waits there", async () => {
  await stage.workspace.post("/api/v1/tenants/acme/integration-points", {
    subtenantCode: "main",
    connector: "centra",
    code: "warehouse",
    name: "The warehouse",
    deliveryMode: "pull",
    sourceTypes: ["item"],
    targetTypes: ["item"],
    settings: { url: "https://warehouse.example" },
  });
  await page.goto("/deadletter-list");
  await page.getByRole("button", { name: "Redirect" }).click();
  const form = page.getByRole("dialog", { name: "Redirect to another target" });
  await form.getByRole("combobox", { name: "Target queue" }).click();
  await page.getByRole("option", { name: "The warehouse · centra.item · main" }).click();
  await form.getByRole("button", { name: "Try it out" }).click();

  const trial = page.getByRole("dialog", { name: `Redirect ${count} messages?` });
  await trial.getByText(`Can go: ${count}`, { exact: true }).waitFor();
  await expect.poll(() => keysIn("dead")).toHaveLength(count);
  await trial.getByLabel("Reason *", { exact: true }).fill("the warehouse takes over");
  await trial.getByLabel("Type acme to confirm").fill("acme");
  await trial.getByRole("button", { name: "Redirect" }).click();

  const progress = page.getByRole("dialog", { name: "Redirect" });
  await progress.getByText(`${count} of ${count}`).waitFor();
  await progress.getByText("to The warehouse · centra.item").waitFor();
  await expect.poll(() => keysIn("dead")).toEqual([]);
  await progress.getByRole("button", { name: "Undo" }).click();
  await progress.getByRole("link", { name: /^Takes job \d+ back$/ }).waitFor();
  // Its own target is asked again, and refuses each again.
  await expect.poll(async () => (await keysIn("dead")).length, { timeout: 60_000 }).toBe(count);
});
