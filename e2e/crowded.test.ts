import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { desktop, ready } from "./browser.ts";
import { inspectWidth } from "./geometry.ts";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;
let page: Page;

const longName = "Lagerbestandsverwaltung_Produktion_Skandinavien";
const tenantPath = "/api/v1/tenants/acme";

beforeAll(async () => {
  stage = await openStage();
  await stage.workspace.post(`${tenantPath}/subtenants`, { code: "north", name: longName });
  const point = { subtenantCode: "main", entityTypes: ["item"], settings: { url: stage.target.url } };
  for (const subtenantCode of ["main", "north"]) {
    const target = { connector: "magento", code: `long-${subtenantCode}`, name: longName, direction: "target" };
    await stage.workspace.post(`${tenantPath}/integration-points`, { ...point, subtenantCode, ...target });
  }
  await stage.workspace.pushItems("BROKEN-1");
  page = await stage.open();
  await page.getByLabel("Deadletters: 2").waitFor();
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
