import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { activateTenant, desktop, go, openView, seeLatest } from "./browser.ts";
import { admin } from "./crossdock.ts";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;
let page: Page;

beforeAll(async () => {
  stage = await openStage();
  page = await (await openView(stage.browser, stage.url, desktop)).newPage();
});

afterAll(() => stage?.close());

test("somebody not signed in is asked to, and then gets to where they wanted", async () => {
  await page.goto("/queue?state=dead");
  await page.waitForURL("**/signin");
  await page.getByLabel("Email").fill(admin.email);
  await page.getByLabel("Password").fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Email or password is wrong.").waitFor();
  await page.getByLabel("Password").fill(admin.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL("**/queue?state=dead");
  await page.getByRole("main").getByText("Activate a tenant to see its data.").waitFor();
});

test("a reload keeps the session", async () => {
  await page.reload();
  await page.getByRole("link", { name: "Tenants", exact: true }).first().waitFor();
  expect(new URL(page.url()).pathname).toBe("/queue");
});

test("a screen that needs a tenant offers them, and shows at once what was asked for", async () => {
  const fresh = await stage.open({ tenant: null, at: "/queue?state=delivered" });
  await fresh.getByRole("main").getByRole("button", { name: "Acme", exact: true }).click();
  await fresh.getByText("No record found").waitFor();
  expect(new URL(fresh.url()).search).toBe("?state=delivered");
  await fresh.context().close();
});

test("a click on its card activates a tenant", async () => {
  await page.getByRole("navigation").getByRole("link", { name: "Tenants", exact: true }).click();
  await page.getByText("Click on card to activate").waitFor();
  await activateTenant(page, "Acme");
  await page.getByText("Selected").waitFor();
});

test("the subtenant list pauses and resumes traffic", async () => {
  await page.getByRole("navigation").getByRole("link", { name: "Subtenants", exact: true }).click();
  const outgoing = page.getByRole("switch", { name: "Outgoing: main" });
  await outgoing.click();
  await page.getByText("Paused").waitFor();
  await outgoing.click();
  await page.getByText("Paused").waitFor({ state: "detached" });
});

test("messages appear in the queue list as they come, without a reload", async () => {
  await page.getByRole("navigation").getByRole("link", { name: "Queue", exact: true }).click();
  await page.getByText("No record found").waitFor();
  await stage.workspace.pushItems("LAMP-1");
  const row = page.getByRole("row").filter({ hasText: "LAMP-1" });
  await row.waitFor();
  await row.getByText("Delivered").waitFor();
});

test("rows under the pointer stay where they are while news come in", async () => {
  const link = page.getByRole("link", { name: "LAMP-1" });
  await link.hover();
  const before = await link.boundingBox();
  await stage.workspace.pushItems("LAMP-2");
  const showNews = page.getByRole("button", { name: "Show the latest" });
  await showNews.waitFor();
  expect(await link.boundingBox()).toEqual(before);
  await showNews.click();
  await page.getByRole("link", { name: "LAMP-2" }).waitFor();
});

test("filters stand in the address and survive a reload", async () => {
  await page.getByLabel("Business key").fill("LAMP-2");
  await page.getByLabel("State").selectOption("Delivered");
  await page.waitForURL(({ searchParams }) => searchParams.get("state") === "delivered" && searchParams.get("key") === "LAMP-2");
  await page.reload();
  await page.getByRole("link", { name: "LAMP-2" }).waitFor();
  await expect.poll(() => page.getByRole("link", { name: "LAMP-1" }).count()).toBe(0);
});

test("the details show the document, what was sent and where it came from", async () => {
  await page.getByRole("link", { name: "LAMP-2" }).click();
  await page.getByRole("heading", { name: "LAMP-2" }).waitFor();
  await page.getByRole("region", { name: "Document" }).getByText("Article LAMP-2").waitFor();
  await page.getByText("HTTP 200").first().waitFor();
  await page.getByText(stage.target.url).waitFor();
  await page.getByText("External message", { exact: true }).first().waitFor();
});

test("a repaired target gets its dead letters, requeued as a group", async () => {
  await stage.workspace.pushItems("BROKEN-1", "BROKEN-2");
  await page.getByRole("link", { name: "Deadletters 2", exact: true }).waitFor();
  await page.getByRole("navigation").getByRole("link", { name: "Deadletters" }).click();
  stage.target.setPicky(false);
  await page.getByRole("button", { name: "Requeue" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Requeue 2 deadletters?").waitFor();
  await dialog.getByRole("button", { name: "Requeue" }).click();
  await dialog.getByText("2 of 2").waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await seeLatest(page, page.getByText("No message waits for a decision here."));
  await page.locator("h1:focus").waitFor();
  await page.goto("/queue?key=BROKEN");
  await expect.poll(() => page.getByRole("row").filter({ hasText: "BROKEN" }).getByText("Delivered").count()).toBe(2);
});

test("one dead letter can be removed, and restored by Undo", async () => {
  stage.target.setPicky(true);
  await stage.workspace.pushItems("BROKEN-3");
  await page.goto("/deadletter-list?view=list");
  await page.getByRole("checkbox", { name: "Select BROKEN-3" }).check();
  await page.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("Deadletter successfully removed").waitFor();
  await seeLatest(page, page.getByText("No message waits for a decision here."));
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("link", { name: "BROKEN-3" }).waitFor();
  await page.getByRole("link", { name: "Removed", exact: true }).click();
  await page.waitForURL("**/queue?*state=removed*");
});

test("a list that can't be loaded says so and can be tried again", async () => {
  const problem = { type: "about:blank", title: "Something went wrong on our side", status: 500, code: "internal", requestId: "r-1" };
  const lists = "**/api/v1/tenants/acme/messages?**";
  await page.route(lists, (route) =>
    route.fulfill({ status: 500, contentType: "application/problem+json", body: JSON.stringify(problem) }),
  );
  await page.goto("/queue");
  await page.getByText("Something went wrong, Please try again!").waitFor();
  await page.unroute(lists);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("link", { name: "LAMP-1" }).waitFor();
});

test("a screen whose code can't be loaded shows the error screen, the menu stays", async () => {
  const code = "**/assets/subtenant-list-page-*.js";
  await page.route(code, (route) => route.abort());
  await page.goto("/subtenant-list");
  await page.getByRole("heading", { name: "Ah! Something went wrong." }).waitFor();
  await page.unroute(code);
  await page.getByRole("navigation").getByRole("link", { name: "Queue", exact: true }).click();
  await page.getByRole("link", { name: "LAMP-1" }).waitFor();
});

test("an unknown address leads to the 404 page", async () => {
  await page.goto("/nothing/here");
  await page.waitForURL("**/error-pages/error-404");
  await page.getByText("We can't find the page that you are looking for").waitFor();
});

test("another language and direction come without a reload", async () => {
  await page.evaluate("globalThis.isSamePage = true");
  await page.getByRole("button", { name: "Language" }).click();
  await page.getByRole("button", { name: "العربية" }).click();
  await page.locator("html[dir=rtl]").waitFor();
  await expect.poll(() => page.evaluate("isSamePage")).toBe(true);
  await page.getByRole("button", { name: "اللغة" }).click();
  await page.getByRole("button", { name: "English" }).click();
  await page.getByText("Go Back To Home").waitFor();
});

test("a target that is down is named on its queue's tile, and beside what it answers, on a phone, too", async () => {
  const owner = stage.database.pool("owner", 1);
  const fault = { since: "2026-11-02T08:00:00Z", messageId: "1", errorClass: "http-500", status: 500 };
  await owner.query("update queue.target set circuit = 'open', circuit_open_until = now() + interval '1 hour', circuit_fault = $1", [
    fault,
  ]);
  const phone = await stage.open({ at: "/queue", view: { ...desktop, width: 360, height: 740 } });
  const tile = phone.getByRole("list", { name: "Queues" }).getByRole("button", { name: "Target down" });
  await tile.getByText("The shop", { exact: true }).waitFor();
  await phone.getByText(/HTTP 500. since/).waitFor();
  expect(await phone.getByRole("link", { name: "Failed attempt" }).getAttribute("href")).toBe("/queue/details/1");
  await phone.getByRole("button", { name: "Try now" }).click();
  await phone.getByText("A message goes out as a trial").waitFor();
  // What waits for its next attempt waits for this target, too, and the subtenant suffers from it: the way to it is the same.
  for (const at of ["/retryqueue", "/subtenant/main/dashboard"]) {
    await go(phone, at);
    await phone.getByText(/HTTP 500. since/).waitFor();
  }
  await phone.getByRole("link", { name: "The shop" }).click();
  await phone.waitForURL("**/configuration?point=*");
  await phone.getByText(/HTTP 500. since/).waitFor();
  await phone.context().close();
  await owner.query("update queue.target set circuit = 'closed', circuit_open_until = null, circuit_fault = null");
});

test("who paused a target, and why, stands with it and with what waits for it, until it is resumed", async () => {
  const pause = page.getByRole("main").getByText(/Paused by .+ · .+ · stocktaking/);
  const runs = page.getByRole("switch", { name: "Deliveries: The shop" });
  await page.goto("/configuration");
  await runs.click();
  await page.getByLabel("Reason (optional)").fill("stocktaking");
  await page.keyboard.press("Enter");
  await pause.waitFor();
  await stage.workspace.pushItems("LAMP-8");
  await page.goto("/queue?key=LAMP-8");
  await page.getByRole("link", { name: "LAMP-8" }).click();
  await page.getByText("Waits: deliveries to The shop are paused").waitFor();
  await page
    .getByRole("dialog")
    .getByText(/Paused by .+ · .+ · stocktaking/)
    .waitFor();
  for (const at of ["/queue", "/retryqueue", "/subtenant/main/dashboard"]) {
    await go(page, at);
    await pause.waitFor();
  }
  await page.goto("/configuration");
  await page.getByRole("link", { name: "The shop" }).click();
  await page.getByText("Paused", { exact: true }).waitFor();
  await pause.waitFor();
  // What is typed beside it is still saved over the version that was read.
  const concurrency = page.getByLabel("Concurrent deliveries", { exact: true });
  await concurrency.fill("7");
  await runs.click();
  await pause.waitFor({ state: "detached" });
  await runs.and(page.locator("[aria-checked=true]")).waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Changes saved").waitFor();
  expect(await concurrency.inputValue()).toBe("7");
});

test("a target that is resumed while it is down is tried at once from its card", async () => {
  const owner = stage.database.pool("owner", 1);
  const fault = { since: "2026-11-02T08:00:00Z", messageId: "1", errorClass: "http-500", status: 500 };
  const down = "circuit = 'open', circuit_open_until = now() + interval '1 hour', circuit_fault = $1";
  await owner.query(`update queue.target set ${down}`, [fault]);
  const runs = page.getByRole("switch", { name: "Deliveries: The shop" });
  const tryNow = page.getByRole("button", { name: "Try now" });
  await page.goto("/configuration");
  await page.getByText(/HTTP 500. since/).waitFor();
  await runs.click();
  await page.keyboard.press("Enter");
  await page
    .getByRole("main")
    .getByText(/Paused by/)
    .waitFor();
  await tryNow.waitFor({ state: "detached" });
  await runs.click();
  await tryNow.click();
  await page.getByText("A message goes out as a trial").waitFor();
  await owner.query("update queue.target set circuit = 'closed', circuit_open_until = null, circuit_fault = null");
});

test("a message that is held up says why it waits", async () => {
  await page.goto("/subtenant-list");
  await page.getByRole("switch", { name: "Outgoing: main" }).click();
  await page.getByText("Paused").waitFor();
  await stage.workspace.pushItems("LAMP-9");
  await page.goto("/queue?key=LAMP-9");
  await page.getByRole("link", { name: "LAMP-9" }).click();
  await page.getByText("Waits: deliveries to The shop are paused").waitFor();
});

test("after signing out no screen is reachable", async () => {
  await page.getByRole("button", { name: "Account of" }).click();
  await page.getByRole("button", { name: "Logout" }).click();
  await page.waitForURL("**/signin");
  await page.goto("/queue");
  await page.waitForURL("**/signin");
});
