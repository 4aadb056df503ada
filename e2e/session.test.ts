import pg from "pg";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { desktop, openView, ready, settle, signIn } from "./browser.ts";
import { admin } from "./crossdock.ts";
import { addPeople, people } from "./people.ts";
import { openStage, type Stage } from "./stage.ts";
import { createTenant } from "./workspace.ts";

let owner: pg.Client;
let context: BrowserContext;

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
  await stage.workspace.pushItems("LAMP-1");
  await addPeople(stage.database.ownerUrl);
  await createTenant(stage.url, { code: "beta", name: "Beta" });
  owner = new pg.Client({ connectionString: stage.database.ownerUrl });
  await owner.connect();
});

afterAll(async () => {
  await owner?.end();
  await stage?.close();
});

beforeEach(async () => {
  context = await openView(stage.browser, stage.url, desktop);
});
afterEach(() => context.close());

/** The person's first tab, on the queue of Acme with its stream of news open. */
async function enter(email: string): Promise<Page> {
  const page = await context.newPage();
  const streaming = page.waitForResponse((response) => response.url().endsWith("/events"));
  await signIn(page, email);
  await page.getByRole("button", { name: "Acme", exact: true }).click();
  await streaming;
  await page.getByRole("navigation").getByRole("link", { name: "Queue", exact: true }).click();
  await page.getByRole("link", { name: "LAMP-1" }).waitFor();
  return page;
}

const endSessions = (email: string) =>
  owner.query(`update hub.session set revoked_at = now() from hub."user" where "user".id = session.user_id and email = $1`, [email]);

const signInAgain = (page: Page) => page.getByRole("dialog", { name: "Your session has ended" });

test("a session that ends while somebody writes asks them to sign in over the page, keeps what they wrote and sends it then", async () => {
  const page = await enter(people.user);
  await page.getByRole("link", { name: "LAMP-1" }).click();
  const note = page.getByRole("dialog").getByRole("textbox", { name: "Note to the team" });
  await note.fill("The ERP sends this lamp twice");
  await endSessions(people.user);

  const dialog = signInAgain(page);
  await dialog.waitFor();
  await expect.poll(() => dialog.getByLabel("Email").inputValue()).toBe(people.user);
  await page.keyboard.press("Escape");
  await dialog.getByLabel("Password").and(page.locator(":focus")).waitFor();
  await page.keyboard.type("wrong");
  await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
  await dialog.getByText("Email or password is wrong.").waitFor();
  await dialog.getByLabel("Password").fill(admin.password);
  await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
  await dialog.waitFor({ state: "detached" });

  await expect.poll(() => note.inputValue()).toBe("The ERP sends this lamp twice");
  await expect.poll(() => note.evaluate((field) => field === document.activeElement)).toBe(true);
  await page.getByRole("button", { name: "Add note" }).click();
  await page.getByText("The ERP sends this lamp twice").first().waitFor();
  await expect.poll(() => note.inputValue()).toBe("");
});

test("each tab keeps its tenant and what is typed in it, whatever another one opens", async () => {
  const first = await enter(admin.email);
  await first.getByRole("link", { name: "LAMP-1" }).click();
  const note = first.getByRole("dialog").getByRole("textbox", { name: "Note to the team" });
  await note.fill("half a sentence");
  const second = await context.newPage();
  await second.goto("/brightcom-dashboard");
  await second.getByRole("link", { name: "Beta", exact: true }).click();
  await second.waitForURL("**/queue");
  await second.getByText("Messages stand here as soon as").waitFor();

  await expect.poll(() => note.inputValue()).toBe("half a sentence");
  await first.reload();
  // The drawer comes back as well, in which another link names the lamp.
  await first.getByRole("link", { name: "LAMP-1", exact: true }).waitFor();
});

test("signing out leaves no screen broken on the way, that of the account included", async () => {
  const page = await enter(people.user);
  const errors: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" && !message.location().url.includes("/api/")) errors.push(message.text());
  });
  await page.getByRole("button", { name: /^Account/ }).click();
  await page.getByRole("link", { name: "My account" }).click();
  await page.getByRole("textbox", { name: "Name" }).waitFor();
  await page.getByRole("button", { name: /^Account/ }).click();
  await page.getByRole("button", { name: "Logout" }).click();
  await page.waitForURL("**/signin");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(errors).toEqual([]);
});

test("signing out in one tab signs out in the other", async () => {
  const first = await enter(people.user);
  const second = await context.newPage();
  await second.goto("/retryqueue");
  await second.getByRole("heading", { name: "Retry Queue" }).waitFor();
  // The other tab may learn from the server that the session has ended before the first one has heard the answer.
  const heard = Promise.race([second.waitForURL("**/signin"), second.waitForResponse("**/api/v1/session/refresh")]);
  await first.route("**/api/v1/session", async (route) => {
    const response = await route.fetch();
    await heard;
    await route.fulfill({ response });
  });
  await first.getByRole("button", { name: /^Account/ }).click();
  await first.getByRole("button", { name: "Logout" }).click();
  await first.waitForURL("**/signin");
  await second.waitForURL("**/signin");
  expect((await second.request.post("/api/v1/session/refresh")).status()).toBe(401);
});

test("a page that the way back shows again knows of a sign-out that it wasn't told of", async () => {
  const page = await enter(people.user);
  // Safari keeps such pages and tells them nothing; a page isn't told of what it stores itself, either.
  await page.evaluate(() => {
    localStorage.removeItem("crossdock.session");
    dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
  });
  await page.waitForURL("**/signin");
});

test("a tab that renews the session hands the new token to the others", async () => {
  const first = await enter(people.user);
  const second = await context.newPage();
  await second.goto("/queue");
  await second.getByRole("link", { name: "LAMP-1" }).waitFor();
  let refreshes = 0;
  context.on("request", (request) => {
    if (request.url().endsWith("/session/refresh")) refreshes += 1;
  });
  // The server refuses one request of the first tab, which then renews the token.
  let isRefused = false;
  await first.route("**/api/v1/tenants/acme/retry-queue?**", async (route) => {
    const headers = isRefused ? {} : { authorization: "Bearer worn.out" };
    isRefused = true;
    await route.continue({ headers: { ...route.request().headers(), ...headers } });
  });
  const renewal = first.waitForResponse("**/api/v1/session/refresh");
  await first.getByRole("navigation").getByRole("link", { name: "Retry Queue", exact: true }).click();
  const { access_token: token } = (await (await renewal).json()) as { access_token: string };
  await first.getByText("No message has to wait for another attempt.").waitFor();
  const asked = second.waitForRequest("**/api/v1/tenants/acme/retry-queue?**");
  await second.getByRole("navigation").getByRole("link", { name: "Retry Queue", exact: true }).click();
  expect((await (await asked).allHeaders())["authorization"]).toBe(`Bearer ${token}`);
  expect(refreshes).toBe(1);
});

test("a disabled person is out at once, on a page that asks for nothing", async () => {
  const page = await enter(people.viewer);
  await owner.query(`update hub."user" set is_active = false where email = $1`, [people.viewer]);
  await signInAgain(page).waitFor();
  const dialog = signInAgain(page);
  await dialog.getByLabel("Password").fill(admin.password);
  await dialog.getByRole("button", { name: "Sign in", exact: true }).click();
  await dialog.getByText("Email or password is wrong.").waitFor();
  await dialog.getByRole("button", { name: "Sign in as somebody else" }).click();
  await page.waitForURL("**/signin");
  await owner.query(`update hub."user" set is_active = true where email = $1`, [people.viewer]);
});

test("another role shows at once on an open page, also when the answer that tells of it breaks off", async () => {
  const page = await enter(people.viewer);
  const entities = page.getByRole("navigation").getByRole("link", { name: "Entities", exact: true });
  await expect.poll(() => entities.count()).toBe(0);
  await page.route("**/auth", (route) => route.fulfill({ contentType: "application/json", body: "{" }), { times: 1 });
  await owner.query(`update hub."user" set role = 'admin' where email = $1`, [people.viewer]);
  await entities.waitFor();
  await owner.query(`update hub."user" set role = 'viewer' where email = $1`, [people.viewer]);
  await entities.waitFor({ state: "detached" });
});

async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Account/ }).click();
  await page.getByRole("button", { name: "Logout" }).click();
  await page.waitForURL("**/signin");
}

test("who signs in where somebody has signed out is told by notices as before", async () => {
  const page = await enter(people.user);
  const copyLink = async (): Promise<void> => {
    await page.keyboard.press("Control+k");
    await page.keyboard.type("copy link");
    await page.keyboard.press("Enter");
    await page.getByText("The link was copied").waitFor();
  };
  await copyLink();
  await signOut(page);
  await page.getByLabel("Email").fill(people.admin);
  await page.getByLabel("Password").fill(admin.password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL("**/tenant-list");
  await ready(page);
  await copyLink();
});

test("a sign-out that is answered late leaves alone who has signed in since", async () => {
  const page = await enter(people.user);
  const [ended, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route("**/api/v1/session", async (route) => {
    if (route.request().method() !== "DELETE") return route.continue();
    const response = await route.fetch();
    ended.resolve();
    await left.promise;
    return route.fulfill({ response });
  });
  await page.getByRole("button", { name: /^Account/ }).click();
  await page.getByRole("button", { name: "Logout" }).click();
  await ended.promise;
  // What is asked meanwhile is refused.
  await page.waitForURL("**/signin");
  await page.getByLabel("Email").fill(people.admin);
  await page.getByLabel("Password").fill(admin.password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Tenants" }).waitFor();
  const answered = page.waitForEvent("requestfinished", (request) => request.method() === "DELETE");
  left.resolve();
  await answered;
  await settle(page);
  expect(new URL(page.url()).pathname).toBe("/tenant-list");
  await page.getByRole("heading", { name: "Tenants" }).waitFor();
});

test("a renewal that is answered after a sign-out opens no session", async () => {
  const page = await enter(people.user);
  const [asked, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route("**/session/refresh", async (route) => {
    const response = await route.fetch();
    asked.resolve();
    await left.promise;
    await route.fulfill({ response });
  });
  await page.route("**/api/v1/tenants/acme/retry-queue?**", (route) =>
    route.fulfill({ status: 401, json: { status: 401, title: "no", code: "token-invalid", msg: "Token is not valid" } }),
  );
  await page.getByRole("navigation").getByRole("link", { name: "Retry Queue" }).click();
  await asked.promise;
  await signOut(page);
  const renewed = page.waitForEvent("requestfinished", (request) => request.url().endsWith("/session/refresh"));
  left.resolve();
  await renewed;
  await settle(page);
  expect(await page.evaluate(() => localStorage.getItem("crossdock.session"))).toBeNull();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
});
