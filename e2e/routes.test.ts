import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { activateTenant, desktop, enter, go, openView, ready } from "./browser.ts";
import { admin } from "./crossdock.ts";
import { addPeople, people, roles, type PersonRole } from "./people.ts";
import { openStage, type Stage } from "./stage.ts";

/** The specified table: an address of every route and who may open it. `isPlanned`: its screen doesn't exist yet, so nobody gets there. */
type Row = { address: string; title: string; roles: readonly PersonRole[]; isPlanned?: true };

const table: Row[] = [
  { address: "/error-pages/error-404", title: "Page not found", roles },
  { address: "/error-pages/error-500", title: "Internal server error", roles },
  { address: "/error-pages/coming-soon", title: "Coming soon", roles },
  { address: "/error-pages/maintenance", title: "Our site is under maintenance", roles },
  { address: "/tenant-list", title: "Tenants", roles },
  { address: "/tenant/acme", title: "Acme", roles },
  { address: "/brightcom-dashboard", title: "Brightcom Dashboard", roles: ["admin"] },
  { address: "/alerts", title: "Alerts", roles },
  { address: "/queue", title: "Queue", roles },
  { address: "/queue/details/1", title: "Message details", roles },
  { address: "/retryqueue", title: "Retry Queue", roles },
  { address: "/deadletter-list", title: "Deadletters", roles },
  { address: "/deadletter/details/magento.item/1", title: "Message details", roles },
  { address: "/jobstatus-list", title: "Job status", roles },
  { address: "/subtenant-list", title: "Subtenants", roles },
  { address: "/subtenant/main/dashboard", title: "Subtenant hub", roles },
  { address: "/mapping-list", title: "Integration Mappings", roles },
  { address: "/configuration", title: "Configuration", roles: ["admin", "user"] },
  { address: "/externalitems", title: "External items", roles },
  { address: "/externalmessages", title: "External messages", roles },
  { address: "/externalmessages/details/1", title: "Message details", roles },
  { address: "/entities", title: "Entities", roles },
  { address: "/users", title: "Users", roles: ["admin"] },
  { address: "/api-keys", title: "API keys", roles: ["admin", "user"] },
  { address: "/account", title: "My account", roles },
  { address: "/outbox", title: "Mails", roles: ["admin"] },
  { address: "/audit-log", title: "Audit log", roles: ["admin"] },
  { address: "/toolbox", title: "Toolbox", roles },
];
const addresses = table.map(({ address }) => address);
/** Ways in. Whoever is signed in is passed on from them. */
const waysIn = ["/", "/signin", "/signup", "/redirect"];
/** Screens that everybody may open, with their titles. */
const publicScreens = {
  "/confirm-signup": "Confirm sign-up",
  "/reset-password": "Reset password",
  "/forget-password": "Forgotten password",
  "/terms": "Terms of use",
};
const notFound = "/error-pages/error-404";

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
  await addPeople(stage.database.ownerUrl);
});

afterAll(() => stage?.close());

/** Where an address leads that is typed into the browser, once a screen stands there. */
async function open(page: Page, address: string): Promise<string> {
  await page.goto(address);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  return new URL(page.url()).pathname;
}

/** Goes to an address without loading the page, as a link does, and expects to get to a path whose screen names the browser's tab so. */
async function expectToLead(page: Page, address: string, end: string, title: string): Promise<void> {
  await page.evaluate((href) => history.pushState(null, "", href), address);
  await expect
    .poll(async () => ({ address, end: new URL(page.url()).pathname, title: await page.title() }))
    .toEqual({ address, end, title });
}

const titled = (title: string) => `${title} · Acme · Crossdock`;
const stranger = async () => (await openView(stage.browser, stage.url, desktop)).newPage();

describe.each(roles)("a signed-in %s", (role) => {
  const isOpen = ({ roles: allowed, isPlanned }: Row) => allowed.includes(role) && !isPlanned;

  /** One session walks them all; the guard is the same for an address that is typed, which the test after this one does. */
  test("opens the routes of the table, named so in the browser's tab, and is sent to the 404 page from all others", async () => {
    const page = await stage.open({ as: people[role] });
    for (const row of table) {
      const [end, title] = isOpen(row) ? [row.address, row.title] : [notFound, "Page not found"];
      await expectToLead(page, row.address, end, titled(title));
    }
    await expectToLead(page, "/nothing/here", notFound, titled("Page not found"));
    for (const [open, title] of Object.entries(publicScreens)) await expectToLead(page, open, open, `${title} · Crossdock`);
    for (const way of waysIn) await expectToLead(page, way, "/tenant-list", titled("Tenants"));
    await page.context().close();
  });

  test("gets to the same screens by typing an address", async () => {
    const page = await stage.open({ as: people[role], at: "/queue" });
    const some = [...table.filter((row) => row.roles.length < roles.length), { address: "/retryqueue", title: "Retry Queue", roles }];
    for (const row of some)
      expect([row.address, await open(page, row.address)]).toEqual([row.address, isOpen(row) ? row.address : notFound]);
    expect(await open(page, "/nothing/here")).toBe(notFound);
    for (const way of ["/", "/signin"]) expect(await open(page, way)).toBe("/tenant-list");
    await page.context().close();
  });
});

test("an address with nonsense in it opens its screen", async () => {
  const page = await stage.open();
  const nonsense = ["from=abc&to=9999999&state=zzz&queue=-1&view=zzz", "from=0001-01-01T00:00:00Z&to=9999-01-01T00:00:00Z"];
  for (const { address, title } of table.filter((row) => !row.address.startsWith("/error-pages")))
    for (const search of nonsense) {
      await go(page, `${address}?${search}`);
      await expect.poll(async () => ({ address, title: await page.locator("h1").first().textContent() })).toEqual({ address, title });
    }
  await page.context().close();
});

test.each(["/jobstatus-list?run=999999", "/alerts?alert=999999", "/audit-log?event=999999"])(
  "%s, of what is not there, says so and offers no other try",
  async (address) => {
    const page = await stage.open({ at: address });
    const drawer = page.getByRole("dialog");
    await drawer.getByText("This does not exist, or is no longer kept.").waitFor();
    expect(await drawer.getByRole("button", { name: "Try again" }).count()).toBe(0);
    await page.context().close();
  },
);

test("somebody not signed in is asked to sign in, whatever they open", async () => {
  const page = await stranger();
  for (const typed of ["/", "/queue", "/error-pages/error-500", "/nothing/here", "/subtenant/%E0%A4%A/dashboard"])
    expect(await open(page, typed)).toBe("/signin");
  for (const address of [...addresses, "/", "/signin", "/redirect", "/nothing/here"])
    await expectToLead(page, address, "/signin", "Sign in · Crossdock");
  for (const [open, title] of Object.entries({ ...publicScreens, "/signup": "Sign up" }))
    await expectToLead(page, open, open, `${title} · Crossdock`);
  await page.context().close();
});

test("the path asked for before signing in is opened after it, once", async () => {
  const page = await stranger();
  expect(await open(page, "/queue?state=dead&key=LAMP")).toBe("/signin");
  await submitSignIn(page, people.user);
  await page.waitForURL("**/queue?state=dead&key=LAMP");
  expect(await open(page, "/signin")).toBe("/tenant-list");
  await page.context().close();
});

test("a way in and an error page are not remembered", async () => {
  const page = await stranger();
  await open(page, "/nothing/here");
  await submitSignIn(page, people.user);
  await page.waitForURL("**/tenant-list");
  await page.context().close();
});

test("who signs out leaves no path behind for the next person", async () => {
  const page = await stage.open({ as: people.admin });
  await open(page, "/queue?key=LAMP");
  await signOut(page);
  await submitSignIn(page, people.viewer);
  await page.waitForURL("**/tenant-list");
  await activateTenant(page, "Acme");
  await go(page, "/queue/details/1");
  await page.getByRole("main").getByRole("link", { name: "Queue", exact: true }).click();
  await page.waitForURL(/\/queue$/);
  await page.context().close();
});

test("a request refused with 'Token is not valid' is repeated once with a new token", async () => {
  const page = await stage.open({ as: people.user });
  const sent: string[] = [];
  await page.route("**/api/v1/tenants/acme/retry-queue?**", async (route) => {
    const { authorization = "" } = await route.request().allHeaders();
    sent.push(authorization);
    // The server itself refuses the first one.
    await (sent.length === 1
      ? route.continue({ headers: { ...route.request().headers(), authorization: "Bearer worn.out" } })
      : route.continue());
  });
  let renewals = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/session/refresh")) renewals += 1;
  });
  const renewed = page.waitForResponse("**/api/v1/session/refresh");
  await page.getByRole("navigation").getByRole("link", { name: "Retry Queue", exact: true }).click();
  const renewal: { access_token: string } = await (await renewed).json();
  await page.getByText("No message has to wait for another attempt.").waitFor();
  // Of one second, two tokens are the same. Once the stream of news is open, the list may be asked for again; that is no repetition.
  expect(sent.length).toBeGreaterThanOrEqual(2);
  expect(new Set(sent.slice(1))).toEqual(new Set([`Bearer ${renewal.access_token}`]));
  expect(renewals).toBe(1);
  await page.context().close();
});

test("a person without roles has no rights", async () => {
  const page = await stranger();
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

/** Screens for admins and of one's own, each with the file of its code and what it shows first. */
const asking = {
  "/brightcom-dashboard": ["dashboard-page", "overview"],
  "/users?role=admin": ["user-list-page", "users?role=admin&limit=100"],
  "/outbox": ["mail-list-page", "mails?limit=100"],
  "/audit-log?action=POST": ["audit-log-page", "audit-events?action=POST&limit=100"],
  "/api-keys": ["api-key-list-page", "tenants/acme/api-keys"],
  "/account": ["account-page", "account/sessions"],
};

test("a screen's data is asked for once, and before its code is there", async () => {
  const page = await (await openView(stage.browser, stage.url, desktop)).newPage();
  // Whatever news comes has what is on the screen asked for again, which is no repetition.
  await page.route("**/events", () => undefined);
  await enter(page, people.admin, "acme");
  await page.goto("/tenant-list");
  await ready(page);
  for (const [address, [code, data]] of Object.entries(asking)) {
    let times = 0;
    const isWanted = (url: URL) => `${url.pathname}${url.search}` === `/api/v1/${data}`;
    page.on("request", (request) => (times += isWanted(new URL(request.url())) ? 1 : 0));
    const asked = page.waitForRequest((request) => isWanted(new URL(request.url())));
    await page.route(`**/assets/${code}-*.js`, async (route) => {
      await asked;
      await route.continue();
    });
    await go(page, address);
    expect([address, times]).toEqual([address, 1]);
  }
  await page.context().close();
});

test("a navigation moves the keyboard to the new heading and is announced", async () => {
  const page = await stage.open({ as: people.user });
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
