import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { desktop, enter, go, openView, settle } from "./browser.ts";
import { admin } from "./crossdock.ts";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;
let context: BrowserContext;
/** The pages that have opened a stream of news, in that order. */
let leaders: Page[];

beforeAll(async () => {
  stage = await openStage();
  await stage.workspace.pushItems("LAMP-1");
});

beforeEach(async () => {
  context = await openView(stage.browser, stage.url, desktop);
  leaders = [];
  context.on("response", (response) => {
    if (response.url().endsWith("/events")) leaders.push(response.frame().page());
  });
  await enter(await context.newPage(), admin.email, "acme");
});

afterEach(async () => {
  for (const page of context.pages()) await page.unrouteAll({ behavior: "ignoreErrors" });
  await context.close();
});

afterAll(() => stage?.close());

const rows = (page: Page) => page.getByRole("main").getByRole("row").getByRole("link");
const row = (page: Page, key: string) => page.getByRole("link", { name: key, exact: true });

const lists = /\/acme\/messages\?/;

/** Another tab on the queue, which shows its rows. */
async function openQueue(): Promise<Page> {
  const page = await context.newPage();
  await page.goto("/queue");
  await rows(page).first().waitFor();
  return page;
}

/** What the page asks the tenant for, by the last part of the address. */
function askedBy(page: Page): string[] {
  const asked: string[] = [];
  page.on("request", (request) => {
    const [, part] = /\/api\/v1\/tenants\/acme\/(?:.*\/)?([\w-]+)(?:\?|$)/.exec(request.url()) ?? [];
    if (part !== undefined && part !== "events") asked.push(part);
  });
  return asked;
}

/** As when another tab of the window is chosen, or this one again. */
async function turn(page: Page, visibility: "hidden" | "visible"): Promise<void> {
  await page.evaluate((state) => {
    Object.defineProperty(document, "visibilityState", { get: () => state, configurable: true });
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  }, visibility);
  await settle(page);
}

test("six windows share one stream of news, and when the one that holds it is closed another takes it over", async () => {
  const pages: Page[] = [];
  for (let count = 0; count < 6; count += 1) pages.push(await openQueue());
  await stage.workspace.pushItems("SHARED-1");
  await Promise.all(pages.map((page) => row(page, "SHARED-1").waitFor()));
  expect(leaders).toHaveLength(1);

  const others = pages.filter((page) => page !== leaders[0]);
  expect(others).toHaveLength(5);
  await leaders[0]?.close();
  await expect.poll(() => leaders.length).toBe(2);
  await stage.workspace.pushItems("SHARED-2");
  await Promise.all(others.map((page) => row(page, "SHARED-2").waitFor()));
  expect(leaders).toHaveLength(2);
});

test("news that come while answers are slow cancel nothing and are not lost", async () => {
  const quick = await openQueue();
  const slow = await openQueue();
  await stage.workspace.pushItems("SLOW-1");
  await Promise.all([quick, slow].map((page) => row(page, "SLOW-1").waitFor()));
  const cancelled: string[] = [];
  slow.on("requestfailed", (request) => cancelled.push(request.url()));
  const release = Promise.withResolvers<void>();
  let asked = 0;
  await slow.route("**/api/v1/tenants/acme/queues", async (route) => {
    asked += 1;
    const response = await route.fetch();
    await release.promise;
    await route.fulfill({ response });
  });
  for (const key of ["SLOW-2", "SLOW-3", "SLOW-4"]) {
    await stage.workspace.pushItems(key);
    // The other tab has heard of it, so this one has as well.
    await row(quick, key).waitFor();
  }
  await expect.poll(() => asked).toBe(1);
  release.resolve();
  await row(slow, "SLOW-4").waitFor();
  await expect.poll(() => asked).toBeGreaterThan(1);
  expect(cancelled).toEqual([]);
});

test("a list that is left while its refresh is on its way is read when it is seen again", async () => {
  const page = await openQueue();
  await page.route(lists, () => undefined);
  const asked = page.waitForRequest(lists);
  await stage.workspace.pushItems("LEFT-1");
  await asked;
  // From here on it hears nothing more that would make it read the list.
  await turn(page, "hidden");
  await go(page, "/audit-log");
  await page.unroute(lists);
  await go(page, "/queue");
  await row(page, "LEFT-1").waitFor();
});

test("a list that is behind while the server cannot be reached stays, and is read when it can", async () => {
  const page = await openQueue();
  await turn(page, "hidden");
  await openQueue();
  await stage.workspace.pushItems("AWAY-1");
  await context.setOffline(true);
  await page.getByText("You are offline. What you see may be out of date.").waitFor();
  // A tab that is seen again while another holds the stream takes its lists for old.
  await turn(page, "visible");
  expect(await rows(page).first().isVisible()).toBe(true);
  await context.setOffline(false);
  await row(page, "AWAY-1").waitFor();
});

test("a refresh that is refused is not asked for again at once", async () => {
  const page = await openQueue();
  const other = await openQueue();
  const refusal = { type: "urn:crossdock:error:too-many-requests", title: "Too many requests", status: 429, code: "too-many-requests" };
  let asked = 0;
  await page.route(lists, (route) => {
    asked += 1;
    return route.fulfill({ status: 429, contentType: "application/problem+json", body: JSON.stringify(refusal) });
  });
  await stage.workspace.pushItems("LIMIT-1");
  await row(other, "LIMIT-1").waitFor();
  await page.getByRole("button", { name: "Show the latest" }).waitFor();
  expect(asked).toBe(1);
  await page.unroute(lists);
  await page.getByRole("button", { name: "Show the latest" }).click();
  await row(page, "LIMIT-1").waitFor();
});

test("what an event says nothing of is not asked for again", async () => {
  const page = await context.newPage();
  const asked = askedBy(page);
  await page.goto("/queue");
  await rows(page).first().waitFor();
  for (const key of ["EVENT-1", "EVENT-2", "EVENT-3", "EVENT-4"]) {
    await stage.workspace.pushItems(key);
    await row(page, key).waitFor();
  }
  expect(asked.filter((part) => part === "messages").length).toBeGreaterThan(4);
  // When the screen opens, and when the stream does.
  for (const spared of ["saved-views", "subtenants", "notes", "jobs", "notifications"])
    expect([spared, asked.filter((part) => part === spared).length <= 2]).toEqual([spared, true]);
});

test("a tab that is hidden leaves the stream to another one without waiting", async () => {
  const hidden = await openQueue();
  await expect.poll(() => leaders).toEqual([hidden]);
  const shown = await openQueue();
  // Browsers let the timers of a hidden tab wait; of this one those of a moment never end.
  await hidden.evaluate(() => {
    const { setTimeout } = globalThis;
    Object.assign(globalThis, { setTimeout: (run: () => void, ms = 0) => (ms > 100 ? 0 : setTimeout(run, ms)) });
  });
  await turn(hidden, "hidden");
  await expect.poll(() => leaders).toEqual([hidden, shown]);
});

test("a hidden tab asks for nothing, and once for what it missed when it is shown", async () => {
  const hidden = await openQueue();
  await expect.poll(() => leaders).toEqual([hidden]);
  const shown = await openQueue();
  await turn(hidden, "hidden");
  await expect.poll(() => leaders).toEqual([hidden, shown]);
  const asked = askedBy(hidden);
  await stage.workspace.pushItems("HIDDEN-1");
  await row(shown, "HIDDEN-1").waitFor();
  expect(asked).toEqual([]);
  await turn(hidden, "visible");
  await row(hidden, "HIDDEN-1").waitFor();
  await stage.workspace.pushItems("HIDDEN-2");
  await row(hidden, "HIDDEN-2").waitFor();
  expect(asked.filter((part) => part === "saved-views")).toHaveLength(1);
  expect(leaders).toEqual([hidden, shown]);
});

/** Stands between browser and server, as a router does, and can forget the connections with a stream of events without closing them. */
async function startRouter() {
  const router = { url: "", isForgetful: false, close: () => server.close() };
  const server = createServer((client) => {
    let isStream = false;
    const upstream = connect(Number(new URL(stage.url).port), new URL(stage.url).hostname);
    client.on("data", (bytes) => {
      isStream ||= bytes.includes("/events HTTP/1.1");
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => !(isStream && router.isForgetful) && client.write(bytes));
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      one.on("close", () => other.destroy()).on("error", () => other.destroy());
  });
  server.listen(0, new URL(stage.url).hostname);
  await once(server, "listening");
  router.url = `http://${new URL(stage.url).hostname}:${(server.address() as AddressInfo).port}`;
  return router;
}

test("a connection that falls silent without being closed is told of after a while, and replaced", async () => {
  const longerThanSilenceMs = 46_000;
  const longerThanPatienceMs = 5000;
  const router = await startRouter();
  const own = await openView(stage.browser, router.url, desktop);
  try {
    const page = await own.newPage();
    await page.clock.install();
    await enter(page, admin.email, "acme");
    const streaming = page.waitForResponse("**/events");
    await page.goto("/queue");
    await rows(page).first().waitFor();
    await streaming;
    router.isForgetful = true;
    const again = page.waitForRequest("**/events");
    await page.clock.fastForward(longerThanSilenceMs);
    await again;
    await page.clock.fastForward(longerThanPatienceMs);
    const interrupted = page.getByText("Live updates are interrupted");
    await interrupted.waitFor();
    router.isForgetful = false;
    await page.clock.fastForward(longerThanSilenceMs);
    await interrupted.waitFor({ state: "detached" });
    await stage.workspace.pushItems("SILENT-1");
    await row(page, "SILENT-1").waitFor();
  } finally {
    await own.close();
    router.close();
  }
});
