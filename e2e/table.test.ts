import { readFileSync } from "node:fs";
import type { Download, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { seeLatest } from "./browser.ts";
import { inspectGeometry } from "./geometry.ts";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;
let page: Page;

/** More than a page of the list, and one key that a spreadsheet would run. */
const total = 130;
const keys = [...Array.from({ length: total - 1 }, (_, index) => `BROKEN-${String(index).padStart(3, "0")}`), "=BROKEN+1"];

beforeAll(async () => {
  stage = await openStage();
  await stage.workspace.pushItems(...keys);
  page = await stage.open();
  await page.getByRole("link", { name: `Deadletters ${total}`, exact: true }).waitFor();
});

afterAll(() => stage?.close());

beforeEach(async () => {
  await page.goto("/deadletter-list?view=list");
  await row(2).waitFor();
});

/** By its place in the table, of which the header is the first row. */
function row(place: number): Locator {
  return page.locator(`[role=row][aria-rowindex="${place}"]`);
}

async function focusedPlace(): Promise<number> {
  return page.evaluate(() => Number(document.activeElement?.getAttribute("aria-rowindex")));
}

async function press(...pressed: string[]): Promise<void> {
  for (const key of pressed) await page.keyboard.press(key);
}

test("a click on a link that is cut leaves its cell as it is", async () => {
  await page.evaluate(`localStorage.setItem("crossdock.columns.dead-letters", '{"widths":{"key":60}}')`);
  await page.reload();
  const cell = row(2).getByRole("gridcell").nth(1);
  const link = cell.getByRole("link");
  await link.click();
  await expect.poll(() => link.evaluate((element) => element.scrollWidth > element.clientWidth)).toBe(true);
  expect([await link.evaluate((element) => element.scrollLeft), await cell.evaluate((element) => element.scrollLeft)]).toEqual([0, 0]);
  await page.evaluate(`localStorage.removeItem("crossdock.columns.dead-letters")`);
});

describe("with the keyboard", () => {
  test("arrows, pages and ends of the list are reached, and what isn't loaded comes on the way", async () => {
    await row(2).focus();
    await press("ArrowDown", "ArrowDown");
    await expect.poll(() => focusedPlace()).toBe(4);
    await press("ArrowUp");
    await expect.poll(() => focusedPlace()).toBe(3);
    await press("PageDown");
    await expect.poll(() => focusedPlace()).toBeGreaterThan(8);
    await press("End");
    await page.locator(`[role=grid][aria-rowcount="${total + 1}"]`).waitFor();
    await press("End");
    await expect.poll(() => focusedPlace()).toBe(total + 1);
    await row(total + 1).isVisible();
    await press("Home");
    await expect.poll(() => focusedPlace()).toBe(2);
  });

  test("rows are chosen singly and in ranges", async () => {
    await row(3).focus();
    await press("Space");
    await page.getByText("1 selected").waitFor();
    await press("Shift+ArrowDown", "Shift+ArrowDown");
    await page.getByText("3 selected").waitFor();
    await expect.poll(() => page.locator("[role=row][aria-selected=true]").count()).toBe(3);
    await press("Space");
    await page.getByText("2 selected").waitFor();
  });

  test("Enter opens the row beside the list, Escape returns to the row", async () => {
    await row(4).focus();
    const key = await row(4).getByRole("link").textContent();
    await press("Enter");
    const drawer = page.getByRole("dialog", { name: key ?? "" });
    await drawer.getByRole("region", { name: "Document" }).getByText(`Article ${key}`).waitFor();
    await press("Escape");
    await drawer.waitFor({ state: "detached" });
    await expect.poll(() => focusedPlace()).toBe(4);
  });

  test("the tab key passes the rows in one step", async () => {
    await row(2).focus();
    await press("Tab");
    await expect.poll(() => page.evaluate(() => document.activeElement?.closest("[role=grid]"))).toBeNull();
  });
});

test("an open row stands in the address, and its neighbours are one step away", async () => {
  await row(3).getByRole("link").click();
  const [key, next] = [await row(3).getByRole("link").textContent(), await row(4).getByRole("link").textContent()];
  await page.reload();
  await page.getByRole("dialog", { name: key ?? "" }).waitFor();
  await page.getByRole("button", { name: "Next row" }).click();
  await page.getByRole("dialog", { name: next ?? "" }).waitFor();
  await page.getByRole("button", { name: "Previous row" }).click();
  await page.getByRole("dialog", { name: key ?? "" }).waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  await page.waitForURL(({ searchParams }) => !searchParams.has("message"));
});

describe("the columns", () => {
  test("keep their order, width and visibility in this stage.browser, each table its own", async () => {
    const headers = () => page.getByRole("columnheader").allTextContents();
    await expect.poll(() => headers()).toEqual(["", "Key", "Queue", "Error", "Subtenant", "Attempts", "Failed"]);
    await page.getByRole("button", { name: "Columns and density" }).click();
    const panel = page.getByRole("dialog", { name: "Columns and density" });
    await panel.getByRole("checkbox", { name: "Key" }).focus();
    await page.getByRole("tooltip").getByText("It names the rows and always stands first").waitFor();
    // It stands over the rows below, which are pressed through it.
    await panel.getByRole("checkbox", { name: "Queue" }).uncheck();
    await panel.getByRole("checkbox", { name: "Queue" }).check();
    await panel.getByRole("checkbox", { name: "Subtenant" }).uncheck();
    await panel.getByRole("button", { name: "Move Failed forward" }).click();
    const width = (await page.getByRole("columnheader", { name: "Key" }).boundingBox())?.width ?? 0;
    for (let step = 0; step < 30; step += 1) await panel.getByRole("button", { name: "Make Key wider" }).click();
    await panel.getByRole("radio", { name: "Compact" }).check();
    await press("Escape");
    const wanted = ["", "Key", "Queue", "Error", "Failed", "Attempts"];
    await expect.poll(() => headers()).toEqual(wanted);

    await page.reload();
    await row(2).waitFor();
    await expect.poll(() => headers()).toEqual(wanted);
    expect((await page.getByRole("columnheader", { name: "Key" }).boundingBox())?.width).toBeGreaterThan(width + 100);
    expect((await row(2).boundingBox())?.height).toBe(34);
    await page.goto("/queue");
    await row(2).waitFor();
    await expect.poll(() => headers()).toContain("Subtenant");
  });

  test("return to what they were", async () => {
    await page.getByRole("button", { name: "Columns and density" }).click();
    await page.getByRole("button", { name: "Reset columns" }).click();
    await page.getByRole("radio", { name: "Comfortable" }).check();
    await press("Escape");
    expect(await page.getByRole("columnheader").allTextContents()).toEqual([
      "",
      "Key",
      "Queue",
      "Error",
      "Subtenant",
      "Attempts",
      "Failed",
    ]);
    expect((await row(2).boundingBox())?.height).toBe(40);
  });

  test("are dragged to another width", async () => {
    const header = page.getByRole("columnheader", { name: "Key" });
    const before = await header.boundingBox();
    const handle = await header.locator("[data-resize]").boundingBox();
    if (!before || !handle) throw new Error("The header isn't shown");
    await page.mouse.move(handle.x + 4, handle.y + 4);
    await page.mouse.down();
    await page.mouse.move(handle.x + 124, handle.y + 4, { steps: 4 });
    await page.mouse.up();
    expect((await header.boundingBox())?.width).toBeCloseTo(before.width + 120, -1);
  });
});

describe("the export", () => {
  test("writes every matching row as CSV, harmless to spreadsheets", async () => {
    const text = await exportAs("CSV", true);
    expect(text.startsWith("\uFEFFid,queueId,queueName,")).toBe(true);
    const lines = text.split("\r\n");
    expect(lines).toHaveLength(total + 2);
    expect(lines.filter((line) => line.includes(",=")).length).toBe(0);
    expect(lines.filter((line) => line.includes(",'=BROKEN+1,")).length).toBe(1);
    expect((await exportAs("CSV", false)).startsWith("id,")).toBe(true);
  });

  test("writes every matching row as NDJSON", async () => {
    const rows = (await exportAs("NDJSON", false))
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    expect(rows).toHaveLength(total);
    expect(rows).toContainEqual(expect.objectContaining({ key: "=BROKEN+1", queueName: "magento.item" }));
  });

  test("tells how far it is and stops when it is cancelled", async () => {
    const lists = "**/dead-letters/export?**";
    // A page that doesn't come.
    await page.route(lists, () => undefined);
    let downloads = 0;
    page.on("download", () => (downloads += 1));
    await page.getByRole("button", { name: "Export" }).click();
    const dialog = page.getByRole("dialog", { name: "Export Deadletters" });
    await expect.poll(() => dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
    await dialog.getByRole("button", { name: "Save file" }).click();
    await dialog.getByText("0 rows read…").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.getByText("0 rows read…").waitFor({ state: "detached" });
    await page.unroute(lists);
    expect(downloads).toBe(0);
  });
});

test("everything that matches is removed at once, but for what was taken out, and comes back by Undo", async () => {
  await page.getByRole("checkbox", { name: "Select all loaded rows" }).check();
  await page.getByText("100 selected").waitFor();
  await page.getByRole("button", { name: `Select all ${total} that match` }).click();
  await page.getByText(`${total} selected`).waitFor();
  const spared = await row(5).getByRole("link").textContent();
  await row(5).getByRole("checkbox").uncheck();
  await page.getByText(`${total - 1} selected`).waitFor();

  await page.getByRole("main").getByRole("button", { name: "Remove" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(`Remove ${total - 1} deadletters?`).waitFor();
  const confirm = dialog.getByRole("button", { name: "Remove" });
  await expect.poll(() => confirm.isDisabled()).toBe(true);
  await dialog.getByLabel("Reason").fill("sent twice by the ERP");
  await expect.poll(() => confirm.isDisabled()).toBe(true);
  await dialog.getByLabel("Type acme to confirm").fill("acme");
  await confirm.click();
  await dialog.getByText(`${total - 1} of ${total - 1}`).waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await seeLatest(page, page.locator(`[role=grid][aria-rowcount="2"]`));
  await expect.poll(() => row(2).getByRole("link").textContent()).toBe(spared);
  await page.getByRole("button", { name: "Jobs", exact: true }).click();
  await page.getByRole("dialog", { name: "Jobs" }).getByRole("button", { name: "Undo" }).click();
  await page.getByRole("link", { name: `Deadletters ${total}`, exact: true }).waitFor();
});

test("active filters stand as chips and are taken away one by one or all at once", async () => {
  await page.getByRole("combobox", { name: "Subtenant" }).selectOption("Main shop");
  await page.getByRole("combobox", { name: "Queue" }).selectOption({ index: 1 });
  const filters = page.getByRole("list", { name: "Filters in force" });
  await filters.getByText("magento.item · The shop").waitFor();
  await filters.getByRole("button", { name: "Remove the filter Queue" }).click();
  await page.waitForURL(({ searchParams }) => !searchParams.has("queue") && searchParams.get("subtenant") === "main");
  await page.getByRole("button", { name: "Clear all" }).click();
  await page.waitForURL(({ searchParams }) => !searchParams.has("subtenant") && searchParams.get("view") === "list");
  await filters.waitFor({ state: "detached" });
});

test("the ends of a time stand there in the operator's words on every screen", async () => {
  const from = "2026-11-01T10:05:00.000Z";
  const told = await page.evaluate((at) => new Date(at).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" }), from);
  for (const screen of ["/queue", "/audit-log", "/alerts"]) {
    await page.goto(`${screen}?from=${from}`);
    await page.getByRole("list", { name: "Filters in force" }).getByText(told).waitFor();
  }
});

test("what is chosen ends with its filters, even when a link to the same screen takes them away", async () => {
  await page.goto("/queue?subtenant=main");
  await row(3).getByRole("checkbox").check();
  await page.getByText("1 selected").waitFor();
  await page.getByRole("navigation").getByRole("link", { name: "Queue", exact: true }).click();
  await page.waitForURL(({ pathname, search }) => pathname === "/queue" && search === "");
  await page.getByText("Nothing selected").waitFor();
});

test("what came meanwhile is offered over the rows, not over what can be pressed", async () => {
  await row(3).getByRole("checkbox").check();
  await stage.workspace.pushItems("BROKEN-LATER");
  await page.getByRole("button", { name: "Show the latest" }).waitFor();
  await page.getByRole("main").getByRole("button", { name: "Requeue" }).waitFor();
  expect(await inspectGeometry(page)).toEqual([]);
});

test("rows stay in their places as long as the pointer or the keyboard is at them, whichever goes first", async () => {
  const keyOf = (place: number) => row(place).getByRole("link").textContent();
  const offer = page.getByRole("button", { name: "Show the latest" });
  const pointed = await keyOf(5);
  await row(5).focus();
  await row(5).hover();
  await press("/");
  await stage.workspace.pushItems("BROKEN-POINTED");
  await offer.waitFor();
  expect(await keyOf(5)).toBe(pointed);
  await page.mouse.move(0, 0);
  await expect.poll(() => keyOf(2)).toBe("BROKEN-POINTED");

  await row(5).hover();
  await row(5).focus();
  await press("ArrowDown");
  const focused = await keyOf(6);
  await page.mouse.move(0, 0);
  await stage.workspace.pushItems("BROKEN-FOCUSED");
  await offer.waitFor();
  expect(await focusedPlace()).toBe(6);
  expect(await keyOf(6)).toBe(focused);
  await press("/");
  await expect.poll(() => keyOf(2)).toBe("BROKEN-FOCUSED");
});

async function textOf(download: Download): Promise<string> {
  return readFileSync(await download.path(), "utf8");
}

async function exportAs(format: "CSV" | "NDJSON", hasByteOrderMark: boolean): Promise<string> {
  await page.getByRole("button", { name: "Export" }).click();
  const dialog = page.getByRole("dialog", { name: "Export Deadletters" });
  await dialog.getByRole("radio", { name: format, exact: false }).first().check();
  if (format === "CSV") await dialog.getByRole("checkbox", { name: "byte order mark" }).setChecked(hasByteOrderMark);
  const download = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Save file" }).click();
  const text = await textOf(await download);
  await dialog.getByText(`${total} rows saved`).waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  return text;
}

test("a range begins at the row that was chosen last, wherever that stands by now", async () => {
  const key = await row(3).getByRole("link").textContent();
  await row(3).getByRole("checkbox").check();
  await stage.workspace.pushItems("BROKEN-NEW");
  await page.getByRole("button", { name: "Show the latest" }).click();
  await expect.poll(() => row(4).getByRole("link").textContent()).toBe(key);
  await row(6)
    .getByRole("checkbox")
    .click({ modifiers: ["Shift"] });
  await expect.poll(() => page.locator("[role=row][aria-selected=true]").count()).toBe(3);
  await page.getByText("3 selected").waitFor();
});
