import { afterAll, beforeAll, expect, test } from "vitest";
import { desktop, ready, settle } from "./browser.ts";
import { changeLook } from "./look.ts";
import { addPeople, people } from "./people.ts";
import { openStage, type Stage } from "./stage.ts";
import { createTenant } from "./workspace.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
  await addPeople(stage.database.ownerUrl);
  // Nobody but admins may see it.
  await createTenant(stage.url, { code: "beta", name: "Beta Trading" });
});
afterAll(() => stage?.close());

test("a tenant's page counts its subtenants, people and alert rules and leads to each, whichever tenant is active", async () => {
  const page = await stage.open({ tenant: "beta", at: "/tenant/acme" });
  await page.getByRole("link", { name: "3", exact: true }).click();
  await page.waitForURL("**/users?tenant=acme");
  await ready(page);
  await page.getByRole("row").filter({ hasText: people.viewer }).getByText("Acme", { exact: true }).waitFor();
  await page.getByRole("combobox", { name: "With access to" }).selectOption("beta");
  await page.getByRole("row").filter({ hasText: people.viewer }).waitFor({ state: "detached" });
  await page.getByRole("row").filter({ hasText: people.admin }).waitFor();

  await page.goto("/tenant/acme");
  await page.getByRole("link", { name: "8 of 8 active" }).click();
  await page.waitForURL("**/alerts?view=rules");
  await page.goto("/tenant/acme");
  await page.getByRole("link", { name: "1 of 1 active" }).click();
  await page.waitForURL("**/subtenant-list");
  await page.getByText("Main shop").waitFor();
  await page.context().close();
});

test("until its name is read, the active tenant goes by its code, not as none", async () => {
  const page = await stage.open();
  const { promise: isToAnswer, resolve: answer } = Promise.withResolvers<void>();
  await page.route("**/api/v1/tenants", async (route) => {
    await isToAnswer;
    await route.continue();
  });
  await page.reload();
  const sidebar = page.locator("aside").first();
  await sidebar.getByText("acme", { exact: true }).waitFor();
  answer();
  await sidebar.getByText("Acme", { exact: true }).waitFor();
  await page.context().close();
});

test("a link into a tenant that isn't granted says so and shows nothing of another one, on a phone too", async () => {
  const page = await stage.open({ as: people.viewer, tenant: null, view: { ...desktop, width: 360, height: 740 } });
  await page.goto("/queue?active_tenant=beta");
  await page.getByText("The tenant “beta” does not exist or is not granted to you.").waitFor();
  expect(await page.getByRole("list", { name: "Queues" }).count()).toBe(0);
  await page.getByRole("main").getByRole("button", { name: "Acme" }).click();
  await page.getByRole("list", { name: "Queues" }).waitFor();
  // There is no menu in sight that tells whose messages these are.
  await page.getByRole("banner").getByText("Acme", { exact: true }).waitFor();
  await page.goto("/tenant/beta");
  await page.getByText("The tenant “beta” does not exist").waitFor();
  await page.context().close();
});

test("where a tenant is withdrawn the screen says so, and nobody is told of a connection that is sound", async () => {
  const longerThanPatienceMs = 5000;
  const page = await stage.open({ as: people.viewer, tenant: null });
  await page.clock.install();
  const refused = page.waitForResponse((response) => response.url().endsWith("/beta/events") && response.status() === 404);
  await page.goto("/queue?active_tenant=beta");
  await refused;
  await page.getByText("The tenant “beta” does not exist or is not granted to you.").waitFor();
  await page.clock.runFor(longerThanPatienceMs);
  await settle(page);
  expect(await page.getByText("Live updates are interrupted").count()).toBe(0);
  await page.context().close();
});

test("the menu counts nothing of a tenant that is not granted any more", async () => {
  await stage.workspace.pushItems("BROKEN-1");
  const page = await stage.open({ at: "/deadletter-list" });
  const entry = (name: RegExp) => page.getByRole("navigation").getByRole("link", { name });
  await entry(/^Deadletters \d+$/).waitFor();
  await page.route("**/api/v1/tenants", async (route) => {
    const answer = await route.fetch();
    const { items, ...others } = await answer.json();
    const json = { ...others, items: items.filter(({ code }: { code: string }) => code !== "acme") };
    await route.fulfill({ response: answer, json });
  });
  await page.reload();
  await page.getByText("No tenant").first().waitFor();
  await entry(/^Deadletters$/).waitFor();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.context().close();
});

test("what a subtenant's switches hold stands beside its integration points, whose own switches don't tell", async () => {
  const page = await stage.open({ at: "/subtenant-list" });
  await page.getByRole("switch", { name: "Outgoing: main" }).click();
  await page.getByText("Paused", { exact: true }).waitFor();
  for (const screen of ["/configuration", "/subtenant/main/dashboard"]) {
    await page.goto(screen);
    await page.getByRole("link", { name: "Outgoing paused" }).waitFor();
  }
  await page.goto("/configuration");
  await page.getByRole("main").getByRole("link", { name: "The shop" }).click();
  await page.getByRole("link", { name: "Outgoing paused" }).click();
  await page.waitForURL("**/subtenant-list");
  await page.getByRole("switch", { name: "Outgoing: main" }).click();
  await page.getByText("Paused", { exact: true }).waitFor({ state: "detached" });
  await page.context().close();
});

test("a tenant's colour stands beside its name for everybody, until it is taken back", async () => {
  const page = await stage.open({ at: "/tenant/acme" });
  await page.getByLabel("Colour that marks it on the screens").fill("#0a8fdc");
  const save = page.getByRole("button", { name: "Save" }).first();
  await save.click();
  await page.getByText("Changes saved").waitFor();
  const viewer = await stage.open({ as: people.viewer });
  const mark = viewer.locator("aside [title='Acme'] svg");
  await expect.poll(() => mark.evaluate((sign) => getComputedStyle(sign).backgroundColor)).toBe("rgb(10, 143, 220)");
  await viewer.goto("/tenant/acme");
  await ready(viewer);
  await expect.poll(() => viewer.getByLabel("Colour that marks it on the screens").isDisabled()).toBe(true);
  await page.getByRole("button", { name: "No colour" }).click();
  await save.click();
  await expect
    .poll(async () => {
      await viewer.reload();
      await ready(viewer);
      return mark.evaluate((sign) => getComputedStyle(sign).backgroundColor);
    })
    .toBe("rgba(0, 0, 0, 0)");
});

test("a sidebar shows the whole name of a tenant, in two lines if need be, whatever the role is called", async () => {
  await createTenant(stage.url, { code: "long", name: "Nordhem Möbler och Inredning AB" });
  const page = await stage.open({ tenant: "long" });
  await changeLook(page, { locale: "it" });
  for (const nav of ["standard", "default", "mini-sidebar-toggle", "user-header", "user-mini-header", "mini", "bit-bucket", "drawer"]) {
    await page.mouse.move(800, 400);
    await changeLook(page, { nav });
    if (nav === "drawer") await page.getByRole("button", { name: "Apri il menu" }).click();
    else await page.locator("aside").hover();
    const name = page.getByRole(nav === "drawer" ? "dialog" : "complementary").getByText("Nordhem Möbler och Inredning AB");
    const missing = () =>
      name.evaluate(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) => {
        return [scrollWidth - clientWidth, scrollHeight - clientHeight];
      });
    await expect.poll(async () => ({ nav, missing: await missing() })).toEqual({ nav, missing: [0, 0] });
  }
  await page.context().close();
});

test("a list of subtenants shows each name, and what is paused, beside a long code on a tablet and a laptop", async () => {
  const code = "scandinavia-wholesale-and-outlet-2026";
  await stage.workspace.post("/api/v1/tenants/acme/subtenants", { code, name: "Nordhem Contract" });
  const page = await stage.open({ at: "/subtenant-list" });
  for (const direction of ["Incoming", "Outgoing"]) await page.getByRole("switch", { name: `${direction}: ${code}` }).click();
  await page.getByText("Paused").nth(1).waitFor();
  const row = page.getByRole("row").filter({ hasText: code });
  for (const width of [768, 1280])
    for (const locale of ["en", "ar", "fr"]) {
      await page.setViewportSize({ width, height: 900 });
      await changeLook(page, { locale });
      const cut = () =>
        row.locator("[role=gridcell] button:not([role]), [role=gridcell] .text-warn").evaluateAll((texts) =>
          texts.flatMap((text) => {
            const [box, room] = [text, text.closest("[role=gridcell]") ?? text].map((part) => part.getBoundingClientRect());
            const isWithin = box && room && box.left >= room.left && box.right <= room.right;
            return isWithin && text.scrollWidth <= text.clientWidth ? [] : text.textContent;
          }),
        );
      await expect.poll(async () => ({ width, locale, cut: await cut() })).toEqual({ width, locale, cut: [] });
    }
  await page.context().close();
});

test("masking rules that were saved come back with Undo, and the form shows them", async () => {
  const page = await stage.open({ at: "/tenant/acme" });
  const fields = page.getByRole("textbox", { name: "Fields" });
  const form = page.locator("form").filter({ has: fields });
  const before = await fields.inputValue();
  expect(before).toContain("email");
  await fields.fill("iban");
  await form.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Changes saved").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => fields.inputValue()).toBe(before);
  await page.reload();
  await expect.poll(() => fields.inputValue()).toBe(before);
  await page.context().close();
});

test("a tenant without API keys is told what they are for, with the way to its first one", async () => {
  const page = await stage.open({ tenant: "beta", at: "/api-keys" });
  await page.getByText("With a key, a program can").waitFor();
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("dialog", { name: "Create key" }).waitFor();
  await page.context().close();
});
