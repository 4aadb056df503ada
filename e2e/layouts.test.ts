import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { desktop, openView, settle, signIn } from "./browser.ts";
import { writeLayoutSheets } from "./contact-sheet.ts";
import { inspectGeometry } from "./geometry.ts";
import { changeLook, navStyles, type NavStyle } from "./look.ts";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;
let page: Page;
const folder = mkdtempSync(join(tmpdir(), "crossdock-layouts-"));

/** Enough that the list is far longer than the window. */
const messages = 90;
/** The sheets are 66 screenshots. */
const sheetsMs = 180_000;

beforeAll(async () => {
  stage = await openStage();
  await stage.workspace.pushItems(...Array.from({ length: messages }, (_, index) => `LAMP-${index}`), "BROKEN-1");
  page = await stage.open();
  await openQueue();
});

afterAll(async () => {
  await stage?.close();
  rmSync(folder, { recursive: true, force: true });
});

beforeEach(async () => {
  await page.setViewportSize({ width: desktop.width, height: desktop.height });
  await changeLook(page, { nav: "standard", mode: "light", style: "standard", layout: "full-width", locale: "en", menu: null });
});

async function openQueue(): Promise<void> {
  await page.goto("/queue");
  await page.getByRole("link", { name: "Deadletters 1", exact: true }).waitFor();
  await page.getByRole("link", { name: "LAMP-89" }).waitFor();
}

test(
  "in no layout, mode or direction do controls leave the window or lie over each other",
  async () => {
    const complaints: string[] = [];
    const files = await writeLayoutSheets(page, folder, async (title) => {
      complaints.push(...(await inspectGeometry(page)).map((complaint) => `${title}: ${complaint}`));
    });
    expect(complaints).toEqual([]);
    expect(files.map((file) => statSync(file).size > 100_000)).toEqual([true, true, true]);
  },
  sheetsMs,
);

test("the list of the queue begins in the upper part of the window", async () => {
  const whole = await page.locator("[data-row]").evaluateAll((rows) => {
    return rows.filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length;
  });
  expect(whole).toBeGreaterThanOrEqual(10);
});

test("every tab is in sight on a phone", async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto("/mapping-list");
  await page.getByRole("tab").nth(2).waitFor();
  const ends = await page.getByRole("tab").evaluateAll((tabs) => tabs.map((tab) => tab.getBoundingClientRect().right));
  await page.setViewportSize({ width: desktop.width, height: desktop.height });
  await openQueue();
  expect(ends.length).toBe(3);
  expect(Math.max(...ends)).toBeLessThanOrEqual(360);
});

test("no field of a phone is written so small that Safari zooms into it, and a button that looks like one is written alike", async () => {
  const phone = await stage.browser.newPage({ baseURL: stage.url, viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
  const sizes = () =>
    phone
      .locator("main :is(input, textarea, [role=combobox])")
      .evaluateAll((fields) => [...new Set(fields.map((field) => getComputedStyle(field).fontSize))]);
  await signIn(phone);
  await phone.goto("/tenant/acme");
  // Elsewhere its text is the smallest.
  await phone.locator("textarea").waitFor();
  expect(await sizes()).toEqual(["16px"]);
  await phone.goto("/audit-log");
  await phone.getByRole("button", { name: "Filters", exact: true }).click();
  await phone.getByRole("combobox", { name: "Action" }).and(phone.locator("button")).waitFor();
  expect(await sizes()).toEqual(["16px"]);
  await phone.close();
});

test("geometry is found to be wrong where it is", async () => {
  expect(await inspectGeometry(page)).toEqual([]);
  await setStyle(page.getByRole("link", { name: "Tenants", exact: true }), "height: 70px; margin-bottom: -30px");
  await setStyle(page.getByRole("button", { name: "Language" }), "translate: 600px");
  const complaints = await inspectGeometry(page);
  for (const part of ["nav a", "header button"]) await setStyle(page.locator(part), "");
  expect(complaints).toEqual([
    expect.stringMatching(/^the page is \d+ px too wide$/),
    expect.stringMatching(/^a "Tenants" and a "Brightcom Dashboard" share \d+ × \d+ px$/),
    'button "Language" is outside of the window',
  ]);
});

async function setStyle(parts: Locator, style: string): Promise<void> {
  await parts.first().waitFor({ state: "attached" });
  await parts.evaluateAll((elements, text) => {
    for (const element of elements) if (element instanceof HTMLElement) element.style.cssText = text;
  }, style);
  await settle(page);
}

describe.each([
  { name: "on the narrowest wide window, boxed, modern, with a fixed footer", width: 1280, height: 800, locale: "it" },
  { name: "on a tablet", width: 1279, height: 900, locale: "en" },
  { name: "on a phone", width: 360, height: 740, locale: "fr" },
  { name: "on a phone in Arabic", width: 360, height: 740, locale: "ar" },
])("$name", ({ width, height, locale }) => {
  test("every layout keeps its controls apart and inside", async () => {
    await page.setViewportSize({ width, height });
    await changeLook(page, { locale, style: "modern", layout: "boxed", footer: "shown", "footer-type": "fixed" });
    const complaints: string[] = [];
    for (const nav of navStyles) {
      await changeLook(page, { nav });
      complaints.push(...(await inspectGeometry(page)).map((complaint) => `${nav}: ${complaint}`));
    }
    expect(complaints).toEqual([]);
  });
});

/** Where header and menu are at 1440 × 900, in pixels from the window's start and top, and how wide the menu is. */
const places: Record<NavStyle, { header: { x: number; y: number }; menu: { x: number; y: number; width: number } | null }> = {
  standard: { header: { x: 304, y: 0 }, menu: { x: 0, y: 0, width: 304 } },
  default: { header: { x: 0, y: 0 }, menu: { x: 0, y: 70, width: 304 } },
  "mini-sidebar-toggle": { header: { x: 64, y: 0 }, menu: { x: 0, y: 0, width: 64 } },
  "user-header": { header: { x: 0, y: 0 }, menu: { x: 0, y: 70, width: 304 } },
  "user-mini-header": { header: { x: 0, y: 0 }, menu: { x: 0, y: 70, width: 64 } },
  mini: { header: { x: 64, y: 0 }, menu: { x: 0, y: 0, width: 64 } },
  drawer: { header: { x: 0, y: 0 }, menu: null },
  "bit-bucket": { header: { x: 0, y: 0 }, menu: { x: 64, y: 0, width: 304 } },
  "h-default": { header: { x: 0, y: 0 }, menu: { x: 0, y: 70, width: 1440 } },
  "hor-light-nav": { header: { x: 0, y: 0 }, menu: { x: 0, y: 70, width: 1440 } },
  "hor-dark-layout": { header: { x: 0, y: 0 }, menu: { x: 0, y: 70, width: 1440 } },
};

/** The box that holds the menu: a sidebar, or the strip itself. */
const menuBox = () => page.locator("aside:has(nav), nav:not(aside nav)");

async function placeOfMenu() {
  const box = (await menuBox().count()) === 0 ? null : await roundedBox(menuBox());
  return box && { x: box.x, y: box.y, width: box.width };
}

test.each(Object.entries(places))("%s has its header and menu where they belong", async (nav, place) => {
  await changeLook(page, { nav });
  await expect.poll(async () => roundedBox(page.locator("header").first())).toMatchObject(place.header);
  await expect.poll(placeOfMenu).toEqual(place.menu);
  expect(await page.getByText("System Manager").count()).toBe(
    ["user-header", "user-mini-header"].includes(nav) || nav.startsWith("h") || nav === "drawer" ? 0 : 1,
  );
});

type Boxed = { boundingBox: () => Promise<{ x: number; y: number; width: number; height: number } | null> };

async function roundedBox(locator: Boxed) {
  const box = await locator.boundingBox();
  return box && { x: Math.round(box.x), y: Math.round(box.y), width: Math.round(box.width), height: Math.round(box.height) };
}

test.each([
  { nav: "standard", scrolls: "content" },
  { nav: "hor-light-nav", scrolls: "page" },
])("$nav scrolls the $scrolls, and its list draws only the rows in sight down to the last one", async ({ nav, scrolls }) => {
  await changeLook(page, { nav });
  const pageExcess = await page.evaluate<number>("document.documentElement.scrollHeight - innerHeight");
  expect(pageExcess > 0 ? "page" : "content").toBe(scrolls);
  await page.getByRole("link", { name: "LAMP-89" }).hover();
  const last = page.getByRole("link", { name: "LAMP-0", exact: true });
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, 3000);
      return last.isVisible();
    })
    .toBe(true);
  await expect.poll(() => page.getByRole("row").count()).toBeLessThan(40);
  // The table's header stays in sight, below what stays above it.
  const head = await roundedBox(page.getByRole("row").filter({ has: page.getByRole("columnheader") }));
  expect(head?.y).toBe(scrolls === "page" ? 52 : 70);
  await page.mouse.wheel(0, -20_000);
  await page.getByRole("link", { name: "LAMP-89" }).waitFor();
});

test.each(["standard", "hor-light-nav"] as const)("%s begins another screen at its top, and goes back to where one was", async (nav) => {
  const place = () =>
    page.locator("#content").evaluate((content) => Math.max(document.documentElement.scrollTop, content.parentElement?.scrollTop ?? 0));
  await changeLook(page, { nav });
  await openQueue();
  await page.getByRole("link", { name: "LAMP-89" }).hover();
  await page.mouse.wheel(0, 400);
  await expect.poll(place).toBe(400);
  await page.getByRole("link", { name: "LAMP-75", exact: true }).click();
  // A row that opens beside the list moves nothing.
  await page.getByRole("dialog").getByRole("link", { name: "Open as a page" }).waitFor();
  expect(await place()).toBe(400);
  await page.getByRole("dialog").getByRole("link", { name: "Open as a page" }).click();
  await page.waitForURL("**/queue/details/**");
  await expect.poll(place).toBe(0);
  await page.goBack();
  await page.getByRole("link", { name: "LAMP-75", exact: true }).waitFor();
  await expect.poll(place).toBe(400);
  // Not somewhere below it, where its rows were not yet there.
  await page.reload();
  await page.getByRole("link", { name: "LAMP-89" }).waitFor();
  expect(await place()).toBe(0);

  await page.setViewportSize({ width: desktop.width, height: 320 });
  await page.goto("/configuration");
  const point = page.getByRole("link", { name: "The shop" });
  await point.hover();
  await page.mouse.wheel(0, 300);
  await expect.poll(place).toBeGreaterThan(50);
  const inOverview = await place();
  // Neither by mouse nor by keyboard, for which the link might have to be scrolled into sight.
  await point.evaluate((link) => link.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true })));
  await page.getByRole("heading", { level: 1, name: "The shop" }).waitFor();
  await expect.poll(place).toBe(0);
  await page.goBack();
  await point.waitFor();
  await expect.poll(place).toBe(inOverview);
});

const menuWidth = async () => (await menuBox().boundingBox())?.width;

test("a mini sidebar opens over the content for the mouse and for the keyboard, and Escape closes it", async () => {
  await changeLook(page, { nav: "mini" });
  const content = await page.getByRole("main").boundingBox();
  await page.mouse.move(30, 400);
  await expect.poll(menuWidth).toBe(304);
  expect(await page.getByRole("main").boundingBox()).toEqual(content);
  await page.keyboard.press("Escape");
  await expect.poll(menuWidth).toBe(64);
  await page.mouse.move(800, 400);
  await page.mouse.move(30, 400);
  await expect.poll(menuWidth).toBe(304);
  await page.mouse.move(800, 400);
  await expect.poll(menuWidth).toBe(64);
  await page.getByRole("navigation").getByRole("link", { name: "Tenants", exact: true }).focus();
  await page.keyboard.press("Tab");
  await expect.poll(menuWidth).toBe(304);
  await page.keyboard.press("Escape");
  await expect.poll(menuWidth).toBe(64);
});

test("mini-sidebar-toggle starts mini and keeps what the operator made of it, bit-bucket's button puts its menu away", async () => {
  const fresh = await (await openView(stage.browser, stage.url, desktop)).newPage();
  await signIn(fresh);
  await changeLook(fresh, { nav: "mini-sidebar-toggle" });
  const width = async () => (await fresh.locator("aside:has(nav)").boundingBox())?.width ?? 0;
  await expect.poll(width).toBe(64);
  await fresh.getByRole("button", { name: "Show the whole menu" }).click();
  await expect.poll(width).toBe(304);
  await fresh.reload();
  await expect.poll(width).toBe(304);
  await changeLook(fresh, { nav: "bit-bucket" });
  await fresh.getByRole("button", { name: "Collapse the menu" }).click();
  await expect.poll(() => fresh.locator("aside:has(nav)").count()).toBe(0);
  await fresh.getByRole("button", { name: "Show the whole menu" }).click();
  await expect.poll(width).toBe(304);
  await fresh.context().close();
});

test("bit-bucket's rail tells who works where while its menu is put away", async () => {
  await changeLook(page, { nav: "bit-bucket", menu: "collapsed" });
  const rail = page.locator("header");
  await rail.getByText("localhost", { exact: true }).waitFor();
  await rail.getByText("v. 0.9.45β").waitFor();
  expect(await rail.getByRole("link", { name: "Acme" }).getAttribute("href")).toBe("/tenant-list");
  await rail.getByRole("button", { name: "Jobs", exact: true }).waitFor();
  expect(await inspectGeometry(page)).toEqual([]);
  await rail.getByRole("button", { name: "Account of" }).click();
  await page.getByRole("button", { name: "Logout" }).waitFor();
  await page.keyboard.press("Escape");
});

test.each(["h-default", "hor-light-nav", "hor-dark-layout"])("the user's menu tells the role in %s, which has no sidebar", async (nav) => {
  await changeLook(page, { nav });
  await page.getByRole("button", { name: "Account of" }).click();
  const menu = page.getByRole("dialog", { name: "Account of" });
  await menu.getByText("System Manager").waitFor();
  await menu.getByText("Admin", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
});

const pathsOf = (links: Locator) => links.evaluateAll((elements) => elements.map((element) => element.getAttribute("href")));

test("entries that don't fit on the strip are behind More", async () => {
  const onStrip = page.getByRole("navigation").getByRole("link");
  const more = page.getByRole("navigation").getByRole("button", { name: "More", exact: true });
  const allPaths = await pathsOf(onStrip);
  await changeLook(page, { nav: "h-default" });
  let before = 0;
  for (const { width, height } of [desktop, { width: 1920, height: 900 }]) {
    await page.setViewportSize({ width, height });
    await expect.poll(() => onStrip.count()).toBeGreaterThan(before);
    await more.click();
    await page.getByRole("menuitem").first().waitFor();
    const behind = await pathsOf(page.getByRole("menuitem"));
    await page.keyboard.press("Escape");
    await page.getByRole("menu").waitFor({ state: "detached" });
    expect(behind).not.toEqual([]);
    expect([...(await pathsOf(onStrip)), ...behind]).toEqual(allPaths);
    before = await onStrip.count();
  }
  // So small that there is room for all, however many there are.
  await setStyle(page.locator("html"), "font-size: 7px");
  await expect.poll(() => pathsOf(onStrip)).toEqual(allPaths);
  await expect.poll(() => more.count()).toBe(0);
  await setStyle(page.locator("html"), "");

  await page.setViewportSize({ width: desktop.width, height: desktop.height });

  await setStyle(page.locator("html"), "font-size: 28px");
  await more.click();
  await page.getByRole("menuitem", { name: "Deadletters" }).click();
  await page.waitForURL("**/deadletter-list");
  await openQueue();
});

test("below 1280 px a hamburger opens the menu over the content, and a chosen screen closes it", async () => {
  for (const nav of ["standard", "bit-bucket", "hor-dark-layout"]) {
    await page.setViewportSize({ width: 1279, height: 800 });
    await changeLook(page, { nav });
    await page.getByRole("button", { name: "Open menu" }).click();
    const menu = page.getByRole("dialog", { name: "Main menu" });
    await menu.getByText("Acme", { exact: true }).waitFor();
    await menu.getByRole("link", { name: "Queue", exact: true }).click();
    await menu.waitFor({ state: "detached" });
  }
});

test("a boxed layout is 1260 px wide, 1680 on a wide screen", async () => {
  await changeLook(page, { nav: "default", layout: "boxed" });
  const header = page.locator("header").first();
  await expect.poll(async () => (await roundedBox(header))?.width).toBe(1260);
  await page.setViewportSize({ width: 1920, height: 900 });
  await expect.poll(async () => (await roundedBox(header))?.width).toBe(1680);
});

test("the footer is hidden, fixed at the bottom, or after the last row", async () => {
  await changeLook(page, { footer: null });
  const footer = page.locator("footer");
  await expect.poll(() => footer.count()).toBe(0);
  for (const nav of ["standard", "h-default"]) {
    await changeLook(page, { nav, footer: "shown", "footer-type": "fixed" });
    expect(await bottomOf(footer)).toBe(900);
    await changeLook(page, { "footer-type": "fluid" });
    expect(await bottomOf(footer)).toBeGreaterThan(900);
  }
  await changeLook(page, { footer: null });
});

async function bottomOf(locator: Boxed): Promise<number> {
  const box = await roundedBox(locator);
  return box ? box.y + box.height : 0;
}

test("layout, mode, style, direction and language change without a reload or the loss of what was typed", async () => {
  await page.goto("/tenant/acme");
  const field = page.locator("#tenant-name");
  await field.fill("Acme, half renamed");
  await page.evaluate("globalThis.isSamePage = true");
  const looks = [
    ...navStyles.map((nav) => ({ nav })),
    { mode: "dark" },
    { style: "modern" },
    { layout: "boxed" },
    { direction: "rtl" },
    { locale: "zh" },
  ];
  for (const look of looks) {
    await changeLook(page, look);
    expect({ look, value: await field.inputValue() }).toEqual({ look, value: "Acme, half renamed" });
  }
  await page.setViewportSize({ width: 600, height: 800 });
  await expect.poll(() => field.inputValue()).toBe("Acme, half renamed");
  await expect.poll(() => page.evaluate("isSamePage")).toBe(true);
  await changeLook(page, { direction: null });
  await page.setViewportSize({ width: desktop.width, height: desktop.height });
  await changeLook(page, { locale: "en" });
  await openQueue();
});

test("a new screen comes in for 300 ms as chosen, and at once where less motion is asked for", async () => {
  await page.evaluate(() => {
    const start = document.startViewTransition.bind(document);
    document.startViewTransition = (update) => {
      const transition = start(update);
      window.name = "moving";
      void transition.ready.then(() => {
        const moves = document.getAnimations().flatMap(({ effect }) => {
          if (!(effect instanceof KeyframeEffect) || !effect.pseudoElement?.startsWith("::view-transition")) return [];
          return [`${effect.pseudoElement} ${String(effect.getTiming().duration)}`];
        });
        window.name = moves.sort().join(", ");
      });
      return transition;
    };
  });
  async function goAndWatch(name: string): Promise<string> {
    await page.evaluate("window.name = 'still'");
    await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
    await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
    const watched = () => page.evaluate<string>("window.name");
    await vi.waitUntil(async () => (await watched()) !== "moving", { timeout: 30_000 });
    return watched();
  }
  await changeLook(page, { transition: "slideLeft" });
  expect(await goAndWatch("Subtenants")).toBe("still");
  await page.emulateMedia({ reducedMotion: "no-preference" });
  expect(await goAndWatch("Tenants")).toBe("::view-transition-new(screen) 300, ::view-transition-old(screen) 300");
  await changeLook(page, { transition: "none" });
  expect(await goAndWatch("Subtenants")).toBe("still");
});
