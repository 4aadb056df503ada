import { readFileSync } from "node:fs";
import type { TenantLimits } from "@crossdock/contract";
import { startSandbox, type Sandbox } from "@crossdock/sandbox";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ready } from "./browser.ts";
import { admin } from "./crossdock.ts";
import { openStage, type Stage } from "./stage.ts";

let sandbox: Sandbox;
let stage: Stage;
let page: Page;
beforeAll(async () => {
  sandbox = await startSandbox();
  stage = await openStage({ CROSSDOCK_EGRESS_ALLOW: `127.0.0.1:${sandbox.port}` });
  page = await stage.open({ tenant: null });
});
afterAll(async () => {
  await stage?.close();
  await sandbox?.close();
});

/** What the machine needs for a hundred deliveries while others keep it busy. */
const patience = { timeout: 120_000, interval: 500 };

/** Products of AdventureWorks as the store sells them: 30 black, 38 red and 32 yellow ones, and five more black ones. */
const [, ...lines] = readFileSync(new URL("fixtures/adventureworks-products.tsv", import.meta.url), "utf8")
  .trimEnd()
  .split("\n");
const products = lines.map((line) => {
  const [sku = "", name = "", color = "", price = "", weight = ""] = line.split("\t");
  return { sku, name, color, price: Number(price), weight: weight === "" ? null : Number(weight) };
});

async function call(url: string, headers: Record<string, string>, body?: object): Promise<unknown> {
  const response = await fetch(url, {
    method: body ? "POST" : "GET",
    headers: { ...headers, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(`${url}: ${JSON.stringify(answer)}`);
  return answer;
}

async function countOf(state: string): Promise<number> {
  const { url } = stage;
  const session = (await call(`${url}/api/v1/session`, {}, admin)) as { access_token: string };
  const authorised = { authorization: `Bearer ${session.access_token}` };
  return ((await call(`${url}/api/v1/tenants/nova/message-count?state=${state}`, authorised)) as { count: number }).count;
}

const storeUrl = () => `${sandbox.url}/magento/nova-store`;

/** The store's own people put products up for sale. */
async function sell(some: typeof products, updatedAt: string): Promise<void> {
  const token = await call(`${storeUrl()}/rest/default/V1/integration/admin/token`, {}, { username: "clerk", password: "opensesame" });
  for (const { sku, name, color, price, weight } of some) {
    const own = [{ attribute_code: "color", value: color }];
    const product = { sku, name, price, weight, status: 1, type_id: "simple", updated_at: updatedAt, custom_attributes: own };
    await call(`${storeUrl()}/rest/default/V1/products`, { authorization: `Bearer ${String(token)}` }, { product });
  }
}

async function open(path: string): Promise<void> {
  await page.goto(path);
  await ready(page);
}

async function fillDialog(name: string, values: { code: string; name: string }): Promise<void> {
  await page.getByRole("button", { name }).click();
  // By its name, as the notice that follows is a dialog for some seconds, too.
  const dialog = page.getByRole("dialog", { name });
  await dialog.getByLabel("Code", { exact: false }).fill(values.code);
  await dialog.getByLabel("Name", { exact: true }).fill(values.name);
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
}

type Point = { connector: string; code: string; name: string; side: RegExp };

async function beginPoint({ connector, code, name, side }: Point): Promise<void> {
  await open("/configuration?point=new");
  await page.getByRole("combobox", { name: "Subtenant *" }).selectOption("se");
  await page.getByRole("combobox", { name: "Connector *" }).selectOption(connector);
  await page.getByLabel("Code", { exact: false }).fill(code);
  await page.getByLabel("Name *", { exact: true }).fill(name);
  await page.getByRole("group", { name: side }).getByRole("checkbox", { name: "Item", exact: true }).check();
}

async function savePoint(): Promise<void> {
  await page.getByRole("button", { name: "Test connection" }).click();
  await page.getByText("Connected: the system answered as it should").waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.waitForURL(/point=\d+/);
  await page.getByText("Version 1", { exact: true }).waitFor();
  await page.locator("h1:focus").waitFor();
}

async function addMapping(sourceValue: string, targetValue: string, tried: string): Promise<void> {
  await page.getByRole("button", { name: "Add a mapping" }).click();
  const dialog = page.getByRole("dialog", { name: "Add a mapping" });
  await dialog.getByLabel("Field name").fill("color");
  await dialog.getByRole("combobox", { name: "Source", exact: true }).selectOption("magento");
  await dialog.getByLabel("Source value").fill(sourceValue);
  await dialog.getByRole("combobox", { name: "Target", exact: true }).selectOption("shopify");
  await dialog.getByLabel("Target value").fill(targetValue);
  await dialog.getByRole("button", { name: "Preview" }).click();
  await dialog.getByText(tried).waitFor();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: `Source value: ${sourceValue}`, exact: true }).waitFor();
}

async function askNow(): Promise<void> {
  await open("/jobstatus-list?view=schedules");
  await page.getByRole("button", { name: "Run now" }).click();
  await page.getByText("The run starts within a second").waitFor();
}

/** What the shop was sent. */
const sent = () => sandbox.received("nova-shop").map(({ body }) => body ?? "");
/** How many products the shop has heard of. */
const arrived = () => products.filter(({ sku }) => sent().some((body) => body.includes(`"${sku}"`))).length;

test("a new user connects two systems, maps their values, tries it, switches it on, and repairs what was broken", async () => {
  await fillDialog("Create tenant", { code: "nova", name: "Nova" });
  await page.locator("aside").getByText("Nova", { exact: true }).waitFor();
  await page.getByText("Nova created").waitFor();
  await open("/subtenant-list");
  await fillDialog("Add subtenant", { code: "se", name: "Nova Sverige" });
  await page.getByRole("link", { name: "se", exact: true }).waitFor();
  await page.getByText("Nova Sverige created").waitFor();

  await sell(products.slice(0, 100), "2025-11-20 08:00:00");
  await beginPoint({ connector: "magento", code: "store", name: "The store", side: /^Source:/ });
  // How deliveries are made is asked of targets.
  expect(await page.getByLabel("Maximum attempts").count()).toBe(0);
  await page.getByLabel("Store address", { exact: false }).fill(storeUrl());
  await page.getByLabel("User name", { exact: false }).fill("clerk");
  await page.getByLabel("Password", { exact: false }).fill("opensesame");
  await savePoint();
  await beginPoint({ connector: "shopify", code: "shop", name: "The shop", side: /^Target/ });
  await page.getByLabel("Maximum attempts").first().waitFor();
  await page.getByLabel("Shop address", { exact: false }).fill(`${sandbox.url}/shopify/nova-shop`);
  await page.getByLabel("Access token").fill("shpat_of_the_sandbox");
  await savePoint();
  // From what is saved the way leads on to where its messages will be.
  await page.getByRole("main").getByText("Deliveries", { exact: true }).waitFor();
  await page.getByRole("main").getByRole("link", { name: "Item", exact: true }).click();
  await page.waitForURL("**/queue?queue=*");
  await open("/configuration");
  await page.getByRole("switch", { name: "Deliveries: The shop" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Pause" }).click();
  await page.getByText("Paused", { exact: true }).waitFor();

  await open("/jobstatus-list?view=schedules");
  await page.getByRole("button", { name: "New schedule" }).click();
  await page.getByRole("dialog").getByRole("combobox", { name: "When" }).selectOption("Every 24 hours");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByRole("dialog", { name: "New schedule" }).waitFor({ state: "detached" });
  await askNow();
  await expect.poll(() => countOf("ready"), patience).toBe(100);

  await open("/mapping-list");
  // With the first row the field is mapped, so the other colours would fail: the preview says so.
  await addMapping("Black", "Svart", "Would fail: 70");
  await addMapping("Red", "Röd", "Would go through: 38");
  await addMapping("Yellow", "Gul", "Would go through: 32");
  // Trying sends nothing, nor does the test of the connection hand anything in.
  expect(arrived()).toBe(0);

  await open("/configuration");
  await page.getByRole("switch", { name: "Deliveries: The shop" }).click();
  await expect.poll(() => countOf("delivered"), patience).toBe(100);
  expect(arrived()).toBe(100);
  expect(sent().filter((body) => body.includes('"Svart"')).length).toBeGreaterThanOrEqual(30);
  await open("/entities?entity=item&key=FR-R92B-58");
  await page.getByRole("link", { name: "FR-R92B-58" }).waitFor();

  await open("/mapping-list");
  await page.getByRole("button", { name: "Source value: Black", exact: true }).click();
  await page.getByRole("textbox", { name: "Source value", exact: true }).fill("Blacks");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Source value: Blacks", exact: true }).waitFor();
  await sell(products.slice(100), "2025-11-21 08:00:00");
  await askNow();
  await expect.poll(() => countOf("dead"), patience).toBe(5);
  await open("/configuration");
  await page.getByRole("main").getByRole("link", { name: "Deadletters: 5" }).click();
  await page.waitForURL("**/deadletter-list?queue=*");

  await open("/mapping-list?view=missing");
  await page.getByRole("heading", { name: "color = Black has no target value" }).waitFor();
  await page.getByText("Blocks 5 messages in 1 subtenant").waitFor();
  await page.getByText("Spelt almost like Blacks, which has a mapping.").waitFor();
  await page.getByRole("button", { name: "Try Svart" }).click();
  await page.getByText("5 messages would go through.").waitFor();
  await page.getByRole("button", { name: "Save and requeue 5 messages" }).click();
  await page.getByText("5 deadletters requeued").waitFor();
  await page.locator("h1:focus").waitFor();
  await expect.poll(() => countOf("delivered"), patience).toBe(105);
  expect(arrived()).toBe(105);

  await open("/mapping-list?view=versions");
  await page.locator("summary").filter({ hasText: "Version 3" }).locator("svg").click();
  // What was is told by its ground, as in every comparison, and can be read as well as what is.
  const before = page.locator("del", { hasText: "Black" }).first();
  expect(await before.evaluate((element) => getComputedStyle(element).textDecorationLine)).toBe("none");
  await page.getByLabel("Reason (optional)").fill("The old name was right");
  await page.getByRole("button", { name: "Roll back to version 3" }).click();
  await page.getByText("Rolled back as version 6: 2 mappings changed").waitFor();
  await page.getByText("put back version 3").waitFor();
  // What was changed last is undone where it stands.
  await page.locator("summary").filter({ hasText: "Version 6" }).locator("svg").click();
  await page.getByRole("button", { name: "Roll back to version 5" }).waitFor();
});

test("a target says what it lacks, in its form and in the list, until that is set", async () => {
  await beginPoint({ connector: "queryservice", code: "reports", name: "Reports", side: /^Target/ });
  await page.getByLabel("Address", { exact: true }).fill("https://reports.example.com");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.waitForURL(/point=\d+/);
  const lack = page.getByText("Every delivery fails until this is set: Token");
  await lack.waitFor();
  const form = page.url();
  await open("/configuration");
  await page
    .getByRole("listitem")
    .filter({ hasText: "Reports" })
    .and(page.getByRole("listitem").filter({ has: lack }))
    .waitFor();
  await open(form);
  await page.getByLabel("Token", { exact: true }).fill("opensesame");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await lack.waitFor({ state: "detached" });
});

test("what was typed of an integration point is not lost by a click elsewhere, nor by somebody else's change", async () => {
  const at = "/configuration?point=1";
  const typing = await stage.open({ at });
  const name = typing.getByLabel("Name *", { exact: true });
  const stored = await name.inputValue();
  await name.fill("Typed");
  await typing.getByRole("link", { name: "Queue", exact: true }).click();
  const question = typing.getByRole("alertdialog", { name: "Leave without saving?" });
  await question.getByRole("button", { name: "Cancel" }).click();
  await question.waitFor({ state: "detached" });
  await expect.poll(() => name.inputValue()).toBe("Typed");

  const other = await stage.open({ at });
  await other.getByLabel("Name *", { exact: true }).fill("Changed elsewhere");
  await other.getByRole("button", { name: "Save", exact: true }).click();
  await other.getByText("Saved").first().waitFor();
  await typing.getByRole("button", { name: "Save", exact: true }).click();
  await typing.getByText("Somebody else changed this meanwhile. What you typed is still here", { exact: false }).waitFor();
  await expect.poll(() => name.inputValue()).toBe("Typed");
  await typing.getByRole("button", { name: "Drop my changes and show it as it is now" }).click();
  await expect.poll(() => name.inputValue()).toBe("Changed elsewhere");

  await typing.getByRole("checkbox", { name: "As JSON" }).check();
  const json = typing.getByRole("textbox", { name: "Settings" });
  const settings = await json.inputValue();
  await name.fill(stored);
  for (const unfit of ["{", "[]"]) {
    await json.fill(unfit);
    await typing.getByRole("button", { name: "Save", exact: true }).click();
    await typing.locator("textarea:focus").waitFor();
    await expect.poll(() => json.inputValue()).toBe(unfit);
  }
  await json.fill(settings);
  await typing.getByRole("button", { name: "Save", exact: true }).click();
  await typing.getByText("Saved").first().waitFor();
  await typing.getByRole("link", { name: "Queue", exact: true }).click();
  await typing.waitForURL("**/queue");
});

test("a system that the generic connector serves under a native one's name has the generic one's form", async () => {
  const page = await stage.open({ at: "/configuration?point=2" });
  expect(await page.getByLabel("Address", { exact: false }).first().inputValue()).toBe(stage.target.url);
  await page.getByLabel("Token", { exact: true }).fill("a new one");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved").first().waitFor();
  await page.locator("summary").filter({ hasText: "Version 2" }).locator("svg").click();
  // It comes late, and what is below it moves.
  await page.getByRole("region", { name: "What it changed" }).waitFor();
  await page.getByRole("button", { name: "Roll back to version 1" }).click();
  await page.getByText("put back version 1").waitFor();
  await page.context().close();
});

test("whoever switches a target off is told what it misses, and is offered a resync once it is on again", async () => {
  const page = await stage.open({ at: "/configuration?point=2" });
  const active = page.getByRole("checkbox", { name: "Active", exact: true });
  await active.uncheck();
  await page.getByText("What comes while the target is not active is not kept for it").waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Changes saved").waitFor();
  await active.check();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("A resync sends everything anew").waitFor();
  await page.getByRole("button", { name: "Resync", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "New run" });
  expect(await dialog.getByRole("combobox", { name: "Job" }).inputValue()).toBe("resync");
  expect(await dialog.getByRole("combobox", { name: "Integration point" }).inputValue()).toBe("2");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.waitForURL((url) => url.pathname === "/jobstatus-list" && !url.searchParams.has("resync"));
  await page.context().close();
});

test("before a tenant's things stay for a shorter time the console says how much goes, and saves nothing until that is confirmed", async () => {
  const owner = stage.database.pool("owner", 1);
  await owner.query(
    `insert into hub.external_item_removed (tenant_id, integration_point_id, entity_type, business_key, subtenant_id, created_at, removed_by, removed_at)
     select id, 1, 'item', number::text, 1, now(), 'Ada', now() - interval '15 days' from hub.tenant, generate_series(1, 3) number where code = 'acme'`,
  );
  const page = await stage.open({ at: "/tenant/acme" });
  const days = page.locator("#limit-removedDays");
  const form = page.locator("form").filter({ has: days });
  const dialog = page.getByRole("alertdialog", { name: "Delete what is older for good?" });
  const stored = async () => (await owner.query("select removed_days from hub.tenant_limit")).rows;
  await days.fill("10");
  await form.getByRole("button", { name: "Save", exact: true }).click();
  await dialog.getByText(/^Removed things: 3 from before /).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  expect(await stored()).toEqual([]);
  await form.getByRole("button", { name: "Save", exact: true }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved").first().waitFor();
  await dialog.waitFor({ state: "detached" });
  expect(await stored()).toEqual([{ removed_days: 10 }]);
  // A longer time takes nothing, so nothing is asked.
  await days.fill("");
  await form.getByRole("button", { name: "Save", exact: true }).click();
  await expect.poll(stored).toEqual([{ removed_days: null }]);
  expect(await dialog.count()).toBe(0);
  await page.context().close();
  await owner.query("delete from hub.tenant_limit; delete from hub.external_item_removed");
});

test("what is typed of a tenant stays when a colleague saves meanwhile, and is not written over theirs", async () => {
  const { access_token: token } = (await call(`${stage.url}/api/v1/session`, {}, admin)) as { access_token: string };
  const colleague = await stage.browser.newContext({ baseURL: stage.url, extraHTTPHeaders: { authorization: `Bearer ${token}` } });
  const at = "/api/v1/tenants/acme";
  const typing = await stage.open({ at: "/tenant/acme" });
  const masked = typing.locator("textarea");
  const own = ["historyDays", "attemptDays", "rawMessageDays", "removedDays", "runDays", "messageBytes"];
  const limits = { ...Object.fromEntries(own.map((name) => [name, null])), version: 0 };
  const forms = [
    { field: typing.locator("#tenant-name"), typed: "Typed", send: () => colleague.request.patch(at, { data: { name: "Acme & Sons" } }) },
    { field: masked, typed: "typed", send: () => colleague.request.put(`${at}/masking-rules`, { data: { fields: ["iban"] } }) },
    { field: typing.locator("#limit-runDays"), typed: "7", send: () => colleague.request.put(`${at}/limits`, { data: limits }) },
  ];
  for (const { field, typed } of forms) await field.fill(typed);
  for (const { send } of forms) expect((await send()).ok()).toBe(true);
  for (const { field, typed } of forms) {
    const form = typing.locator("form").filter({ has: field });
    await form.getByRole("button", { name: "Save", exact: true }).click();
    await form.getByText("Somebody else changed this meanwhile. What you typed is still here", { exact: false }).waitFor();
    await expect.poll(() => field.inputValue()).toBe(typed);
  }
  const { fields } = (await (await colleague.request.get(`${at}/masking-rules`)).json()) as { fields: string[] };
  expect(fields).toEqual(["iban"]);

  await typing.getByRole("link", { name: "Queue", exact: true }).click();
  await typing.getByRole("alertdialog", { name: "Leave without saving?" }).getByRole("button", { name: "Leave" }).click();
  await typing.waitForURL("**/queue");
  await typing.getByRole("alertdialog").waitFor({ state: "detached" });
  await colleague.close();
});

test("the largest message that a script has set to the byte stays so when another limit is saved", async () => {
  const { access_token: token } = (await call(`${stage.url}/api/v1/session`, {}, admin)) as { access_token: string };
  const script = await stage.browser.newContext({ baseURL: stage.url, extraHTTPHeaders: { authorization: `Bearer ${token}` } });
  const at = "/api/v1/tenants/acme/limits";
  const stored = async () => (await (await script.request.get(at)).json()) as TenantLimits;
  const { bounds: _, ...limits } = await stored();
  expect((await script.request.put(at, { data: { ...limits, messageBytes: 1_500_000 } })).ok()).toBe(true);
  const acme = await stage.open({ at: "/tenant/acme" });
  const days = acme.locator("#limit-runDays");
  await days.fill("7");
  await acme.locator("form").filter({ has: days }).getByRole("button", { name: "Save", exact: true }).click();
  await acme.getByText("Changes saved", { exact: true }).waitFor();
  expect(await stored()).toMatchObject({ runDays: 7, messageBytes: 1_500_000 });
  await script.close();
});
