import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { desktop, go, ready } from "./browser.ts";
import { inspectWidth } from "./geometry.ts";
import { changeLook } from "./look.ts";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;
let page: Page;

const phone = { mode: "dark", locale: "ar", width: 360, height: 740 } as const;
const patience = { timeout: 120_000 };

beforeAll(async () => {
  stage = await openStage();
  await stage.workspace.pushItems("LAMP-1", "BROKEN-1");
  page = await stage.open({ view: { ...desktop, locale: "ar" } });
});

afterAll(() => stage?.close());

/** Whether all of its text can be read. */
const isWhole = (text: Locator) => text.evaluate((element) => element.scrollWidth <= element.clientWidth);

test("kinds of objects have the language's words in every list", async () => {
  await stage.workspace.pushRaw({ schemaVersion: 1, sku: "LAMP-2", name: 5 });
  for (const list of ["/externalmessages", "/externalitems"]) {
    await go(page, list);
    await page.getByRole("gridcell", { name: "صنف", exact: true }).first().waitFor();
    await expect.poll(() => page.getByRole("gridcell", { name: "item", exact: true }).count()).toBe(0);
  }
});

test("what an API key may do stands in words", async () => {
  await go(page, "/api-keys");
  await page.getByRole("gridcell", { name: "تسليم الرسائل وأخذها" }).waitFor();
  await page.getByRole("gridcell", { name: "مستخدم" }).waitFor();
});

test("a value that no mapping knows keeps its quotation marks about it, on the dashboard, too", async () => {
  const owner = stage.database.pool("owner", 1);
  const died = "select from queue.dead";
  await expect.poll(async () => (await owner.query(died)).rowCount, patience).toBe(1);
  await owner.query("update queue.dead set error_message = $1", ["mapping missing: taxCode 'books'"]);
  const told = "تعيين ناقص: \u2068taxCode 'books'\u2069";
  await go(page, "/deadletter-list?view=list");
  await page.getByText(told).waitFor();
  await go(page, "/brightcom-dashboard");
  await page.getByText(told).waitFor();
});

test("the head of a column of numbers stands over them in either direction", async () => {
  for (const locale of ["ar", "en"] as const) {
    const at = await stage.open({ at: "/subtenant-list", view: { ...desktop, locale } });
    const cell = at.getByRole("gridcell", { name: "2", exact: true }).first();
    const head = at.getByRole("columnheader").nth(2).getByRole("button");
    const [over, below] = await Promise.all([edgesOf(head), edgesOf(cell)]);
    expect(locale === "ar" ? over.left - below.left : below.right - over.right).toBeLessThanOrEqual(1);
    await at.context().close();
  }
});

/** Of what is inside the element's padding. */
function edgesOf(element: Locator): Promise<{ left: number; right: number }> {
  return element.evaluate((node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    const { left, right } = range.getBoundingClientRect();
    return { left, right };
  });
}

test("no head of a column breaks a word, in any language", async () => {
  const at = await stage.open({ at: "/subtenant-list" });
  for (const locale of ["en", "ar", "es", "fr", "it", "zh"]) {
    await changeLook(at, { locale });
    const broken = await at.getByRole("columnheader").evaluateAll((heads) =>
      heads.flatMap((head) => {
        const text = head.querySelector("span")?.firstChild;
        return [...(text?.textContent ?? "").matchAll(/[^\s-]+/gu)].flatMap(({ 0: word, index }) => {
          if (!text) return [];
          const range = document.createRange();
          range.setStart(text, index);
          range.setEnd(text, index + word.length);
          return range.getClientRects().length > 1 ? [word] : [];
        });
      }),
    );
    expect([locale, broken]).toEqual([locale, []]);
  }
  await at.context().close();
});

test("every entry of the menu can be read whole in any language, also as the active one", async () => {
  const at = await stage.open();
  for (const locale of ["en", "ar", "es", "fr", "it", "zh"]) {
    await changeLook(at, { locale });
    const cut = await at.locator("aside nav li span.truncate").evaluateAll((names) => {
      for (const name of names) name.classList.add("font-medium");
      return names.filter((name) => name.scrollWidth > name.clientWidth).map((name) => name.textContent);
    });
    expect([locale, cut]).toEqual([locale, []]);
  }
  await at.context().close();
});

test("a list says whole how long ago something was", async () => {
  const lists = ["/externalmessages", "/externalmessages?state=rejected", "/externalitems", "/users", "/api-keys", "/audit-log"];
  for (const width of [1440, 1280, 820]) {
    await page.setViewportSize({ width, height: 900 });
    for (const list of lists) {
      await go(page, list);
      const time = page.getByRole("gridcell").locator("time");
      await time.first().waitFor();
      // The longest that a list of today can say.
      const cut = await time.evaluateAll((times) => {
        for (const element of times) element.textContent = "قبل دقيقة واحدة";
        return times.filter((element) => {
          const cell = element.closest(".truncate");
          return cell === null || cell.scrollWidth > cell.clientWidth;
        }).length;
      });
      expect({ list, width, cut }).toEqual({ list, width, cut: 0 });
    }
  }
  await page.setViewportSize({ width: desktop.width, height: desktop.height });
});

test("a reason keeps its distance from the field that it is about, in the list and in the details", async () => {
  await stage.workspace.pushRaw({ schemaVersion: 1, sku: "LAMP-3", name: 5 });
  await go(page, "/externalmessages?state=rejected");
  expect(await gapAfter(page.locator("[role=gridcell] bdi").filter({ hasText: "name" }).first())).toBeGreaterThan(2);
  await page.locator("main [data-row-link]").first().click();
  expect(await gapAfter(page.getByRole("main").locator("code").filter({ hasText: "name" }).first())).toBeGreaterThan(2);
});

/** How far the text after a part begins from it where lines run from right to left. */
function gapAfter(part: Locator): Promise<number> {
  return part.evaluate((element) => {
    const text = new Range();
    text.selectNode(element.parentElement!.lastChild!);
    return element.getBoundingClientRect().left - text.getBoundingClientRect().right;
  });
}

test("a rejected message that has no key goes by the whole of its id", async () => {
  await stage.workspace.pushRaw({ schemaVersion: 1 });
  for (const width of [1440, 1280, 820]) {
    await page.setViewportSize({ width, height: 900 });
    await go(page, "/externalmessages?state=rejected");
    const id = page.getByRole("gridcell").locator("a:has(.font-mono)").first();
    expect([width, await isWhole(id)]).toEqual([width, true]);
  }
  await page.setViewportSize({ width: desktop.width, height: desktop.height });
});

test("on a phone the counts of a run and a delivery's error can be read whole", async () => {
  await stage.workspace.post("/api/v1/tenants/acme/runs", { kind: "export", subtenantCode: "main", entityType: "item" });
  const small = await stage.open({ at: "/jobstatus-list", view: phone });
  await small.getByText("كُتب 2 من 2").waitFor();
  await stage.database.pool("owner", 1).query("update hub.run set done = 1234567, total = 1234567");
  await small.reload();
  await ready(small);
  expect(await isWhole(small.getByText("1,234,567").first())).toBe(true);
  await go(small, "/deadletter-list?view=list");
  expect(await isWhole(small.getByText("تعيين ناقص").first())).toBe(true);
  await small.context().close();
});

test("the button that copies a message stands beside its text, not over it", async () => {
  await go(page, "/externalmessages?state=rejected");
  await page.locator("main [data-row-link]").first().click();
  const body = page.locator("section:has(> pre)");
  await page.getByRole("tab", { name: "النص كما استُلم" }).click();
  await body.waitFor();
  const edges = await body.evaluate((section) => {
    const range = document.createRange();
    range.selectNodeContents(section.querySelector("pre")!);
    return { text: range.getBoundingClientRect().left, button: section.querySelector("button")!.getBoundingClientRect().left };
  });
  expect(edges.button).toBeGreaterThan(edges.text);
});

/** How far the first letter is from the element's side. */
function startWithin(element: Locator, side: "left" | "right"): Promise<number> {
  return element.evaluate((node, at) => {
    const range = document.createRange();
    const [text] = node.childNodes;
    range.setStart(text!, 0);
    range.setEnd(text!, 1);
    return Math.abs(range.getBoundingClientRect()[at] - node.getBoundingClientRect()[at]);
  }, side);
}

test("names that don't fit are cut at their end, whichever way they run, and told whole under the pointer", async () => {
  const latin = "International trading company for furniture, lamps and things for the home Ltd";
  const arabic = "شركة الواحة للتجارة الدولية والخدمات اللوجستية وتوزيع الأثاث والإنارة المنزلية";
  await stage.workspace.post("/api/v1/tenants", { code: "latin", name: latin });
  await stage.workspace.post("/api/v1/tenants", { code: "arabic", name: arabic });
  for (const locale of ["ar", "en"] as const) {
    const small = await stage.open({ view: { ...phone, locale } });
    for (const [name, side] of [
      [latin, "left"],
      [arabic, "right"],
    ] as const) {
      const button = small.getByRole("button", { name, exact: true });
      expect(await startWithin(button, side)).toBeLessThan(2);
      await button.hover();
      await expect.poll(() => button.getAttribute("title")).toBe(name);
    }
    expect(await inspectWidth(small)).toEqual([]);
    const point = {
      subtenantCode: "main",
      connector: "litium",
      code: `${locale}-point`,
      name: latin,
      sourceTypes: ["item"],
    };
    await stage.workspace.post("/api/v1/tenants/acme/integration-points", point);
    await go(small, "/configuration");
    await small.getByRole("link", { name: latin }).first().waitFor();
    expect(await inspectWidth(small)).toEqual([]);
    await small.context().close();
  }
});

test("so are names that can be edited in their row", async () => {
  const name = "شركة الواحة للتجارة الدولية والخدمات اللوجستية وتوزيع الأثاث";
  await stage.workspace.post("/api/v1/tenants/acme/subtenants", { code: "oasis", name });
  await go(page, "/subtenant-list");
  const button = page.getByRole("button", { name: `الاسم: ${name}` });
  expect(await startWithin(button, "right")).toBeLessThan(12);
});

test("a subtenant's code begins where its column does, and so does its name", async () => {
  await go(page, "/subtenant-list");
  const cells = [page.getByRole("link", { name: "main", exact: true }), page.getByRole("button", { name: "الاسم: Main shop" })];
  for (const [column, cell] of cells.entries()) {
    const head = await edgesOf(page.getByRole("columnheader").nth(column).getByRole("button"));
    expect(Math.abs(head.right - (await edgesOf(cell)).right)).toBeLessThanOrEqual(1);
  }
});

test("the chosen name of a select is cut at its end, too", async () => {
  await stage.workspace.post("/api/v1/tenants/acme/subtenants", {
    code: "long",
    name: "International trading company for furniture, lamps",
  });
  const direction = () =>
    page
      .locator("search select")
      .first()
      .evaluate((select) => getComputedStyle(select).direction);
  await page.goto("/queue?subtenant=long");
  await ready(page);
  await expect.poll(() => direction()).toBe("ltr");
  await page.goto("/queue");
  await ready(page);
  await expect.poll(() => direction()).toBe("rtl");
});

test("each name has its own direction, by whose end Safari cuts it", async () => {
  const mapping = { fieldName: "color", source: "litium", sourceValue: "Black", target: "magento", targetValue: "Svart" };
  await stage.workspace.post("/api/v1/tenants/acme/mappings", mapping);
  for (const view of [phone, { ...desktop, locale: "ar" }]) {
    const at = await stage.open({ view });
    for (const screen of ["/tenant-list", "/account", "/configuration", "/externalitems", "/mapping-list", "/queue"]) {
      await go(at, screen);
      if (screen === "/queue") {
        await at.locator("main [data-row-link]").first().click();
        await at.getByRole("dialog").waitFor();
      }
      const turned = await at.locator(".truncate:not(:has(.truncate), select)").evaluateAll((names) =>
        names.flatMap((name) => {
          const isLatin = /^[^\p{L}]*\p{Script=Latin}/u.test(name.textContent);
          return isLatin && getComputedStyle(name).direction === "rtl" ? [name.textContent] : [];
        }),
      );
      expect([screen, turned]).toEqual([screen, []]);
    }
    await at.context().close();
  }
});

test("the parts of a time stand in the order in which it is read, in Safari, too", async () => {
  await go(page, "/audit-log");
  // Chromium's have one of their own, which it tells as theirs.
  const directions = page.locator("input[type=datetime-local]").evaluateAll((fields) => fields.map((field) => field.getAttribute("dir")));
  expect(await directions).toEqual(["ltr", "ltr"]);
});
