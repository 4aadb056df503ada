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

async function api(method: "GET" | "POST", path: string, body?: object): Promise<Record<string, unknown>> {
  const session = await call("POST", "/api/v1/session", {}, admin);
  return call(method, `/api/v1${path}`, { authorization: `Bearer ${String(session["access_token"])}` }, body);
}

async function call(method: string, path: string, headers: Record<string, string>, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${stage.crossdock.url}${path}`, {
    method,
    headers: { ...headers, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
  return answer as Record<string, unknown>;
}

const countOf = async (state: string) => (await api("GET", `/tenants/nova/message-count?state=${state}`))["count"];

/** The store hands in products of one colour. */
async function bringProducts(key: string, color: string, skus: string[]): Promise<void> {
  for (const sku of skus) {
    const item = { schemaVersion: 1, sku, name: `Coat ${sku}`, options: [{ name: "Color", value: color }] };
    await call("POST", "/magento/v1/items?subtenant=se&integrationPoint=store", { "x-api-key": key }, item);
  }
}

const skus = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}-${index + 1}`);

async function open(path: string): Promise<void> {
  await page.goto(path);
  await ready(page);
}

async function fillDialog(name: string, values: { code: string; name: string }): Promise<void> {
  await page.getByRole("button", { name }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Code", { exact: false }).fill(values.code);
  await dialog.getByLabel("Name", { exact: true }).fill(values.name);
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
}

type Point = { connector: string; code: string; name: string; direction: RegExp };

async function beginPoint({ connector, code, name, direction }: Point): Promise<void> {
  await open("/configuration?point=new");
  await page.getByRole("combobox", { name: "Subtenant *" }).selectOption("se");
  await page.getByRole("combobox", { name: "Connector *" }).selectOption(connector);
  await page.getByLabel("Code", { exact: false }).fill(code);
  await page.getByLabel("Name *", { exact: true }).fill(name);
  await page.getByRole("radio", { name: direction }).check();
  await page.getByRole("checkbox", { name: "Item", exact: true }).check();
}

async function savePoint(): Promise<void> {
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.waitForURL(/point=\d+/);
  await page.getByText("Version 1", { exact: true }).waitFor();
}

async function addMapping(sourceValue: string, targetValue: string, tried: string): Promise<void> {
  await page.getByRole("button", { name: "Add a mapping" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Field name").fill("Color");
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

test("a new user connects two systems, maps their values, tries it, switches it on, and repairs what was broken", async () => {
  await fillDialog("Create tenant", { code: "nova", name: "Nova" });
  await page.locator("aside").getByText("Nova", { exact: true }).waitFor();
  await open("/subtenant-list");
  await fillDialog("Add subtenant", { code: "se", name: "Nova Sverige" });
  await page.getByRole("link", { name: "se", exact: true }).waitFor();

  await beginPoint({ connector: "magento", code: "store", name: "The store", direction: /^Source/ });
  await savePoint();
  await beginPoint({ connector: "shopify", code: "shop", name: "The shop", direction: /^Target/ });
  await page.getByLabel("Shop url", { exact: false }).fill(`${sandbox.url}/shopify/nova`);
  await page.getByLabel("Access token").fill("shpat_of_the_sandbox");
  await page.getByRole("button", { name: "Test connection" }).click();
  await page.getByText("Connected: the system answered as it should").waitFor();
  await savePoint();
  await open("/configuration");
  await page.getByRole("switch", { name: "Runs: The shop" }).click();
  await page.getByText("paused", { exact: false }).first().waitFor();

  const { key } = await api("POST", "/tenants/nova/api-keys", { name: "The store", role: "gateway" });
  const store = String(key);
  await bringProducts(store, "NAVY", skus("NAVY", 50));
  await bringProducts(store, "RED", skus("RED", 50));
  expect(await countOf("ready")).toBe(100);

  await open("/mapping-list");
  // With the first row the field is mapped, so the other colour would fail: the preview says so.
  await addMapping("NAVY", "Navy blue", "Would fail: 50");
  await addMapping("RED", "Red", "Would go through: 50");
  // Trying sends nothing, nor does the test of the connection hand anything in.
  expect(sandbox.received("nova").filter(({ body }) => body?.includes("NAVY"))).toEqual([]);

  await open("/configuration");
  await page.getByRole("switch", { name: "Runs: The shop" }).click();
  await expect.poll(() => countOf("delivered"), patience).toBe(100);
  const sent = sandbox.received("nova").map(({ body }) => body);
  expect(sent.some((body) => body?.includes("Navy blue"))).toBe(true);

  await open("/mapping-list");
  await page.getByRole("button", { name: "Source value: RED", exact: true }).click();
  await page.getByRole("textbox", { name: "Source value", exact: true }).fill("ROUGE");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Source value: ROUGE", exact: true }).waitFor();
  await bringProducts(store, "RED", skus("SCARF", 5));
  await expect.poll(() => countOf("dead"), patience).toBe(5);

  await open("/mapping-list?view=missing");
  await page.getByRole("heading", { name: "Color = RED has no target value" }).waitFor();
  await page.getByText("Blocks 5 messages in 1 subtenant").waitFor();
  await page.getByLabel("Target value").fill("Red");
  await page.getByRole("button", { name: "Preview" }).click();
  await page.getByText("5 messages would go through.").waitFor();
  await page.getByRole("button", { name: "Save and requeue 5 messages" }).click();
  await page.getByText("5 dead letters requeued").waitFor();
  await expect.poll(() => countOf("delivered"), patience).toBe(105);

  await open("/mapping-list?view=versions");
  await page.locator("summary").filter({ hasText: "Version 2" }).click();
  await page.getByLabel("Reason").fill("The old name was right");
  await page.getByRole("button", { name: "Roll back to version 2" }).click();
  await page.getByText("Rolled back as version 5: 2 mappings changed").waitFor();
  await page.getByText("put back version 2").waitFor();
});
