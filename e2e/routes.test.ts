import { testDatabase, testSecret, type TestDatabase } from "@crossdock/db/testing";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { desktop, launchBrowser, openView, signIn } from "./browser.ts";
import { admin, startCrossdock, type Crossdock } from "./crossdock.ts";
import { addPeople, people, roles, type PersonRole } from "./people.ts";
import { createWorkspace, startTarget, type Target } from "./workspace.ts";

/** The specified table: an address of every route and who may open it. `isPlanned`: its screen doesn't exist yet, so nobody gets there. */
type Row = { address: string; title: string; roles: readonly PersonRole[]; isPlanned?: true };

const table: Row[] = [
  { address: "/error-pages/error-404", title: "Page not found", roles },
  { address: "/error-pages/error-500", title: "Internal server error", roles },
  { address: "/error-pages/coming-soon", title: "Coming soon", roles },
  { address: "/error-pages/maintenance", title: "Our site is under maintenance", roles },
  { address: "/tenant-list", title: "Tenants", roles },
  { address: "/tenant/acme", title: "Acme", roles },
  { address: "/brightcom-dashboard", title: "Brightcom Dashboard", roles: ["admin"], isPlanned: true },
  { address: "/queue", title: "Queue", roles },
  { address: "/queue/details/1", title: "Message details", roles },
  { address: "/retryqueue", title: "Retry Queue", roles },
  { address: "/deadletter-list", title: "Deadletters", roles },
  { address: "/deadletter/details/magento.item/1", title: "Message details", roles },
  { address: "/jobstatus-list", title: "Job status", roles, isPlanned: true },
  { address: "/subtenant-list", title: "Subtenants", roles },
  { address: "/subtenant/main/dashboard", title: "Subtenant hub", roles, isPlanned: true },
  { address: "/mapping-list", title: "Integration Mappings", roles, isPlanned: true },
  { address: "/configuration", title: "Configuration", roles: ["admin", "user"], isPlanned: true },
  { address: "/externalitems", title: "External items", roles },
  { address: "/externalmessages", title: "External messages", roles },
  { address: "/externalmessages/details/1", title: "Message details", roles },
  { address: "/entities", title: "Entities", roles },
  { address: "/audit-log", title: "Audit log", roles: ["admin"] },
  { address: "/toolbox", title: "Toolbox", roles, isPlanned: true },
];
const addresses = table.map(({ address }) => address);
/** Ways in. Whoever is signed in is passed on from them. */
const waysIn = ["/", "/signin", "/signup", "/redirect"];
/** Public screens that don't exist yet. */
const plannedPublic = ["/confirm-signup", "/reset-password", "/forget-password"];
const notFound = "/error-pages/error-404";

let database: TestDatabase;
let target: Target;
let crossdock: Crossdock;
let browser: Browser;

beforeAll(async () => {
  database = await testDatabase();
  target = await startTarget();
  crossdock = await startCrossdock({ DATABASE_URL: database.ownerUrl, CROSSDOCK_SECRET: testSecret, CROSSDOCK_DEMO: "0" });
  await createWorkspace(crossdock.url, target);
  await addPeople(database.ownerUrl);
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await crossdock?.stop();
  target?.close();
  await database?.drop();
});

/** Where an address leads, once a screen stands there. */
async function open(page: Page, address: string): Promise<string> {
  await page.goto(address);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  return new URL(page.url()).pathname;
}

async function enter(email: string): Promise<Page> {
  const page = await (await openView(browser, crossdock.url, desktop)).newPage();
  await signIn(page, email);
  await page.getByRole("button", { name: "Acme", exact: true }).click();
  return page;
}

/** Opens one address after the other and says where each led. */
async function walk(page: Page, addresses: string[]): Promise<Record<string, string>> {
  const ends: Record<string, string> = {};
  for (const address of addresses) ends[address] = await open(page, address);
  return ends;
}

const all = (addresses: string[], end: string): Record<string, string> => Object.fromEntries(addresses.map((address) => [address, end]));

describe.each(roles)("a signed-in %s", (role) => {
  const isOpen = ({ roles: allowed, isPlanned }: Row) => allowed.includes(role) && !isPlanned;

  test("opens the routes of the table and is sent to the 404 page from all others", async () => {
    const page = await enter(people[role]);
    const wanted = table.map((row) => [row.address, isOpen(row) ? row.address : notFound]);
    expect(await walk(page, addresses)).toEqual(Object.fromEntries(wanted));
    const strange = [...plannedPublic, "/nothing/here"];
    expect(await walk(page, strange)).toEqual(all(strange, notFound));
    expect(await walk(page, waysIn)).toEqual(all(waysIn, "/tenant-list"));
    await page.context().close();
  });

  test("reads in the browser's tab which screen it is, and of which tenant", async () => {
    const page = await enter(people[role]);
    for (const row of table.filter(isOpen)) {
      await open(page, row.address);
      await expect.poll(() => page.title()).toBe(`${row.title} · Acme · Crossdock`);
    }
    await page.context().close();
  });
});

test("who isn't signed in is asked to sign in, whatever he opens", async () => {
  const page = await (await openView(browser, crossdock.url, desktop)).newPage();
  const everything = [...addresses, ...waysIn, ...plannedPublic, "/nothing/here"];
  expect(await walk(page, everything)).toEqual(all(everything, "/signin"));
  expect(await page.title()).toBe("Sign in · Crossdock");
  await page.context().close();
});

test("the path asked for before signing in is opened after it, once", async () => {
  const page = await (await openView(browser, crossdock.url, desktop)).newPage();
  expect(await open(page, "/queue?state=dead&key=LAMP")).toBe("/signin");
  await submitSignIn(page, people.user);
  await page.waitForURL("**/queue?state=dead&key=LAMP");
  expect(await open(page, "/signin")).toBe("/tenant-list");
  await page.context().close();
});

test("a way in and an error page are not remembered", async () => {
  const page = await (await openView(browser, crossdock.url, desktop)).newPage();
  await open(page, "/nothing/here");
  await submitSignIn(page, people.user);
  await page.waitForURL("**/tenant-list");
  await page.context().close();
});

test("who signs out leaves no path behind for the next person", async () => {
  const page = await enter(people.admin);
  await open(page, "/queue");
  await signOut(page);
  await submitSignIn(page, people.viewer);
  await page.waitForURL("**/tenant-list");
  await page.context().close();
});

test("a request refused with 'Token is not valid' is repeated once with a new token", async () => {
  const page = await enter(people.user);
  const sent: string[] = [];
  await page.route("**/api/v1/tenants/acme/retry-queue?**", async (route) => {
    const { authorization = "" } = await route.request().allHeaders();
    sent.push(authorization);
    // The server itself refuses the first one.
    await (sent.length === 1
      ? route.continue({ headers: { ...route.request().headers(), authorization: "Bearer worn.out" } })
      : route.continue());
  });
  const renewed = page.waitForResponse("**/api/v1/session/refresh");
  await page.getByRole("navigation").getByRole("link", { name: "Retry Queue", exact: true }).click();
  const renewal: { access_token: string } = await (await renewed).json();
  await page.getByText("No message has to wait for another attempt.").waitFor();
  expect(sent).toHaveLength(2);
  // Of one second, two tokens are the same.
  expect(sent[1]).toBe(`Bearer ${renewal.access_token}`);
  await page.context().close();
});

test("a person without roles has no rights", async () => {
  const page = await (await openView(browser, crossdock.url, desktop)).newPage();
  await page.route("**/api/v1/session", async (route) => {
    const response = await route.fetch();
    const session = (await response.json()) as { user: object };
    await route.fulfill({ response, json: { ...session, user: { ...session.user, role: [] } } });
  });
  await page.goto("/signin");
  await submitSignIn(page, people.viewer);
  await page.getByText("We can't find the page that you are looking for").waitFor();
  await page.context().close();
});

test("a navigation moves the keyboard to the new heading and is announced", async () => {
  const page = await enter(people.user);
  await page.getByRole("navigation").getByRole("link", { name: "Queue", exact: true }).click();
  await page.locator("h1:focus", { hasText: "Queue" }).waitFor();
  await page.getByRole("status").getByText("Queue · Acme · Crossdock").waitFor({ state: "attached" });
  await page.context().close();
});

async function submitSignIn(page: Page, email: string): Promise<void> {
  await page.locator("#email").fill(email);
  await page.locator("#password").fill(admin.password);
  await page.locator("button[type=submit]").click();
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Account of" }).click();
  await page.getByRole("button", { name: "Logout" }).click();
  await page.waitForURL("**/signin");
}
