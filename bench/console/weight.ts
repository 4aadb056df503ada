import type { Page } from "playwright-core";
import { ownRow, peerRow, type Row } from "../report.ts";
import { bench } from "./rows.ts";
import { openQueueList, type Place, type Visitor } from "./visit.ts";

const budgets = { signIn: 130, queueList: 210, furtherRoute: 60 };

/** What the code of a page weighs over the wire: JavaScript and style sheets, in kB (1000 bytes) as gzip leaves them. */
export async function weigh(visitor: Visitor, own: Place, others: Place[], say: (line: string) => void): Promise<Row[]> {
  say("weighing");
  const signIn = await weighSignIn(visitor, own);
  const queueList = await weighQueueList(visitor, own);
  const rows = [
    ownRow(bench, "code to the sign-in", signIn, "kB", { atMost: budgets.signIn }),
    ownRow(bench, "code to the queue list", queueList, "kB", { atMost: budgets.queueList }),
  ];
  for (const peer of others) {
    const value = await weighQueueList(visitor, peer);
    rows.push(peerRow(bench, "code to the queue list", queueList, { name: peer.name, value }, "kB"));
  }
  for (const [route, weight] of await weighRoutes(visitor, own)) {
    rows.push(ownRow(bench, `code from there to ${route}`, weight, "kB", { atMost: budgets.furtherRoute }));
  }
  return rows;
}

async function weighSignIn(visitor: Visitor, own: Place): Promise<number> {
  const { page, close } = await visitor.arriveAsStranger();
  const weight = startWeighing(page);
  await page.goto(`${own.url}/signin`);
  await page.locator("input[type=password]").waitFor();
  const result = await weight();
  await close();
  return result;
}

async function weighQueueList(visitor: Visitor, place: Place): Promise<number> {
  const visit = await visitor.arrive(place, { isThrottled: false });
  const weight = startWeighing(visit.page);
  await openQueueList(visit, place);
  const result = await weight();
  await visit.close();
  return result;
}

/** Every entry of the menu and what the first row leads to, each from a fresh queue list. */
async function weighRoutes(visitor: Visitor, own: Place): Promise<[route: string, weight: number][]> {
  const links = ["nav a[href^='/']", `${own.row} a[href]`];
  const weights: [string, number][] = [];
  for (const link of await findLinks(visitor, own, links)) {
    const visit = await visitor.arrive(own, { isThrottled: false });
    await openQueueList(visit, own);
    const weight = startWeighing(visit.page);
    await visit.page.locator(`a[href="${link}"]`).first().click();
    await visit.page.waitForURL(`${own.url}${link}`);
    await visit.page.locator("main h1, main h2").first().waitFor();
    await visit.page.waitForFunction("document.querySelector('[aria-busy=true]') === null");
    weights.push([link.replace(/\d{5,}/, "…"), await weight()]);
    await visit.close();
  }
  return weights;
}

async function findLinks(visitor: Visitor, own: Place, selectors: string[]): Promise<string[]> {
  const visit = await visitor.arrive(own, { isThrottled: false });
  await openQueueList(visit, own);
  const links: string[] = [];
  for (const selector of selectors) {
    const found = await visit.page
      .locator(selector)
      .evaluateAll((elements) => elements.map((element) => String(element.getAttribute("href"))));
    links.push(...(selector.startsWith("nav") ? found : found.slice(0, 1)));
  }
  await visit.close();
  return [...new Set(links)].filter((link) => link !== "/queue");
}

/** Adds up the code that the page asks for from now on; what is under way when the sum is taken belongs to it. */
function startWeighing(page: Page): () => Promise<number> {
  const sizes: Promise<number>[] = [];
  page.on("request", (request) => {
    if (!/\.(js|css)$/.test(new URL(request.url()).pathname)) return;
    sizes.push(request.response().then(async (response) => (await response?.request().sizes())?.responseBodySize ?? 0));
  });
  return async () => (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) / 1000;
}
