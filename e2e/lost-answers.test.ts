import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { changeLook } from "./look.ts";
import { openStage, type Stage } from "./stage.ts";

// The server has carried out what was asked, or may have, and the console has not heard of it.

const unreachable = "The server cannot be reached. Check the connection and try again.";

let stage: Stage;
let page: Page;

beforeAll(async () => {
  stage = await openStage();
  await stage.workspace.pushItems("LAMP-1");
  page = await stage.open();
  await page.clock.install();
});

afterEach(() => page.unrouteAll({ behavior: "ignoreErrors" }));

afterAll(() => stage?.close());

const note = () => page.getByLabel("Note to the team");
const add = () => page.getByRole("button", { name: "Add note" });

async function openNotes(): Promise<void> {
  await page.goto("/queue");
  await page.getByRole("link", { name: "LAMP-1", exact: true }).click();
}

test("what is created, and asked for again since its answer was lost, is created once", async () => {
  await openNotes();
  const lost = Promise.withResolvers<{ id: number }>();
  await page.route("**/notes", async (route) => {
    if (route.request().method() === "GET") return route.continue();
    lost.resolve(await (await route.fetch()).json());
    await route.abort("connectionreset");
  });
  await note().fill("The shop knows");
  await add().click();
  const { id } = await lost.promise;
  await page.getByText(unreachable).waitFor();
  await page.unroute("**/notes");

  async function addNow(): Promise<{ id: number }> {
    const answer = page.waitForResponse((response) => response.request().method() === "POST" && response.url().endsWith("/notes"));
    await add().click();
    await expect.poll(() => note().inputValue()).toBe("");
    return (await answer).json();
  }
  expect(await addNow()).toMatchObject({ id });
  // Written once more after that, it is another one.
  await note().fill("The shop knows");
  expect((await addNow()).id).toBeGreaterThan(id);
});

test("the last answer that was lost says how long what is asked for again is the same", async () => {
  await openNotes();
  const keys: (string | undefined)[] = [];
  await page.route("**/notes", async (route) => {
    if (route.request().method() === "GET") return route.continue();
    keys.push(route.request().headers()["idempotency-key"]);
    await route.abort("connectionreset");
  });
  await note().fill("Asked for thrice");
  for (const passed of ["09:00", "02:00", "11:00"]) {
    await add().click();
    await page.getByText(unreachable).waitFor();
    await page.clock.fastForward(passed);
  }
  await add().click();
  await expect.poll(() => keys.length).toBe(4);
  expect(keys.map((key) => keys.indexOf(key))).toEqual([0, 0, 0, 3]);
});

test("an answer that breaks off is told of as one that never came", async () => {
  await page.goto("/subtenant-list");
  await page.evaluate(() => {
    const whole = globalThis.fetch;
    globalThis.fetch = async (...asked) => {
      const answer = await whole(...asked);
      if (!answer.url.endsWith("/switches")) return answer;
      const broken = new ReadableStream({ start: (stream) => stream.error(new TypeError("network error")) });
      return new Response(broken, { headers: answer.headers });
    };
  });
  await page.getByRole("switch", { name: "Incoming: main" }).click();
  await page.getByText(unreachable).waitFor();
});

test("code that is lost on its way once is asked for again, for a screen and for what opens over one", async () => {
  for (const code of ["alerts-page", "export-dialog"])
    await page.route(`**/assets/${code}-*.js`, (route) => route.abort("connectionreset"), { times: 1 });
  await page.goto("/alerts");
  await page.getByRole("heading", { name: "Alerts" }).waitFor();
  await page.goto("/queue");
  await page.getByRole("button", { name: "Export" }).click();
  await page.getByRole("dialog").waitFor();
});

test("a key whose answer was lost is told of when it is asked for again, and stands in the list to be revoked", async () => {
  await page.goto("/api-keys");
  await changeLook(page, { locale: "it" });
  let asked = 0;
  await page.route("**/api-keys", async (route) => {
    if (route.request().method() !== "POST" || (asked += 1) > 1) return route.continue();
    await route.fetch();
    await route.abort("connectionreset");
  });
  await page.getByRole("button", { name: "Crea chiave" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Nome").fill("Perduta");
  const create = dialog.getByRole("button", { name: "Crea chiave" });
  await create.click();
  await dialog.getByRole("alert").waitFor();
  await create.click();
  await dialog.getByText(/^La chiave API Perduta \(\d+\) è già stata creata/).waitFor();
  await page.locator("main").getByText("Perduta", { exact: true }).waitFor();
});
