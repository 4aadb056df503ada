import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { go } from "./browser.ts";
import { admin } from "./crossdock.ts";
import { openStage, type Stage } from "./stage.ts";

/** Runs where a text of somebody's is taken for a part of the page. */
const html = `<img src="x" onerror="window.wasRun=1"><script>window.wasRun=1</script>`;

let stage: Stage;
let page: Page;

beforeAll(async () => {
  stage = await openStage();
  await stage.workspace.pushRaw({ schemaVersion: 1, sku: "LAMP-1", name: "Lamp", attributes: { contactEmail: "eva@example.com" } });
  page = await stage.open();
});

afterAll(() => stage?.close());

test("a masked value is revealed with a reason, which then stands in the audit log", async () => {
  await go(page, "/queue");
  await page.getByRole("link", { name: "LAMP-1" }).first().click();
  const line = page.getByRole("treeitem").filter({ hasText: "contactEmail" }).first();
  await line.waitFor();
  expect(await line.textContent()).not.toContain("eva@example.com");
  await line.click();
  await page.getByRole("button", { name: "Reveal", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Reveal a value" });
  await dialog.getByRole("button", { name: "Reveal", exact: true }).click();
  await dialog.getByText("Say why").waitFor();
  await dialog.getByLabel("Reason").fill("Eva called");
  await dialog.getByRole("button", { name: "Reveal", exact: true }).click();
  await dialog.getByText("eva@example.com").waitFor();

  await go(page, "/audit-log?action=revealValue");
  await page.getByRole("link", { name: "revealValue" }).first().click();
  const drawer = page.getByRole("dialog", { name: "revealValue" });
  await drawer.getByText("Eva called").first().waitFor();
  await drawer.getByText("/attributes/contactEmail").first().waitFor();
  expect(await drawer.textContent()).not.toContain("eva@example.com");
});

test("texts that are pages of their own stay texts wherever they are shown", async () => {
  await stage.workspace.pushRaw({ schemaVersion: 1, sku: `BROKEN ${html}`, name: html });
  await stage.workspace.pushRaw({ name: html });
  await stage.workspace.announce(html);
  const faults: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  const screens = [
    "/tenant-list",
    "/queue",
    "/deadletter-list?view=list",
    "/externalmessages",
    "/entities",
    `/queue?search=${encodeURIComponent(html)}`,
  ];
  for (const screen of screens) {
    await go(page, screen);
    if (screen !== "/tenant-list")
      await page.getByRole("main").getByRole("row").or(page.getByRole("main").getByRole("listitem")).first().waitFor();
    expect(await page.evaluate(() => "wasRun" in window)).toBe(false);
  }
  await go(page, "/queue");
  const row = page.getByRole("main").getByRole("link", { name: "onerror" }).first();
  await row.waitFor();
  expect(await row.textContent()).toContain(html);
  await row.click();
  await page.getByRole("dialog").getByRole("tree").first().waitFor();
  await page.getByRole("dialog").getByText("onerror").first().waitFor();
  expect(await page.evaluate(() => "wasRun" in window)).toBe(false);
  expect(faults).toEqual([]);
});

/** Puts the text wherever an admin can write a name or a remark. */
async function writeEverywhere(text: string): Promise<void> {
  let authorization = "";
  const call = async (method: string, path: string, body: object): Promise<Record<string, unknown>> => {
    const headers = { "content-type": "application/json", ...(authorization && { authorization }) };
    const answer = await fetch(`${stage.crossdock.url}/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
    expect({ path, status: answer.ok ? "taken" : await answer.clone().text() }).toEqual({ path, status: "taken" });
    return answer.status === 204 ? {} : ((await answer.json()) as Record<string, unknown>);
  };
  authorization = `Bearer ${String((await call("POST", "/session", admin)).access_token)}`;
  const name = text;
  const base = "/tenants/acme";
  await call("POST", "/tenants", { code: "named", name });
  await call("POST", `${base}/subtenants`, { code: "named", name });
  const source = { subtenantCode: "main", connector: "magento", code: "named", name, direction: "source", entityTypes: ["order"] };
  const { id } = await call("POST", `${base}/integration-points`, { ...source, settings: { baseUrl: "https://shop.example" } });
  await call("POST", `${base}/schedules`, { integrationPointId: id, entityType: "order", everySeconds: 86_400 });
  await call("POST", `${base}/imports`, { integrationPointId: id, entityType: "order", name, format: "csv" });
  const mapping = { subtenantCode: null, fieldName: "color", source: "litium", target: "shopify" };
  await call("POST", `${base}/mappings`, { ...mapping, sourceValue: text, targetValue: text });
  await call("POST", `${base}/saved-views`, { list: "/queue", name: name.slice(0, 60), query: "state=dead", isShared: true });
  await call("POST", `${base}/api-keys`, { name });
  await call("POST", `${base}/alert-channels`, { name, kind: "webhook", url: "https://alerts.example/" });
  await call("POST", "/users", { email: "named@example.com", name });
  await call("PATCH", "/account", { name });
}

test("names and remarks that are pages of their own stay texts on every screen", async () => {
  await writeEverywhere(html);
  const faults: string[] = [];
  const admins = await stage.open();
  admins.on("pageerror", (error) => faults.push(error.message));
  const screens = [
    "tenant-list",
    "subtenant-list",
    "configuration",
    "jobstatus-list",
    "mapping-list",
    "api-keys",
    "alerts",
    "users",
    "audit-log",
  ];
  const plain = ["toolbox", "account", "outbox", "brightcom-dashboard", "queue", "subtenant/named/dashboard", "tenant/named"];
  for (const screen of [...screens, ...plain]) {
    await go(admins, `/${screen}`);
    // Lists show what was written; of the others only that nothing of it runs.
    if (screens.includes(screen) && screen !== "alerts" && screen !== "audit-log")
      await admins.getByRole("main").getByText("onerror").filter({ visible: true }).first().waitFor();
    expect({ screen, wasRun: await admins.evaluate(() => "wasRun" in window) }).toEqual({ screen, wasRun: false });
  }
  expect(faults).toEqual([]);
});
