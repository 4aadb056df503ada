import type { Page, Route } from "playwright-core";
import type { Random } from "../../apps/demo/src/random.ts";

/** A way in which the network fails, until it ends. */
export type Trouble = { name: string; end: () => Promise<void> };

const api = /\/api\/v1\/|\/readyz/;
const everything = /./;

/** Begins one. */
export async function trouble(page: Page, random: Random): Promise<Trouble> {
  const [name, where, answer] = random.pick(kinds);
  if (answer === null) {
    await page.context().setOffline(true);
    return { name, end: () => page.context().setOffline(false) };
  }
  const handle = (route: Route): Promise<void> => {
    // Without the document there would be the browser's own page, and nothing to be found on it.
    const answered = route.request().resourceType() === "document" ? route.fallback() : answer(route, random);
    // Of a page that is left meanwhile, nobody waits for an answer.
    return answered.catch(() => undefined);
  };
  await page.route(where, handle);
  return { name, end: () => page.unroute(where, handle) };
}

/** What of the requests gets which answer instead of its own; null: the browser knows that there is no network. */
type Kind = [name: string, where: RegExp, answer: ((route: Route, random: Random) => Promise<void>) | null];

const kinds: readonly [Kind, ...Kind[]] = [
  ["offline", everything, null],
  [
    "answers are lost",
    api,
    async (route) => {
      // The server does what is asked.
      const request = route.request();
      await fetch(request.url(), { method: request.method(), headers: await request.allHeaders(), body: request.postData() });
      await route.abort("connectionreset");
    },
  ],
  ["some requests are lost", everything, (route, random) => (random.chance(0.5) ? route.abort("connectionreset") : route.fallback())],
  ["a page in place of answers", api, (route) => route.fulfill({ contentType: "text/html", body: "<h1>Welcome to our network</h1>" })],
  ["a proxy's 502", api, (route) => route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad gateway</h1>" })],
  [
    "slow",
    everything,
    async (route, random) => {
      await new Promise((resolve) => setTimeout(resolve, random.between(500, 3_000)));
      await route.fallback();
    },
  ],
  ["code is lost", /\/assets\//, (route) => route.abort("connectionreset")],
];
