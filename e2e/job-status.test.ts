import { readFile } from "node:fs/promises";
import { startSandbox, type Sandbox } from "@crossdock/sandbox";
import type { Locator, Page, Request, Route } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inspectAccess } from "./axe.ts";
import { desktop, ready } from "./browser.ts";
import { admin } from "./crossdock.ts";
import { openStage, type Stage } from "./stage.ts";

let sandbox: Sandbox;
let stage: Stage;
let page: Page;
let token: string;
let pim: { id: number };

/** What a busy machine needs for a run. */
const patience = { timeout: 120_000 };

beforeAll(async () => {
  sandbox = await startSandbox();
  stage = await openStage({ CROSSDOCK_EGRESS_ALLOW: `127.0.0.1:${sandbox.port}` });
  const session = await ask<{ access_token: string }>("POST", "/session", admin);
  token = session.access_token;
  await ask("POST", "/tenants", { code: "nova", name: "Nova" });
  await ask("POST", "/tenants/nova/subtenants", { code: "se", name: "Nova Sverige" });
  await ask("POST", "/tenants/nova/subtenants", { code: "no", name: "Nova Norge" });
  const credentials = { accessToken: "opensesame" };
  const point = (body: object) => ask<{ id: number }>("POST", "/tenants/nova/integration-points", body);
  pim = await point({ subtenantCode: "se", connector: "centra", code: "pim", name: "The PIM", sourceTypes: ["item"] });
  const settings = (system: string) => ({ baseUrl: `${sandbox.url}/magento/${system}` });
  const magento = { connector: "magento", credentials };
  await point({
    ...magento,
    subtenantCode: "se",
    code: "store",
    name: "The store",
    targetTypes: ["item"],
    settings: settings("store"),
  });
  await point({
    ...magento,
    subtenantCode: "no",
    code: "butikk",
    name: "Butikken",
    sourceTypes: ["order"],
    settings: settings("butikk"),
  });
  page = await stage.open({ tenant: "nova", at: "/jobstatus-list?view=schedules" });
});
afterAll(async () => {
  await stage?.close();
  await sandbox?.close();
});

async function ask<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${stage.url}${/^\/(centra|magento)\//.test(path) ? "" : "/api/v1"}${path}`, {
    method,
    headers: { "content-type": "application/json", ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${path}: ${answer}`);
  return (answer === "" ? undefined : JSON.parse(answer)) as Answer;
}

async function open(path: string): Promise<void> {
  await page.goto(path);
  await ready(page);
}

/** Somebody changes a product at the store. */
async function atStore(sku: string, product: object, store = "store"): Promise<void> {
  const answer = await fetch(`${sandbox.url}/magento/${store}/rest/default/V1/products/${sku}`, {
    method: "PUT",
    headers: { authorization: "Bearer opensesame" },
    body: JSON.stringify({ product: { sku, ...product } }),
  });
  expect(answer.status).toBe(200);
  await answer.arrayBuffer();
}

/** Name and status of the store's products. */
const atHand = () => sandbox.objects("store", "products").map(({ name, status }) => `${String(name)} ${String(status)}`);

async function newestRun(): Promise<{ kind: string; state: string } | undefined> {
  return (await ask<{ items: { kind: string; state: string }[] }>("GET", "/tenants/nova/runs?limit=1")).items[0];
}

async function compareStore(): Promise<void> {
  await open("/jobstatus-list");
  await page.getByRole("button", { name: "New run" }).click();
  const dialog = page.getByRole("dialog", { name: "New run" });
  await dialog.getByRole("combobox", { name: "Integration point" }).waitFor();
  await dialog.getByRole("button", { name: "Start" }).click();
  await dialog.waitFor({ state: "detached" });
}

test("a schedule is made, run now, cancelled while its source hangs, and found again by its subtenant", async () => {
  sandbox.control("butikk", { mode: "hang" });
  await page.getByRole("button", { name: "New schedule" }).click();
  const dialog = page.getByRole("dialog", { name: "New schedule" });
  await dialog.getByRole("combobox", { name: "When" }).selectOption("Every 24 hours");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("Poll · Butikken · order").waitFor();
  await page.getByRole("button", { name: "Run now" }).click();
  await page.getByText("The run starts within a second").waitFor();
  await open("/jobstatus-list");
  await page.getByRole("link", { name: "Poll · Butikken" }).click();
  await page.getByRole("button", { name: "Cancel run" }).waitFor(patience);
  await expect.poll(() => page.getByRole("gridcell", { name: "Running", exact: true }).first().isVisible(), patience).toBe(true);
  await page.getByRole("button", { name: "Cancel run" }).click();
  // The hanging request is given up: how long the run is said to be ending is nothing to wait for.
  await page.getByRole("gridcell", { name: "Cancelled", exact: true }).first().waitFor(patience);
  await page.getByRole("heading", { name: "Log" }).waitFor();
  sandbox.control("butikk", {});
});

/** A colleague gives the schedule another time just before the next edit arrives. */
async function overtakeEdit(everySeconds: number): Promise<void> {
  const { items } = await ask<{ items: { id: number }[] }>("GET", "/tenants/nova/schedules");
  const address = `/tenants/nova/schedules/${items[0]?.id}`;
  await page.route(
    `**/api/v1${address}`,
    async (route) => {
      await ask("PATCH", address, { everySeconds });
      await route.continue();
    },
    { times: 1 },
  );
}

test("a schedule that a colleague changed meanwhile is not switched, and its card shows what holds now", async () => {
  await open("/jobstatus-list?view=schedules");
  await page.getByText("Every 24 hours").waitFor();
  await overtakeEdit(60);
  await page.getByRole("button", { name: "Switch off" }).click();
  await page.getByText("Somebody else changed this meanwhile").waitFor();
  await page.getByText("Every minute").waitFor();
  await page.getByRole("button", { name: "Switch off" }).click();
  await page.getByText("Switched off").waitFor();
});

test("a schedule's time is edited, told in words, and begins from the start where that is wanted", async () => {
  await open("/jobstatus-list?view=schedules");
  await page.getByRole("button", { name: "Edit" }).click();
  const dialog = page.getByRole("dialog", { name: "Edit schedule" });
  await dialog.getByText("Poll · Butikken · order").waitFor();
  const when = dialog.getByRole("combobox", { name: "When" });
  await expect.poll(() => when.inputValue()).toBe("60");
  await when.selectOption("Own time (cron, UTC)");
  await dialog.getByRole("textbox").fill("30 6,18 * * 1-3");
  await dialog.getByText("Mon, Tue, and Wed at 06:30 and 18:30 UTC").waitFor();
  await dialog.getByRole("checkbox", { name: "Begin from the start" }).check();
  expect(await inspectAccess(page)).toEqual([]);
  const sent = page.waitForRequest((request) => request.method() === "PATCH");
  await dialog.getByRole("button", { name: "Save" }).click();
  expect((await sent).postDataJSON()).toEqual({ cron: "30 6,18 * * 1-3", fromStart: true });
  await dialog.waitFor({ state: "detached" });
  await page.getByText("Mon, Tue, and Wed at 06:30 and 18:30 UTC").waitFor();
  await page.getByText("30 6,18 * * 1-3").waitFor();
  // Who changed that? The audit log leads back to the very schedule.
  await open("/audit-log?action=updateSchedule");
  await page.getByRole("gridcell").getByText("→ 30 6,18 * * 1-3").waitFor();
  await page.getByRole("link", { name: "Change a schedule" }).first().click();
  const event = page.getByRole("dialog", { name: "Change a schedule" });
  await event.getByText(/· Change a schedule · Schedule \d+$/).waitFor();
  await event.getByRole("row", { name: "everySeconds 60 –" }).waitFor();
  await event.getByRole("row", { name: "cron – 30 6,18 * * 1-3" }).waitFor();
  await event.getByText("As JSON").click();
  await event.getByText('cron: null → "30 6,18 * * 1-3"').waitFor();
  expect(await inspectAccess(page)).toEqual([]);
  await event.getByRole("button", { name: "Close" }).click();
  await page
    .getByRole("link", { name: /^Schedule \d+$/ })
    .first()
    .click();
  await page.locator("li[aria-current]").getByText("30 6,18 * * 1-3").waitFor();
});

test("of two edits of a schedule at once the later one keeps what was typed, and shows what holds now when asked", async () => {
  await open("/jobstatus-list?view=schedules");
  await page.getByRole("button", { name: "Edit" }).click();
  const dialog = page.getByRole("dialog", { name: "Edit schedule" });
  const when = dialog.getByRole("combobox", { name: "When" });
  await when.selectOption("Every 5 minutes");
  await overtakeEdit(30);
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("What you typed is still here").waitFor();
  expect(await when.inputValue()).toBe("300");
  await dialog.getByRole("button", { name: "Drop my changes and show it as it is now" }).click();
  // An interval that only the API gives stands among those that are offered.
  await expect.poll(() => when.inputValue()).toBe("30");
  await when.selectOption("Every hour");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("Every hour").waitFor();
});

test("a schedule that is removed comes back with Undo as it was", async () => {
  await open("/jobstatus-list?view=schedules");
  await page.getByText("Every hour").waitFor();
  await page.getByRole("button", { name: "Remove schedule" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("Schedule removed").waitFor();
  await page.getByText("Every hour").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Every hour").waitFor();
});

/** Whether these parts of a text stand from right to left. */
const inReadingOrder = (text: Locator, parts: string[]) =>
  text.evaluate((element, wanted) => {
    const rights = wanted.map((part) => {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const at = walker.currentNode.textContent?.indexOf(part) ?? -1;
        if (at === -1) continue;
        const range = document.createRange();
        range.setStart(walker.currentNode, at);
        range.setEnd(walker.currentNode, at + part.length);
        return range.getBoundingClientRect().right;
      }
      return Number.NaN;
    });
    return rights.every((right, index) => index === 0 || right < (rights[index - 1] ?? 0));
  }, parts);

test("two planted differences are listed with both values, fixed through the queue, and gone when compared again", async () => {
  for (const number of [1, 2, 3]) {
    const item = { schemaVersion: 1, sku: `A-${number}`, name: `Boots ${number}` };
    await ask("POST", "/centra/v1/items?tenant=nova&subtenant=se", item);
  }
  await expect.poll(() => sandbox.stored("store")["products"], patience).toBe(3);
  await atStore("A-1", { name: "Changed by hand" });
  await atStore("A-3", { status: 2 });

  await compareStore();
  await page.getByRole("link", { name: "Show 2 differences" }).click(patience);
  await page.getByText("0 missing at target, 2 differing, 0 only at target; 0 sent anew").waitFor();
  await page.getByText("name: should be Boots 1, at target Changed by hand").waitFor();
  await page.getByText("isActive: should be true, at target false").waitFor();
  await page.goBack();
  await page.getByRole("button", { name: "Close" }).waitFor();
  await page.goForward();
  const arabic = await stage.open({ tenant: "nova", at: page.url(), view: { ...desktop, locale: "ar" } });
  const fields = arabic.getByRole("gridcell").filter({ hasText: "Boots 1" });
  await fields.waitFor();
  expect(await inReadingOrder(fields, ["name", "Boots 1", "في الهدف", "Changed by hand"])).toBe(true);
  await arabic.context().close();
  expect(await inspectAccess(page)).toEqual([]);
  const fixAll = page.getByRole("button", { name: "Fix all" });
  const startOfKey = page.getByRole("textbox", { name: "Key" });
  await startOfKey.fill("A-1");
  await fixAll.waitFor({ state: "detached" });
  await startOfKey.fill("");
  await fixAll.click();
  const asked = page.getByRole("alertdialog", { name: "Fix all" });
  await asked.getByText("2 objects that are missing at the target or differ there").waitFor();
  await asked.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("checkbox", { name: "Select all loaded rows" }).check();
  await page.getByRole("button", { name: "Fix selected" }).click();
  await page.getByText("2 of 2, 2 queued").first().waitFor(patience);
  const fixing = page.url();
  await page.goBack();
  await page.getByText("0 missing at target, 2 differing, 0 only at target; 2 sent anew").waitFor(patience);
  await page
    .getByRole("link", { name: /^Run \d+$/ })
    .first()
    .click();
  await page.waitForURL(fixing);
  await expect.poll(() => atHand().toSorted(), patience).toEqual(["Boots 1 1", "Boots 2 1", "Boots 3 1"]);

  await compareStore();
  await page.getByText("No differences, 3 of 3 compared").first().waitFor(patience);

  // The history of the other subtenant holds the cancelled run, and of these none.
  await open("/jobstatus-list?subtenant=no");
  await page.getByRole("link", { name: "Poll · Butikken" }).waitFor();
  await expect.poll(() => page.getByRole("gridcell", { name: "Cancelled", exact: true }).first().isVisible(), patience).toBe(true);
  await expect.poll(() => page.getByRole("link", { name: "Reconciliation · The store" }).count()).toBe(0);
  await page.getByRole("combobox", { name: "Subtenant" }).selectOption("se");
  await page.getByRole("link", { name: "Reconciliation · The store" }).first().waitFor();
  await expect.poll(() => page.getByRole("link", { name: "Poll · Butikken" }).count()).toBe(0);

  // Of all subtenants those in one state; a run that is opened leaves the filter as it is.
  await open("/jobstatus-list?state=cancelled");
  await page.getByRole("link", { name: "Poll · Butikken" }).click();
  await page.getByRole("heading", { name: "Log" }).waitFor();
  await page.waitForURL((url) => url.searchParams.get("state") === "cancelled");
  await page.keyboard.press("Escape");
  await expect.poll(() => page.getByRole("link", { name: "Reconciliation · The store" }).count()).toBe(0);
  await page.getByRole("combobox", { name: "State" }).selectOption("Done");
  await page.getByRole("link", { name: "Reconciliation · The store" }).first().waitFor();
  await expect.poll(() => page.getByRole("link", { name: "Poll · Butikken" }).count()).toBe(0);
});

test("a link to the differences of a run that is gone says so and leads to the runs", async () => {
  await open("/jobstatus-list?subtenant=no&differences=999999");
  await page.getByText("This does not exist, or is no longer kept.").waitFor();
  await page.getByRole("link", { name: "Runs", exact: true }).click();
  await page.waitForURL((url) => url.search === "?subtenant=no");
  await page.getByRole("link", { name: "Poll · Butikken" }).waitFor();
});

test("an export says whose objects it has, beside its file and above it", async () => {
  await open("/jobstatus-list");
  await page.getByRole("button", { name: "New run" }).click();
  const dialog = page.getByRole("dialog", { name: "New run" });
  await dialog.getByRole("combobox", { name: "Job" }).selectOption("Export");
  await dialog.getByRole("combobox", { name: "Subtenant" }).selectOption("se");
  await dialog.getByRole("button", { name: "Start" }).click();
  const run = page.getByRole("dialog", { name: /^Run / });
  await run.getByText("Nova Sverige", { exact: true }).waitFor();
  await run.getByRole("button", { name: "Save the file" }).click(patience);
  const saving = page.getByRole("dialog", { name: "Export Nova Sverige · Item" });
  await saving.waitFor();
  expect(await saving.getByText("Everything that matches the filters").count()).toBe(0);
  // Nothing of what the reason is for is cut off.
  const label = saving.getByText("Reason to leave values unmasked (optional, kept in the audit log)");
  expect(await label.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Export · Nova Sverige" }).waitFor();
});

test("an import that rejected lines does not look done, in no language", async () => {
  for (const lines of [",one", "B-1,one\n,two"]) {
    const file = { integrationPointId: pim.id, entityType: "item", name: "items.csv", format: "csv", mapping: { sku: "no", name: "name" } };
    const { id } = await ask<{ id: number }>("POST", "/tenants/nova/imports", file);
    await ask("PUT", `/tenants/nova/imports/${id}/parts/1`, { text: `no,name\n${lines}\n` });
    await ask("POST", `/tenants/nova/imports/${id}/start`, { parts: 1 });
    await expect.poll(async () => (await ask<{ state: string }>("GET", `/tenants/nova/runs/${id}`)).state, patience).toBe("done");
  }
  const spanish = await stage.open({ tenant: "nova", at: "/jobstatus-list", view: { ...desktop, width: 1280, locale: "es" } });
  const imports = spanish.getByRole("row").filter({ hasText: "rechazados, " });
  await expect
    .poll(() => imports.getByText(/^(Todos|Algunos) rechazados$/).allTextContents())
    .toEqual(["Algunos rechazados", "Todos rechazados"]);
  await imports.getByText("1 rechazados, 1 nuevos o cambiados, 2 leídos").waitFor();
  const chip = imports.first().getByText("Algunos rechazados");
  expect(await chip.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);

  for (const outcome of ["Algunos rechazados", "Todos rechazados"]) {
    await spanish.getByRole("combobox", { name: "Estado" }).selectOption(outcome);
    await expect.poll(() => imports.getByText(/^(Todos|Algunos) rechazados$/).allTextContents()).toEqual([outcome]);
  }
  await spanish.getByRole("combobox", { name: "Estado" }).selectOption("Terminada");
  await expect.poll(() => spanish.getByRole("row").filter({ hasText: "Terminada" }).count()).toBeGreaterThan(0);
  expect(await imports.count()).toBe(0);
});

test("what is wrong with an imported file is told in the reader's language", async () => {
  const file = { integrationPointId: pim.id, entityType: "item", name: "items.csv", format: "csv", mapping: { sku: "no", name: "name" } };
  const { id } = await ask<{ id: number }>("POST", "/tenants/nova/imports", file);
  await ask("PUT", `/tenants/nova/imports/${id}/parts/1`, { text: 'no,name\n,one\nB,"two\n' });
  await ask("POST", `/tenants/nova/imports/${id}/start`, { parts: 1 });
  const state = async () => (await ask<{ state: string }>("GET", `/tenants/nova/runs/${id}`)).state;
  await expect.poll(state, patience).toBe("failed");
  const arabic = await stage.open({ tenant: "nova", at: `/jobstatus-list?run=${id}`, view: { ...desktop, locale: "ar" } });
  const log = arabic.getByRole("dialog").getByRole("listitem");
  await expect.poll(() => log.allInnerTexts(), patience).toHaveLength(2);
  const [line, ending] = await log.allInnerTexts();
  expect(line).toMatch(/خطأ\s*السطر 2: sku: مفقود/);
  expect(ending).toMatch(/خطأ\s*السطر 3: علامة اقتباس فُتحت ولم تُغلق/);
  await expect.poll(() => arabic.getByRole("dialog").getByText("علامة اقتباس فُتحت ولم تُغلق").count()).toBe(2);
});

/** Fills in the import of a file with these keys, or of one with nothing in it; the dialog is ready to start it. */
async function openImport(...keys: string[]): Promise<Locator> {
  await open("/jobstatus-list");
  await page.getByRole("button", { name: "Import a file" }).click();
  const dialog = page.getByRole("dialog", { name: "Import a file" });
  await dialog.getByLabel("Integration point").selectOption("The PIM");
  const buffer = Buffer.from(keys.length === 0 ? "" : `no\n${keys.join("\n")}\n`);
  await dialog.getByLabel("File", { exact: true }).setInputFiles({ name: "items.csv", mimeType: "text/csv", buffer });
  await dialog.getByLabel("Columns").fill("sku = no");
  return dialog;
}

test("the rows that an import rejected are saved for a reason, corrected, and imported in the same way", async () => {
  const file = { integrationPointId: pim.id, entityType: "item", name: "items.csv", format: "csv", mapping: { sku: "no", name: "name" } };
  const { id } = await ask<{ id: number }>("POST", "/tenants/nova/imports", file);
  await ask("PUT", `/tenants/nova/imports/${id}/parts/1`, { text: "no;name;colour\nC-1;one;red\n;two;blue\n" });
  await ask("POST", `/tenants/nova/imports/${id}/start`, { parts: 1 });
  await expect.poll(async () => (await ask<{ state: string }>("GET", `/tenants/nova/runs/${id}`)).state, patience).toBe("done");
  await open(`/jobstatus-list?run=${id}`);
  await page.getByRole("button", { name: "Save the rejected rows" }).click();
  const dialog = page.getByRole("dialog", { name: "Save the rejected rows" });
  await dialog.getByRole("button", { name: "Save file" }).click();
  await dialog.getByText("Say why").waitFor();
  await dialog.getByRole("textbox", { name: "Reason" }).fill("The supplier left out a number");
  const [download] = await Promise.all([page.waitForEvent("download"), dialog.getByRole("button", { name: "Save file" }).click()]);
  expect(download.suggestedFilename()).toBe(`rejected-${id}.csv`);
  const text = await readFile(await download.path(), "utf8");
  expect(text).toBe('#line;#reason;no;name;colour\r\n3;"sku: Invalid input: expected string, received undefined";;two;blue\r\n');
  await dialog.getByText("1 row saved").waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await page.getByRole("link", { name: "Import another file like this" }).click();
  const again = page.getByRole("dialog", { name: "Import a file" });
  const buffer = Buffer.from(text.replace(";;two", ";C-2;two"));
  await again.getByLabel("File", { exact: true }).setInputFiles({ name: "corrected.csv", mimeType: "text/csv", buffer });
  expect(await again.getByText("#reason").count()).toBe(0);
  await again.getByRole("button", { name: "Start import" }).click();
  await again.waitFor({ state: "detached" });
  await expect.poll(newestRun, patience).toMatchObject({ kind: "import", state: "done", accepted: 1, rejected: 0 });
});

test("an import that is left while its file goes up is called off, and calls nobody back", async () => {
  const held = Promise.withResolvers<Route>();
  await page.route("**/parts/1", (route) => held.resolve(route));
  const dialog = await openImport("WRONG-1");
  await dialog.getByRole("button", { name: "Start import" }).click();
  const route = await held.promise;
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Leave" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("navigation").getByRole("link", { name: "Queue", exact: true }).click();
  await page.getByRole("heading", { name: "Queue", exact: true }).waitFor();
  await route.continue().catch(() => undefined);
  await expect.poll(newestRun, patience).toMatchObject({ kind: "import", state: "cancelled" });
  expect(new URL(page.url()).pathname).toBe("/queue");
  await page.unroute("**/parts/1");
});

test("an import that is left before its answer has come is called off then", async () => {
  const held = Promise.withResolvers<() => Promise<void>>();
  const holdAnswer = async (route: Route): Promise<void> => {
    const response = await route.fetch();
    held.resolve(() => route.fulfill({ response }));
  };
  await page.route("**/imports", holdAnswer, { times: 1 });
  const dialog = await openImport("WRONG-2");
  await dialog.getByRole("button", { name: "Start import" }).click();
  const answer = await held.promise;
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Leave" }).click();
  await dialog.waitFor({ state: "detached" });
  await answer();
  await expect.poll(newestRun, patience).toMatchObject({ kind: "import", state: "cancelled" });
});

test("an import whose connection goes while its file goes up goes on when it is back, and one that is refused is called off", async () => {
  const held = Promise.withResolvers<Route>();
  await page.route("**/parts/1", (route) => held.resolve(route), { times: 1 });
  const dialog = await openImport("LASTING-1");
  await dialog.getByRole("button", { name: "Start import" }).click();
  // Once more the answer goes, and nothing else does: the server can be reached.
  await page.route("**/parts/1", (route) => route.fulfill({ contentType: "application/json", body: "{" }), { times: 1 });
  await (await held.promise).abort("connectionreset");
  await dialog.waitFor({ state: "detached" });
  await expect.poll(newestRun, patience).toMatchObject({ kind: "import", state: "done" });

  await page.route("**/parts/1", (route) => route.fulfill({ status: 403, json: { status: 403, title: "No", code: "permission-missing" } }));
  const refused = await openImport("REFUSED-1");
  await refused.getByRole("button", { name: "Start import" }).click();
  await refused.getByText("Your role does not permit this.").waitFor();
  await expect.poll(newestRun, patience).toMatchObject({ kind: "import", state: "cancelled" });
  await refused.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Leave" }).click();
  await page.unroute("**/parts/1");
});

test("an import whose file says nothing is refused before it begins, one whose file is there goes on without its dialog", async () => {
  const cancelled: string[] = [];
  const note = (request: Request): void => void (request.url().endsWith("/cancel") && cancelled.push(request.url()));
  page.on("request", note);
  const before = await newestRun();
  const empty = await openImport();
  await empty.getByRole("button", { name: "Start import" }).click();
  await empty.getByText("This file is empty.").waitFor();
  expect(await newestRun()).toEqual(before);
  await empty.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Leave" }).click();
  const dialog = await openImport("RIGHT-1");
  const columns = dialog.getByRole("textbox", { name: "Columns" });
  await columns.fill("name = no");
  await dialog.getByRole("combobox", { name: /^no/ }).selectOption("sku");
  expect(await columns.inputValue()).toBe("sku = no");
  await dialog.getByRole("button", { name: "Start import" }).click();
  await dialog.waitFor({ state: "detached" });
  await expect.poll(newestRun, patience).toMatchObject({ kind: "import", state: "done" });
  expect(cancelled).toEqual([]);
  // The next file is read in the same way.
  await page.getByRole("link", { name: "Import another file like this" }).click();
  const next = page.getByRole("dialog", { name: "Import a file" });
  await expect.poll(() => next.getByRole("textbox", { name: "Columns" }).inputValue()).toBe("sku = no");
  expect(await next.getByLabel("Integration point").locator("option:checked").textContent()).toContain("The PIM");
  await next.getByRole("button", { name: "Cancel" }).click();
  await next.waitFor({ state: "detached" });
  page.off("request", note);
});

test("whoever leaves a dialog before its run has started is not called back", async () => {
  const held = Promise.withResolvers<Route>();
  await page.route(/\/runs$/, (route) => held.resolve(route));
  await open("/jobstatus-list");
  await page.getByRole("button", { name: "New run" }).click();
  const dialog = page.getByRole("dialog", { name: "New run" });
  await dialog.getByRole("combobox", { name: "Integration point" }).waitFor();
  await dialog.getByRole("button", { name: "Start" }).click();
  const route = await held.promise;
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("navigation").getByRole("link", { name: "Queue", exact: true }).click();
  await page.getByRole("heading", { name: "Queue", exact: true }).waitFor();
  const answered = page.waitForResponse(/\/runs$/);
  await route.continue();
  await (await answered).finished();
  await ready(page);
  expect(new URL(page.url()).pathname).toBe("/queue");
  await page.unroute(/\/runs$/);
});

test("sending all objects anew is asked about like that of the objects' own screen, with their number, a reason and the tenant's code", async () => {
  await open("/jobstatus-list");
  await page.getByRole("button", { name: "New run" }).click();
  const dialog = page.getByRole("dialog", { name: "New run" });
  await dialog.getByRole("combobox", { name: "Job" }).selectOption("Resync");
  const start = dialog.getByRole("button", { name: "Start" });
  await dialog.getByText(/^\d+ objects? of Nova Sverige/).waitFor();
  await dialog.getByLabel("Reason *").fill("The store lost them");
  await expect.poll(() => start.getAttribute("title")).toBe("Type the word above first");
  await dialog.getByLabel("Type nova to confirm").fill("nova");
  await start.click();
  await page.getByRole("dialog", { name: /^Run / }).getByText("The store lost them").waitFor();
});

test("what its source has no more is listed, and marked as deleted after a question", async () => {
  await ask("POST", "/tenants/nova/integration-points", {
    connector: "magento",
    credentials: { accessToken: "opensesame" },
    settings: { baseUrl: `${sandbox.url}/magento/katalog` },
    subtenantCode: "no",
    code: "katalog",
    name: "Katalogen",
    sourceTypes: ["item"],
  });
  for (const number of [1, 2, 3]) {
    const product = { sku: `K-${number}`, name: `Gloves ${number}`, status: 1, updated_at: "2025-11-21 08:00:00" };
    await ask("POST", "/magento/v1/items?tenant=nova&subtenant=no&integrationPoint=katalog", product);
    if (number > 1) await atStore(product.sku, product, "katalog");
  }
  await open("/jobstatus-list");
  await page.getByRole("button", { name: "New run" }).click();
  const dialog = page.getByRole("dialog", { name: "New run" });
  await dialog.getByRole("combobox", { name: "Job" }).selectOption("Look for deleted items");
  await dialog.getByText("they stay on sale until somebody marks them as deleted").waitFor();
  await dialog.getByRole("button", { name: "Start" }).click();
  await page.getByRole("link", { name: "Show 1 difference" }).click(patience);
  await page.getByText("Not at its source", { exact: true }).last().waitFor();
  await page.getByText("K-1", { exact: true }).waitFor();
  expect(await inspectAccess(page)).toEqual([]);
  await page.getByRole("button", { name: "Mark all as deleted" }).click();
  await page.getByRole("alertdialog").or(page.getByRole("dialog")).getByRole("button", { name: "Mark all as deleted" }).click();
  await page.getByText("1 of 1, 1 marked as deleted").first().waitFor(patience);

  const arabic = await stage.open({ tenant: "nova", at: "/entities?subtenant=no", view: { ...desktop, locale: "ar" } });
  const row = arabic.getByRole("row", { name: "K-1" });
  const [key, sign] = await Promise.all([row.getByRole("link"), row.locator("svg")].map((part) => part.boundingBox()));
  expect(key?.x ?? 0).toBeGreaterThan(sign?.x ?? Infinity);
  await open("/entities?subtenant=no&type=item");
  await page.getByText("Deleted at its source").first().waitFor();
});
