import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { desktop } from "./browser.ts";
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
  await expect.poll(() => search().evaluate((input) => input === document.activeElement)).toBe(true);
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

/** As from a spreadsheet: the system's own paste, with the line breaks that a field would lose. */
async function paste(field: Locator, text: string): Promise<void> {
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await field.press("ControlOrMeta+V");
}

test("a column of numbers that is pasted into the search lists their messages and says which have none", async () => {
  await paste(search(), "LAMP-10023\nNONE-1\nCHAIR-7\nNONE-2\n");
  await page.waitForURL((url) => url.searchParams.get("key") === "LAMP-10023\nNONE-1\nCHAIR-7\nNONE-2");
  await shows("LAMP-10023", "CHAIR-7");
  await page.getByText("2 of 4 keys found").waitFor();
  await expect.poll(() => search().inputValue()).toBe("");
  await page.reload();
  await shows("LAMP-10023", "CHAIR-7");
  await page.getByText("2 not found").click();
  await page.getByText("NONE-1, NONE-2").waitFor();
  await page.getByRole("link", { name: "Look in the external messages" }).click();
  await page.waitForURL((url) => url.pathname === "/externalmessages" && url.searchParams.get("key") === "NONE-1\nNONE-2");
  await page.goto("/deadletter-list?view=list");
  await paste(page.getByRole("textbox", { name: "Business key" }), "LAMP-10023 BROKEN-1");
  await link("BROKEN-1").waitFor();
  await page.getByText("1 of 2 keys found").waitFor();
  await page.goto("/queue");
  await shows("LAMP-10023", "CHAIR-7", "BROKEN-1");
});

test("keys that can't be counted are told so, and a list too long for a saved view is refused in plain words", async () => {
  const counts = /\/message-count\?.*key=/;
  await page.route(counts, (route) => route.fulfill({ status: 500 }));
  const keys = ["LAMP-10023", ...Array.from({ length: 400 }, (_, number) => `NONE-${10_000 + number}`)];
  await paste(search(), keys.join("\n"));
  const report = page.getByRole("alert").filter({ hasText: "could not be counted" });
  await report.waitFor();
  await page.unroute(counts);
  await report.getByRole("button", { name: "Try again" }).click();
  await page.getByText("1 of 401 keys found").waitFor();
  await page.getByRole("button", { name: "Saved views" }).click();
  await page.getByLabel("Name of the view").fill("Too long");
  await page.getByRole("button", { name: "Save view" }).click();
  await page.getByText("These filters are too long for a saved view. Bookmark this page instead.").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Clear all" }).click();
  await shows("LAMP-10023", "CHAIR-7", "BROKEN-1");
});

test("while another filter's messages are counted, the number of the former doesn't stand beside them", async () => {
  const heading = page.locator("main header").filter({ has: page.getByRole("heading", { name: "Queue" }) });
  await heading.getByText("3 messages").waitFor();
  const counts = /\/message-count\?.*state=delivered/;
  const isCounted = Promise.withResolvers<void>();
  await page.route(counts, async (route) => {
    await isCounted.promise;
    await route.continue();
  });
  const asked = page.waitForRequest(counts);
  await page.getByRole("combobox", { name: "State" }).selectOption("delivered");
  await asked;
  await link("BROKEN-1").waitFor({ state: "detached" });
  await heading.getByText("messages").waitFor({ state: "detached" });
  isCounted.resolve();
  await heading.getByText("2 messages").waitFor();
  await page.unroute(counts);
  await page.getByRole("button", { name: "Clear all" }).click();
});

test("a pasted text that is no list stands in the field as ever", async () => {
  await search().fill("article ");
  await paste(search(), "chair, oak\n and 7 legs");
  await expect.poll(() => search().inputValue()).toBe("article chair, oak  and 7 legs");
  await search().press("ControlOrMeta+Z");
  await expect.poll(() => search().inputValue()).toBe("article ");
  await search().press("ControlOrMeta+Shift+Z");
  await page.waitForURL((url) => url.searchParams.get("search") === "article chair, oak  and 7 legs");
  await page.getByRole("button", { name: "Remove the filter Search" }).click();
});

test("what is typed while the address changes stays", async () => {
  const typing = await stage.open({ at: "/queue" });
  const field = typing.getByRole("searchbox", { name: "Search", exact: true }).last();
  // In the moment in which the address has been changed and the screen hasn't.
  await typing.evaluate(`for (const way of ["pushState", "replaceState"]) {
    const set = history[way].bind(history);
    history[way] = (state, unused, url) => {
      if (/search=lamp$/.test(String(url)) && document.activeElement.value === "lamp") document.execCommand("insertText", false, "-1");
      set(state, unused, url);
    };
  }`);
  await field.fill("lamp");
  await typing.waitForURL((url) => url.searchParams.get("search") === "lamp-1");
  expect(await field.inputValue()).toBe("lamp-1");
  await typing.context().close();
});

test("what is pasted isn't lost where the code that reads lists can't be had", async () => {
  const code = "**/assets/key-list-*.js";
  const context = page.context();
  await context.route(code, (route) => route.abort());
  await page.reload();
  await shows("LAMP-10023", "CHAIR-7", "BROKEN-1");
  await paste(search(), "chair, oak");
  await page.waitForURL((url) => url.searchParams.get("search") === "chair, oak");
  await expect.poll(() => search().inputValue()).toBe("chair, oak");
  await context.unroute(code);
  await page.getByRole("button", { name: "Remove the filter Search" }).click();
});

test("a search that no message answers leads to what was refused as it came in", async () => {
  await search().fill("refused-number");
  await search().press("Enter");
  await page.getByRole("link", { name: "Look in the external messages" }).click();
  await page.waitForURL((url) => url.pathname === "/externalmessages" && url.searchParams.get("search") === "refused-number");
  await page.goto("/queue");
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

test("a time of an address that isn't one stands as it was written", async () => {
  await page.goto("/queue?from=yesterday");
  await page.getByRole("button", { name: "Remove the filter From" }).locator("..").getByText("yesterday").waitFor();
});

test("a search that is too long is refused before it is sent, and one of an address can be mended", async () => {
  const long = "x".repeat(201);
  await page.goto("/queue");
  await search().fill(long);
  await search().press("Enter");
  await page.getByText("At most 200 characters", { exact: true }).waitFor();
  expect(page.url()).not.toContain("search");
  await page.goto(`/queue?search=${long}`);
  await page.getByText("A filter does not apply: mend it or remove it").waitFor();
  await page.getByText("At most 200 characters", { exact: true }).waitFor();
  await expect.poll(() => page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  await search().fill("LAMP-10023");
  await search().press("Enter");
  await shows("LAMP-10023");
  await page.getByRole("button", { name: "Remove the filter Search" }).click();
});

test("a filter with a character that no text has is refused beside its field, and asked for no second time", async () => {
  await page.goto("/queue?source=erp%00");
  await page.getByText("A filter does not apply: mend it or remove it").waitFor();
  await page.getByRole("status").getByText("The text contains a NUL character.", { exact: true }).waitFor();
  await expect.poll(() => page.getByRole("button", { name: "Try again" }).count()).toBe(0);
  await page.getByRole("button", { name: "Remove the filter Source" }).click();
});

test("a refusal names the filter as the screen does, in each language", async () => {
  const french = await stage.open({ at: `/queue?subtenant=No%20Code`, view: { ...desktop, locale: "fr" } });
  await french.getByText("Sous-locataire : minuscules, chiffres").waitFor();
  // What two lists call differently is called as in each.
  const long = "x".repeat(2_001);
  await french.goto(`/mapping-list?target=${long}`);
  await french.getByText("Cible : doit avoir au plus").waitFor();
  await french.goto(`/audit-log?target=${long}`);
  await french.getByText("Objet : doit avoir au plus").waitFor();
  await french.context().close();
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

const endOf = (part: Locator) => part.evaluate((element) => element.getBoundingClientRect().right);

test("what can be done with a saved view stays in sight however long its name is", async () => {
  const name = "Lamps of the northern warehouses that need a look";
  await page.goto("/queue?payload=lamp");
  await page.getByRole("button", { name: "Saved views" }).click();
  await page.getByLabel("Name of the view").fill(name);
  await page.getByRole("button", { name: "Save view" }).click();
  const remove = page.getByRole("button", { name: `Remove ${name}` });
  const views = page.getByRole("dialog", { name: "Saved views" });
  await remove.waitFor();
  expect(await endOf(remove)).toBeLessThanOrEqual(await endOf(views));
  // What saved it is gone, and the button is wider and stands elsewhere.
  await views.and(page.locator(":focus")).waitFor();
  const button = await page.getByRole("main").getByRole("button", { name }).boundingBox();
  const popover = await views.boundingBox();
  expect(popover?.x).toBeCloseTo(button?.x ?? 0, 0);
  expect((popover?.y ?? 0) - (button?.y ?? 0) - (button?.height ?? 0)).toBeCloseTo(8, 0);
  expect(await page.getByTitle(name, { exact: true }).innerText()).toBe(name);
  await remove.click();
});

test("mappings, runs and the audit log keep views as well, and open with the one that has the star", async () => {
  for (const address of ["/mapping-list?search=navy", "/jobstatus-list?subtenant=main", "/audit-log?outcome=denied"]) {
    await page.goto(address);
    await page.getByRole("button", { name: "Saved views" }).click();
    await page.getByLabel("Name of the view").fill("Mine");
    await page.getByRole("button", { name: "Save view" }).click();
    await page.getByRole("button", { name: "Open the list with Mine" }).click();
    await page.locator('[aria-pressed="true"][aria-label="Open the list with Mine"]').waitFor();
    await page.goto(address.replace(/\?.*/, ""));
    await page.waitForURL(`**${address}`);
  }
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

test("two emojis are as short a search as two letters, though they are four to JavaScript", async () => {
  for (const short of ["qq", "🦆🦆"]) {
    await page.goto(`/deadletter-list?view=list&search=${short}`);
    await page.getByText("Nothing matches these filters").waitFor();
    await page.goto(`/externalmessages?search=${short}`);
    await page.getByText("Type at least 3 characters").waitFor();
  }
});
