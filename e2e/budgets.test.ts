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

/** Adds up the code that the page loads from now on. */
function weigh(page: Page): () => Promise<number> {
  const sizes: Promise<number>[] = [];
  page.on("requestfinished", (request) => {
    if (/\/assets\/.*\.(js|css)$/.test(request.url())) sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
  });
  return async () => (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) / 1000;
}

test("the code of the sign-in and of the queue list stays within its budget", async () => {
  const page = await (await openView(stage.browser, stage.url, desktop)).newPage();
  const weight = weigh(page);
  await page.goto("/signin");
  await page.locator("#email").waitFor();
  const signInWeight = await weight();
  expect(signInWeight).toBeGreaterThan(50);
  expect(signInWeight).toBeLessThanOrEqual(budgets.signIn);

  await signIn(page);
  const cold = await (await openView(stage.browser, stage.url, desktop)).newPage();
  await cold.context().addCookies(await page.context().cookies());
  await cold.addInitScript(() => localStorage.setItem("crossdock.session", "open"));
  const coldWeight = weigh(cold);
  await cold.goto("/queue");
  await cold.getByRole("heading", { level: 1 }).or(cold.getByRole("main").getByRole("link")).first().waitFor();
  const queueListWeight = await coldWeight();
  expect(queueListWeight).toBeGreaterThan(signInWeight);
  expect(queueListWeight).toBeLessThanOrEqual(budgets.queueList);
  console.log(`sign-in ${signInWeight.toFixed(1)} kB, queue list ${queueListWeight.toFixed(1)} kB`);
});
