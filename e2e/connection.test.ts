import type { Page, Route } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { go, ready } from "./browser.ts";
import { findLastingPort } from "./crossdock.ts";
import { openStage, type Stage } from "./stage.ts";

/** Three times as long as a console that waits for its server may leave between two looks. */
const longLookMs = 60_000;

let stage: Stage;
let page: Page;

beforeAll(async () => {
  stage = await openStage({ CROSSDOCK_PORT: String(await findLastingPort()) });
  await stage.workspace.pushItems("LAMP-1", "LAMP-2");
});

beforeEach(async () => {
  page = await stage.open();
});

afterEach(async () => {
  // Answers that are still on their way to the page have nowhere to go.
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.context().close();
});

afterAll(() => stage?.close());

/** No time is over before the page hears of the event `time-is-over`. */
const decideWhenTimeIsOver = (page: Page) =>
  page.addInitScript(() => {
    AbortSignal.timeout = () => {
      const limit = new AbortController();
      addEventListener("time-is-over", () => limit.abort(new DOMException("", "TimeoutError")));
      return limit.signal;
    };
  });

const menuLink = (name: string) => page.getByRole("navigation").getByRole("link", { name: new RegExp(`^${name}\\b`) });

test("offline, the console says so and keeps what is on the screen; what was asked meanwhile is sent when it is back", async () => {
  await menuLink("Queue").click();
  await page.getByRole("link", { name: "LAMP-1" }).waitFor();
  await page.context().setOffline(true);
  await page.getByText("You are offline. What you see may be out of date.").waitFor();
  await page.getByRole("textbox", { name: "Business key" }).fill("LAMP-2");
  await page.waitForURL("**/queue?key=LAMP-2");
  await page.context().setOffline(false);
  await page.getByText("You are offline").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "LAMP-2" }).waitFor();
  await expect.poll(() => page.getByRole("link", { name: "LAMP-1" }).count()).toBe(0);
});

test("an answer to what was asked before the connection went doesn't end being offline", async () => {
  await menuLink("Queue").click();
  await page.getByRole("link", { name: "LAMP-1" }).waitFor();
  const asked = Promise.withResolvers<Route>();
  await page.route(/\/messages\?.*keyPrefix=LAMP-2/, (route) => asked.resolve(route));
  await page.getByRole("textbox", { name: "Business key" }).fill("LAMP-2");
  const route = await asked.promise;
  const response = await route.fetch();
  await page.context().setOffline(true);
  const isOffline = page.getByText("You are offline. What you see may be out of date.");
  await isOffline.waitFor();
  await route.fulfill({ response });
  await page.getByRole("link", { name: "LAMP-1" }).waitFor({ state: "detached" });
  expect(await isOffline.isVisible()).toBe(true);
  await page.context().setOffline(false);
  await isOffline.waitFor({ state: "detached" });
});

test("the first change of a page says so in words of the console where it reaches no server, and is not made later", async () => {
  await go(page, "/subtenant-list");
  await page.locator("body > [aria-live=polite]").waitFor({ state: "attached" });
  await page.context().setOffline(true);
  await page.getByText("You are offline. What you see may be out of date.").waitFor();
  await page.getByRole("switch", { name: "Incoming: main" }).click();
  await page.getByText("The server cannot be reached. Check the connection and try again.").waitFor();
  await page.context().setOffline(false);
  await page.getByText("You are offline").waitFor({ state: "detached" });
  await page.getByRole("switch", { name: "Incoming: main", checked: true }).waitFor();
});

test("a change that reaches no server says so in words of the console", async () => {
  await go(page, "/subtenant-list");
  // The words for refusals would have to come from the server, too.
  await page.route(/\/assets\/problem-texts-|\/subtenants\/main\//, (route) => route.abort());
  await page.getByRole("switch", { name: "Incoming: main" }).click();
  await page.getByText("The server cannot be reached. Check the connection and try again.").waitFor();
});

test("an answer that does not come in time is told of, and can be asked for again", async () => {
  await decideWhenTimeIsOver(page);
  const asked = Promise.withResolvers<void>();
  await page.route("**/api/v1/tenants/acme/api-keys", () => asked.resolve());
  // News would ask again of themselves.
  await page.route("**/events", () => undefined);
  await page.goto("/api-keys");
  await asked.promise;
  await page.getByRole("button", { name: "Create key" }).waitFor();
  await page.evaluate(() => dispatchEvent(new Event("time-is-over")));
  await page.getByText("The server has not answered in time.").waitFor();
  await page.unroute("**/api/v1/tenants/acme/api-keys");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("The server has not answered in time.").waitFor({ state: "detached" });

  // A change is given up, too, also where the dialog stays until its answer is there.
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog", { name: "Create key" });
  await dialog.getByLabel("Name").fill("Unanswered");
  const sent = Promise.withResolvers<void>();
  await page.route("**/api/v1/tenants/acme/api-keys", () => sent.resolve());
  await dialog.getByRole("button", { name: "Create key" }).click();
  await sent.promise;
  await page.evaluate(() => dispatchEvent(new Event("time-is-over")));
  await dialog.getByText("It may have done what was asked: look before you ask again.").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("alertdialog").waitFor();
});

test("a screen that could not be loaded offline comes by itself when the connection is back, and gets the focus", async () => {
  await page.context().setOffline(true);
  await menuLink("Retry Queue").click();
  await page.locator("h1:focus", { hasText: "Ah! Something went wrong." }).waitFor();
  await page.context().setOffline(false);
  await page.locator("h1:focus", { hasText: "Retry Queue" }).waitFor();
});

test("a screen whose code does not come in time says so, and can be asked for again", async () => {
  await decideWhenTimeIsOver(page);
  await page.goto("/queue");
  await ready(page);
  const asked = Promise.withResolvers<void>();
  await page.route("**/assets/retry-queue*", () => asked.resolve());
  await menuLink("Retry Queue").click();
  await asked.promise;
  await page.evaluate(() => dispatchEvent(new Event("time-is-over")));
  await page.locator("h1:focus", { hasText: "Ah! Something went wrong." }).waitFor();
  await page.unroute("**/assets/retry-queue*");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "Retry Queue" }).waitFor();
});

test("a page that is to be loaded again is loaded when the server can be reached", async () => {
  await page.context().setOffline(true);
  await menuLink("Retry Queue").click();
  await page.evaluate("globalThis.isSamePage = true");
  await page.getByRole("button", { name: "Refresh the page" }).click();
  await page.getByText("You are offline. What you see may be out of date.").waitFor();
  await page.context().setOffline(false);
  await page.getByRole("heading", { name: "Retry Queue" }).waitFor();
  await expect.poll(() => page.evaluate("globalThis.isSamePage")).toBeUndefined();
});

test("texts that could not be loaded keep back the screen that needs them, and no other", async () => {
  await page.route("**/assets/en-*.js", async (route) => {
    const response = await route.fetch();
    await ((await response.text()).includes('"users.activity"') ? route.abort() : route.fulfill({ response }));
  });
  await page.reload();
  await ready(page);
  await menuLink("Users").click();
  await page.locator("h1:focus", { hasText: "Ah! Something went wrong." }).waitFor();
  await menuLink("Queue").click();
  await page.getByRole("link", { name: "LAMP-1" }).waitFor();
});

test("a language that is chosen offline comes when the connection is back", async () => {
  await page.getByRole("button", { name: "Language" }).click();
  await page.context().setOffline(true);
  await page.getByText("You are offline. What you see may be out of date.").waitFor();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  await page.getByRole("button", { name: "Français" }).click();
  await page.context().setOffline(false);
  await expect.poll(() => page.evaluate("document.documentElement.lang")).toBe("fr");
  await menuLink("Locataires").waitFor();
  expect(faults).toEqual([]);
});

test("a page whose texts were lost on their way is loaded again", async () => {
  // Nothing of another page is on its way.
  await page.goto("/readyz");
  const lost = Promise.withResolvers<void>();
  await page.route(/\/assets\/en-/, async (route) => {
    await route.abort();
    lost.resolve();
  });
  await page.goto("/queue", { waitUntil: "commit" });
  await lost.promise;
  await page.unrouteAll({ behavior: "wait" });
  await page.getByRole("link", { name: "LAMP-1" }).waitFor();
});

test("a page that loses the code of its screens, and of what would say so, is loaded again", async () => {
  await page.goto("/readyz");
  await page.route(/\/assets\/(frame|something-wrong)-/, (route) => route.abort());
  await page.goto("/queue", { waitUntil: "commit" });
  await page.waitForRequest((request) => request.isNavigationRequest());
  await page.unrouteAll({ behavior: "wait" });
  await page.getByRole("link", { name: "LAMP-1" }).waitFor();
});

/** Lets the server do what is asked, and loses its answer. */
async function loseAnswer(route: Route): Promise<void> {
  await fetch(route.request().url(), { method: route.request().method(), headers: await route.request().allHeaders() });
  await route.abort();
}

test("a page that loses the answer to the renewal of its session keeps it", async () => {
  await page.route("**/api/v1/session/refresh", loseAnswer, { times: 1 });
  await page.goto("/queue");
  await page.getByRole("link", { name: "LAMP-1" }).waitFor();

  // Nor does one that gets only a piece of it, which asks again when the server has answered a look.
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.route("**/api/v1/session/refresh", (route) => route.fulfill({ contentType: "application/json", body: "{" }), { times: 2 });
  await page.goto("/retryqueue");
  await page.getByRole("heading", { name: "Retry Queue" }).waitFor();
  const between = ["/api/v1/session/refresh", "/readyz"];
  expect(asked.filter((path) => between.includes(path)).slice(0, 5)).toEqual([...between, ...between, between[0]]);
});

test("a change for which no new token came says that the connection is to blame, and can be made again", async () => {
  await go(page, "/api-keys");
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Of a session that is renewed");
  await page.route("**/api/v1/session/refresh", loseAnswer, { times: 1 });
  const refusal = {
    type: "about:blank",
    title: "Token is not valid",
    status: 401,
    code: "token-invalid",
    requestId: "",
    msg: "Token is not valid",
  };
  await page.route("**/api/v1/tenants/acme/api-keys", (route) => route.fulfill({ status: 401, json: refusal }));
  await dialog.getByRole("button", { name: "Create key" }).click();
  await dialog.getByText("There is no connection.").waitFor();
  await page.unroute("**/api/v1/tenants/acme/api-keys");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("heading", { name: "Of a session that is renewed" }).waitFor();
});

test("a page whose scripts don't reach the browser offers to be loaded again", async () => {
  await page.route(/\.js$/, (route) => route.abort());
  await page.goto("/queue");
  // Whose time to wait is over.
  await page.evaluate("for (const animation of document.getAnimations()) animation.finish()");
  const offer = page.getByRole("link", { name: "Reload" });
  await offer.waitFor();
  await page.unrouteAll({ behavior: "wait" });
  await offer.click();
  await page.getByRole("link", { name: "LAMP-1" }).waitFor();
  expect(await offer.count()).toBe(0);
});

test("a server that is away is waited for, without a reload, and a change asked for meanwhile is not made later", async () => {
  await menuLink("Queue").click();
  await page.getByRole("link", { name: "LAMP-1" }).waitFor();
  await page.evaluate("globalThis.isSamePage = true");
  await page.getByRole("textbox", { name: "Business key" }).fill("LAMP-1");

  const form = await stage.open({ at: "/api-keys" });
  await form.getByRole("button", { name: "Create key" }).click();
  const dialog = form.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Asked for while the server was away");
  await stage.restart({}, async () => {
    await Promise.all([page, form].map((one) => one.getByText("The server does not answer. Trying again…").waitFor()));
    await dialog.getByRole("button", { name: "Create key" }).click();
    await dialog.getByText("There is no connection.").waitFor();
    await expect.poll(() => dialog.getByLabel("Name").inputValue()).toBe("Asked for while the server was away");
  });
  await form.getByText("The server does not answer").waitFor({ state: "detached" });
  await dialog.getByLabel("Name").fill("Asked for again");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await form.getByRole("heading", { name: "Asked for again" }).waitFor();
  const { rows: keys } = await stage.database.pool("owner", 1).query("select name from hub.api_key where name like 'Asked%'");
  expect(keys).toEqual([{ name: "Asked for again" }]);
  await form.context().close();
  await page.getByText("The server does not answer").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "LAMP-1" }).waitFor();
  await expect.poll(() => page.getByRole("textbox", { name: "Business key" }).inputValue()).toBe("LAMP-1");
  await expect.poll(() => page.evaluate("isSamePage")).toBe(true);
});

test("a page in place of answers, as of a network that wants a sign-in first, is no answer, and the console goes on when it is gone", async () => {
  await menuLink("Queue").click();
  await page.getByRole("link", { name: "LAMP-1" }).waitFor();
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  const looked = Promise.withResolvers<void>();
  let looks = 0;
  await page.route(/\/api\/v1\/|\/readyz/, async (route) => {
    const isLook = route.request().url().endsWith("/readyz");
    // The second look's answer breaks off: the console looks on.
    const broken = { contentType: "application/json", body: "{" };
    await route.fulfill(
      isLook && looks === 1 ? broken : { contentType: "text/html; charset=utf-8", body: "<h1>Welcome to our network</h1>" },
    );
    if (isLook) looks += 1;
    if (looks === 2) looked.resolve();
  });
  await page.getByRole("textbox", { name: "Business key" }).fill("LAMP-2");
  await page.getByText("The server does not answer. Trying again…").waitFor();
  await looked.promise;
  await page.unrouteAll({ behavior: "wait" });
  await page.getByText("The server does not answer").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "LAMP-2" }).waitFor();
  await expect.poll(() => page.getByRole("link", { name: "LAMP-1" }).count()).toBe(0);
  expect(faults).toEqual([]);
});

test("while the database takes no writes the console says why over every screen, which stay readable, until it does again", async () => {
  await decideWhenTimeIsOver(page);
  let isAnswered = false;
  await page.route("**/readyz", async (route) => {
    // The first answer never comes.
    if (!isAnswered) return;
    await route.fulfill({
      status: 503,
      headers: { "x-request-id": "r-1" },
      contentType: "application/problem+json",
      body: JSON.stringify({
        title: "The service is not available at the moment",
        status: 503,
        code: "unavailable",
        reason: "no-writes-disk-full",
      }),
    });
  });
  await page.goto("/queue");
  await page.getByRole("link", { name: "LAMP-1" }).waitFor();
  isAnswered = true;
  await page.evaluate(() => dispatchEvent(new Event("time-is-over")));
  const said = page.getByRole("alert").filter({ hasText: "The database takes no writes: its disk is full." });
  await said.waitFor();
  await page.getByRole("link", { name: "LAMP-1" }).waitFor();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await said.waitFor({ state: "detached" });
});

test("under maintenance the console shows so by itself, over what is open, and returns to where it was when that ends", async () => {
  await go(page, "/api-keys");
  await page.getByRole("button", { name: "Create key" }).click();
  const form = page.getByRole("dialog", { name: "Create key" });
  await form.getByLabel("Name").fill("half a thou");
  await page.evaluate("globalThis.isSamePage = true");
  await stage.restart({ CROSSDOCK_MAINTENANCE: "1" });
  await page.getByRole("heading", { name: "Our site is under maintenance" }).waitFor();
  await page.getByText("We will be back shortly").waitFor();
  for (const _ of ["once", "twice"]) await page.keyboard.press("Escape");

  // Someone who comes meanwhile sees the same, also with a session from before.
  const other = await page.context().newPage();
  await other.goto("/retryqueue");
  await other.getByRole("heading", { name: "Our site is under maintenance" }).waitFor();

  await page.getByRole("button", { name: "Take Me To Home" }).click();
  await page.getByText("We will be back shortly").waitFor();
  await stage.restart();
  await page.getByText("Our site is under maintenance").waitFor({ state: "detached", timeout: longLookMs });
  await expect.poll(() => page.evaluate("isSamePage")).toBe(true);
  await expect.poll(() => form.getByLabel("Name").inputValue()).toBe("half a thou");
  await other.getByRole("heading", { name: "Retry Queue" }).waitFor({ timeout: longLookMs });
});

/** Lets the server's answers name another build than the one that this page came from. */
async function deployAnother(): Promise<void> {
  await page.route(/\/(api\/v1\/|readyz)/, async (route) => {
    if (route.request().url().endsWith("/events")) return route.abort();
    const response = await route.fetch();
    return route.fulfill({ response, headers: { ...response.headers(), "x-console-build": "another" } });
  });
}

test("a new version is offered, and can be put off", async () => {
  await deployAnother();
  await menuLink("Queue").click();
  await page.getByText("A new version is available").waitFor();
  await page.getByRole("button", { name: "Later" }).click();
  await page.getByText("A new version is available").waitFor({ state: "detached" });
  await page.getByRole("link", { name: "LAMP-1" }).waitFor();

  // What went with the old version brings the offer back, and takes nothing from the screen.
  await page.route("**/assets/export-dialog-*.js", (route) => route.fulfill({ status: 404 }));
  await page.getByRole("textbox", { name: "Business key" }).fill("LAMP-1");
  await page.getByRole("link", { name: "LAMP-2" }).waitFor({ state: "detached" });
  await page.getByRole("link", { name: "LAMP-1" }).waitFor();
  await page.getByRole("button", { name: "Export" }).click();
  await page.getByText("A new version is available").waitFor();
  await expect.poll(() => page.getByRole("textbox", { name: "Business key" }).inputValue()).toBe("LAMP-1");
});

test("a screen whose code went with the old version leads to the same offer, and a reload opens it", async () => {
  const code = "**/assets/retry-queue-page-*.js";
  await page.route(code, (route) => route.fulfill({ status: 404 }));
  await deployAnother();
  await menuLink("Retry Queue").click();
  await page.getByRole("heading", { name: "A new version is available" }).waitFor();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.getByRole("main").getByRole("button", { name: "Reload" }).click();
  await page.getByRole("heading", { name: "Retry Queue" }).waitFor();
});

test("the palette without its texts, which went with the old version, leads to the same offer", async () => {
  await page.route(/\/assets\/en-/, async (route) => {
    const response = await route.fetch();
    const isGone = (await response.text()).includes("palette.title");
    return isGone ? route.fulfill({ status: 404 }) : route.fulfill({ response });
  });
  await page.reload();
  await ready(page);
  await deployAnother();
  await page.keyboard.press("Control+k");
  await page.getByText("A new version is available").waitFor();
  await page.locator("[data-palette]").waitFor({ state: "detached" });
});

test("a screen that breaks says so, with the request's id to copy, and the menu goes on working", async () => {
  const lists = "**/api/v1/tenants/acme/messages?**";
  await page.route(lists, (route) =>
    route.fulfill({ json: { items: [null], nextCursor: null }, headers: { "x-request-id": "request-17" } }),
  );
  await menuLink("Queue").click();
  for (const text of [
    "Ah! Something went wrong.",
    "Brace yourself till we get the error fixed.",
    "You may also refresh the page or try again latter",
  ])
    await page.getByText(text).waitFor();
  await page.getByRole("button", { name: "Copy the request id" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toMatch(/^[\w-]{8,}$/);
  await page.unroute(lists);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("link", { name: "LAMP-1" }).waitFor();
});

test("Notify Me keeps the address and thanks", async () => {
  await page.goto("/error-pages/coming-soon");
  await page.getByRole("button", { name: "Notify Me" }).click();
  await page.getByText("Email required").waitFor();
  await page.getByLabel("Email").fill("ada@example.com");
  await page.getByRole("button", { name: "Notify Me" }).click();
  await page.getByText("Thank you! We will write to you when it is ready.").waitFor();
});
