import { readFileSync } from "node:fs";
import type { Browser, BrowserContext, CDPSession, Cookie, Page } from "playwright-core";
import { admin } from "../installation.ts";
import type { Contender } from "./contenders.ts";
import { tenantCode } from "./site.ts";

const probes = readFileSync(new URL("./probes.js", import.meta.url), "utf8");
const cpuSlowdown = 4;
/** What isn't there after so long won't come. */
const waitMs = 60_000;

/** A page with its kind and address. */
export type Place = Contender & { url: string };

export type Visit = { page: Page; cdp: CDPSession; close: () => Promise<void> };

export type Visitor = {
  /** A tab in a profile of its own, so with an empty cache, signed in and with the tenant active. It has not gone anywhere yet. */
  arrive: (place: Place, options?: { isThrottled?: boolean; settings?: Record<string, string> }) => Promise<Visit>;
  /** The same without a session. */
  arriveAsStranger: () => Promise<Visit>;
};

/** All visits share one session. Its cookie rotates, so each hands it on to the next: one visit at a time. */
export async function startVisitor(browser: Browser, serverUrl: string): Promise<Visitor> {
  let cookies = await signIn(serverUrl);
  return {
    async arrive(place, { isThrottled = true, settings = {} } = {}) {
      const context = await newContext(browser);
      await context.addCookies(cookies);
      const stored = { "crossdock.session": "open", "crossdock.tenant": tenantCode, "crossdock.mode": "light", ...settings };
      await context.addInitScript((pairs) => {
        for (const [key, value] of Object.entries(pairs)) if (localStorage.getItem(key) === null) localStorage.setItem(key, value);
      }, stored);
      await context.addInitScript({ content: `${probes}\nbench.watchFirstRow(${JSON.stringify(place.row)})` });
      return begin(context, isThrottled, async () => {
        cookies = await context.cookies();
      });
    },
    arriveAsStranger: async () => begin(await newContext(browser), false, async () => {}),
  };
}

function newContext(browser: Browser): Promise<BrowserContext> {
  return browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
}

async function begin(context: BrowserContext, isThrottled: boolean, leave: () => Promise<void>): Promise<Visit> {
  context.setDefaultTimeout(waitMs);
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  if (isThrottled) await cdp.send("Emulation.setCPUThrottlingRate", { rate: cpuSlowdown });
  return {
    page,
    cdp,
    close: async () => {
      await leave();
      await context.close();
    },
  };
}

async function signIn(serverUrl: string): Promise<Cookie[]> {
  const answer = await fetch(`${serverUrl}/api/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...admin, remember: true }),
  });
  if (!answer.ok) throw new Error(`sign-in was answered ${answer.status}: ${await answer.text()}`);
  return answer.headers.getSetCookie().map(toCookie);
}

/** Cookies know no ports, so one of the server's is sent to every address of this machine. */
function toCookie(header: string): Cookie {
  const [pair = "", ...attributes] = header.split(";").map((part) => part.trim());
  const [name = "", value = ""] = pair.split("=");
  const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? "/";
  return { name, value, domain: "127.0.0.1", path, expires: -1, httpOnly: true, secure: false, sameSite: "Strict" };
}

/** Opens the queue list, or another, and resolves with the milliseconds from the start of the navigation to its first painted row. */
export async function openQueueList({ page }: Visit, place: Place, path = "/queue"): Promise<number> {
  await page.goto(place.url + path);
  const found = await page.waitForFunction<number>("bench.firstRowMs()");
  return found.jsonValue();
}
