import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { inspectAccess } from "./axe.ts";
import { desktop, go, openView, ready, type View } from "./browser.ts";
import { inspectWidth, watchShifts } from "./geometry.ts";
import { changeLook } from "./look.ts";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
  const owner = stage.database.pool("owner", 1);
  // The first dead letter is an alert.
  await owner.query("update hub.alert_rule set threshold = 1, for_seconds = 0 where kind = 'dead-letters'");
  await stage.workspace.pushItems("LAMP-1", "BROKEN-1");
  const mapping = {
    subtenantCode: null,
    source: "litium",
    target: "shopify",
    fieldName: "colour",
    sourceValue: "NAVY",
    targetValue: "Blue",
  };
  await stage.workspace.post("/api/v1/tenants/acme/mappings", mapping);
  const firing = "select from hub.alert where state = 'firing'";
  await vi.waitUntil(async () => (await owner.query(firing)).rowCount === 1, { timeout: 60_000 });
});

afterAll(() => stage?.close());

const screens = [
  "/tenant-list",
  "/tenant/acme",
  "/subtenant-list",
  "/subtenant/main/dashboard",
  "/queue",
  "/retryqueue",
  "/deadletter-list",
  "/deadletter-list?view=list",
  "/mapping-list",
  "/configuration",
  "/toolbox",
  "/configuration?view=flow",
  "/configuration?point=new",
  "/jobstatus-list",
  "/jobstatus-list?view=schedules",
  "/externalitems",
  "/entities",
  "/entities?object=LAMP-1&of=main",
  "/externalmessages",
  "/externalmessages?view=groups",
  "/brightcom-dashboard",
  "/alerts",
  "/alerts?view=rules",
  "/alerts?view=channels",
  "/users",
  "/api-keys",
  "/account",
  "/audit-log",
  "/outbox",
  "/forget-password",
  "/error-pages/error-404",
  "/error-pages/error-500",
  "/error-pages/coming-soon",
  "/error-pages/maintenance",
];
const phone = { width: 360, height: 740 };
/**
 * Every screen in the two views that have nothing in common: light from left to right, dark from right to left. Contrast follows from the
 * colours, which on a phone are the same; semi-dark is light but for its menu, which one screen shows; and that all of it holds with every
 * set of colours is for customizer.test.ts.
 */
const views: Record<string, { view: View; contrast: "with" | "without" }> = {
  "in light": { view: { ...desktop, mode: "light" }, contrast: "with" },
  "in Arabic, dark": { view: { ...desktop, mode: "dark", locale: "ar" }, contrast: "with" },
  "on a phone": { view: { ...phone, mode: "light", locale: "it" }, contrast: "without" },
  "on a phone in Arabic, dark": { view: { ...phone, mode: "dark", locale: "ar" }, contrast: "without" },
};

/** What opens over a screen, as the way to open it; everything is found by what it is, as names differ by language. */
const openings: { name: string; path: string; open: (page: Page) => Promise<void> }[] = [
  {
    name: "the row's drawer",
    path: "/queue?key=BROKEN",
    open: async (page) => {
      await page.locator("main [data-row-link]").first().click();
      await page.getByRole("dialog").getByRole("tree").first().waitFor();
    },
  },
  {
    name: "the alert's drawer",
    path: "/alerts",
    open: async (page) => {
      await page.locator("main [data-row-link]").first().click();
      await page.getByRole("dialog").getByRole("listitem").first().waitFor();
    },
  },
  {
    name: "the columns",
    path: "/queue",
    open: async (page) => {
      await page.locator("main [role=grid]").waitFor();
      await page.locator("[data-toolbar] button[aria-haspopup=dialog]").first().click();
      await page.getByRole("dialog").getByRole("radio").first().waitFor();
    },
  },
  {
    name: "the export",
    path: "/queue",
    open: async (page) => {
      await page.locator("main [role=grid]").waitFor();
      await page.locator("[data-toolbar] button[aria-haspopup=dialog]").last().click();
      await page.getByRole("dialog").getByRole("radio").first().waitFor();
    },
  },
  {
    name: "chosen rows and the question before they are removed",
    path: "/deadletter-list?view=list",
    open: async (page) => {
      await page.locator("main [role=grid] input").first().check();
      await page.locator("[data-toolbar] button.text-bad").click();
      await page.getByRole("alertdialog").waitFor();
    },
  },
  {
    name: "a bulk patch that is tried out",
    path: "/deadletter-list?view=list",
    open: async (page) => {
      await page.locator("main [role=grid] input").first().check();
      await page.locator("[data-toolbar] button:has(.lucide-file-pen)").click();
      const dialog = page.getByRole("dialog");
      await dialog.locator("select").first().selectOption("merge");
      await dialog.locator("textarea").fill('{"name":"Checked"}');
      await dialog.locator("button[type=submit]").click();
      await dialog.locator("ins").first().waitFor();
    },
  },
  {
    name: "filters in force",
    path: "/queue?key=BROKEN&state=dead",
    open: async (page) => {
      await page.locator("search ul").waitFor();
    },
  },
];

describe.each(Object.entries(views))("%s", (_name, { view, contrast }) => {
  let page: Page;

  beforeAll(async () => {
    page = await stage.open({ view });
  });

  afterAll(() => page?.context().close());

  async function inspect(what: string, at: Page = page): Promise<string[]> {
    const complaints = [...(await inspectAccess(at, contrast)), ...(await inspectWidth(at))];
    return complaints.map((complaint) => `${what}: ${complaint}`);
  }

  test("the sign-in breaks no WCAG AA rule and doesn't scroll sideways", async () => {
    const door = await (await openView(stage.browser, stage.url, view)).newPage();
    await door.goto("/signin");
    await door.locator("#email").waitFor();
    expect(await inspect("/signin", door)).toEqual([]);
    await door.context().close();
  });

  test("no screen breaks one, scrolls sideways or moves while it comes up", async () => {
    const complaints: string[] = [];
    const takeShifts = await watchShifts(page);
    for (const screen of screens) {
      const { pathname: before } = new URL(page.url());
      await go(page, screen);
      const { pathname, search } = new URL(page.url());
      if (pathname + search !== screen) complaints.push(`${screen} led to ${pathname}${search}`);
      complaints.push(...(await inspect(screen)));
      // Another view of the same screen comes by a click, which may move what is below it.
      const shifts = await takeShifts();
      if (pathname !== before) complaints.push(...shifts.map((shift) => `${screen} moved: ${shift}`));
    }
    expect(complaints).toEqual([]);
  });

  test("nothing that opens over a screen does", async () => {
    const complaints: string[] = [];
    for (const { name, path, open } of openings) {
      await page.goto(path);
      await ready(page);
      await open(page);
      complaints.push(...(await inspect(name)));
    }
    expect(complaints).toEqual([]);
  });

  test("neither does what is said about the connection, a message's page, or a notice", async () => {
    await page.goto("/queue?key=BROKEN");
    await page.locator("main [data-row-link]").first().waitFor();
    await page.context().setOffline(true);
    const strip = page.locator("div.fixed > [role=status] svg");
    await strip.waitFor();
    const complaints = await inspect("offline");
    await page.context().setOffline(false);
    await strip.waitFor({ state: "detached" });

    await page.locator("main [data-row-link]").first().click();
    await page.getByRole("dialog").getByRole("link").first().click();
    await page.locator("details").first().waitFor();
    complaints.push(...(await inspect("details")));
    await page.locator("main header button").first().click();
    await page.locator("p[data-type=success]").waitFor();
    complaints.push(...(await inspect("notice")));
    expect(complaints).toEqual([]);
  });
});

test("the menu of semi-dark breaks none in either direction, and its scroll bar is drawn on its ground", async () => {
  const page = await stage.open({ at: "/queue" });
  const complaints = await inspectAccess(page);
  const [bar, line] = await page.locator("aside nav").evaluate((menu) => {
    menu.style.color = "var(--field-line)";
    const { color, scrollbarColor } = getComputedStyle(menu);
    return [scrollbarColor, color];
  });
  expect(bar).toBe(`${line} rgba(0, 0, 0, 0)`);
  await changeLook(page, { locale: "ar" });
  complaints.push(...(await inspectAccess(page)));
  expect(complaints).toEqual([]);
  await page.context().close();
});

test("what breaks a rule is found", async () => {
  const page = await stage.open({ at: "/queue", view: { ...desktop, mode: "light" } });
  await page.evaluate(`document.querySelector("h1").innerHTML = '<span style="color: #ddd">Queue</span><button></button>'`);
  const rules = async (contrast: "with" | "without" | "only") =>
    (await inspectAccess(page, contrast)).map((complaint) => complaint.split(" ")[0]);
  expect(await rules("with")).toEqual(["button-name", "color-contrast"]);
  expect(await rules("without")).toEqual(["button-name"]);
  expect(await rules("only")).toEqual(["color-contrast"]);
  await page.context().close();
});

test("on paper no column of the dashboard's table is cut off, however long a name is", async () => {
  await stage.workspace.post("/api/v1/tenants", { code: "long", name: "Langnamig".repeat(20) });
  const page = await stage.open({ at: "/brightcom-dashboard", view: { ...desktop, width: 720 } });
  await page.emulateMedia({ media: "print" });
  const table = page.getByRole("region", { name: "Tenants" });
  await expect.poll(() => table.evaluate((region) => region.scrollWidth - region.clientWidth)).toBe(0);
  await page.context().close();
});

test("on paper a switch shows on which side it is, and what leads the keyboard stands nowhere", async () => {
  const page = await stage.open({ at: "/subtenant-list" });
  await page.emulateMedia({ media: "print" });
  const knob = page.getByRole("switch").first().locator("span");
  // Browsers leave grounds out on paper unless they are told that these say something.
  expect(await knob.evaluate((part) => getComputedStyle(part).printColorAdjust)).toBe("exact");
  expect(await page.getByText("Skip to content").isVisible()).toBe(false);
  await page.context().close();
});

test("a large number of the dashboard stays whole in its card, however large the text", async () => {
  const page = await stage.open({ at: "/tenant-list", view: { ...desktop, width: 1024 } });
  await page.route("**/api/v1/overview", async (route) => {
    const overview = (await (await route.fetch()).json()) as { tenants: object[] };
    await route.fulfill({ json: { ...overview, tenants: overview.tenants.map((tenant) => ({ ...tenant, delivered: 1_234_567 })) } });
  });
  await page.evaluate('document.documentElement.style.fontSize = "24px"');
  await go(page, "/brightcom-dashboard");
  const number = page.locator("dd").first();
  await expect.poll(() => number.textContent()).toMatch(/^\d,\d{3},\d{3}$/);
  const lines = await number.evaluate((element) => {
    const text = document.createRange();
    text.selectNodeContents(element);
    return text.getClientRects().length;
  });
  expect(lines).toBe(1);
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.context().close();
});

test("what is chosen in a field begins where what is typed in the next one does", async () => {
  for (const locale of ["en", "ar"]) {
    const page = await stage.open({ at: "/deadletter-list", view: { ...desktop, locale } });
    const start = (control: string) =>
      page
        .getByRole("main")
        .locator(control)
        .first()
        .evaluate((element) => getComputedStyle(element).paddingInlineStart);
    expect(await start("select")).toBe(await start("input:not([type=search], .ps-8)"));
    await page.context().close();
  }
});

test("with forced colours the main button of a screen has an edge", async () => {
  const page = await stage.open({ at: "/deadletter-list" });
  await page.emulateMedia({ forcedColors: "active" });
  const edge = await page
    .getByRole("main")
    .getByRole("button", { name: "Requeue" })
    .evaluate((button) => getComputedStyle(button).borderTopWidth);
  expect(edge).toBe("1px");
  await page.context().close();
});

test("with forced colours the active choice of the palette and the gear at the edge are seen", async () => {
  const page = await stage.open({ at: "/deadletter-list" });
  await page.emulateMedia({ forcedColors: "active" });
  const gear = page.getByRole("button", { name: "Customizer" });
  expect(await gear.evaluate((tab) => getComputedStyle(tab).borderTopWidth)).toBe("1px");
  await page.keyboard.press("ControlOrMeta+k");
  const options = page.getByRole("dialog").getByRole("option");
  await options.nth(1).waitFor();
  const outlines = () => options.evaluateAll((all) => all.slice(0, 2).map((option) => getComputedStyle(option).outlineStyle));
  await expect.poll(outlines).toEqual(["solid", "none"]);
  await page.keyboard.press("ArrowDown");
  await expect.poll(outlines).toEqual(["none", "solid"]);
  await page.context().close();
});

test("with forced colours tabs, selects and pictures are drawn in the system's", async () => {
  const page = await stage.open({ at: "/configuration?view=flow" });
  await page.emulateMedia({ forcedColors: "active" });
  const looks = await page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement("i"));
    const system = (name: string) => {
      probe.style.color = name;
      return getComputedStyle(probe).color;
    };
    // oxlint-disable-next-line unicorn/consistent-function-scoping -- What runs in the page can't reach out of it.
    const styleOf = (selector: string) => {
      const element = document.querySelector(selector);
      return element ? getComputedStyle(element) : undefined;
    };
    return {
      chosen: styleOf("[role=tab][data-active]")?.borderBottomColor === system("Highlight"),
      other: styleOf("[role=tab]:not([data-active])")?.borderBottomColor === system("Canvas"),
      arrow: styleOf("main select")?.appearance,
      edge: styleOf("main svg path.fill-none")?.stroke === system("CanvasText"),
    };
  });
  expect(looks).toEqual({ chosen: true, other: true, arrow: "auto", edge: true });
  await page.context().close();
});

test("the heading of a screen can be read whole at 320 px, as wide as a window is at 400 %", async () => {
  const key = "LAMP-OF-THE-LONG-CORRIDOR-BLACK-00017";
  await stage.workspace.pushItems(key);
  const page = await stage.open({ at: `/entities?object=${key}&of=main`, view: { ...desktop, width: 320, height: 256 } });
  const heading = page.getByRole("heading", { level: 1, name: key });
  await expect.poll(() => heading.evaluate((title) => title.scrollWidth - title.clientWidth)).toBe(0);
  expect(await inspectWidth(page)).toEqual([]);
  await page.context().close();
});

test("who may sign in and which key may do what can be read whole at 200 %, where a window of 1280 px has 640", async () => {
  const scopes = ["read", "operate", "gateway"];
  await stage.workspace.post("/api/v1/tenants/acme/api-keys", { name: "Warehouse terminals, hall 2", scopes });
  const page = await stage.open({ at: "/users", view: { ...desktop, width: 640, height: 400 } });
  for (const [address, row] of [
    ["/users", /admin@crossdock/],
    ["/api-keys", /Warehouse terminals/],
  ] as const) {
    await go(page, address);
    const cells = page.getByRole("row", { name: row }).getByRole("gridcell");
    await cells.first().waitFor();
    const cut = await cells.evaluateAll((all) =>
      all
        .flatMap((cell) => [cell, ...cell.querySelectorAll("*")])
        .filter((part) => getComputedStyle(part).overflowX !== "visible" && part.scrollWidth > part.clientWidth)
        .map((part) => part.textContent),
    );
    expect(cut).toEqual([]);
  }
  await page.context().close();
});

test("on a card a value that can be edited begins where its name does, in either direction", async () => {
  for (const locale of ["en", "ar"]) {
    const page = await stage.open({ at: "/subtenant-list", view: { ...desktop, locale, width: 360 } });
    const edges = await page
      .getByRole("gridcell")
      .filter({ has: page.getByRole("button", { name: /: Main shop$/ }) })
      .first()
      .evaluate((cell) =>
        [cell.firstElementChild, cell.querySelector("button")].map((part) => {
          const text = document.createRange();
          text.selectNodeContents(part?.firstChild ?? cell);
          const { left, right } = text.getBoundingClientRect();
          return document.dir === "rtl" ? right : left;
        }),
      );
    expect(edges[0]).toBeCloseTo(edges[1] ?? 0, 0);
    await page.context().close();
  }
});
