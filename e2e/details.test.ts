import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openStage, type Stage } from "./stage.ts";
import type { Judge } from "./workspace.ts";

let stage: Stage;
let page: Page;

/** Takes what was corrected; the first of each article is refused for good, or for now. */
const judge: Judge = (body) => (body.includes("Corrected") ? 200 : body.includes("LATER") ? 503 : 422);

beforeAll(async () => {
  stage = await openStage({}, judge);
  page = await stage.open();
});

afterEach(() => page.emulateMedia({ media: null }));

afterAll(() => stage?.close());

const dialog = () => page.getByRole("dialog");

async function openMessage(key: string, state: string): Promise<void> {
  await page.goto(`/queue?key=${key}`);
  await page.getByRole("row").filter({ hasText: key }).getByText(state).waitFor();
  await page.getByRole("link", { name: key }).click();
  await page.getByRole("link", { name: "Open as a page" }).click();
  await page.waitForURL("**/queue/details/*");
}

async function edit(name: string, reason: string): Promise<void> {
  await page.getByRole("button", { name: "Edit and resend" }).click();
  const field = dialog().getByLabel("Document").first();
  await field.fill((await field.inputValue()).replace(/"name": "[^"]*"/, `"name": ${JSON.stringify(name)}`));
  await dialog().getByLabel("Reason *", { exact: true }).fill(reason);
}

async function dropEdit(): Promise<void> {
  await dialog().getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Leave" }).click();
  await dialog().waitFor({ state: "detached" });
}

test("on paper a message has its whole document, its tenant and the zone of its times, and an opened one stands alone", async () => {
  const attributes = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`line${index}`, "x"]));
  await stage.workspace.pushRaw({ schemaVersion: 1, sku: "PAPER-1", name: "Paper", attributes });
  const print = async () => {
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await page.emulateMedia({ media: "print" });
  };
  await openMessage("PAPER-1", "Dead");
  await page.getByRole("tree").filter({ hasText: "attributes" }).first().waitFor();
  await print();
  await page.locator("pre", { hasText: '"line79": "x"' }).first().waitFor();
  await page.getByText(/^Acme · http:.*\/queue\/details\/.* (UTC|GMT\S*)$/).waitFor();
  expect(await page.getByRole("tree").count()).toBe(0);
  expect(await page.getByRole("button", { name: "Requeue" }).count()).toBe(0);
  await page.emulateMedia({ media: "screen" });
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await page.getByRole("tree").first().waitFor();
  expect(await page.locator("pre", { hasText: "line79" }).count()).toBe(0);

  await page.goto("/queue?key=PAPER-1");
  await page.getByRole("link", { name: "PAPER-1" }).click();
  await dialog().getByRole("tree").filter({ hasText: "attributes" }).first().waitFor();
  await print();
  await dialog().locator("pre", { hasText: '"line79": "x"' }).first().waitFor();
  expect(await page.getByRole("main").count()).toBe(0);
  expect(await dialog().evaluate((drawer) => getComputedStyle(drawer).position)).toBe("static");
});

test("what is wrong with an edited document is shown at its line before anything is sent", async () => {
  await stage.workspace.pushItems("WRONG-1");
  await openMessage("WRONG-1", "Dead");
  await page.getByRole("button", { name: "Edit and resend" }).click();
  const field = dialog().getByLabel("Document").first();
  await field.fill((await field.inputValue()).replace('"name"', '"nname"'));
  await dialog()
    .getByText(/^Line \d+/)
    .first()
    .waitFor();
  await dropEdit();
  expect(stage.target.taken).toEqual([]);
});

test("where an edited document stops being JSON is told at once, and one click leads there", async () => {
  await page.getByRole("button", { name: "Edit and resend" }).click();
  const field = dialog().getByLabel("Document").first();
  const text = (await field.inputValue()).replace(/("name": "[^"]*"),/, "$1;");
  const before = text.slice(0, text.indexOf(";")).split("\n");
  await field.fill(text);
  const place = `Line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  await dialog()
    .getByRole("button", { name: `${place}: not valid JSON` })
    .click();
  expect(
    await page.evaluate("document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)"),
  ).toBe(";");
  await dropEdit();
});

test("a dialog that is opened from a drawer lies over the drawer, too", async () => {
  await page.goto("/queue?key=WRONG-1");
  await page.getByRole("link", { name: "WRONG-1" }).click();
  const box = await dialog().getByRole("button", { name: "Close", exact: true }).boundingBox();
  await page.getByRole("button", { name: "Edit and resend" }).click();
  await dialog().getByLabel("Reason").waitFor();
  const at = { x: (box?.x ?? 0) + 5, y: (box?.y ?? 0) + 5 };
  expect(await page.evaluate(({ x, y }) => document.elementFromPoint(x, y)?.closest("[role=dialog]") ?? null, at)).toBeNull();
  await dialog().getByRole("button", { name: "Cancel" }).click();
});

test("an edited dead letter is sent in its place, and each of the two leads to the other", async () => {
  await openMessage("WRONG-1", "Dead");
  await edit("Corrected article", "The name was wrong");
  const changes = dialog().getByRole("region", { name: "Changes" });
  await changes.getByText("1 changed").waitFor();
  // Struck through, a minus sign is none.
  expect(await changes.locator("del").evaluate((value) => getComputedStyle(value).textDecorationLine)).toBe("none");
  await dialog().getByRole("button", { name: "Send in its place" }).click();
  await page.getByText("The edited message was sent in its place").waitFor();
  await page.getByText("A copy took its place").waitFor();
  await page.getByText("The name was wrong").waitFor();
  const original = page.url();
  await page.getByText("A copy took its place").getByRole("link").click();
  await page.getByText("It took the place of").waitFor();
  expect(page.url()).not.toBe(original);
  await page.getByText("Delivered").first().waitFor();
  expect(stage.target.taken.length).toBe(1);
});

test("a message whose tries left nothing on record is not said to be untried", async () => {
  const attempts = "**/messages/*/attempts";
  await page.route(attempts, (route) => route.fulfill({ json: { items: [] } }));
  await page.reload();
  await page.getByText("Not on record: the target took the message out itself").waitFor();
  await expect.poll(() => page.getByText("No attempts").count()).toBe(0);
  await page.unroute(attempts);
});

test("the whole way of an article is a picture and a list that leads everywhere", async () => {
  await page.getByRole("link", { name: "Whole way of WRONG-1" }).click();
  await page.waitForURL("**view=trace");
  const picture = page.getByRole("group", { name: /events, from the first on/ });
  await picture.getByRole("link", { name: /Attempt 1: .*HTTP 422/ }).waitFor();
  const list = page.getByRole("main").getByRole("listitem");
  await list.filter({ hasText: "HTTP 422" }).waitFor();
  await list.filter({ hasText: "HTTP 200" }).waitFor();
  await list
    .filter({ hasText: /External message.*Configuration version \d/ })
    .getByRole("link")
    .waitFor();
  await list
    .filter({ hasText: /Mappings version \d+, configuration version \d+/ })
    .first()
    .waitFor();

  // A target that gives no id is not said to know the article by our key.
  const named = list.filter({ hasText: "Id at the target" });
  expect(await named.count()).toBe(0);
  await stage.database.pool("owner", 1).query("update hub.external_item set external_id = 'p-4711' where business_key = 'WRONG-1'");
  await page.reload();
  await named.getByText("p-4711").waitFor();
  await named.getByRole("link").waitFor();
});

test("the whole way of an object begins with where it stands at its target, and what stands there leads on", async () => {
  const now = page.getByRole("list", { name: "Where it stands now" });
  await now.getByText(/^Delivered to The shop (now|\d+ \w+\. ago)$/).waitFor();
  await stage.workspace.pushItems("WRONG-3");
  await openMessage("WRONG-3", "Dead");
  const message = page.url();
  await page.getByRole("link", { name: "Whole way of WRONG-3" }).click();
  await now
    .getByText(/^Not delivered to The shop: .*422/)
    .getByRole("link")
    .click();
  await page.waitForURL(message);
});

test("an article's whole way is found by its number, and from what came in, the object and its id at the target", async () => {
  const whole = "Whole way of WRONG-1";
  await page.goto("/tenant-list");
  await page.getByRole("button", { name: "Acme", exact: true }).waitFor();
  await page.keyboard.press("Control+k");
  await page.locator("input[role=combobox]:focus").waitFor();
  await page.keyboard.type("WRONG-1");
  await page.getByRole("option", { name: whole }).click();
  await page.waitForURL("**view=trace");
  await page.getByRole("main").getByRole("listitem").filter({ hasText: "External message" }).getByRole("link").click();
  await page.waitForURL("**/externalmessages/details/*");
  await page.getByRole("link", { name: whole }).click();
  await page.waitForURL("**view=trace");
  await page.goto("/entities?object=WRONG-1&of=main");
  await page.getByRole("link", { name: whole }).click();
  await page.waitForURL("**view=trace");
  await page.goto("/externalitems?key=WRONG-1");
  await page.getByRole("link", { name: "WRONG-1" }).click();
  await page.getByRole("heading", { name: whole }).waitFor();
});

test("of a message that is edited while its retry runs exactly one is sent", async () => {
  const { taken } = stage.target;
  const before = taken.length;
  await stage.workspace.pushItems("LATER-1");
  await page.goto("/queue?key=LATER-1");
  await page.getByRole("link", { name: "LATER-1" }).click();
  await page.getByRole("link", { name: "Open as a page" }).click();
  await page.waitForURL("**/queue/details/*");
  // Its three tries come within seconds: whichever of them runs when the copy is sent, the copy is sent or refused.
  for (let tries = 0; taken.length === before && tries < 10; tries += 1) {
    await edit("Corrected LATER", "The name was wrong");
    await dialog().getByRole("button", { name: "Send in its place" }).click();
    const sent = page.getByText("A copy took its place");
    await sent
      .or(page.getByRole("alert").filter({ hasText: "Nothing was sent" }))
      .first()
      .waitFor();
    if (await sent.isVisible()) break;
    await dropEdit();
  }
  await page.getByText("A copy took its place").getByRole("link").click();
  await page.getByText("Delivered").first().waitFor();
  expect(taken.length - before).toBe(1);
});

test("while live updates have an edited document checked again, it can be sent all the same", async () => {
  await stage.workspace.pushItems("WRONG-2");
  await openMessage("WRONG-2", "Dead");
  await edit("Corrected again", "The name was wrong");
  await dialog().getByText("No faults").waitFor();
  const sent = Promise.withResolvers<void>();
  await page.route("**/replacement-check", async (route) => {
    await sent.promise;
    await route.continue();
  });
  const askedAgain = page.waitForRequest("**/replacement-check");
  await stage.workspace.pushItems("WRONG-3");
  await askedAgain;
  await dialog().getByRole("button", { name: "Send in its place" }).click();
  await page.getByText("A copy took its place").waitFor();
  sent.resolve();
  await page.unrouteAll({ behavior: "ignoreErrors" });
});

test("what is read of a message keeps its place, and what was unfolded stays so, while the state changes", async () => {
  await stage.workspace.pushItems("READ-1");
  await openMessage("READ-1", "Dead");
  const inOrder = () => page.locator("#message-attempts, #message-document").evaluateAll((parts) => parts.map(({ id }) => id));
  const attempt = (number: number) => page.locator("#message-attempts ol > li").filter({ hasText: new RegExp(`^${number}`) });
  await expect.poll(inOrder).toEqual(["message-attempts", "message-document"]);
  await attempt(1).getByText("Headers").first().click();
  const isUnfolded = async (): Promise<void> => attempt(1).locator("details[open] details[open]").first().waitFor();
  await isUnfolded();
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByRole("button", { name: "Restore", exact: true }).waitFor();
  expect(await inOrder()).toEqual(["message-attempts", "message-document"]);
  await isUnfolded();
  await page.getByRole("button", { name: "Restore", exact: true }).click();
  await page.getByRole("button", { name: "Requeue", exact: true }).click();
  await attempt(2).waitFor();
  await isUnfolded();
});

test("a document that could not be checked is told to be unchecked, and is checked when it can be", async () => {
  await page.route("**/replacement-check", (route) =>
    route.fulfill({ status: 422, json: { status: 422, title: "Out of order", code: "out-of-order" } }),
  );
  await edit("Not checked", "The name was wrong");
  await dialog().getByText("Out of order").waitFor();
  expect(await dialog().getByText("No faults").count()).toBe(0);
  await page.unroute("**/replacement-check");
  const field = dialog().getByLabel("Document").first();
  await field.fill((await field.inputValue()).replace("Not checked", "Checked"));
  await dialog().getByText("No faults").waitFor();
  await dropEdit();
});
