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

test("a test message is tried, published, sent again, and its way stands in the history with who did it", async () => {
  stage.target.setPicky(false);
  await choosePoint("As if it came from", "The ERP");
  await page.getByText("publishing reaches real systems").waitFor();
  await page.getByRole("button", { name: "Dry run", exact: true }).click();
  await page.getByText("It would be accepted").waitFor();
  await page.getByText("Could be delivered").waitFor();
  await page.getByRole("button", { name: "Publish", exact: true }).click();
  await page.getByText("Published: 1 message is on its way").waitFor();

  await page.getByRole("combobox", { name: "Operation" }).selectOption("test-connection");
  await choosePoint("Integration point", "The shop");
  await page.getByRole("button", { name: "Test connection", exact: true }).click();
  await page.getByText("This connector has no question that changes nothing").waitFor();

  await page.goto("/queue?state=delivered");
  await ready(page);
  const row = page.locator("main [data-row-link]").first();
  await row.waitFor({ timeout: 60_000 });
  const messageId = /(\d{10,})/.exec((await row.getAttribute("href")) ?? "")?.[1] ?? "";
  await page.goto(`/toolbox?operation=resend&message=${messageId}`);
  await ready(page);
  await page.getByRole("button", { name: "Dry run", exact: true }).click();
  await page.getByText("Is finished; a copy of it would go out:").waitFor();
  await page.getByRole("button", { name: "Send again", exact: true }).click();
  await page.getByText("A copy goes out:").waitFor();

  const history = page.locator("section", { has: page.getByRole("heading", { name: "What was run" }) });
  await history.getByRole("link", { name: "Resend" }).first().waitFor();
  await history.getByText("Parameters and result").first().click();
  await history.getByText(messageId).first().waitFor();
});
