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

async function plantAlerts(count: number): Promise<void> {
  const owner = stage.database.pool("owner", 1);
  // The watch finds no such jobs, but does not call it over meanwhile.
  await owner.query("update hub.alert_rule set recover_seconds = 86400 where kind = 'job-failed'");
  await owner.query(
    `insert into hub.alert (tenant_id, rule_id, kind, object, state, value, details, since, fired_at)
     select tenant_id, id, kind, 'planted ' || n, 'firing', 1, json_build_object('name', 'Planted ' || n), now(), now()
     from hub.alert_rule, generate_series(1, $1) n where tenant_id > 0 and kind = 'job-failed'`,
    [count],
  );
}

/** The watch comes round every few seconds. */
const watched = { timeout: 60_000 };

test("what dies is told in the header and the menu, opened, acknowledged and left with its list", async () => {
  const page = await stage.open({ at: "/alerts?view=rules" });
  // The rule for dead letters fires on the first one, at once; the words say so before it is saved.
  const rule = page.getByRole("listitem").filter({ hasText: "Fires when 100 deadletters wait" });
  await rule.getByRole("button", { name: "Edit" }).click();
  const dialog = page.getByRole("dialog", { name: "Edit rule" });
  await dialog.getByLabel("Number of deadletters", { exact: true }).fill("1");
  await dialog.getByLabel("Holds for (minutes)", { exact: true }).fill("0");
  await dialog.getByText("Fires when 1 deadletter waits at one target. It is over after").waitFor();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await stage.workspace.pushItems("BROKEN-1");
  // Nobody reloads: the count, the badge and the list come by themselves.
  await page.getByRole("button", { name: "Notifications, 1 unread" }).click(watched);
  const item = page.getByRole("dialog", { name: "Notifications" }).getByRole("link", { name: /1 deadletter waits for a person/ });
  await page.getByRole("link", { name: "Alerts 1", exact: true }).first().waitFor();
  await item.click();
  const drawer = page.getByRole("dialog", { name: "Deadletters" });
  await drawer.getByRole("button", { name: "Acknowledge" }).click();
  await drawer.getByRole("listitem").filter({ hasText: "Acknowledged" }).waitFor();
  await page.getByRole("row").filter({ hasText: "Acknowledged" }).waitFor();
  await page.getByRole("button", { name: "Notifications", exact: true }).waitFor();
  await page.getByRole("link", { name: "Alerts 1", exact: true }).first().waitFor({ state: "detached" });
  await drawer.getByRole("link", { name: "Open the list" }).click();
  await page.waitForURL("**/deadletter-list?subtenant=main&queue=*");
  await page.goBack();
  await drawer.getByRole("link", { name: "Open the rule" }).click();
  await page.locator("li[aria-current]").getByText("Fires when 1 deadletter waits").waitFor();
  await page.context().close();
});

test("in Chinese a rule's sentences follow each other without a blank", async () => {
  const page = await stage.open({ at: "/alerts?view=rules", view: { ...desktop, locale: "zh" } });
  const rules = await page.getByRole("main").getByRole("listitem").allTextContents();
  expect(rules.filter((text) => /。\S/u.test(text)).length).toBeGreaterThan(0);
  expect(rules.filter((text) => /。\s/u.test(text))).toEqual([]);
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

test("a long sentence takes two lines of the list, beside which nothing stands that what is open has not", async () => {
  await plantAlerts(1);
  const owner = stage.database.pool("owner", 1);
  const name = "The nightly look for what its source has deleted since the last time, of the shop in the north";
  await owner.query(`update hub.alert set details = json_build_object('name', $1::text) where kind = 'job-failed'`, [name]);
  const page = await stage.open({ at: "/alerts?kind=job-failed" });
  const sentence = page.getByRole("gridcell").getByRole("link", { name });
  // Descenders reach a little below the last line.
  const lines = await sentence.evaluate((link) => {
    const lineHeight = Number.parseFloat(getComputedStyle(link).lineHeight);
    return [link.scrollHeight, link.clientHeight].map((height) => Math.floor(height / lineHeight));
  });
  expect(lines).toEqual([2, 2]);
  const recovered = page.getByRole("columnheader", { name: "Recovered at" });
  expect(await recovered.count()).toBe(0);
  await go(page, "/alerts?kind=job-failed&state=all");
  await recovered.waitFor();
  await page.context().close();
  await owner.query("delete from hub.alert where kind = 'job-failed'");
});

test("an admin adds a signed webhook, sees its secret once and tests it; log and channel tell how that went", async () => {
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
  // What nobody asked for fails with nobody looking: the channel says so until something arrives.
  const owner = stage.database.pool("owner", 1);
  const failure = { message: "The answer was 503.", reason: "receiver-answered", values: { status: 503 } };
  await owner.query("update hub.alert_delivery set state = 'failed', failure = $1", [failure]);
  await page.reload();
  const channel = page.getByRole("listitem").filter({ hasText: "Chat" });
  await channel.getByText("Failed").waitFor();
  await channel.getByText("The answer was 503.").waitFor();
  // One that nobody has tried yet says nothing of whether notices arrive.
  await owner.query(
    `insert into hub.alert_delivery (tenant_id, channel_id, is_test, alert_ids, body, state, next_at)
     select tenant_id, channel_id, false, '{}', '{}', 'waiting', now() + interval '1 hour' from hub.alert_delivery limit 1`,
  );
  await page.reload();
  await channel.getByText("The answer was 503.").waitFor();
  await channel.getByRole("button", { name: "Log" }).click();
  await page.getByRole("dialog", { name: "Log of Chat" }).getByText("No answer yet").waitFor();
  await owner.query("update hub.alert_delivery set failure = $1, attempts = 1 where state = 'waiting'", [failure]);
  await page.reload();
  await channel.getByRole("button", { name: "Log" }).click();
  await page
    .getByRole("dialog", { name: "Log of Chat" })
    .getByText(/Next attempt: in \d/)
    .waitFor();
  await page.keyboard.press("Escape");
  await owner.query("delete from hub.alert_delivery where state = 'waiting'");
  await channel.getByRole("button", { name: "Test" }).click();
  await channel.getByText("The receiver answered 200").waitFor();
  await channel.getByText("Failed").waitFor({ state: "detached" });
  await page.context().close();
});

test("why a channel's notice did not arrive is told in the reader's language, on its card and in its log", async () => {
  const owner = stage.database.pool("owner", 1);
  const failure = { message: "The answer was 503.", reason: "receiver-answered", values: { status: 503 } };
  await owner.query("update hub.alert_delivery set state = 'failed', failure = $1", [failure]);
  const page = await stage.open({ at: "/alerts?view=channels", view: { ...desktop, locale: "it" } });
  await page.getByRole("listitem").getByText("La risposta è stata 503.").waitFor();
  await page.getByRole("button", { name: "Registro" }).click();
  await page.getByRole("dialog").getByText("La risposta è stata 503.").first().waitFor();
  await page.context().close();
});

test("a viewer sees alerts and rules and can change neither", async () => {
  const page = await stage.open({ as: people.viewer, at: "/alerts?view=rules" });
  const button = page.getByRole("button", { name: "New rule" });
  await button.waitFor();
  await expect.poll(() => button.getAttribute("aria-disabled")).toBe("true");
  await expect.poll(() => page.getByRole("combobox", { name: "Scope" }).count()).toBe(0);
  await go(page, "/alerts?state=all");
  await page.getByRole("heading", { level: 1, name: "Alerts" }).waitFor();
  await page.context().close();
});

test("chosen alerts are acknowledged together, taken back with Undo and given away; what is over is named as left alone", async () => {
  await plantAlerts(3);
  const page = await stage.open({ at: "/alerts?kind=job-failed" });
  const row = (text: string) => page.getByRole("row").filter({ hasText: text });
  const choose = (name: string) => page.getByRole("checkbox", { name }).check();
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  await choose("Select all loaded rows");
  await button("Acknowledge").click();
  await page.getByText("3 alerts acknowledged").waitFor();
  await expect.poll(() => row("Acknowledged").filter({ hasText: "Administrator" }).count()).toBe(3);
  await button("Undo").click();
  await page.getByText("3 alerts reopened").waitFor();
  await expect.poll(() => row("Firing").count()).toBe(3);
  expect(await row("Administrator").count()).toBe(0);

  await choose("Select all loaded rows");
  // One of them is over before the others are given away, and nobody has told this page yet.
  await stage.database
    .pool("owner", 1)
    .query("update hub.alert set state = 'recovered', recovered_at = now() where id = (select max(id) from hub.alert)");
  await button("Owner").click();
  await page.getByRole("menuitem", { name: "Uli" }).click();
  await page.getByText("Owner of 2 alerts changed").waitFor();
  await page.getByText(/^Alert \d+ has recovered\.$/).waitFor();
  await expect.poll(() => row("Uli").count()).toBe(2);
  await page.context().close();
});

test("alerts of tenants are told where no tenant is active and beside the installation's own, and lead to their tenant", async () => {
  const page = await stage.open({ tenant: null });
  await page.getByRole("button", { name: "Notifications, 2 alerts" }).click();
  await page.getByRole("dialog").getByRole("link", { name: "Acme 2 alerts" }).click();
  await page.getByRole("row").filter({ hasText: "Firing" }).first().waitFor();
  await page.getByRole("combobox", { name: "Scope" }).selectOption("Installation");
  await page.getByText("Each tenant has alerts of its own.").waitFor();
  await page.getByRole("main").getByRole("link", { name: "Acme 2 alerts" }).click();
  await page.getByRole("row").filter({ hasText: "Firing" }).first().waitFor();
  await page.context().close();
});

test("alerts show the installation's to an admin as long as no tenant is active, and a tenant's card tells how many of its own fire", async () => {
  const page = await stage.open({ tenant: null });
  await page.getByRole("listitem").filter({ hasText: "Acme" }).getByText("Alerts2", { exact: false }).waitFor();
  const failed: string[] = [];
  page.on("response", (response) => response.status() >= 400 && failed.push(response.url()));
  await go(page, "/alerts");
  await page.getByText("Each tenant has alerts of its own.").waitFor();
  expect(await page.getByRole("combobox", { name: "Scope" }).count()).toBe(0);
  await page.getByRole("tab", { name: "Rules" }).click();
  await page.getByText("Outage over several tenants").first().waitFor();
  await page.getByRole("tab", { name: "Alerts" }).click();
  await page.getByRole("main").getByRole("link", { name: "Acme 2 alerts" }).click();
  await page.getByRole("row").filter({ hasText: "Firing" }).first().waitFor();
  await page.getByRole("combobox", { name: "Scope" }).waitFor();
  expect(failed).toEqual([]);
  await page.context().close();
});

test("the list of alerts has columns, an export and saved views, and a link to one alert opens it whatever the list opens with", async () => {
  const page = await stage.open({ at: "/alerts?kind=job-failed" });
  await page.getByRole("button", { name: "Saved views" }).click();
  await page.getByLabel("Name of the view").fill("Failed jobs");
  await page.getByRole("button", { name: "Save view" }).click();
  await page.getByRole("button", { name: "Open the list with Failed jobs" }).click();
  await page.getByRole("button", { name: "Open the list with Failed jobs", pressed: true }).waitFor();
  await page.goto("/alerts");
  await page.waitForURL("**/alerts?kind=job-failed");
  await page
    .getByRole("link", { name: /failed/ })
    .first()
    .click();
  await page.waitForURL(/alert=\d+/);
  const address = new URL(page.url());
  address.searchParams.delete("kind");
  await page.goto(address.href);
  await page.getByRole("dialog", { name: "A job failed" }).waitFor();
  await page.getByRole("button", { name: "Saved views" }).waitFor();
  expect(page.url()).toBe(address.href);
  await page.getByRole("dialog", { name: "A job failed" }).getByRole("button", { name: "Close" }).click();

  await page.getByRole("button", { name: "Columns and density" }).click();
  await page.getByRole("checkbox", { name: "Kind" }).uncheck();
  await expect.poll(() => page.getByRole("columnheader", { name: "Kind" }).count()).toBe(0);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Export" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("dialog").getByRole("button", { name: "Save file" }).click();
  expect((await download).suggestedFilename()).toMatch(/^alerts-acme-.*\.csv$/);
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

test("a channel's interval that is no whole number of minutes stays when only its name is changed", async () => {
  const channel = { kind: "webhook", name: "Pager", url: `${stage.target.url}/pager`, intervalSeconds: 90 };
  await stage.workspace.post("/api/v1/tenants/acme/alert-channels", channel);
  const page = await stage.open({ at: "/alerts?view=channels" });
  await page.getByRole("listitem").filter({ hasText: "Pager" }).getByRole("button", { name: "Edit" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Night pager");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  const { rows } = await stage.database
    .pool("owner", 1)
    .query<{ seconds: number }>("select interval_seconds seconds from hub.alert_channel where name = 'Night pager'");
  expect(rows).toEqual([{ seconds: 90 }]);
  await page.context().close();
});

test("a mail channel may write to whoever sees the tenant, also to those who may only look", async () => {
  const page = await stage.open({ at: "/alerts?view=channels" });
  await page.getByRole("button", { name: "New channel" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Readers");
  await dialog.getByRole("checkbox", { name: "Vera" }).check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("listitem").filter({ hasText: "Readers" }).getByText("Vera").waitFor();
  await page.context().close();
});
