import { afterAll, beforeAll, expect, test } from "vitest";
import { desktop, go } from "./browser.ts";
import { inspectWidth } from "./geometry.ts";
import { addPeople, people } from "./people.ts";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
  await addPeople(stage.database.ownerUrl);
});
afterAll(() => stage?.close());

/** The watch comes round every few seconds. */
const watched = { timeout: 60_000 };

test("what dies is told in the header and the menu, opened, acknowledged and left with its list", async () => {
  const page = await stage.open({ at: "/alerts?view=rules" });
  // The rule for dead letters fires on the first one, at once; the words say so before it is saved.
  const rule = page.getByRole("listitem").filter({ hasText: "Fires when 100 deadletters wait" });
  await rule.getByRole("button", { name: "Edit" }).click();
  const dialog = page.getByRole("dialog", { name: "Edit rule" });
  await dialog.getByLabel("Number of deadletters", { exact: true }).fill("1");
  await dialog.getByLabel("Holds for minutes", { exact: true }).fill("0");
  await dialog.getByText("Fires when 1 deadletter waits at one target. It is over after").waitFor();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await stage.workspace.pushItems("BROKEN-1");
  // Nobody reloads: the count, the badge and the list come by themselves.
  await page.getByRole("button", { name: "Notifications, 1 unread" }).click(watched);
  const item = page.getByRole("dialog", { name: "Notifications" }).getByRole("link", { name: /1 deadletter waits for a person/ });
  await page.getByLabel("Alerts: 1").first().waitFor();
  await item.click();
  const drawer = page.getByRole("dialog", { name: "Deadletters" });
  await drawer.getByRole("button", { name: "Acknowledge" }).click();
  await drawer.getByRole("listitem").filter({ hasText: "Acknowledged" }).waitFor();
  await page.getByRole("row").filter({ hasText: "Acknowledged" }).waitFor();
  await page.getByRole("button", { name: "Notifications", exact: true }).waitFor();
  await page.getByLabel("Alerts: 1").first().waitFor({ state: "detached" });
  await drawer.getByRole("link", { name: "Open the list" }).click();
  await page.waitForURL("**/deadletter-list?subtenant=main&queue=*");
  await page.context().close();
});

test("a phone shows the whole sentence that an alert has to say", async () => {
  const page = await stage.open({ at: "/alerts?state=all", view: { ...desktop, locale: "fr", width: 360, height: 740 } });
  const sentence = page.getByRole("gridcell").getByRole("link");
  const { scrollWidth, clientWidth, scrollHeight, clientHeight } = await sentence.evaluate((link) => ({
    scrollWidth: link.scrollWidth,
    clientWidth: link.clientWidth,
    scrollHeight: link.scrollHeight,
    clientHeight: link.clientHeight,
  }));
  expect([scrollWidth, scrollHeight]).toEqual([clientWidth, clientHeight]);
  expect(await inspectWidth(page)).toEqual([]);
  await page.context().close();
});

test("an admin adds a signed webhook, sees its secret once and tests it; its log tells how that went", async () => {
  const page = await stage.open({ at: "/alerts?view=channels" });
  await page.getByRole("button", { name: "New channel" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Webhook").check();
  await dialog.getByLabel("Name").fill("Chat");
  await dialog.getByLabel("Address (https)").fill(`${stage.target.url}/alerts`);
  await dialog.getByRole("button", { name: "Save" }).click();
  const secret = dialog.getByLabel("Secret");
  await secret.waitFor();
  await expect.poll(() => secret.inputValue()).toMatch(/^whsec_/);
  await dialog.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Test" }).click();
  await page.getByText("The receiver answered 200").waitFor();
  expect(stage.target.hasTaken('"type":"test"')).toBe(true);
  await page.getByRole("button", { name: "Log" }).click();
  await page.getByRole("dialog", { name: "Log of Chat" }).getByText("Sent").waitFor();
  await page.context().close();
});

test("a viewer sees alerts and rules and can change neither", async () => {
  const page = await stage.open({ as: people.viewer, at: "/alerts?view=rules" });
  const button = page.getByRole("button", { name: "New rule" });
  await button.waitFor();
  await expect.poll(() => button.getAttribute("aria-disabled")).toBe("true");
  await expect.poll(() => page.getByRole("combobox", { name: "Whose" }).count()).toBe(0);
  await go(page, "/alerts?state=all");
  await page.getByRole("heading", { level: 1, name: "Alerts" }).waitFor();
  await page.context().close();
});

test("a rule that is removed comes back with Undo as it was", async () => {
  const page = await stage.open({ at: "/alerts?view=rules" });
  const rule = page.getByRole("listitem").filter({ hasText: "Silence" });
  const told = rule.getByText("Told by: Notifications and Chat.");
  await told.waitFor();
  const words = await rule.innerText();
  await rule.getByRole("button", { name: "Remove" }).click();
  await rule.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).click();
  await told.waitFor();
  await expect.poll(() => rule.innerText()).toBe(words);
});

test("where no rule is left, what rules are for and the way to one stand there", async () => {
  const page = await stage.open({ at: "/alerts?view=rules" });
  const remove = page.getByRole("listitem").getByRole("button", { name: "Remove" });
  const invitation = page.getByText("Without a rule nothing is watched.");
  await remove.first().waitFor();
  for (let left = await remove.count(); left > 0; left -= 1) {
    await remove.first().click();
    await expect.poll(() => remove.count()).toBe(left - 1);
  }
  await invitation.waitFor();
  await page.getByRole("button", { name: "New rule" }).click();
  await page.getByRole("dialog", { name: "New rule" }).waitFor();
  await page.context().close();
});
