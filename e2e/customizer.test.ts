import type { BrowserContext, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inspectAccess } from "./axe.ts";
import { desktop, ready } from "./browser.ts";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;
/** Signed in, with a tenant's queue to show, and nothing chosen yet. */
let signedIn: Awaited<ReturnType<BrowserContext["storageState"]>>;

beforeAll(async () => {
  stage = await openStage({ CROSSDOCK_ENVIRONMENT: "QA" });
  await stage.workspace.pushItems("LAMP-1", "BROKEN-1");
  const page = await stage.open();
  signedIn = await page.context().storageState();
  await page.context().close();
});

afterAll(() => stage?.close());

/** Opens the queue in a browser started anew, with what an earlier one stored. */
async function openQueue({ origins } = signedIn, query = ""): Promise<Page> {
  const context = await stage.browser.newContext({
    baseURL: stage.url,
    viewport: { width: 1440, height: 900 },
    reducedMotion: "reduce",
    storageState: { cookies: signedIn.cookies, origins },
  });
  const page = await context.newPage();
  await page.goto(`/queue${query}`);
  await page.getByRole("link", { name: "BROKEN-1" }).first().waitFor();
  await ready(page);
  // The session's cookie rotates with every start, and each is good for one.
  signedIn.cookies = await context.cookies();
  return page;
}

async function openCustomizer(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: "Customizer" }).click();
  const customizer = page.getByRole("dialog", { name: "Customizer" });
  await customizer.waitFor();
  return customizer;
}

/** What theme.css makes of a variable of the root element. */
function variable(page: Page, name: string): Promise<string> {
  return page.evaluate<string>(`getComputedStyle(document.documentElement).getPropertyValue(${JSON.stringify(name)})`);
}

function styleOf(locator: Locator, property: string): Promise<string> {
  return locator.evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);
}

/** Everything chosen below as it shows on the page. */
async function expectChosenLook(page: Page): Promise<void> {
  const root = page.locator("html");
  await expect.poll(() => root.getAttribute("dir")).toBe("rtl");
  await expect.poll(() => root.getAttribute("data-mode")).toBe("dark");
  expect(await styleOf(root, "background-color")).toBe("rgb(57, 61, 75)");
  expect(await variable(page, "--radius-card")).toBe("30px");
  await expect.poll(() => variable(page, "--primary")).toBe("#ffd955");
  expect(await variable(page, "--secondary")).toBe("#336699");
  expect(await styleOf(page.locator("header").first(), "background-color")).toBe("rgb(18, 52, 86)");
  expect(await styleOf(page.getByRole("contentinfo"), "position")).toBe("sticky");
  const frame = await page.locator("[data-scrolls]").boundingBox();
  expect(frame?.width).toBe(1260);
}

test("every setting applies at once, keeps what is being typed, and outlives the browser", async () => {
  const page = await openQueue();
  const field = page.locator("main").getByRole("textbox").first();
  const element = await field.elementHandle();
  await field.fill("LAMP");
  const customizer = await openCustomizer(page);
  await customizer.getByRole("radio", { name: "Modern" }).check();
  await customizer.getByRole("radio", { name: "Dark", exact: true }).first().check();
  await customizer.getByRole("radio", { name: "Colour set 6: #ffd955 and #c4476d" }).check();
  await customizer.getByLabel("Secondary").fill("#336699");
  await customizer.getByLabel("Sidebar", { exact: false }).and(customizer.locator("[type=color]")).fill("#123456");
  await customizer.getByRole("switch", { name: "Right to left" }).click();
  await customizer.getByRole("group", { name: "Header type" }).getByRole("radio", { name: "Dark" }).check();
  await customizer.getByRole("radio", { name: "Boxed" }).check();
  await customizer.getByRole("switch", { name: "Show the footer" }).click();
  await customizer.getByRole("radio", { name: "Fixed" }).check();
  await customizer.getByRole("radio", { name: "Slide left" }).check();
  for (const style of await customizer.getByRole("group", { name: "Navigation style" }).getByRole("radio").all()) await style.check();
  await customizer.getByRole("radio", { name: "User in header", exact: true }).check();
  await expectChosenLook(page);
  await expect.poll(() => element?.evaluate((input) => input.isConnected)).toBe(true);
  await expect.poll(() => field.inputValue()).toBe("LAMP");

  const again = await openQueue(await page.context().storageState());
  await expectChosenLook(again);
  const chosen = (await openCustomizer(again)).locator("input:checked").evaluateAll((inputs) => inputs.length);
  expect(await chosen).toBe(7);
  await Promise.all([page.context().close(), again.context().close()]);
});

/** The code that computes the colours comes with the first that are chosen. */
const grounds = (page: Page) => Promise.all([variable(page, "--primary"), variable(page, "--ground-deep")]);

test("colours whose code was lost on its way come when the server answers", async () => {
  const page = await openQueue();
  const customizer = await openCustomizer(page);
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  await page.route(/\/assets\/apply-colours-/, (route) => route.abort(), { times: 1 });
  await customizer.getByRole("radio", { name: "Colour set 10: #3f51b5 and #2196f3" }).check();
  await expect.poll(() => grounds(page)).toEqual(["#3f51b5", "#ffc107"]);
  expect(faults).toEqual([]);
  await page.context().close();
});

test("the defaults come back with one button, and go again with Undo", async () => {
  const page = await openQueue();
  expect(await variable(page, "--ground-deep")).toBe("#001e3c");
  const customizer = await openCustomizer(page);
  await customizer.getByRole("radio", { name: "Light", exact: true }).first().check();
  await customizer.getByRole("radio", { name: "Colour set 10: #3f51b5 and #2196f3" }).check();
  await customizer.getByRole("button", { name: "Reset to defaults" }).click();
  await expect.poll(() => page.locator("html").getAttribute("data-mode")).toBe("semi-dark");
  await expect.poll(() => grounds(page)).toEqual(["#0a8fdc", "#001e3c"]);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => page.locator("html").getAttribute("data-mode")).toBe("light");
  await expect.poll(() => grounds(page)).toEqual(["#3f51b5", "#ffc107"]);
  await page.keyboard.press("Escape");
  await customizer.waitFor({ state: "detached" });
  await page.context().close();
});

test("Arabic turns right to left on, another language off, and the switch overrules both", async () => {
  const page = await openQueue();
  const direction = () => page.locator("html").getAttribute("dir");
  const choose = async (from: string, to: string) => {
    await page.getByRole("button", { name: from, exact: true }).click();
    await page.getByRole("button", { name: to, exact: true }).click();
  };
  await choose("Language", "العربية");
  await expect.poll(direction).toBe("rtl");
  await page.getByRole("button", { name: "تخصيص المظهر" }).click();
  await page.getByRole("switch", { name: "من اليمين إلى اليسار" }).click();
  await expect.poll(direction).toBe("ltr");
  await page.keyboard.press("Escape");
  await choose("اللغة", "Français");
  await page.locator("html[lang=fr]").waitFor();
  await expect.poll(() => direction()).toBe("ltr");
  await choose("Langue", "العربية");
  await expect.poll(direction).toBe("rtl");
  await page.context().close();
});

describe("an address presets the look", () => {
  test("before the console's own code runs, and for good", async () => {
    const context = await stage.browser.newContext({ baseURL: stage.url });
    const page = await context.newPage();
    const refused: string[] = [];
    page.on("console", (message) => message.type() === "error" && refused.push(message.text()));
    await context.route("**/assets/index-*.js", (route) => route.fulfill({ contentType: "text/javascript", body: "" }));
    await page.goto("/signin?mode=dark&theme_style=modern&is_rtl=1&nav_style=mini&keep=this");
    const root = page.locator("html");
    expect([await root.getAttribute("data-mode"), await root.getAttribute("data-style"), await root.getAttribute("dir")]).toEqual([
      "dark",
      "modern",
      "rtl",
    ]);
    expect(await styleOf(root, "background-color")).toBe("rgb(57, 61, 75)");
    expect(new URL(page.url()).search).toBe("?keep=this");
    expect(refused).toEqual([]);

    await context.unroute("**/assets/index-*.js");
    await page.goto("/signin");
    await page.locator("#email").waitFor();
    expect([await root.getAttribute("data-mode"), await root.getAttribute("dir")]).toEqual(["dark", "rtl"]);
    expect(await page.evaluate(() => localStorage.getItem("crossdock.nav"))).toBe("mini");
    await context.close();
  });

  test("but not with values that don't exist", async () => {
    const page = await openQueue(signedIn, "?mode=blue&layout=boxed&style=round&rtl=maybe");
    const root = page.locator("html");
    await expect.poll(() => root.getAttribute("data-mode")).toBe(desktop.mode);
    expect([await root.getAttribute("data-style"), await root.getAttribute("dir")]).toEqual(["standard", "ltr"]);
    await page.context().close();
  });
});

describe.each(["Light", "Semi dark", "Dark"])("in mode %s", (mode) => {
  test("page and open customizer are legible in every set of colours, on coloured headers too", async () => {
    const page = await openQueue();
    const customizer = await openCustomizer(page);
    await customizer.getByRole("group", { name: "Theme mode" }).getByRole("radio", { name: mode, exact: true }).check();
    const complaints = await inspectAccess(page);
    for (const style of ["Standard sidebar", "Horizontal, coloured"]) {
      await customizer.getByRole("radio", { name: style }).check();
      for (const set of await customizer.getByRole("radio", { name: /^Colour set/ }).all()) {
        await set.check();
        const name = `${style}, ${await set.getAttribute("aria-label")}`;
        complaints.push(...(await inspectAccess(page, "only")).map((complaint) => `${name}: ${complaint}`));
      }
    }
    expect(complaints).toEqual([]);
    await page.context().close();
  });
});
