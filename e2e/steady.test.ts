import { EventEmitter, once } from "node:events";
import type { Page, Request, Route } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { desktop, ready, settle, type View } from "./browser.ts";
import { tellMoved } from "./geometry.ts";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;
/** Of a message that failed, one that was delivered, one that waits for a target that is down, and one that was rejected as it came in. */
const ids = { dead: "", delivered: "", waiting: "", rejected: "" };

beforeAll(async () => {
  stage = await openStage();
});

afterAll(() => stage?.close());

test("there is a message of each kind, with a note on one, and a target is down", async () => {
  const { workspace, database } = stage;
  const owner = database.pool("owner", 1);
  const idOf = async (sql: string) => (await owner.query<{ id: string }>(sql)).rows[0]?.id ?? "";
  await workspace.pushItems("BROKEN-1", "BROKEN-2", "LAMP-1");
  await workspace.pushRaw({ schemaVersion: 1, sku: "CHAIR-1", name: 5 });
  await expect.poll(async () => (ids.dead = await idOf("select max(id) as id from queue.dead having count(*) = 2"))).not.toBe("");
  await expect.poll(async () => (ids.delivered = await idOf("select id from queue.history"))).not.toBe("");
  ids.rejected = await idOf("select id from hub.external_message where state = 'rejected'");
  await workspace.leaveNote(ids.delivered, { text: "The shop knows", authorName: "Desk" });
  await owner.query("update queue.target set circuit = 'open', circuit_open_until = now() + interval '1 hour'");
  // A worker that has the target's queues would notice within seconds only.
  await stage.restart();
  await workspace.pushItems("LAMP-2");
  await expect.poll(async () => (ids.waiting = await idOf("select id from queue.ready"))).not.toBe("");
});

const changes = new EventEmitter();

/**
 * Opens a screen while one answer of the API after another is let through, the one that was asked for last first, each when nothing else is
 * under way. Returns what has moved meanwhile that could have been clicked.
 */
async function openAnswerByAnswer(page: Page, address: string): Promise<string[]> {
  // What the screen before asks for again would be taken for this one's.
  await page.goto("about:blank");
  const held: Route[] = [];
  const underWay = new Set<Request>();
  const moved: string[] = [];
  const ended = (request: Request) => {
    underWay.delete(request);
    changes.emit("change");
  };
  const begun = (request: Request) => underWay.add(request);
  page.on("request", begun);
  page.on("requestfinished", ended);
  page.on("requestfailed", ended);
  await page.route("**/api/v1/**", async (route) => {
    const { pathname } = new URL(route.request().url());
    // The frame waits for announcements, but not for ever.
    if (/^\/api\/v1\/(session|announcements)/.test(pathname)) return route.continue();
    // News never come.
    if (!pathname.endsWith("/events")) held.push(route);
    ended(route.request());
  });
  await page.goto(address);
  let isReady = false;
  const standing = ready(page).then(() => (isReady = true));
  for (;;) {
    do {
      while (underWay.size > 0) await once(changes, "change");
      await settle(page);
    } while (underWay.size > 0);
    moved.push(...(await tellMoved(page)));
    const route = held.pop();
    if (!route && isReady) break;
    if (!route) {
      await Promise.race([once(changes, "change"), standing]);
      continue;
    }
    underWay.add(route.request());
    await route.continue();
  }
  await ready(page);
  await page.unrouteAll();
  page.off("request", begun);
  page.off("requestfinished", ended);
  page.off("requestfailed", ended);
  return moved;
}

const phone: View = { mode: "light", locale: "en", width: 360, height: 740 };
const kinds = { desktop, phone };

test.each(["desktop", "phone"] as const)("nothing that can be clicked moves away on a %s while answers come", async (kind) => {
  const page = await stage.open({ view: kinds[kind] });
  // Answers come one by one, and nothing is shown before its turn, however long that takes.
  await page.addInitScript(() => {
    document.addEventListener("DOMContentLoaded", () => document.documentElement.style.setProperty("--in-order-wait", "3600s"));
  });
  // How long ago something was needs more room a minute later.
  await page.clock.setFixedTime(Date.now());
  const screens = {
    desktop: ["/queue", `/queue/details/${ids.delivered}`, `/queue/details/${ids.waiting}`, "/tenant/acme"],
    phone: [
      `/queue?message=${ids.dead}`,
      "/retryqueue",
      "/deadletter-list",
      `/deadletter/details/magento.item/${ids.dead}`,
      `/externalmessages/details/${ids.rejected}`,
      "/entities?entity=item&object=LAMP-1&of=main",
      "/subtenant/main/dashboard",
      "/brightcom-dashboard",
    ],
  };
  const moved: Record<string, string[]> = {};
  for (const address of screens[kind]) {
    const found = await openAnswerByAnswer(page, address);
    if (found.length > 0) moved[address] = found;
  }
  expect(moved).toEqual({});
  await page.context().close();
});

test.each<[what: string, answer: (route: Route) => unknown]>([
  ["doesn't come", () => undefined],
  ["fails", (route) => route.fulfill({ status: 500, body: "" })],
])("rows are shown all the same when what stands above them %s", async (_, answer) => {
  const page = await stage.open({ at: "/tenant-list" });
  await page.route(/\/queues(\?|$)/, answer);
  await page.goto("/queue");
  await page.getByRole("link", { name: "LAMP-1" }).waitFor();
  await page.goto("/deadletter-list");
  await page.getByRole("button", { name: "Requeue" }).first().waitFor();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.context().close();
});

test("rows stay where they are on a phone when the search for them ends", async () => {
  const page = await stage.open({ view: phone });
  await page.addInitScript(() => {
    const whole = globalThis.fetch;
    globalThis.fetch = async (...asked) => {
      const answer = await whole(...asked);
      if (!answer.url.includes("message-scan")) return answer;
      const found = new TextEncoder().encode(await answer.text());
      const unended = new ReadableStream<Uint8Array>({
        start: (stream) => {
          stream.enqueue(found);
          Object.assign(window, { endSearch: () => stream.close() });
        },
      });
      return new Response(unended, { headers: answer.headers });
    };
  });
  await page.goto("/queue?attempts=1");
  await page.getByRole("link", { name: "LAMP-1" }).waitFor();
  await settle(page);
  await tellMoved(page);
  await page.evaluate("endSearch()");
  await page.getByRole("button", { name: "Stop searching" }).waitFor({ state: "detached" });
  await settle(page);
  expect(await tellMoved(page)).toEqual([]);
  await page.context().close();
});

test("what can be done with chosen rows comes together with the way to choose none, and not in its place", async () => {
  const page = await stage.open({ at: "/queue" });
  const code = Promise.withResolvers<void>();
  const asked = page.waitForRequest("**/assets/queue-actions-*.js");
  await page.route("**/assets/queue-actions-*.js", async (route) => {
    await code.promise;
    await route.continue();
  });
  await page.getByRole("checkbox", { name: "Select LAMP-1", exact: true }).click();
  await asked;
  await settle(page);
  const clear = page.getByRole("button", { name: "Clear selection" });
  expect(await clear.count()).toBe(0);
  code.resolve();
  await clear.waitFor();
  await page.context().close();
});
