import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;
let page: Page;

beforeAll(async () => {
  stage = await openStage();
  await stage.workspace.pushItems("LAMP-10023", "CHAIR-7", "BROKEN-1");
  page = await stage.open();
  await page.goto("/queue");
  await page.getByRole("link", { name: "LAMP-10023" }).waitFor();
});

afterAll(() => stage?.close());

const search = () => page.getByRole("searchbox", { name: "Search" });
const link = (key: string) => page.getByRole("link", { name: key });

/** The list shows these and no others. */
async function shows(...keys: string[]): Promise<void> {
  const all = ["LAMP-10023", "CHAIR-7", "BROKEN-1"];
  for (const key of all.filter((known) => !keys.includes(known))) await link(key).waitFor({ state: "detached" });
  for (const key of keys) await link(key).waitFor();
}

test("the key / leads to the search, which finds by number and by a word of the payload", async () => {
  await page.locator("body").press("/");
  expect(await search().evaluate((input) => input === document.activeElement)).toBe(true);
  // The text index follows behind the messages; the list asks again when the search is repeated.
  await expect
    .poll(
      async () => {
        await search().fill("");
        await search().fill("10023");
        await search().press("Enter");
        await page.waitForURL(/search=10023/);
        await page.reload();
        return link("LAMP-10023")
          .waitFor({ timeout: 4000 })
          .then(
            () => true,
            () => false,
          );
      },
      { timeout: 90_000 },
    )
    .toBe(true);
  await shows("LAMP-10023");
  await search().fill("article chair");
  await search().press("Enter");
  await shows("CHAIR-7");
  await page.getByRole("button", { name: "Remove the filter Search" }).click();
  await shows("LAMP-10023", "CHAIR-7", "BROKEN-1");
});

test("the source stands among the filters in sight and finds what came in by it", async () => {
  const source = page.getByRole("textbox", { name: "Source", exact: true });
  await source.fill("magento");
  await source.press("Enter");
  await shows();
  await source.fill("litium");
  await source.press("Enter");
  await shows("LAMP-10023", "CHAIR-7", "BROKEN-1");
  await page.getByRole("button", { name: "Remove the filter Source" }).click();
  await page.waitForURL((url) => !url.searchParams.has("source"));
});

test("a payload filter finds by a field's value, tells how far it has looked, and refuses what it can't read", async () => {
  await page.getByRole("button", { name: "More filters" }).click();
  const payload = page.getByLabel("Payload field");
  await payload.fill("$.sku = LAMP");
  await payload.press("Enter");
  await page.getByText("Like $.lines[*].sku").waitFor();
  expect(page.url()).not.toContain("payload");
  await payload.fill('$.sku = "LAMP-10023"');
  await payload.press("Enter");
  await page.keyboard.press("Escape");
  await shows("LAMP-10023");
  await page.getByText("All messages searched · 1 found").waitFor();
});

test("a saved view survives a reload and opens the list as long as it has the star", async () => {
  await page.getByRole("button", { name: "Saved views" }).click();
  await page.getByLabel("Name of the view").fill("The lamp");
  await page.getByRole("button", { name: "Save view" }).click();
  await page.getByRole("button", { name: "Open the list with The lamp" }).click();
  await page.locator('[aria-pressed="true"][aria-label="Open the list with The lamp"]').waitFor();
  await page.keyboard.press("Escape");
  await page.goto("/queue");
  await page.waitForURL(/payload=/);
  await shows("LAMP-10023");
  await page.getByRole("button", { name: "Clear all" }).click();
  await shows("LAMP-10023", "CHAIR-7", "BROKEN-1");
  await page.getByRole("button", { name: "Saved views" }).click();
  await page.getByRole("button", { name: "The lamp", exact: true }).click();
  await page.waitForURL(/payload=/);
});

test("a slow search is stopped and goes on when asked to", async () => {
  // Never answered, so that the search is still under way when it is stopped.
  await page.route("**/message-scan?*", () => undefined);
  const hungUp = page.waitForEvent("requestfailed", (request) => request.url().includes("message-scan"));
  await page.goto("/queue?status=503");
  await page.getByRole("button", { name: "Stop searching" }).click();
  await page.getByRole("button", { name: "Continue searching" }).waitFor();
  await hungUp;
  await page.unroute("**/message-scan?*");
  await page.getByRole("button", { name: "Continue searching" }).click();
  await page.getByText("All messages searched · 0 found").waitFor();
});

test("the other lists are searched step by step by a payload filter, too", async () => {
  const filter = encodeURIComponent('$.sku = "LAMP-10023"');
  await page.goto(`/entities?entity=item&payload=${filter}`);
  await page.getByText("Whole list searched · 1 found").waitFor();
  await link("LAMP-10023").waitFor();
  await page.goto(`/externalmessages?payload=${filter}`);
  await page.getByText("All messages searched · 1 found").waitFor();
  await page.goto(`/deadletter-list?view=list&payload=${encodeURIComponent('$.sku = "BROKEN-1"')}`);
  await page.getByText("All messages searched · 1 found").waitFor();
  await link("BROKEN-1").waitFor();
  await page.goto(`/retryqueue?payload=${filter}`);
  await page.getByText("All messages searched · 0 found").waitFor();
  await page.goto(`/externalitems?payload=${encodeURIComponent('$.sku = "nowhere"')}`);
  await page.getByText("Whole list searched · 0 found").waitFor();
});
