import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { missingRow, ownRow, type Row } from "../report.ts";
import { bench } from "./rows.ts";
import type { UnwatchedTab } from "./unwatched.ts";
import type { Place, Visitor } from "./visit.ts";

const rowCount = 100_000;
const growthMaxMb = 50;
/** Turns of the wheel that bring nothing new before the list counts as ended. */
const idleTurnsMax = 200;
const firstRowWaitMs = 60_000;

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
  const tab = await visitor.arriveUnwatched(own);
  await tab.send("Page.navigate", { url: own.url + list.path });
  await until(async () => (await tab.evaluate("globalThis.bench?.firstRowMs() ?? null")) !== null, firstRowWaitMs);
  const before = await memoryOf(browser, tab);
  const scroll = await startScrolling(tab, own, list);
  await scroll(rowCount / 2);
  const halfway = await memoryOf(browser, tab);
  const passed = await scroll(rowCount);
  const after = await memoryOf(browser, tab);
  await tab.close();
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
async function startScrolling(tab: UnwatchedTab, own: Place, { pages, next }: ScrolledList): Promise<(wanted: number) => Promise<number>> {
  const placeOf = async (selector: string, index: number): Promise<object> =>
    Object(
      await tab.evaluate(`(({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 }))(
        document.querySelectorAll(${JSON.stringify(selector)})[${index}].getBoundingClientRect())`),
    );
  // The wheel turns what it turned before until the mouse moves.
  const moveTo = (place: object): Promise<unknown> => tab.send("Input.dispatchMouseEvent", { type: "mouseMoved", ...place });
  const rows = async (): Promise<number> => Number(await tab.evaluate("bench.rows()"));
  await tab.evaluate(`bench.countRows(${JSON.stringify(pages)})`);
  // Before anything has scrolled: later the second row may be one that is kept above the window.
  const row = await placeOf(own.row, 1);
  await moveTo(row);
  let rest = next;
  return async (wanted) => {
    let passed = await rows();
    for (let idleTurns = 0; idleTurns < idleTurnsMax && passed < wanted;) {
      await tab.send("Input.dispatchMouseEvent", { type: "mouseWheel", ...row, deltaX: 0, deltaY: 1_000_000 });
      await tab.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))");
      const now = await rows();
      idleTurns = now > passed ? 0 : idleTurns + 1;
      passed = now;
      if (idleTurns < idleTurnsMax || rest === undefined) continue;
      await moveTo(await placeOf(rest, 0));
      await tab.evaluate(`document.querySelector(${JSON.stringify(rest)}).click()`);
      [rest, idleTurns] = [undefined, 0];
      await until(async () => (await rows()) > passed, firstRowWaitMs);
      await moveTo(row);
    }
    return passed;
  };
}

async function until(isSo: () => Promise<boolean>, withinMs: number): Promise<void> {
  for (const deadline = performance.now() + withinMs; !(await isSo());) {
    if (performance.now() > deadline) throw new Error("what the page waits for did not come");
    await setTimeout(50);
  }
}

async function memoryOf(browser: Browser, tab: UnwatchedTab): Promise<Memory> {
  await tab.send("HeapProfiler.enable");
  await tab.send("HeapProfiler.collectGarbage");
  const { usedSize } = (await tab.send("Runtime.getHeapUsage")) as { usedSize: number };
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
