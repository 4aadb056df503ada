import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { admin } from "./crossdock.ts";
import { addPeople, people } from "./people.ts";
import { openStage, type Stage } from "./stage.ts";

const reason = "Your role may look, but not change anything";
const dead = "BROKEN-1";

let stage: Stage;
let page: Page;
let deadId: string;
let fingerprint: string;

beforeAll(async () => {
  stage = await openStage();
  await addPeople(stage.database.ownerUrl);
  await stage.workspace.pushItems(dead);
  page = await stage.open({ as: people.viewer });
  await page.getByRole("link", { name: "Deadletters 1", exact: true }).first().waitFor();
  fingerprint = (await call("GET", "/dead-letter-groups")).items?.[0]?.fingerprint ?? "";
  deadId = (await call("GET", "/dead-letters")).items?.[0]?.id ?? "";
});

afterAll(() => stage?.close());

type Answer = { status: number; items?: { id: string; fingerprint: string }[]; code?: string };

let token: string | undefined;

/** As the viewer, past the console. */
async function call(method: string, path: string, body?: object): Promise<Answer> {
  token ??= await tokenOfViewer();
  const response = await fetch(`${stage.url}/api/v1/tenants/acme${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { ...((await response.json()) as object), status: response.status };
}

async function tokenOfViewer(): Promise<string> {
  const response = await fetch(`${stage.url}/api/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: people.viewer, password: admin.password }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}

/** The buttons are there, say why they do nothing (to a finger, too, which sees no tooltip), and do nothing. */
async function expectRefused(...names: string[]): Promise<void> {
  for (const name of names) {
    const button = page.getByRole("main").getByRole("button", { name, exact: true }).first();
    await button.waitFor();
    expect([name, await button.getAttribute("title"), await button.getAttribute("aria-disabled")]).toEqual([name, reason, "true"]);
    await button.click({ force: true });
    await page.getByRole("tooltip").getByText(reason).waitFor();
    await expect.poll(() => page.getByRole("alertdialog").or(page.getByRole("dialog")).count()).toBe(0);
  }
}

test("a viewer sees the groups of dead letters and who looks into them, and can do nothing with them", async () => {
  await page.goto("/deadletter-list");
  await page.getByText("No owner").waitFor();
  await page.getByRole("img", { name: "1 failure in the last 24 hours" }).waitFor();
  await expectRefused("Triage", "Requeue", "Remove");
});

test("a viewer may choose rows, look and export, and change none", async () => {
  await page.goto("/deadletter-list?view=list");
  await page.getByRole("checkbox", { name: `Select ${dead}` }).check();
  await expectRefused("Requeue", "Remove");
  await page.getByRole("button", { name: "Export" }).click();
  await page.getByRole("dialog").waitFor();
});

test("a viewer reads a dead letter in full and can neither requeue nor remove it", async () => {
  await page.goto(`/deadletter/details/magento.item/${deadId}`);
  await page.getByRole("heading", { name: dead }).waitFor();
  await page.getByText("HTTP 422").first().waitFor();
  await expectRefused("Requeue", "Remove");
});

test("what can be done with a dead letter comes together with what stands before it, and moves under nobody's finger", async () => {
  const group = Promise.withResolvers<void>();
  const asked = `**/dead-letters/${deadId}`;
  await page.route(asked, async (route) => {
    await group.promise;
    await route.continue();
  });
  const known = page.waitForResponse((response) => response.url().endsWith(`/messages/${deadId}`));
  await page.goto(`/deadletter/details/magento.item/${deadId}`, { waitUntil: "commit" });
  await (await known).finished();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const requeue = page.getByRole("main").getByRole("button", { name: "Requeue" });
  expect(await requeue.count()).toBe(0);
  group.resolve();
  await requeue.waitFor();
  await page.unroute(asked);
});

test("why a control can't be used is told where the keyboard comes to it, until Escape or the next one", async () => {
  await stage.workspace.post("/api/v1/tenants/acme/mappings", {
    subtenantCode: null,
    source: "magento",
    target: "shopify",
    fieldName: "colour",
    sourceValue: "NAVY",
    targetValue: "Blue",
  });
  await page.goto("/mapping-list");
  const why = page.getByRole("tooltip");
  await page.getByRole("button", { name: "Source value: NAVY" }).focus();
  await why.getByText(reason).waitFor();
  await page.keyboard.press("Escape");
  await why.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Target: shopify" }).focus();
  await why.getByText(reason).waitFor();
  await page.getByRole("heading", { level: 1 }).click();
  await why.waitFor({ state: "hidden" });
});

test("a viewer reads every list", async () => {
  for (const path of ["/queue", "/retryqueue", "/deadletter-list", "/subtenant-list"]) {
    await page.goto(path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await expect.poll(() => page.getByRole("alert").count()).toBe(0);
  }
});

test("what the screens refuse, the API refuses", async () => {
  const ids = { ids: [deadId] };
  const refused = {
    "POST /dead-letters/requeue": ids,
    "POST /dead-letters/remove": ids,
    "POST /retry-queue/retry-now": ids,
    "POST /messages/remove": ids,
    "POST /messages/restore": ids,
    [`POST /messages/${deadId}/notes`]: { text: "mine" },
    "PUT /dead-letter-groups/triage": { fingerprint, version: 0, status: "resolved", ownerId: null },
  };
  for (const [route, body] of Object.entries(refused)) {
    const [method = "", path = ""] = route.split(" ");
    expect([route, await call(method, path, body)]).toMatchObject([route, { status: 403, code: "permission-missing" }]);
  }
  expect((await call("GET", "/dead-letters")).items).toMatchObject([{ id: deadId }]);
});

test("the palette opens what the menu leaves out for the role, and nothing that the role may not open", async () => {
  await page.keyboard.press("Control+k");
  const field = page.getByRole("combobox", { name: "Search and commands" });
  await field.fill("Entities");
  await page.getByRole("option", { name: "Entities", exact: true }).first().waitFor();
  await field.fill("My account");
  await page.getByRole("option", { name: "My account", exact: true }).first().waitFor();
  await field.fill("Configuration");
  await expect.poll(() => page.getByRole("option", { name: "Configuration", exact: true }).count()).toBe(0);
  await page.keyboard.press("Escape");
  await field.waitFor({ state: "detached" });
});

test("who follows a link to a screen that the role may not open is told so, and who mistypes one is not", async () => {
  const refused = page.getByText("“Audit log” is not open to your role. Ask an admin if you need it.");
  await page.goto("/audit-log");
  await refused.waitFor();
  await page.reload();
  await refused.waitFor();
  await page.goto("/audit-lok");
  await page.getByText("We can't find the page that you are looking for").waitFor();
  expect(await refused.count()).toBe(0);
});

test("a viewer reads what repairs a dead letter and isn't sent to where only others can do it", async () => {
  await stage.database.pool("owner", 1).query("update queue.dead set error_class = 'mapping-missing'");
  await page.goto("/deadletter-list");
  await page.getByText("Requeue helps once the missing value is filled in.").waitFor();
  expect(await page.getByRole("link", { name: "Fill in the missing value" }).count()).toBe(0);
});
