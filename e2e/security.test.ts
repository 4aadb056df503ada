import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { go, seeLatest } from "./browser.ts";
import { admin } from "./crossdock.ts";
import { openStage, type Stage } from "./stage.ts";

/** Runs where a text of somebody's is taken for a part of the page. */
const html = `<img src="x" onerror="window.wasRun=1"><script>window.wasRun=1</script>`;

/** Whether any of it became a part of the page, even one that the page's policy keeps from running. */
const isTaken = (page: Page): Promise<boolean> => page.evaluate(`"wasRun" in window || document.querySelector('img[src="x"]') !== null`);

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
  await expect.poll(() => line.textContent()).not.toContain("eva@example.com");
  await line.click();
  await page.getByRole("button", { name: "Reveal", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Reveal a value" });
  await dialog.getByRole("button", { name: "Reveal", exact: true }).click();
  await dialog.getByText("Say why").waitFor();
  await dialog.getByLabel("Reason").fill("Eva called");
  await dialog.getByRole("button", { name: "Reveal", exact: true }).click();
  await dialog.getByText("eva@example.com").waitFor();

  await go(page, "/audit-log?action=revealValue");
  await page.getByRole("link", { name: "Reveal a masked value" }).first().click();
  const drawer = page.getByRole("dialog", { name: "Reveal a masked value" });
  await drawer.getByText("Eva called").first().waitFor();
  await drawer.getByText("/attributes/contactEmail").first().waitFor();
  await expect.poll(() => drawer.textContent()).not.toContain("eva@example.com");
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
    expect(await isTaken(page)).toBe(false);
  }
  await go(page, "/queue");
  const row = page.getByRole("main").getByRole("link", { name: "onerror" }).first();
  await seeLatest(page, row);
  await expect.poll(() => row.textContent()).toContain(html);
  await row.click();
  await page.getByRole("dialog").getByRole("tree").first().waitFor();
  await page.getByRole("dialog").getByText("onerror").first().waitFor();
  expect(await isTaken(page)).toBe(false);
  expect(faults).toEqual([]);
});

/** Calls the API as the admin; throws what it says where it refuses. */
async function openApi() {
  let authorization = "";
  const call = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const headers = { "content-type": "application/json", ...(authorization && { authorization }) };
    const answer = await fetch(`${stage.url}/api/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    expect({ path, status: answer.ok ? "taken" : await answer.clone().text() }).toEqual({ path, status: "taken" });
    return answer.status === 204 ? {} : ((await answer.json()) as Record<string, unknown>);
  };
  authorization = `Bearer ${String((await call("POST", "/session", admin)).access_token)}`;
  return call;
}

/** Puts the text wherever an admin can write a name or a remark. */
async function writeEverywhere(text: string): Promise<void> {
  const call = await openApi();
  const name = text;
  const base = "/tenants/acme";
  await call("POST", "/tenants", { code: "named", name });
  await call("POST", `${base}/subtenants`, { code: "named", name });
  const source = { subtenantCode: "main", connector: "magento", code: "named", name, sourceTypes: ["order"] };
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
    expect({ screen, isTaken: await isTaken(admins) }).toEqual({ screen, isTaken: false });
  }
  expect(faults).toEqual([]);
});

type Places = { jobIds: number[]; runId: number; messageId: string };

/** Puts the text into what operators give as reasons and inputs, and what systems answer. */
async function workWith(text: string): Promise<Places> {
  const call = await openApi();
  const base = "/tenants/acme";
  const itemsOf = async <Item>(path: string) => (await call("GET", `${base}${path}`)).items as Item[];
  await stage.workspace.pushRaw({ schemaVersion: 1, sku: "BROKEN-job", name: text });
  const deadLetters = () => itemsOf<{ id: string }>("/dead-letters?key=BROKEN-job");
  await expect.poll(async () => (await deadLetters()).length).toBe(1);
  const messageId = (await deadLetters())[0]?.id ?? "";
  await call("POST", `${base}/messages/${messageId}/notes`, { text });
  const [group] = await itemsOf<{ fingerprint: string; triage: { version: number } }>("/dead-letter-groups");
  const triage = { status: "investigating", ownerId: null, comment: text };
  await call("PUT", `${base}/dead-letter-groups/triage`, { fingerprint: group?.fingerprint, version: group?.triage.version, ...triage });
  await stage.workspace.leaveNote(messageId, { text: `@administrator ${text}`, authorName: text });
  const jobIds: number[] = [];
  for (const kind of ["remove", "restore"]) {
    const { id } = await call("POST", `${base}/jobs`, { kind, selection: { ids: [messageId] } });
    await call("POST", `${base}/jobs/${String(id)}/start`, { total: 1, reason: text });
    await expect.poll(async () => (await call("GET", `${base}/jobs/${String(id)}`)).state).toBe("done");
    jobIds.push(Number(id));
  }

  const points = await itemsOf<{ id: number; code: string }>("/integration-points");
  const idOf = (code: string) => points.find((point) => point.code === code)?.id;
  const source = { subtenantCode: "main", connector: "magento", code: "worked", name: text, sourceTypes: ["order"] };
  const { id } = await call("POST", `${base}/integration-points`, { ...source, settings: { baseUrl: "https://shop.example" } });
  await call("POST", `${base}/schedules`, { integrationPointId: id, entityType: "order", everySeconds: 86_400 });
  const payload = JSON.stringify({ schemaVersion: 1, sku: text, name: text });
  await call("POST", `${base}/toolbox-runs`, { operation: "validate", integrationPointId: idOf("erp"), entityType: "item", payload });
  await call("POST", `${base}/alert-channels`, { name: text, kind: "webhook", url: "https://alerts.example/" });
  const mapping = { subtenantCode: null, fieldName: "size", source: "litium", target: "shopify" };
  await call("POST", `${base}/mappings`, { ...mapping, sourceValue: text, targetValue: text });
  await call("POST", `${base}/saved-views`, { list: "/queue", name: text.slice(0, 50), query: "state=ready" });
  const run = await call("POST", `${base}/imports`, { integrationPointId: id, entityType: "order", name: text, format: "csv" });

  // What the system at the other end answers is told by runs and alerts: as their workers write it.
  const owner = stage.database.pool("owner", 1);
  await owner.query("update hub.run set state = 'failed', started_at = now(), finished_at = now(), fault = $2 where id = $1", [
    run.id,
    text,
  ]);
  await owner.query(
    "insert into hub.run_line (tenant_id, run_id, level, text) select tenant_id, id, 'error', $2 from hub.run where id = $1",
    [run.id, text],
  );
  await owner.query(
    `insert into hub.alert (tenant_id, rule_id, kind, object, state, value, details, since, fired_at)
     select tenant_id, id, kind, 'planted', 'firing', 1, jsonb_build_object('name', $1::text), now(), now()
     from hub.alert_rule where tenant_id <> 0 and kind = 'dead-letters' limit 1`,
    [text],
  );
  await owner.query(
    "insert into hub.alert_event (tenant_id, alert_id, kind) select tenant_id, id, 'fired' from hub.alert where object = 'planted'",
  );
  return { jobIds, runId: Number(run.id), messageId };
}

// Rules of alerts, limits and masking rules have numbers, codes and names of fields alone: no text of theirs can hold a page.
test("reasons, faults, log lines, comments and what is put into the toolbox stay texts where they are shown", async () => {
  const { jobIds, runId, messageId } = await workWith(html);
  const faults: string[] = [];
  const operators = await stage.open();
  operators.on("pageerror", (error) => faults.push(error.message));
  const main = operators.getByRole("main");
  const drawer = operators.getByRole("dialog");
  const seen = async (screen: string, within = main, count = 1): Promise<void> => {
    await within
      .getByText("onerror")
      .filter({ visible: true })
      .nth(count - 1)
      .waitFor();
    expect({ screen, isTaken: await isTaken(operators) }).toEqual({ screen, isTaken: false });
  };
  const shown = [
    [`/queue?job=${jobIds[0]}`, drawer, 1],
    [`/queue?job=${jobIds[1]}`, drawer, 1],
    ["/deadletter-list", main, 1],
    [`/jobstatus-list?run=${runId}`, drawer, 2],
    ["/jobstatus-list?view=bulk", main, 1],
    ["/jobstatus-list?view=schedules", main, 1],
    ["/mapping-list", main, 1],
    ["/alerts", main, 1],
    ["/alerts?view=channels", main, 1],
    [`/queue/details/${messageId}`, main, 1],
  ] as const;
  for (const [screen, within, count] of shown) {
    await go(operators, screen);
    await seen(screen, within, count);
  }

  for (const name of ["Jobs", "Messages", "Notifications"]) {
    await operators
      .getByRole("banner")
      .getByRole("button", { name: new RegExp(`^${name}`) })
      .click();
    await seen(name, operators.getByRole("dialog", { name }), name === "Messages" ? 2 : 1);
    await operators.keyboard.press("Escape");
  }

  await go(operators, "/deadletter-list");
  await main.getByRole("button", { name: "Triage", exact: true }).first().click();
  const triage = operators.getByRole("dialog", { name: "Who looks into this error" });
  await expect.poll(() => triage.getByLabel("Comment").inputValue()).toBe(html);
  expect(await isTaken(operators)).toBe(false);
  await triage.getByRole("button", { name: "Cancel" }).click();

  await go(operators, "/audit-log?action=startJob");
  await operators.getByRole("link", { name: "Start a bulk operation" }).first().click();
  await seen("an audit event", drawer);

  await go(operators, "/queue");
  await operators.getByRole("button", { name: "Saved views" }).click();
  await operators.getByRole("dialog", { name: "Saved views" }).waitFor();
  await seen("saved views", drawer);

  await go(operators, "/toolbox?operation=validate");
  await main.getByText("Parameters and result").first().click();
  await seen("the toolbox's history");
  await operators.getByRole("combobox", { name: /^As if it came from/ }).click();
  await operators.getByRole("option", { name: "The ERP", exact: true }).click();
  await operators.getByRole("textbox", { name: "Payload" }).fill(JSON.stringify({ schemaVersion: 1, sku: html, name: html }));
  await operators.getByRole("button", { name: "Validate", exact: true }).click();
  await operators.getByRole("status").filter({ hasText: "It would be accepted" }).first().waitFor();
  const answer = main.locator("form");
  await seen("the toolbox's answer", answer.getByRole("tree"));
  await expect.poll(() => answer.locator("p bdi").first().textContent()).toBe(html);
  expect(faults).toEqual([]);
});
