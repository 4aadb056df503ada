import type { Page } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { ready } from "./browser.ts";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;
let page: Page;
beforeAll(async () => {
  stage = await openStage();
  page = await stage.open({ at: "/toolbox?operation=publish-test" });
});
afterAll(() => stage?.close());

async function choosePoint(label: string, name: string): Promise<void> {
  await page.getByRole("combobox", { name: new RegExp(`^${label}`) }).click();
  await page.getByRole("option", { name, exact: true }).click();
}

/** In the form; the history says it, too. */
const untilSaid = (text: string) => page.getByRole("status").filter({ hasText: text }).first().waitFor();

test("a test message is tried, published, sent again, and its way stands in the history with who did it", async () => {
  stage.target.setPicky(false);
  await choosePoint("As if it came from", "The ERP");
  await untilSaid("publishing reaches real systems");
  await page.getByRole("button", { name: "Dry run", exact: true }).click();
  await untilSaid("It would be accepted");
  await page.getByText("Could be delivered").waitFor();
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await untilSaid("Published: 1 message is on its way");

  await page.getByRole("combobox", { name: "Operation" }).selectOption("test-connection");
  await choosePoint("Integration point", "The shop");
  await page.getByRole("button", { name: "Test connection", exact: true }).click();
  await untilSaid("The server answered");

  await page.goto("/queue?state=delivered");
  await ready(page);
  const row = page.locator("main [data-row-link]").first();
  await row.waitFor({ timeout: 60_000 });
  const messageId = /(\d{10,})/.exec((await row.getAttribute("href")) ?? "")?.[1] ?? "";
  await page.goto(`/toolbox?operation=resend&message=${messageId}`);
  await ready(page);
  await page.getByRole("button", { name: "Dry run", exact: true }).click();
  await untilSaid("Is finished; a copy of it would go out:");
  await page.getByRole("button", { name: "Send again", exact: true }).click();
  await untilSaid("A copy goes out:");

  const history = page.locator("section", { has: page.getByRole("heading", { name: "What was run" }) });
  await history.getByRole("link", { name: "Resend" }).first().waitFor();
  await history.getByText("Parameters and result").first().click();
  await history.getByText(messageId).first().waitFor();
});

test("what was resynced is told as long as its fields say which object it was", async () => {
  await page.goto("/toolbox?operation=resync");
  await ready(page);
  await page.getByRole("combobox", { name: "Subtenant" }).selectOption("main");
  const key = page.getByLabel("Business key");
  await key.fill("TEST-1");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const told = page.getByRole("status").filter({ hasText: "goes out again" });
  await told.waitFor();
  await key.fill("OTHER-1");
  await told.waitFor({ state: "detached" });
});

test("what a dry run told goes as soon as something else is to be run", async () => {
  const told = (text: string) => page.locator("main form").getByText(text);
  await page.goto("/toolbox?operation=validate");
  await ready(page);
  await choosePoint("As if it came from", "The ERP");
  await page.getByRole("button", { name: "Validate", exact: true }).click();
  await told("It would be accepted").waitFor();
  await page.getByRole("radio", { name: "As the source system writes it" }).check();
  await told("It would be accepted").waitFor({ state: "detached" });

  await page.goto("/toolbox?operation=rebuild-external-items");
  await ready(page);
  await choosePoint("Integration point", "The shop");
  await page.getByRole("button", { name: "Dry run", exact: true }).click();
  await told("would be rebuilt").waitFor();
  await page.getByLabel("Only keys that start with").fill("TEST");
  await told("would be rebuilt").waitFor({ state: "detached" });
});

test("the history follows an operation that a job carries out", async () => {
  stage.target.setPicky(true);
  await stage.workspace.pushItems("BROKEN-1");
  await page.goto("/toolbox?operation=redrive");
  await ready(page);
  await page.getByRole("link", { name: "Deadletters 1", exact: true }).waitFor();
  await choosePoint("Queue", "magento.item · The shop");
  await page.getByRole("button", { name: "Count first" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Requeue", exact: true }).click();
  await dialog.getByText("Requeued", { exact: true }).waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await page.mouse.move(5, 5);
  await page
    .locator("section", { has: page.getByRole("heading", { name: "What was run" }) })
    .getByText("1 / 1", { exact: true })
    .waitFor();
});

test("what is told of a message that is held, and answered by nobody, is waited for no longer than any change", async () => {
  await page.clock.install();
  await page.addInitScript(() => {
    AbortSignal.timeout = (ms) => {
      const limit = new AbortController();
      setTimeout(() => limit.abort(new DOMException("", "TimeoutError")), ms);
      return limit.signal;
    };
  });
  await page.route("**/toolbox-runs", (route) => {
    if (route.request().method() === "GET") return route.continue();
    const { queueId } = route.request().postDataJSON();
    const message = {
      id: "1",
      key: "LAMP-1",
      entityType: "item",
      queueId,
      document: "{}",
      attempt: 1,
      publishedAt: "2026-01-01T00:00:00Z",
    };
    const lease = { token: "0d0e8f3e-6f0e-4d5c-8f3a-6f2d4c1b9a70", until: "2030-01-01T00:00:00Z" };
    return route.fulfill({ status: 201, json: { result: { kind: "message", message, lease } } });
  });
  await page.goto("/toolbox?operation=fetch-next");
  await ready(page);
  await choosePoint("Queue", "magento.item · The shop");
  await page.getByRole("button", { name: "Look", exact: true }).click();
  const asked = Promise.withResolvers<void>();
  await page.route("**/ack?*", () => asked.resolve());
  await page.getByRole("button", { name: "Acknowledge" }).click();
  await asked.promise;
  await page.clock.fastForward("02:00");
  await page.locator("main").getByText("It may have done what was asked").waitFor();
});
