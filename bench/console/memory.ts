import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { missingRow, ownRow, type Row } from "../report.ts";
import { bench } from "./rows.ts";
import { openQueueList, type Place, type Visit, type Visitor } from "./visit.ts";

const rowCount = 100_000;
const growthMaxMb = 50;
/** Turns of the wheel that bring nothing new before the list counts as ended. */
const idleTurnsMax = 200;

type Memory = { heapMb: number; processMb: number | null };

/** A list that is scrolled through. `pages` ends the path of the route that its pages come from. */
export type ScrolledList = {
  name: string;
  path: string;
  pages: string;
  /** Leads to another list of the same screen when this one is at its end. */
  next?: string;
};

const queueList: ScrolledList = { name: "", path: "/queue", pages: "/messages" };

/** How much more memory the tab holds after 100,000 rows have gone by, each time after the garbage is collected. */
export async function measureMemory(
  browser: Browser,
  visitor: Visitor,
  own: Place,
  say: (line: string) => void,
  list: ScrolledList = queueList,
): Promise<Row[]> {
  say(`scrolling through ${rowCount.toLocaleString("en")} rows of ${list.path}`);
  const visit = await visitor.arrive(own, { isThrottled: false });
  await openQueueList(visit, own, list.path);
  const before = await memoryOf(browser, visit);
  const scroll = startScrolling(visit, own, list);
  await scroll(rowCount / 2);
  const halfway = await memoryOf(browser, visit);
  const passed = await scroll(rowCount);
  const after = await memoryOf(browser, visit);
  await visit.close();
  const row = (what: string): string => `${list.name}${rowCount.toLocaleString("en")} rows, ${what}`;
  return [
    ownRow(bench, row("rows gone by"), passed, "rows", { atLeast: rowCount }),
    ownRow(bench, row("growth of the heap"), after.heapMb - before.heapMb, "MB", { atMost: growthMaxMb }),
    ...(before.processMb === null || halfway.processMb === null || after.processMb === null
      ? [missingRow(bench, row("growth of the tab's process"), null, false)]
      : [
          ownRow(bench, row("growth of the tab's process"), after.processMb - before.processMb, "MB", { atMost: growthMaxMb }),
          ownRow(bench, row("of it in the second half"), after.processMb - halfway.processMb, "MB"),
        ]),
  ];
}

/** Wheels to the end of what is loaded for as long as more comes, up to so many rows. Resolves with how many the server has sent by then. */
function startScrolling({ page }: Visit, own: Place, { pages, next }: ScrolledList): (until: number) => Promise<number> {
  const passed: number[] = [];
  page.on("response", (response) => {
    const { pathname, searchParams } = new URL(response.url());
    if (pathname.endsWith(pages) && response.ok()) passed.push(Number(searchParams.get("limit")));
  });
  let rest = next;
  return async (until) => {
    if (passed.length === 0) passed.push(await page.locator(own.row).count());
    await page.locator(own.row).nth(1).hover();
    for (let idleTurns = 0; idleTurns < idleTurnsMax && sum(passed) < until;) {
      const before = passed.length;
      await page.mouse.wheel(0, 1_000_000);
      await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
      idleTurns = passed.length > before ? 0 : idleTurns + 1;
      if (idleTurns < idleTurnsMax || rest === undefined) continue;
      await page.locator(rest).first().click();
      [rest, idleTurns] = [undefined, 0];
      await page.locator(own.row).nth(1).hover();
    }
    return sum(passed);
  };
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

async function memoryOf(browser: Browser, { cdp }: Visit): Promise<Memory> {
  await cdp.send("HeapProfiler.enable");
  await cdp.send("HeapProfiler.collectGarbage");
  const { usedSize } = await cdp.send("Runtime.getHeapUsage");
  return { heapMb: usedSize / 1e6, processMb: await processMb(browser) };
}

/** Memory of the largest renderer that isn't shared with anybody, as Linux counts it; null elsewhere. */
async function processMb(browser: Browser): Promise<number | null> {
  if (process.platform !== "linux") return null;
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const renderers = processInfo.filter(({ type }) => type === "renderer");
  return Math.max(...renderers.map(({ id }) => privateKb(id))) / 1000;
}

function privateKb(processId: number): number {
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${processId}/status`, "utf8"))?.[1] ?? 0);
}
