import { readFileSync } from "node:fs";
import type { Browser, BrowserContext, CDPSession, Cookie, Page } from "playwright-core";
import { admin } from "../installation.ts";
import type { Contender } from "./contenders.ts";
import { tenantCode } from "./site.ts";
import { openUnwatchedTab, type UnwatchedTab } from "./unwatched.ts";

const probes = readFileSync(new URL("./probes.js", import.meta.url), "utf8");
const viewport = { width: 1440, height: 900 };
const cpuSlowdown = 4;
/** What isn't there after so long won't come. */
const waitMs = 60_000;

/** A page with its kind and address. */
export type Place = Contender & { url: string };

export type Visit = { page: Page; cdp: CDPSession; close: () => Promise<void> };

export type Visitor = {
  /** A tab in a profile of its own, so with an empty cache, signed in and with the tenant active. It has not gone anywhere yet. */
  arrive: (place: Place, options?: { isThrottled?: boolean; settings?: Record<string, string> }) => Promise<Visit>;
  /** The same in a tab whose memory is that of the page alone. */
  arriveUnwatched: (place: Place) => Promise<UnwatchedTab>;
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
      await context.addInitScript({ content: preparation(place, settings) });
      return begin(context, isThrottled, async () => {
        cookies = await context.cookies();
      });
    },
    async arriveUnwatched(place) {
      const session = await browser.newBrowserCDPSession();
      const { browserContextId } = await session.send("Target.createBrowserContext");
      await session.send("Storage.setCookies", { browserContextId, cookies: cookies.map(sessionCookie) });
      const tab = await openUnwatchedTab(browser, browserContextId);
      await tab.send("Emulation.setDeviceMetricsOverride", { ...viewport, deviceScaleFactor: 1, mobile: false });
      await tab.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-reduced-motion", value: "reduce" }] });
      await tab.send("Page.addScriptToEvaluateOnNewDocument", { source: preparation(place) });
      return {
        ...tab,
        async close() {
          const left = await session.send("Storage.getCookies", { browserContextId });
          cookies = left.cookies.map((cookie) => ({ ...sessionCookie(cookie), expires: -1 }));
          await tab.close();
          await session.send("Target.disposeBrowserContext", { browserContextId });
          await session.detach();
        },
      };
    },
    arriveAsStranger: async () => begin(await newContext(browser), false, async () => {}),
  };
}

/** What runs in each page before its own scripts. */
function preparation({ row }: Place, settings: Record<string, string> = {}): string {
  const stored = { "crossdock.session": "open", "crossdock.tenant": tenantCode, "crossdock.mode": "light", ...settings };
  return `${probes}
for (const [key, value] of Object.entries(${JSON.stringify(stored)})) if (localStorage.getItem(key) === null) localStorage.setItem(key, value);
bench.watchFirstRow(${JSON.stringify(row)});`;
}

function newContext(browser: Browser): Promise<BrowserContext> {
  return browser.newContext({ viewport, reducedMotion: "reduce" });
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

/** What a cookie is beside its life, which ends with the profile. */
function sessionCookie({
  name,
  value,
  domain,
  path,
  httpOnly,
  secure,
}: Omit<Cookie, "partitionKey" | "sameSite">): Omit<Cookie, "expires" | "partitionKey"> {
  return { name, value, domain, path, httpOnly, secure, sameSite: "Strict" };
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
