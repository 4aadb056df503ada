import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ready, settle } from "./browser.ts";
import { changeLook } from "./look.ts";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;
let page: Page;

beforeAll(async () => {
  stage = await openStage();
  const value = { fieldName: "color", source: "litium", sourceValue: "Black", target: "magento", targetValue: "Svart" };
  await stage.workspace.post("/api/v1/tenants/acme/mappings", value);
  await stage.workspace.pushItems("LAMP-1", "LAMP-2");
  page = await stage.open();
});
afterAll(() => stage?.close());

async function open(path: string): Promise<void> {
  await page.goto(path);
  await ready(page);
}

test("a value edited in its row is saved over what the editor saw, not over what a colleague wrote meanwhile", async () => {
  await open("/mapping-list");
  await page.getByRole("button", { name: "Target value: Svart" }).click();
  const field = page.getByRole("textbox", { name: "Target value" });
  await field.fill("Noir");
  const colleague = await stage.open({ at: "/mapping-list" });
  await colleague.getByRole("button", { name: "Target value: Svart" }).click();
  await colleague.getByRole("textbox", { name: "Target value" }).fill("Negro");
  // The row is read again while it is being edited.
  const read = page.waitForResponse(async (response) => response.url().includes("/mappings?") && (await response.text()).includes("Negro"));
  await colleague.keyboard.press("Enter");
  await read;
  await field.press("Enter");
  await page.getByText("changed this mapping meanwhile", { exact: false }).waitFor();
  // What was typed stays, beside what is stored by now.
  await page.getByTitle("Not saved. Stored is: Negro").waitFor();
  await expect.poll(() => field.inputValue()).toBe("Noir");
  await field.press("Escape");
  await page.getByRole("button", { name: "Target value: Negro" }).waitFor();
  await colleague.context().close();
});

test("no key on a closed list of a row chooses from it; Enter and a press in the open one do", async () => {
  await open("/mapping-list");
  const changes: (string | null)[] = [];
  page.on("request", (request) => request.method() === "PATCH" && changes.push(request.postData()));
  const target = page.getByRole("combobox", { name: "Target: " });
  await target.focus();
  for (const key of ["s", "ArrowDown", "Escape", "Enter", "Escape"]) await page.keyboard.press(key);
  await expect.poll(() => target.getAttribute("aria-expanded")).toBe("false");
  await page.keyboard.press("Enter");
  const finder = page.getByRole("dialog", { name: "Target" }).getByRole("combobox");
  await finder.and(page.locator(":focus")).waitFor();
  await page.keyboard.type("shopi");
  await page.keyboard.press("Enter");
  await page.getByRole("combobox", { name: "Target: Shopify" }).and(page.locator(":focus")).click();
  await page.getByRole("listbox").getByRole("option", { name: "Magento" }).click();
  await page.getByRole("combobox", { name: "Target: Magento" }).waitFor();
  expect(changes).toEqual(['{"target":"shopify"}', '{"target":"magento"}']);
});

test("who leaves a form without saving has saved nothing", async () => {
  await open("/tenant/acme");
  const changes: string[] = [];
  page.on("request", (request) => request.method() === "PATCH" && changes.push(request.url()));
  await page.getByLabel("Name", { exact: true }).fill("Not to be saved");
  await page.getByRole("navigation").getByRole("link", { name: "Queue", exact: true }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Leave" }).click();
  await page.getByRole("link", { name: "LAMP-1", exact: true }).waitFor();
  expect(changes).toEqual([]);
});

test("a dialog asks before what was typed in it is lost, and closes at once where nothing was", async () => {
  await open("/mapping-list");
  const dialog = page.getByRole("dialog", { name: "Add a mapping" });
  const question = page.getByRole("alertdialog");
  const sourceValue = dialog.getByLabel("Source value");
  await page.getByRole("button", { name: "Add a mapping" }).click();
  await sourceValue.fill("Navy");
  await sourceValue.fill("");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  for (const leave of [() => page.keyboard.press("Escape"), () => dialog.getByRole("button", { name: "Cancel" }).click()]) {
    await page.getByRole("button", { name: "Add a mapping" }).click();
    await sourceValue.fill("Navy");
    await leave();
    await question.getByRole("button", { name: "Cancel" }).click();
    await question.waitFor({ state: "detached" });
    await expect.poll(() => sourceValue.inputValue()).toBe("Navy");
    await leave();
    await question.getByRole("button", { name: "Leave" }).click();
    await dialog.waitFor({ state: "detached" });
  }
});

test("an answer that comes late closes no dialog but the one that waits for it", async () => {
  await open("/alerts?view=rules");
  const held = Promise.withResolvers<Route>();
  await page.route("**/alert-rules/*", (route) => held.resolve(route));
  const dialog = page.getByRole("dialog", { name: "Edit rule" });
  const threshold = dialog.getByRole("textbox").first();
  const edit = page.getByRole("button", { name: "Edit" });
  await edit.first().click();
  await threshold.fill("77");
  await dialog.getByRole("button", { name: "Save" }).click();
  const route = await held.promise;
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Leave" }).click();
  await edit.last().click();
  await threshold.fill("88");
  await route.continue();
  await page.getByText("Changes saved").waitFor();
  await ready(page);
  expect(await threshold.inputValue()).toBe("88");
  await page.unroute("**/alert-rules/*");
});

test("a note that was begun waits at its message while another one is read", async () => {
  await open("/queue");
  const note = page.getByLabel("Note to the team");
  await page.getByRole("link", { name: "LAMP-1", exact: true }).click();
  await note.fill("Ask the shop");
  await page.keyboard.press("Escape");
  await note.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "LAMP-2", exact: true }).click();
  await note.waitFor();
  await expect.poll(() => note.inputValue()).toBe("");
  await page.reload();
  await page.getByRole("link", { name: "LAMP-1", exact: true }).click();
  await page.getByRole("dialog", { name: "LAMP-1" }).waitFor();
  await expect.poll(() => note.inputValue()).toBe("Ask the shop");
});

test("an emptied number field says what is needed, and keeps its number", async () => {
  await open("/alerts?view=rules");
  await page.getByRole("button", { name: "New rule" }).click();
  const dialog = page.getByRole("dialog", { name: "New rule" });
  const number = dialog.getByRole("textbox", { name: "Number of deadletters" });
  await number.fill("");
  await dialog.getByText("A number from 1 to 1,000,000 is needed").waitFor();
  await number.press("Enter");
  await number.press("Tab");
  await expect.poll(() => number.inputValue()).toBe("100");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
});

test("which masked fields the server doesn't take stands beside them", async () => {
  await open("/tenant/acme");
  const fields = page.locator("textarea");
  await fields.fill("email\n\nphone, fax\n");
  const form = page.locator("form").filter({ has: fields });
  await form.getByRole("button", { name: "Save", exact: true }).click();
  await form.getByRole("alert").getByText("phone, fax: isn’t of the form that is needed").waitFor();
  await fields.fill("email\nphone");
  await form.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Changes saved").first().waitFor();
  await form.getByRole("alert").waitFor({ state: "hidden" });
});

test("keys that compose a character neither save nor drop what is typed", async () => {
  await open("/mapping-list");
  await page.getByRole("button", { name: "Target value: Negro" }).click();
  const field = page.getByRole("textbox", { name: "Target value" });
  await field.fill("heise");
  // What ends a composition, Safari tells of afterwards, by nothing but the code of such keys.
  for (const how of [{ isComposing: true }, { keyCode: 229 }])
    for (const key of ["Enter", "Escape"]) {
      await field.evaluate((input, init) => input.dispatchEvent(new KeyboardEvent("keydown", init)), { key, bubbles: true, ...how });
      await expect.poll(() => field.inputValue()).toBe("heise");
    }
  await field.press("Escape");
  await page.getByRole("button", { name: "Target value: Negro" }).waitFor();
});

test("what is pressed has the focus and gets it back, also where a click gives it to what stands around", async () => {
  await open("/mapping-list");
  // As in Safari.
  await page.evaluate(() =>
    addEventListener("mousedown", (event) => {
      const button = event.target instanceof Element && event.target.closest("button");
      if (!button) return;
      event.preventDefault();
      button.parentElement?.closest<HTMLElement>("[tabindex]")?.focus();
    }),
  );
  const value = page.getByRole("button", { name: "Target value: " });
  await value.click();
  await page.getByRole("textbox", { name: "Target value" }).and(page.locator(":focus")).press("Escape");
  const add = page.getByRole("button", { name: "Add a mapping" });
  await add.click();
  await page.getByRole("dialog").locator(":focus").press("Escape");
  await add.and(page.locator(":focus")).waitFor();
});

test("a filter that was just typed doesn't call back who goes on to another screen", async () => {
  await page.clock.install();
  await open("/queue");
  const code = Promise.withResolvers<void>();
  await page.route("**/assets/retry-queue-page-*.js", async (route) => {
    await code.promise;
    await route.continue();
  });
  await page.getByRole("textbox", { name: "Business key" }).pressSequentially("LAMP");
  await page.getByRole("navigation").getByRole("link", { name: "Retry Queue", exact: true }).click();
  // The pause after which a filter applies by itself.
  await page.clock.fastForward(1000);
  code.resolve();
  await page.getByRole("heading", { name: "Retry Queue" }).waitFor();
  await page.goBack();
  await page.waitForURL("**/queue?key=LAMP");
});

test("a blank that a filter leaves out stays in its field for the word that follows", async () => {
  await open("/deadletter-list?view=list");
  await page.getByRole("button", { name: "More filters" }).click();
  const source = page.getByRole("textbox", { name: "Source" });
  await source.pressSequentially("web ");
  await page.clock.fastForward(1000);
  await page.waitForURL(({ searchParams }) => searchParams.get("source") === "web");
  await source.pressSequentially("hook");
  await page.clock.fastForward(1000);
  await page.waitForURL(({ searchParams }) => searchParams.get("source") === "web hook");
});

test("the year of a period can be typed, digit by digit", async () => {
  await open("/queue?from=2026-03-01T09%3A30%3A00.000Z");
  await page.getByRole("button", { name: "More filters" }).click();
  const from = page.getByLabel("From", { exact: true });
  // What the field holds after each digit of 2025.
  for (const year of ["0002", "0020", "0202", "2025"]) {
    await from.fill(`${year}-03-01T09:30`);
    await settle(page);
    await expect.poll(() => from.inputValue()).toBe(`${year}-03-01T09:30`);
  }
  await page.waitForURL("**/queue?from=2025-03-01T*");
});

test("a moment of which a part is taken away keeps the others", async () => {
  await open("/queue?from=2026-03-01T09%3A30%3A00.000Z");
  await page.getByRole("button", { name: "More filters" }).click();
  const from = page.getByLabel("From", { exact: true });
  await from.press("Backspace");
  await page.waitForURL(({ searchParams }) => !searchParams.has("from"));
  await settle(page);
  // Chromium keeps them anyhow; Firefox takes them away as soon as the attribute is written.
  expect(await from.getAttribute("value")).toBeNull();
  await from.pressSequentially("04");
  await page.waitForURL("**/queue?from=2026-04-01T*");
});

test("a period is set to yesterday, from midnight to midnight, with one click", async () => {
  await open("/audit-log");
  await page.getByRole("button", { name: "Yesterday" }).click();
  await page.waitForURL(({ searchParams }) => searchParams.has("from") && searchParams.has("to"));
  const period = () => Promise.all(["From", "To"].map((name) => page.getByLabel(name, { exact: true }).inputValue()));
  const midnight = expect.stringMatching(/T00:00$/);
  await expect.poll(period).toEqual([midnight, midnight]);
  const [from, to] = await period();
  expect(Date.parse(`${to}Z`) - Date.parse(`${from}Z`)).toBe(86_400_000);
  await page.getByRole("button", { name: "Today" }).click();
  await page.waitForURL(({ searchParams }) => searchParams.has("from") && !searchParams.has("to"));
  await expect.poll(period).toEqual([to, ""]);
});

test("why a subtenant was not made is told in the dialog, which makes it once that is over", async () => {
  await open("/subtenant-list");
  await page.getByRole("button", { name: "Add subtenant" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Code").fill("later");
  await dialog.getByLabel("Name").fill("Later");
  const made = "**/tenants/acme/subtenants";
  await page.route(made, (route) => (route.request().method() === "POST" ? route.abort("connectionreset") : route.continue()));
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText(/^(There is no connection\.|The server has not answered\.)/).waitFor();
  await page.unroute(made);
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("Later created").waitFor();
  await dialog.waitFor({ state: "detached" });
});

test("half a time goes when all filters are cleared", async () => {
  await open("/audit-log?outcome=done");
  const from = page.getByLabel("From", { exact: true });
  const isHalf = () => from.evaluate((field: HTMLInputElement) => field.validity.badInput);
  await from.pressSequentially("04");
  expect(await isHalf()).toBe(true);
  await page.getByRole("button", { name: "Clear all" }).click();
  await page.waitForURL("**/audit-log");
  await expect.poll(isHalf).toBe(false);
});

test("a change of settings leads from the audit log to the versions, where it is taken back", async () => {
  await open("/configuration?point=1");
  const name = page.getByLabel("Name *");
  const before = await name.inputValue();
  await name.fill("Renamed by mistake");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Changes saved").waitFor();
  await open("/audit-log?action=updateIntegrationPoint");
  await page.locator("main [data-row-link]").first().click();
  const link = page.getByRole("dialog").getByRole("link", { name: "Versions" });
  expect(await link.getAttribute("href")).toBe("/configuration?point=1&active_tenant=acme#versions");
  await link.click();
  const versions = page.locator("#versions");
  await expect.poll(() => versions.evaluate((card) => card.getBoundingClientRect().top < innerHeight)).toBe(true);
  await versions.getByText("Version 2").click();
  await versions.getByRole("button", { name: "Roll back to version 1" }).click();
  await expect.poll(() => name.inputValue()).toBe(before);
});

test("a text is copied where the browser has no clipboard, as over plain http", async () => {
  await page.addInitScript(() => {
    const { clipboard } = navigator;
    Object.assign(globalThis, { readClipboard: () => clipboard.readText() });
    Reflect.deleteProperty(Navigator.prototype, "clipboard");
  });
  await open("/queue");
  await page.getByRole("link", { name: "LAMP-1", exact: true }).click();
  const drawer = page.getByRole("dialog");
  await drawer.getByRole("button", { name: "Copy", exact: true }).first().click();
  await drawer.getByRole("button", { name: "Copied" }).first().waitFor();
  await expect.poll(() => page.evaluate("readClipboard()")).not.toBe("");
});

test("a connection test names what is missing as the form does, in the reader's language", async () => {
  const page = await stage.open({ at: "/configuration?point=new" });
  await page.getByRole("combobox", { name: "Connector *" }).selectOption("wgr");
  await page.getByLabel("Address", { exact: true }).fill(stage.target.url);
  await page.getByRole("combobox", { name: "Kind of authentication" }).selectOption("basic");
  await page.getByText("For “OAuth 2.0 client credentials”").first().waitFor();
  await page.getByRole("button", { name: "Test connection" }).click();
  await page.getByText("Missing or not valid: User name and Password", { exact: true }).waitFor();
  await changeLook(page, { locale: "it" });
  await page.getByText("Mancante o non valido: Nome utente e Password", { exact: true }).waitFor();
  await page.context().close();
});

test("what a connector's setting may be is offered once, its default chosen", async () => {
  const page = await stage.open({ at: "/configuration?point=new" });
  await page.getByRole("combobox", { name: "Connector *" }).selectOption("magento");
  const prices = page.getByRole("combobox", { name: "Prices in the shop" });
  await prices.waitFor();
  expect(await prices.locator("option").allTextContents()).toEqual(["As they come", "With tax", "Without tax"]);
  expect(await prices.inputValue()).toBe("as-they-come");
  await page.context().close();
});

test("the address to which a source sends its webhooks is copied", async () => {
  const page = await stage.open({ at: "/configuration?point=1" });
  const address = await page.getByText(/^POST http/).textContent();
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  expect(`POST ${await page.evaluate<string>("navigator.clipboard.readText()")}`).toBe(address);
  await page.context().close();
});

test("an import asks for the kind of objects once its source is known, and for its file in the console's words", async () => {
  const point = { subtenantCode: "main", connector: "litium", code: "pim", name: "The PIM", sourceTypes: ["price"] };
  await stage.workspace.post("/api/v1/tenants/acme/integration-points", point);
  await open("/jobstatus-list");
  await page.getByRole("button", { name: "Import a file" }).click();
  const dialog = page.getByRole("dialog", { name: "Import a file" });
  await dialog.getByText("No file chosen").waitFor();
  await expect.poll(() => dialog.evaluate((popup) => popup.contains(document.activeElement))).toBe(true);
  const kind = dialog.getByRole("combobox", { name: "Entity type" });
  await expect.poll(() => kind.count()).toBe(0);
  await dialog.getByRole("combobox", { name: "Integration point" }).selectOption({ index: 2 });
  await kind.waitFor();
  await dialog
    .getByLabel("File", { exact: true })
    .setInputFiles({ name: "prices.csv", mimeType: "text/csv", buffer: Buffer.from("sku\nA-1\n") });
  await dialog.getByLabel("File: prices.csv").waitFor();
});

test("a dialog whose choices can't be read says so, and reads them again", async () => {
  const own = await stage.open();
  const refusal = {
    status: 500,
    contentType: "application/problem+json",
    body: JSON.stringify({ code: "internal", title: "", status: 500 }),
  };
  const points = "**/tenants/acme/integration-points";
  const refuse = (route: Route) => route.fulfill(refusal);
  await own.route(points, refuse);
  await own.goto("/jobstatus-list");
  await ready(own);
  for (const name of ["New run", "Import a file"]) {
    await own.getByRole("button", { name }).click();
    const dialog = own.getByRole("dialog", { name });
    // The workspace's target can't be read back, so there is nothing to compare with.
    if (name === "New run") await dialog.getByRole("combobox", { name: "Job" }).selectOption("Resync");
    const again = dialog.getByRole("alert").getByRole("button", { name: "Try again" });
    await again.waitFor();
    await own.unroute(points);
    await again.click();
    await dialog.getByRole("combobox", { name: "Integration point" }).waitFor();
    await own.route(points, refuse);
    await own.reload();
    await ready(own);
  }
  await own.context().close();
});

test("what is typed into settings stays, with the keyboard at it, while a colleague pauses the target", async () => {
  await open("/configuration?point=2");
  await page.getByRole("checkbox", { name: "As JSON" }).check();
  const settings = page.getByRole("textbox", { name: "Settings" });
  await settings.fill('{ "url": ');
  const colleague = await stage.open({ at: "/configuration" });
  const deliveries = colleague.getByRole("switch", { name: "Deliveries: The shop" });
  await deliveries.click();
  await colleague.getByRole("alertdialog").getByRole("button", { name: "Pause" }).click();
  await page.getByRole("main").getByText("Paused", { exact: true }).first().waitFor();
  await expect.poll(() => settings.inputValue()).toBe('{ "url": ');
  await settings.and(page.locator(":focus")).waitFor();
  await deliveries.click();
  await page.getByRole("main").getByText("Paused", { exact: true }).first().waitFor({ state: "detached" });
  await expect.poll(() => settings.inputValue()).toBe('{ "url": ');
  await colleague.context().close();
});

test("settings that can't be read yet stay when a colleague saves others, and the form says so", async () => {
  await open("/configuration?point=2");
  await page.getByRole("checkbox", { name: "As JSON" }).check();
  const settings = page.getByRole("textbox", { name: "Settings" });
  await settings.fill('{ "url": ');
  const colleague = await stage.open({ at: "/configuration?point=2" });
  const name = colleague.getByLabel("Name *");
  await name.fill("The renamed shop");
  await colleague.getByRole("button", { name: "Save" }).click();
  const drop = page.getByRole("button", { name: "Drop my changes and show it as it is now" });
  await drop.waitFor();
  expect(await settings.inputValue()).toBe('{ "url": ');
  await drop.click();
  await expect.poll(() => page.getByLabel("Name *").inputValue()).toBe("The renamed shop");
  await expect.poll(() => settings.inputValue()).toMatch(/^\{\n {2}"/);
  await drop.waitFor({ state: "detached" });
  await name.fill("The shop");
  await colleague.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => page.getByLabel("Name *").inputValue()).toBe("The shop");
  await colleague.context().close();
});

test("settings that can't be read yet are not lost without a question, of which there is one", async () => {
  await open("/configuration?point=2");
  await page.getByRole("checkbox", { name: "As JSON" }).check();
  const settings = page.getByRole("textbox", { name: "Settings" });
  const question = page.getByRole("alertdialog", { name: "Leave without saving?" });
  const queue = page.getByRole("navigation").getByRole("link", { name: "Queue", exact: true });
  await settings.fill('{ "url": ');
  await queue.click();
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect.poll(() => settings.inputValue()).toBe('{ "url": ');
  await page.getByLabel("Name *").fill("Not to be saved either");
  await queue.click();
  await question.getByRole("button", { name: "Leave" }).click();
  await page.getByRole("link", { name: "LAMP-1", exact: true }).waitFor();
});

test("what a test of the connection told goes when the settings that it was of change", async () => {
  await open("/configuration?point=2");
  await page.getByRole("button", { name: "Test connection", exact: true }).click();
  const told = page.getByText("The server answered", { exact: false });
  await told.waitFor();
  await page.getByLabel("Address", { exact: false }).first().fill("https://other.example");
  await told.waitFor({ state: "detached" });
});

test("a list whose rows were chosen and let go takes in by itself what comes", async () => {
  await open("/mapping-list");
  const row = page.getByRole("checkbox", { name: /^Select color Black/ });
  await row.check();
  await row.uncheck();
  await page.mouse.move(5, 5);
  const value = { fieldName: "color", source: "litium", sourceValue: "White", target: "magento", targetValue: "Vit" };
  await stage.workspace.post("/api/v1/tenants/acme/mappings", value);
  await page.getByRole("button", { name: "Source value: White" }).waitFor();
});

test("an import that is being written can't be cancelled any more, tells what it did, and is undone", async () => {
  await open("/mapping-list");
  const held = Promise.withResolvers<Route>();
  await page.route("**/mappings/import", (route) =>
    (route.request().postDataJSON() as { isDryRun: boolean }).isDryRun ? route.continue() : held.resolve(route),
  );
  await page.getByRole("button", { name: "Import CSV" }).click();
  const dialog = page.getByRole("dialog", { name: "Import CSV" });
  const csv = "fieldName,source,sourceValue,target,targetValue,subtenant\ncolor,litium,Green,magento,Gr\u00f6n,\n";
  await dialog.getByLabel("CSV file").setInputFiles({ name: "values.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
  await dialog.getByText("1 new, 0 changed, 0 unchanged").waitFor();
  await dialog.getByRole("button", { name: "Import", exact: true }).click();
  const route = await held.promise;
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await settle(page);
  expect(await dialog.isVisible()).toBe(true);
  await route.continue();
  await page.getByText("1 mapping imported").waitFor();
  await dialog.waitFor({ state: "detached" });
  const imported = page.getByRole("button", { name: "Source value: Green" });
  await imported.waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await imported.waitFor({ state: "detached" });
  await page.getByText("1 mapping changed").waitFor();
});

test("the first import of all is undone as any other", async () => {
  await stage.workspace.post("/api/v1/tenants", { code: "fresh", name: "Fresh" });
  const fresh = await stage.open({ tenant: "fresh", at: "/mapping-list" });
  await fresh.getByRole("button", { name: "Import CSV" }).click();
  const csv = Buffer.from("fieldName,source,sourceValue,target,targetValue,subtenant\ncolor,litium,Green,magento,Grön,\n");
  await fresh.getByLabel("CSV file").setInputFiles({ name: "values.csv", mimeType: "text/csv", buffer: csv });
  await fresh.getByRole("button", { name: "Import", exact: true }).click();
  const imported = fresh.getByRole("button", { name: "Source value: Green" });
  await imported.waitFor();
  await fresh.getByRole("button", { name: "Undo" }).click();
  await imported.waitFor({ state: "detached" });
  await fresh.context().close();
});
