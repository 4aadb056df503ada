import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inspectAccess } from "./axe.ts";
import { go, settle } from "./browser.ts";
import { openStage, type Stage } from "./stage.ts";
import { createTenant } from "./workspace.ts";

let stage: Stage;
let page: Page;

beforeAll(async () => {
  stage = await openStage();
  await stage.workspace.pushItems("LAMP-1", "LAMP-2", "CHAIR-1");
  await createTenant(stage.url, { code: "beta", name: "Beta Trading" });
  page = await stage.open();
});

afterAll(() => stage?.close());

const field = () => page.getByRole("combobox", { name: "Search and commands" });
const active = () => page.locator("[role=option][aria-selected=true]");

/** Of any language: what has the focus is the palette's field. */
const focusedField = () => page.locator("input[role=combobox]:focus");

/** From here on the mouse is not touched. The palette is opened when the one before is gone, and typed into when its field has the keys. */
async function ask(text: string): Promise<void> {
  await page.locator("input[role=combobox]").waitFor({ state: "detached" });
  await page.keyboard.press("Control+k");
  await focusedField().waitFor();
  await page.keyboard.type(text);
  await expect.poll(() => focusedField().inputValue()).toBe(text);
}

async function found(optionName: string): Promise<void> {
  await page.getByRole("option", { name: optionName }).first().waitFor();
}

async function leave(): Promise<void> {
  await page.keyboard.press("Escape");
  await field().waitFor({ state: "detached" });
}

test("a screen is opened by a part of its name, and is the first of the recent ones then", async () => {
  await ask("retry");
  await expect.poll(() => active().textContent()).toBe("Retry Queue");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/retryqueue");
  await ask("");
  await expect.poll(() => active().textContent()).toBe("Retry Queue");
  await page.getByRole("group", { name: "Recent" }).waitFor();
});

test("Escape and the same keys again close it, and the focus is back where it was", async () => {
  await leave();
  await page.getByRole("navigation").getByRole("link", { name: "Queue", exact: true }).focus();
  await ask("");
  await page.keyboard.press("Control+k");
  await field().waitFor({ state: "detached" });
  await expect.poll(() => page.evaluate("document.activeElement.textContent")).toContain("Queue");
});

test("what is asked for stays while the window grows narrow and wide again", async () => {
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  await ask("chair");
  for (const narrow of [true, false]) {
    await page.setViewportSize({ width: narrow ? 1000 : width, height });
    await page.getByRole("button", { name: "Open menu", includeHidden: true }).waitFor({ state: narrow ? "attached" : "detached" });
    expect(await field().inputValue()).toBe("chair");
  }
  await leave();
});

test("its field gets the keys although what had the focus goes in the moment in which it opens", async () => {
  await page.evaluate(`
    const holder = document.querySelector("main").appendChild(document.createElement("button"));
    holder.focus();
    dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true }));
    holder.remove();
  `);
  await focusedField().waitFor();
  await leave();
});

test("Enter pressed before the answer is there opens what is found; a message's key and its id both find it", async () => {
  await ask("chair-1");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/queue/details/*");
  await page.getByRole("heading", { name: "CHAIR-1" }).waitFor();
  const { pathname } = new URL(page.url());
  await go(page, "/tenant-list");
  const id = pathname.split("/").at(-1) ?? "";
  await ask(id);
  // What it is by now, and where it is from the tenant on.
  await expect.poll(() => active().textContent()).toBe(`CHAIR-1DeliveredAcme › main › magento.item › ${id}`);
  await page.keyboard.press("Enter");
  await page.waitForURL(`**${pathname}`);
});

test("what a link names is looked for in another tenant where the active one has it not", async () => {
  const { pathname } = new URL(page.url());
  for (const view of ["", "?view=trace"]) {
    const astray = await stage.open({ tenant: "beta", at: pathname + view });
    await astray.getByText("No record found").waitFor();
    await astray.getByLabel("Look for it in the tenant").selectOption("Acme");
    await astray.getByRole("heading", { name: "CHAIR-1" }).first().waitFor();
    await astray.context().close();
  }
});

test("an integration point and a bulk operation are looked for in another tenant, too", async () => {
  await go(page, "/configuration");
  const address = await page.getByRole("link", { name: "The shop" }).first().getAttribute("href");
  const astray = await stage.open({ tenant: "beta", at: address ?? "" });
  await astray.getByLabel("Look for it in the tenant").selectOption("Acme");
  await astray.getByRole("heading", { name: "The shop", level: 1 }).waitFor();
  await go(astray, "/queue?job=999");
  await astray.getByRole("dialog").getByLabel("Look for it in the tenant").waitFor();
  await astray.context().close();
});

test("the link to a screen is copied with its filters and its tenant, for somebody who works in another one", async () => {
  await go(page, "/queue?key=LAMP-1");
  await ask("copy the link");
  await page.keyboard.press("Enter");
  await page.getByText("The link was copied").waitFor();
  const link = await page.evaluate<string>("navigator.clipboard.readText()");
  const colleague = await stage.open({ tenant: "beta", at: link });
  await colleague.getByRole("link", { name: "LAMP-1" }).waitFor();
  expect(new URL(colleague.url()).search).toBe("?key=LAMP-1");
  await colleague.context().close();
});

test("the arrows go through what is found, round its ends, and Enter lists a key's messages", async () => {
  await ask("lam");
  await found("LAMP-2");
  await expect
    .poll(() => page.getByRole("option").allTextContents())
    .toEqual([
      "LAMP-1All messages with this key",
      "LAMP-2All messages with this key",
      "Messages that contain “lam”",
      "External messages that contain “lam”",
    ]);
  await page.keyboard.press("ArrowUp");
  await expect.poll(() => active().textContent()).toContain("External messages that contain");
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => active().textContent()).toContain("LAMP-1");
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => field().getAttribute("aria-activedescendant")).toBe(await active().getAttribute("id"));
  await page.keyboard.press("Enter");
  await page.waitForURL(({ pathname, searchParams }) => pathname === "/queue" && searchParams.get("key") === "LAMP-2");
  await page.getByRole("link", { name: "LAMP-2" }).waitFor();
});

test("an object is found by the id that a target gave it", async () => {
  const csv = "integrationPoint,entityType,key,externalId\nshop,item,CHAIR-1,gid://shop/Product/77\n";
  await stage.workspace.post("/api/v1/tenants/acme/external-items/import", { csv });
  await ask("gid://shop/Product/77");
  await found("Whole way of CHAIR-1");
  await leave();
});

test("an order's number and Enter lead to its whole way, which names its shipment, and that names its order", async () => {
  const api = "/api/v1/tenants/acme";
  const point = { subtenantCode: "main", connector: "centra" };
  await stage.workspace.post(`${api}/integration-points`, { ...point, code: "oms", name: "Orders", sourceTypes: ["order", "shipment"] });
  const settings = { url: stage.target.url };
  await stage.workspace.post(`${api}/integration-points`, {
    ...point,
    code: "crm",
    name: "Service",
    targetTypes: ["order", "shipment"],
    settings,
  });
  const { rows } = await stage.database.pool("owner", 1).query<{ id: number }>("select id from hub.integration_point where code = 'oms'");
  const handIn = (entityType: string, document: object) =>
    stage.workspace.post(`${api}/toolbox-runs`, {
      operation: "publish-test",
      integrationPointId: rows[0]?.id,
      entityType,
      isCanonical: true,
      isDryRun: false,
      payload: JSON.stringify({ schemaVersion: 1, lines: [], orderNumber: "10023", ...document }),
    });
  await handIn("order", { orderedAt: "2026-01-01T00:00:00Z", currency: "EUR", customer: null });
  await handIn("shipment", { shipmentNumber: "10023-1", status: "shipped", carrier: "PostNord", tracking: [{ number: "TR-77" }] });
  await ask("10023");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Whole way of 10023" }).waitFor();
  await page.getByText("TR-77").waitFor();
  await page.getByRole("listitem").filter({ hasText: "PostNord" }).getByRole("link", { name: "10023-1" }).click();
  await page.getByRole("heading", { name: "10023-1", level: 1 }).waitFor();
  await page.getByRole("link", { name: "10023", exact: true }).click();
  await page.getByRole("heading", { name: "10023", exact: true, level: 1 }).waitFor();
  await page.getByText("TR-77").waitFor();
});

test("subtenants and integration points are found by name", async () => {
  await ask("main sh");
  await found("Main shop");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/queue?subtenant=main");
  await ask("the shop");
  await found("The shop");
  await page.keyboard.press("Enter");
  await page.waitForURL(({ searchParams }) => searchParams.has("queue"));
});

test("a tenant is activated on the screen at hand, without the filters of the one before", async () => {
  await ask("beta");
  await found("Beta Trading");
  await page.keyboard.press("Enter");
  await page.locator("aside").getByText("Beta Trading", { exact: true }).waitFor();
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe("/queue");
  await ask("acme");
  await page.keyboard.press("Enter");
  await page.locator("aside").getByText("Acme", { exact: true }).waitFor();
});

test.each([
  { at: "/mapping-list", opener: "Add a mapping", field: "Source value" },
  { at: "/configuration", opener: "Add an integration point", field: "Name *" },
])("at $at another tenant is activated only by who agrees to lose what was typed", async ({ at, opener, field }) => {
  const writer = await stage.open({ at });
  const typed = writer.getByRole("textbox", { name: field });
  const question = writer.getByRole("alertdialog", { name: "Leave without saving?" });
  async function askForBeta(): Promise<void> {
    await writer.keyboard.press("Control+k");
    await writer.locator("input[role=combobox]:focus").waitFor();
    await writer.keyboard.type("beta");
    await writer.getByRole("option", { name: "Beta Trading" }).first().waitFor();
    await writer.keyboard.press("Enter");
    await question.waitFor();
  }
  await writer.getByRole("button", { name: opener }).click();
  await typed.fill("What was typed");
  await askForBeta();
  await question.getByRole("button", { name: "Cancel" }).click();
  await question.waitFor({ state: "detached" });
  expect(await typed.inputValue()).toBe("What was typed");
  await askForBeta();
  await question.getByRole("button", { name: "Leave" }).click();
  await writer.locator("aside").getByText("Beta Trading", { exact: true }).waitFor();
  await writer.waitForURL(({ pathname, search }) => pathname === at && search === "");
  await typed.waitFor({ state: "detached" });
  await writer.context().close();
});

test("what is not there is said, with the way to words of messages, and a search that fails can be tried again", async () => {
  await ask("no such thing");
  await page.getByText("No key begins with “no such thing”").waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(({ pathname, searchParams }) => pathname === "/queue" && searchParams.get("search") === "no such thing");
  await page.route("**/search?**", (route) => route.fulfill({ status: 500, body: "" }));
  await ask("chair");
  await page.getByRole("alert").getByText("The search gave no answer.").waitFor();
  await page.unroute("**/search?**");
  for (const stop of ["Close", "Try again"]) {
    await page.keyboard.press("Tab");
    await page
      .locator("button:focus")
      .and(page.getByRole("button", { name: stop }))
      .waitFor();
  }
  await page.keyboard.press("Enter");
  await found("CHAIR-1");
  await leave();
});

test("mode and language are set by name, also from right to left", async () => {
  await ask("theme dark");
  await page.keyboard.press("Enter");
  await page.locator("html[data-mode=dark]").waitFor();
  await ask("العربية");
  await page.keyboard.press("Enter");
  await page.locator("html[dir=rtl]").waitFor();
  await ask("english");
  await page.getByRole("combobox", { name: "البحث والأوامر" }).waitFor();
  expect(await inspectAccess(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await page.locator("html[dir=ltr]").waitFor();
});

test("signing out is one of the commands", async () => {
  await ask("logout");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/signin");
});

/** A page whose palette takes until it is released. */
async function openSlowly(at: string): Promise<{ hasty: Page; release: () => void }> {
  const hasty = await stage.open({ at });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await hasty.route(/command-palette.*\.js/, async (route) => {
    await released;
    await route.continue();
  });
  return { hasty, release };
}

test("what is typed while the palette is still loading stands in its field", async () => {
  const { hasty, release } = await openSlowly("/tenant-list");
  await hasty.keyboard.press("Control+k");
  await hasty.keyboard.type("LAMP-");
  release();
  await hasty.locator("input[role=combobox]:focus").waitFor();
  await hasty.keyboard.type("2");
  await expect.poll(() => hasty.locator("input[role=combobox]").inputValue()).toBe("LAMP-2");
  await hasty.context().close();
});

test("no key that is meant for the palette does something to what has the focus while it is still loading", async () => {
  const { hasty, release } = await openSlowly("/queue");
  const row = hasty.locator("[role=row][aria-rowindex='2']");
  await row.focus();
  await hasty.keyboard.press("Control+k");
  // A blank chooses a row, a slash begins a search, and Enter opens a row.
  await hasty.keyboard.type(" retry/");
  await hasty.keyboard.press("Backspace");
  await hasty.keyboard.press("Enter");
  await settle(hasty);
  expect(new URL(hasty.url()).search).toBe("");
  await hasty.getByText("Nothing selected").waitFor();
  release();
  await hasty.waitForURL("**/retryqueue");
  await hasty.context().close();
});

test("what is typed where a drawer has the focus reaches the palette, and Escape before it is there calls it off", async () => {
  const { hasty, release } = await openSlowly("/queue");
  await hasty.getByRole("link", { name: "LAMP-1" }).click();
  await hasty.getByRole("dialog", { name: "LAMP-1" }).getByRole("button", { name: "Close" }).focus();
  await hasty.keyboard.press("Control+k");
  await hasty.keyboard.press("Escape");
  await hasty.keyboard.press("Control+k");
  await hasty.keyboard.type("LAMP-2");
  release();
  await hasty.locator("input[role=combobox]:focus").waitFor();
  expect(await hasty.locator("input[role=combobox]").inputValue()).toBe("LAMP-2");
  await hasty.locator("[data-drawer]").waitFor();
  await hasty.context().close();
});

test("without an active tenant, what is looked for is asked of the one that is chosen", async () => {
  const fresh = await stage.open({ tenant: null });
  await fresh.keyboard.press("Control+k");
  await fresh.locator("input[role=combobox]:focus").waitFor();
  await fresh.keyboard.type("LAMP-2");
  await fresh.getByText("No tenant is active: choose in which one to look for “LAMP-2”").waitFor();
  await fresh.getByRole("option", { name: /Beta Trading.*Messages that contain “LAMP-2”/ }).waitFor();
  // Acme comes before Beta Trading.
  await fresh.keyboard.press("Enter");
  await fresh.waitForURL("**/queue?search=LAMP-2");
  await fresh.getByRole("link", { name: "LAMP-2" }).waitFor();
  await fresh.context().close();
});
