import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { desktop, ready } from "./browser.ts";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;
let page: Page;

/** What a busy machine needs for a run. */
const patience = { timeout: 120_000 };

beforeAll(async () => {
  stage = await openStage();
  await stage.workspace.pushItems("LAMP-1", "LAMP-2");
  await stage.workspace.pushRaw({ schemaVersion: 1, sku: "CHAIR-1", name: 5 });
  page = await stage.open();
});

afterAll(() => stage?.close());

test("a rejected message is corrected, replayed and delivered, and the two lead to each other", async () => {
  await page.goto("/externalmessages?state=rejected");
  await page.getByRole("row").getByText("must be a text").waitFor();
  await page.locator("main [data-row-link]").first().click();
  await page.getByRole("heading", { name: "Why it was rejected" }).waitFor();
  await page.getByRole("link", { name: "Trace", exact: true }).click();
  await page.getByRole("listitem").filter({ hasText: "External message" }).waitFor();
  await page.goBack();
  await page.getByRole("treeitem").filter({ hasText: "name" }).locator(".text-bad").waitFor();
  const rejected = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  await page.getByRole("button", { name: "Correct and replay" }).click();
  const editor = page.getByLabel("Mend the message.");
  await page.getByRole("button", { name: "Check", exact: true }).click();
  await page.getByText("It would be rejected").waitFor();
  await editor.fill(JSON.stringify({ schemaVersion: 1, sku: "CHAIR-1", name: "Chair" }));
  await page.getByRole("button", { name: "Check", exact: true }).click();
  await page.getByText("It can be sent").waitFor();
  await page.getByRole("button", { name: "Replay", exact: true }).click();
  await page.getByText("Sent through again: 1 message published").waitFor();
  await page.getByText("Delivered").first().waitFor();
  await page.getByRole("link", { name: rejected }).click();
  await page.getByText("Sent through again as").waitFor();
});

test("whoever closes a correction while it is being checked sends nothing", async () => {
  await page.goto("/externalmessages?state=rejected");
  await page.locator("main [data-row-link]").first().click();
  const held = Promise.withResolvers<Route>();
  await page.route("**/check", (route) => held.resolve(route));
  const sent: string[] = [];
  page.on("request", (request) => request.method() === "POST" && sent.push(new URL(request.url()).pathname.replace(/.*\//, "")));
  await page.getByRole("button", { name: "Correct and replay" }).click();
  await page.getByLabel("Mend the message.").fill(JSON.stringify({ schemaVersion: 1, sku: "CHAIR-2", name: "Chair" }));
  await page.getByRole("button", { name: "Replay", exact: true }).click();
  const route = await held.promise;
  await page.getByRole("button", { name: "Cancel" }).click();
  await route.continue();
  await ready(page);
  await page.getByRole("button", { name: "Correct and replay" }).waitFor();
  expect(sent).toEqual(["check"]);
  await page.unroute("**/check");
});

test("what stands in the editor is what is sent through intake, however slowly it is checked", async () => {
  await page.goto("/externalmessages?state=rejected");
  await page.locator("main [data-row-link]").first().click();
  const held = Promise.withResolvers<Route>();
  await page.route("**/check", (route) => held.resolve(route));
  await page.getByRole("button", { name: "Correct and replay" }).click();
  const editor = page.getByLabel("Mend the message.");
  await editor.fill(JSON.stringify({ schemaVersion: 1, sku: "CHAIR-3", name: "Chair" }));
  await page.getByRole("button", { name: "Replay", exact: true }).click();
  const route = await held.promise;
  await editor.press("x");
  const standing = await editor.inputValue();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname.replace(/.*\//, "")));
  await page.getByRole("button", { name: "Replay", exact: true }).click({ force: true });
  await page.getByRole("button", { name: "Check", exact: true }).click({ force: true });
  const replay = page.waitForRequest("**/replay");
  await route.continue();
  expect((await replay).postDataJSON()).toEqual({ body: standing });
  await page.getByText("Sent through again: 1 message published").waitFor();
  // Pressed again meanwhile, it is asked and sent once.
  expect(asked.filter((name) => name === "check" || name === "replay")).toEqual(["replay"]);
  await page.unroute("**/check");
});

test("whoever comes back to a list finds it as it was left, whatever view it opens with", async () => {
  const view = { list: "/externalmessages", name: "Taken in", query: "state=accepted", isShared: false };
  await stage.workspace.post("/api/v1/tenants/acme/saved-views", view);
  await page.goto("/externalmessages");
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("button", { name: "Open the list with Taken in" }).click();
  await page.getByRole("button", { name: "Open the list with Taken in", pressed: true }).waitFor();
  await page.goto("/externalmessages");
  await page.waitForURL(({ search }) => search === "?state=accepted");
  await page.getByRole("button", { name: "Clear all" }).click();
  await page.waitForURL(({ search }) => search === "");
  await page.locator("main [data-row-link]").first().click();
  await page.getByRole("heading", { name: "Headers" }).waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "External Messages" }).waitFor();
  await ready(page);
  expect(new URL(page.url()).search).toBe("");
  await page.getByRole("navigation").getByRole("link", { name: "Queue", exact: true }).click();
  // A list that nothing has taken the place of yet is still the same one.
  await page.getByRole("heading", { name: "Queue", exact: true }).waitFor();
  await page.getByRole("navigation").getByRole("link", { name: "External Messages" }).click();
  await page.waitForURL(({ search }) => search === "?state=accepted");
  await page.getByRole("button", { name: "Taken in" }).click();
  await page.getByRole("button", { name: "Remove Taken in" }).click();
  await page.getByRole("button", { name: "Remove Taken in" }).waitFor({ state: "detached" });
});

test("masked values of an XML body are shown for a reason", async () => {
  await stage.workspace.pushRaw("<item><sku>VASE-1</sku><email>eva@example.com</email></item>");
  await page.goto("/externalmessages?state=rejected");
  await page.locator("main [data-row-link]").first().click();
  await page.getByText("<email>••• ").waitFor();
  await expect.poll(() => page.getByText("eva@example.com").count()).toBe(0);
  await page.getByRole("button", { name: "Reveal masked values" }).click();
  const dialog = page.getByRole("dialog", { name: "Reveal a value" });
  await dialog.getByLabel("Reason").fill("she asked for her data");
  await dialog.getByRole("button", { name: "Reveal", exact: true }).click();
  await dialog.getByText("<email>eva@example.com</email>").waitFor();
  await dialog.getByRole("button", { name: "Close", exact: true }).first().click();
});

test("numbers of a body are shown with all their digits", async () => {
  await stage.workspace.pushRaw('{"orderId":9007199254740993,"ratio":0.12345678901234567891}');
  await page.goto("/externalmessages?state=rejected");
  await page.locator("main [data-row-link]").first().click();
  await page.getByRole("treeitem", { name: "orderId: 9007199254740993", exact: true }).waitFor();
  await page.getByRole("treeitem", { name: "ratio: 0.12345678901234567891", exact: true }).waitFor();
});

test("all external messages are removed once the tenant's code is typed, and come back with Undo, nothing missing", async () => {
  await page.goto("/externalmessages");
  const rows = page.locator("main [data-row-link]");
  await rows.first().waitFor();
  const before = await rows.count();
  await page.locator("main [role=grid] input").first().check();
  await page.locator("[data-toolbar] button.text-bad").click();
  const dialog = page.getByRole("alertdialog");
  const remove = dialog.getByRole("button", { name: "Remove" });
  await expect.poll(() => remove.getAttribute("aria-disabled")).toBe("true");
  await dialog.getByLabel("Type acme to confirm").fill("acme");
  await remove.click();
  await page.getByText("All external messages successfully removed").waitFor();
  await page.getByText("What comes in stands here, as it came.").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await rows.first().waitFor();
  await expect.poll(() => rows.count()).toBe(before);
});

test("what is removed under a filter is counted, as not all are gone", async () => {
  await page.goto("/externalmessages?state=rejected");
  const rows = page.locator("main [data-row-link]");
  await page.getByText("3 messages").waitFor();
  await page.locator("main [role=grid] input").first().check();
  await page.locator("[data-toolbar] button.text-bad").click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("3 external messages successfully removed", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  // The rows may stand there from before.
  await page.getByText("3 external messages restored").waitFor();
  await expect.poll(() => rows.count()).toBe(3);
});

test("all that match go through intake again by a job, counted first, with a result for each", async () => {
  await page.goto("/externalmessages?key=LAMP-2");
  await page.locator("main [data-row-link]").first().waitFor();
  await page.locator("main [role=grid] input").first().check();
  await page.locator("[data-toolbar]").getByRole("button", { name: "Replay" }).click();
  const dialog = page.getByRole("dialog", { name: "Send 1 external message through again?" });
  await dialog.getByRole("button", { name: "Replay" }).click();
  const running = page.getByRole("dialog", { name: "Replay" });
  await running.getByText("1 of 1").waitFor();
  await running.getByText("Done").first().waitFor();
  await running.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Jobs", exact: true }).click();
  await page.getByRole("dialog", { name: "Jobs" }).getByRole("link").first().click();
  await page.getByRole("grid", { name: "Results one by one" }).getByRole("link", { name: "LAMP-2" }).waitFor();
});

test("why a job left a message alone is told in the reader's language", async () => {
  const italian = await stage.open({ at: "/externalmessages?state=rejected", view: { ...desktop, locale: "it" } });
  await italian.locator("main [data-row-link]").first().waitFor();
  await italian.locator("main [role=grid] input").first().check();
  const replay = { name: "Rielabora", exact: true };
  await italian.locator("[data-toolbar]").getByRole("button", replay).click();
  await italian.getByRole("dialog").getByRole("button", replay).click();
  await italian.getByRole("dialog").getByText("item[0].name: dev’essere un testo").waitFor({ state: "attached" });
  await italian.context().close();
});

test("an external item is removed and comes back with Undo", async () => {
  await page.goto("/externalitems?key=LAMP-1");
  await page.getByRole("link", { name: "LAMP-1" }).waitFor();
  await page.getByRole("grid").getByRole("checkbox").last().check();
  await page.locator("[data-toolbar] button.text-bad").click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("External item successfully removed").waitFor();
  await page.getByRole("link", { name: "LAMP-1" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("link", { name: "LAMP-1" }).waitFor();
});

test("an import tells wrong lines by their number and imports nothing, then imports what is right", async () => {
  await page.goto("/externalitems");
  await page.getByRole("button", { name: "Import CSV" }).click();
  const choose = (csv: string, encoding: BufferEncoding = "utf8") =>
    page.getByLabel("CSV file").setInputFiles({ name: "items.csv", mimeType: "text/csv", buffer: Buffer.from(csv, encoding) });
  await choose("integrationPoint,entityType,key,externalId\nshop,item,SÄNG-1,9\n", "latin1");
  await page.getByText("This file is not text in UTF-8").waitFor();
  await choose("");
  await page.getByText("This file is empty.").waitFor();
  await choose("integrationPoint,entityType,key,externalId\nshop,item,SOFA-1,9\nshop,thing,SOFA-2,10\n");
  await page.getByText("Line 3:").waitFor();
  await choose("integrationPointCode,entityType,key,externalId\nshop,item,SOFA-1,9\n");
  await page.getByText("1 new, 0 changed, 0 unchanged").waitFor();
  const go = page.getByRole("button", { name: "Import", exact: true });
  await page.route("**/external-items/import", (route) => route.fulfill({ status: 403, json: { code: "permission-missing" } }), {
    times: 1,
  });
  await go.click();
  await page.getByRole("dialog").getByRole("alert").getByText("Your role does not permit this.").waitFor();
  await go.click();
  await page.getByText("1 external item imported").waitFor();
  await page.getByText("SOFA-1").first().waitFor();
});

test("of two files chosen one after the other the first one, read late, is not imported in the place of the second", async () => {
  await page.goto("/externalitems");
  await page.getByRole("button", { name: "Import CSV" }).click();
  const choose = (name: string, content: Buffer) =>
    page.getByLabel("CSV file").setInputFiles({ name, mimeType: "text/csv", buffer: content });
  const reading = await page.evaluateHandle(() => {
    const text = Object.getOwnPropertyDescriptor(Blob.prototype, "text")!;
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    const { promise: wasRead, resolve: read } = Promise.withResolvers<void>();
    Blob.prototype.text = async function () {
      Object.defineProperty(Blob.prototype, "text", text);
      read();
      await isReleased;
      return this.text();
    };
    return { wasRead, release };
  });
  await choose("first.csv", Buffer.from("integrationPoint,entityType,key,externalId\nshop,item,FIRST-1,9\n"));
  await reading.evaluate(({ wasRead }) => wasRead);
  await choose("second.csv", Buffer.from("sku\nS\u00c4NG\n", "latin1"));
  await page.getByText("This file is not text in UTF-8").waitFor();
  const checked = page.waitForResponse(/external-items\/import/);
  await reading.evaluate(({ release }) => release());
  await checked;
  await page.getByText("This file is not text in UTF-8").waitFor();
  expect(await page.getByRole("button", { name: "Import", exact: true }).isDisabled()).toBe(true);
});

test("an import that overwrote external ids is taken back with Undo", async () => {
  await page.goto("/externalitems?key=LAMP-1");
  const row = page.getByRole("row").filter({ hasText: "LAMP-1" });
  const before = await row.innerText();
  await page.getByRole("button", { name: "Import CSV" }).click();
  const csv = "integrationPoint,entityType,key,externalId\nshop,item,LAMP-1,overwritten\n";
  await page.getByLabel("CSV file").setInputFiles({ name: "items.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
  await page.getByText("0 new, 1 changed, 0 unchanged").waitFor();
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await row.getByText("overwritten").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Import of 1 external item undone").waitFor();
  await expect.poll(() => row.innerText()).toBe(before);
});

test("that an item's source deleted it leaves its key whole in the lists", async () => {
  const owner = stage.database.pool("owner", 1);
  await owner.query("update hub.entity set deleted_at = now() - interval '5 hours' where business_key = 'LAMP-1'");
  for (const list of ["/externalitems", "/entities?entity=item"]) {
    await page.goto(list);
    await page.getByRole("row").getByText("Deleted at its source").first().waitFor();
    const key = page.getByRole("link", { name: "LAMP-1", exact: true }).first();
    expect([list, await key.evaluate((link) => link.scrollWidth <= link.clientWidth)]).toEqual([list, true]);
  }
  await owner.query("update hub.entity set deleted_at = null");
});

test("two versions of an entity are compared and the current one is sent again", async () => {
  await stage.workspace.pushRaw({ schemaVersion: 1, sku: "LAMP-2", name: "A new name" });
  await page.goto("/entities");
  await page.getByRole("link", { name: "LAMP-2" }).click();
  await page.getByText("In sync").waitFor();
  await page.getByRole("link", { name: "Compare" }).click();
  await page.getByRole("heading", { name: "From version 1 to version 2" }).waitFor();
  await page.getByText("Article LAMP-2").waitFor();
  await page.getByRole("button", { name: "Resync The shop" }).click();
  await page.getByText("Version 2 goes out again: 1 message published").waitFor();
  await page.getByRole("link", { name: "Latest message" }).click();
  await page.waitForURL("**/queue/details/*");
  await page.getByText("Delivered").first().waitFor();
});

test("under filters only the objects that match are sent anew", async () => {
  await page.goto("/entities?key=LAMP-2");
  await page.getByRole("button", { name: "Resync all that match" }).click();
  await page.getByText("1 object of Main shop is sent.").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Start" }).click();
  await page.waitForURL("**/jobstatus-list?run=*");
  await page.getByText("1 of 1, 1 queued").first().waitFor(patience);
  await page.getByRole("link", { name: "Messages queued meanwhile" }).click();
  await page.getByRole("link", { name: "LAMP-2" }).waitFor();
});

test("what is sent anew is counted by subtenant, to a target that somebody has chosen, and all of a type only with the tenant's code", async () => {
  const { workspace, database, target } = stage;
  await workspace.post("/api/v1/tenants/acme/subtenants", { code: "second", name: "Second shop" });
  const point = { subtenantCode: "second" };
  const points = "/api/v1/tenants/acme/integration-points";
  await workspace.post(points, { ...point, connector: "litium", code: "erp-2", name: "The second ERP", sourceTypes: ["item"] });
  const settings = { url: target.url };
  await workspace.post(points, { ...point, connector: "magento", code: "shop-2", name: "The second", targetTypes: ["item"], settings });
  const owner = database.pool("owner", 1);
  for (const table of ["entity_version", "entity"])
    await owner.query(
      `update hub.${table} set subtenant_id = point.subtenant_id, integration_point_id = point.id
       from hub.integration_point point where point.code = 'erp-2' and business_key = 'LAMP-1'`,
    );
  await page.goto("/entities");
  await page.getByRole("checkbox", { name: "Select all loaded rows" }).check();
  await page.getByRole("button", { name: "Resync selected" }).click();
  const dialog = page.getByRole("dialog");
  const chosen = dialog.getByLabel("Integration point");
  await chosen.selectOption("The second");
  await dialog.getByText("1 object of Second shop is sent.").waitFor();
  await dialog.getByText(/\d+ of other subtenants are left out\./).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.goto("/entities");
  await page.getByRole("button", { name: "Resync all" }).click();
  expect(await chosen.inputValue()).toBe("");
  await chosen.selectOption("The second");
  await dialog.getByText("1 object of Second shop is sent.").waitFor();
  const start = dialog.getByRole("button", { name: "Start" });
  await dialog.getByLabel("Reason *").fill("its database was restored");
  expect(await start.getAttribute("aria-disabled")).toBe("true");
  await dialog.getByLabel("Type acme to confirm").fill("acme");
  await start.click();
  await page.waitForURL("**/jobstatus-list?run=*");
  await page.getByText("1 of 1, 1 queued").first().waitFor(patience);
  await page.getByRole("dialog").getByText("its database was restored").waitFor();
});
