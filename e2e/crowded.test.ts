import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { desktop, ready } from "./browser.ts";
import { inspectWidth } from "./geometry.ts";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;
let page: Page;

const longName = "Lagerbestandsverwaltung_Produktion_Skandinavien";
/** Too many to look them all over. */
const shops = 25;
const tenantPath = "/api/v1/tenants/acme";

beforeAll(async () => {
  stage = await openStage();
  await stage.workspace.post(`${tenantPath}/subtenants`, { code: "north", name: longName });
  for (let index = 0; index < shops; index += 1) {
    await stage.workspace.post(`${tenantPath}/subtenants`, { code: `shop-${index}`, name: `Shop ${index}` });
  }
  const point = { subtenantCode: "main", targetTypes: ["item"], settings: { url: stage.target.url } };
  for (const subtenantCode of ["main", "north"]) {
    const target = { connector: "magento", code: `long-${subtenantCode}`, name: longName };
    await stage.workspace.post(`${tenantPath}/integration-points`, { ...point, subtenantCode, ...target });
  }
  await stage.workspace.pushItems("BROKEN-1");
  page = await stage.open();
  await page.getByRole("link", { name: "Deadletters 2", exact: true }).waitFor();
});

afterAll(() => stage?.close());

beforeEach(() => page.setViewportSize({ width: desktop.width, height: desktop.height }));

test("a name without a space makes no screen wider than a phone", async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  const complaints: string[] = [];
  for (const address of [
    "/configuration",
    "/configuration?view=flow",
    "/subtenant/north/dashboard",
    "/deadletter-list",
    "/alerts?view=rules",
    "/jobstatus-list?view=schedules",
  ]) {
    await page.goto(address);
    await ready(page);
    complaints.push(...(await inspectWidth(page)).map((complaint) => `${address}: ${complaint}`));
  }
  expect(complaints).toEqual([]);
});

test("on a phone and at twice the size the audit log shows the whole of a long object's name, in either direction", async () => {
  const at = "/audit-log?action=createIntegrationPoint";
  const objectName = "Warehouse of Scandinavia, production line";
  const target = { connector: "magento", code: "warehouse", name: objectName, settings: { url: stage.target.url } };
  await stage.workspace.post(`${tenantPath}/integration-points`, { ...target, subtenantCode: "main", targetTypes: ["item"] });
  const views = [
    { width: 360, height: 740, locale: "en" },
    { width: 360, height: 740, locale: "ar" },
    { width: 640, height: 400, locale: "en" },
  ];
  for (const view of views) {
    const phone = await stage.open({ at, view: { ...desktop, ...view } });
    const name = phone.getByRole("gridcell").getByText(objectName).first();
    const cut = await name.evaluate((element) => {
      const { right, left, bottom } = element.getBoundingClientRect();
      const around = element.closest(".truncate")?.getBoundingClientRect();
      return around === undefined || right > around.right + 1 || left < around.left - 1 || bottom > around.bottom + 4;
    });
    expect([view, cut]).toEqual([view, false]);
    expect(await inspectWidth(phone)).toEqual([]);
    await phone.context().close();
  }
});

test("a name that two lines of a table can't hold is told whole under the pointer", async () => {
  await page.goto("/audit-log?action=createIntegrationPoint");
  await page.getByRole("gridcell").getByText(longName).first().hover();
  await page.getByTitle(longName).waitFor();
});

test("on a phone the card of an API key keeps its padding around all that it says", async () => {
  await stage.workspace.post(`${tenantPath}/api-keys`, { name: "Warehouse", scopes: ["read", "operate", "configure"] });
  const phone = await stage.open({ at: "/api-keys", view: { ...desktop, width: 360, height: 740 } });
  const row = phone.getByRole("row").filter({ hasText: "Warehouse" });
  const room = await row.evaluate((card) => {
    const { top, bottom } = card.getBoundingClientRect();
    const boxes = [...card.querySelectorAll("[role=gridcell]")].map((cell) => cell.getBoundingClientRect());
    return Math.min(...boxes.map((box) => Math.min(box.top - top, bottom - box.bottom)));
  });
  expect(room).toBeGreaterThanOrEqual(9);
  await phone.context().close();
});

test("a chart's numbers, opened as a table, make no screen wider than a phone", async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto("/subtenant/main/dashboard");
  await ready(page);
  for (const summary of await page.getByText("As a table").all()) await summary.click();
  await page.getByRole("table").nth(3).waitFor();
  expect(await inspectWidth(page)).toEqual([]);
});

test("of thousands of missing values the first fifty are drawn, more of them on demand, and all are counted", async () => {
  const missing = { fieldName: "brand", isMasked: false, source: "*", target: "magento", messages: 1, subtenants: [] };
  const items = Array.from({ length: 120 }, (_, index) => ({ ...missing, value: `Brand ${index}` }));
  const json = { items, total: 7563, examined: 10_000, isComplete: false, readyIds: [] };
  await page.route("**/missing-mappings", (route) => route.fulfill({ json }));
  await page.goto("/mapping-list?view=missing");
  await page.getByText("50 of 7,563 shown").waitFor();
  await page.getByText("The newest 10,000 deadletters").waitFor();
  expect(await page.getByLabel("Target value").count()).toBe(50);
  const more = page.getByRole("button", { name: "Show more" });
  await more.click();
  await page.getByText("100 of 7,563 shown").waitFor();
  await more.click();
  await page.getByText("120 of 7,563 shown").waitFor();
  expect(await more.count()).toBe(0);
});

test("of many errors the first fifty are drawn, each with three of the places that it touches", async () => {
  const subtenantCodes = Array.from({ length: 20 }, (_, index) => `place-${index}`);
  const seen = { firstAt: "2026-01-01T00:00:00Z", lastAt: "2026-01-01T00:00:00Z", hours: Array.from({ length: 24 }, () => 0) };
  const triage = { status: "new", ignoredUntil: null, owner: null, comment: "", version: 0, changedBy: null, changedAt: null };
  const group = { errorClass: "http-422", queueIds: [], integrationPointIds: [], count: 1, ...seen, triage };
  const items = Array.from({ length: 60 }, (_, index) => ({
    ...group,
    subtenantCodes,
    fingerprint: `f-${index}`,
    error: `Error ${index}`,
  }));
  await page.route("**/dead-letter-groups", (route) => route.fulfill({ json: { items, isExact: true } }));
  await page.goto("/deadletter-list");
  await page.getByText("50 of 60 shown").waitFor();
  const first = page.getByRole("listitem").filter({ hasText: "Error 0" });
  expect(await first.getByText("place-2").count()).toBe(1);
  expect(await first.getByText("place-3").count()).toBe(0);
  await first.getByRole("button", { name: "+17" }).click();
  await first.getByText("place-19").waitFor();
  await page.getByRole("button", { name: "Show more" }).last().click();
  await page.getByText("Error 59").waitFor();
  await page.unrouteAll();
});

test("one of many subtenants is found by typing a part of its name", async () => {
  await page.goto("/queue");
  // Until the subtenants are there it is a select.
  await page.getByRole("combobox", { name: "Subtenant" }).and(page.locator("button")).click();
  await page.keyboard.type("shop 17");
  await page.getByRole("option", { name: "Shop 17" }).click();
  await page.waitForURL("**/queue?subtenant=shop-17");
  expect(await page.getByRole("combobox", { name: "State" }).evaluate((field) => field.tagName)).toBe("SELECT");
});

test("in a list that is whole, what is typed leaves what has it, and the address keeps it", async () => {
  await page.goto("/subtenant-list");
  await page.getByRole("searchbox", { name: "Search" }).fill("shop 17");
  await page.waitForURL("**/subtenant-list?search=shop+17");
  await page.getByText("shop-17").first().waitFor();
  expect(await page.getByText("shop-16").count()).toBe(0);
  await page.goto("/configuration?search=skandinavien");
  await page.getByRole("link", { name: longName }).first().waitFor();
  expect(await page.getByRole("link", { name: "The shop" }).count()).toBe(0);
  await page.getByRole("searchbox", { name: "Search" }).fill("");
  await page.getByRole("link", { name: "The shop" }).waitFor();
  await page.goto("/tenant-list?search=nothing");
  await page.getByText("No record found").waitFor();
});

test("of too many systems to follow the flow is told in words until a subtenant is chosen", async () => {
  await page.route("**/integration-points", async (route) => {
    const answer = await route.fetch();
    const { items } = await answer.json();
    const more = Array.from({ length: 40 }, (_, index) => ({ ...items[0], id: 1000 + index }));
    await route.fulfill({ response: answer, json: { items: [...items, ...more] } });
  });
  await page.goto("/configuration?view=flow");
  await page.getByText("Choose a subtenant to see its own").waitFor();
  expect(await page.locator("main path.fill-none").count()).toBe(0);
  expect(await page.getByRole("list", { name: "What each system is sent" }).getByRole("listitem").count()).toBeGreaterThan(0);
  await page.goto("/configuration?view=flow&subtenant=north");
  await page.locator("main path.fill-none").first().waitFor({ state: "attached" });
  await page.unrouteAll({ behavior: "ignoreErrors" });
});

test("a menu entry is read as its name and its count, each once; alerts counted as far as counting goes are told as at least so many", async () => {
  await page.route("**/alerts?limit=1", (route) => route.fulfill({ json: { items: [], nextCursor: null, openCount: 1000 } }));
  await page.reload();
  await page.getByRole("link", { name: "Alerts 1,000+", exact: true }).getByText("1K+").waitFor();
  await page.unrouteAll();
});
