import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { desktop, openView, signIn } from "./browser.ts";
import { openStage, type Stage } from "./stage.ts";

/** What JavaScript and style sheets may weigh over the wire, in kB (1000 bytes) as gzip leaves them. */
const budgets = { signIn: 130, queueList: 210 };

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(() => stage?.close());

/** Opens a screen and adds up the code that was asked for before something of it was there. */
async function weigh(page: Page, address: string, shown: string): Promise<number> {
  await page.addInitScript((selector) => {
    const mark = (): void => {
      if (document.querySelector(selector) && performance.getEntriesByName("shown").length === 0) performance.mark("shown");
    };
    new MutationObserver(mark).observe(document, { childList: true, subtree: true });
  }, shown);
  await page.goto(address);
  await page.locator(shown).first().waitFor();
  const bytes = await page.evaluate(() => {
    const until = performance.getEntriesByName("shown")[0]?.startTime ?? 0;
    const files = performance.getEntriesByType("resource").filter((entry) => entry instanceof PerformanceResourceTiming);
    const code = files.filter(({ name, startTime }) => startTime < until && /\/assets\/.*\.(js|css)$/.test(name));
    return code.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
  });
  return bytes / 1000;
}

/** The files of the font that the page has asked for. */
async function fontsOf(page: Page): Promise<string[]> {
  await page.evaluate("document.fonts.ready");
  const names = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
  return names.flatMap((name) => /poppins-(.*)-normal-.*\.woff2$/.exec(name)?.slice(1) ?? []).toSorted();
}

test("the code of the sign-in and of the queue list stays within its budget", async () => {
  const page = await (await openView(stage.browser, stage.url, desktop)).newPage();
  const signInWeight = await weigh(page, "/signin", "#email");
  expect(signInWeight).toBeGreaterThan(50);
  expect(signInWeight).toBeLessThanOrEqual(budgets.signIn);

  await signIn(page);
  // English needs no letters beyond those of western Europe; whoever's data have others gets these as well.
  expect(await fontsOf(page)).toEqual(["latin-400", "latin-500", "latin-600"]);
  await page.locator("h1").evaluate((heading) => heading.append("Łódź"));
  await expect.poll(() => fontsOf(page)).toContain("latin-ext-600");
  const cold = await (await openView(stage.browser, stage.url, desktop)).newPage();
  await cold.context().addCookies(await page.context().cookies());
  await cold.addInitScript(() => localStorage.setItem("crossdock.session", "open"));
  const queueListWeight = await weigh(cold, "/queue", "h1, main a");
  expect(queueListWeight).toBeGreaterThan(signInWeight);
  expect(queueListWeight).toBeLessThanOrEqual(budgets.queueList);
  console.log(`sign-in ${signInWeight.toFixed(1)} kB, queue list ${queueListWeight.toFixed(1)} kB`);
});
