import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchBrowser } from "../../e2e/browser.ts";
import { build, crossdock } from "../console/contenders.ts";
import { measureMemory, type ScrolledList } from "../console/memory.ts";
import { startApi, startFront } from "../console/site.ts";
import { openQueueList, startVisitor, type Place, type Visitor } from "../console/visit.ts";
import { median, type Row } from "../report.ts";

/** The lists of an operator, as the menu has them. */
const lists = {
  "the queue": "/queue",
  "the retry queue": "/retryqueue",
  "the dead letters": "/deadletter-list?view=list",
  "the external messages": "/externalmessages",
  "the external items": "/externalitems",
  "the entities": "/entities",
};
const rounds = 5;

/** Of one type there are fewer than 100,000 objects, so another one follows. */
const scrolled: ScrolledList[] = [
  { name: "external messages, ", path: "/externalmessages", pages: "/external-messages" },
  { name: "external items, ", path: "/externalitems", pages: "/external-items" },
  { name: "entities, ", path: "/entities?entity=item", pages: "/entities", next: "main ul button[aria-pressed=false]" },
];

export type InBrowser = { paints: Map<string, number>; memory: Row[] };

/**
 * The workspace in the browser, through a real server: from the start of the navigation to the frame that paints the first row, median of
 * some visits with an empty cache, and what the tab's memory grows by while rows go by. The code is built anew.
 */
export async function measureInBrowser(databaseUrl: string, withMemory: boolean, say: (line: string) => void): Promise<InBrowser> {
  const folder = mkdtempSync(join(tmpdir(), "crossdock-bench-"));
  const api = await startApi(databaseUrl);
  const browser = await launchBrowser();
  try {
    say("building the console");
    build(crossdock, folder);
    const front = await startFront(folder, api.serverUrl);
    const own: Place = { ...crossdock, url: front.url };
    const visitor = await startVisitor(browser, api.serverUrl);
    const paints = await timePaints(visitor, own, say);
    const memory: Row[] = [];
    if (withMemory) for (const list of scrolled) memory.push(...(await measureMemory(browser, visitor, own, say, list)));
    await front.stop();
    return { paints, memory };
  } finally {
    await browser.close();
    await api.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A round that isn't counted comes first: it warms server and database. */
async function timePaints(visitor: Visitor, own: Place, say: (line: string) => void): Promise<Map<string, number>> {
  const times = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round += 1) {
    say(`first rows, round ${round} of ${rounds}`);
    for (const [name, path] of Object.entries(lists)) {
      const visit = await visitor.arrive(own, { isThrottled: false });
      const ms = await openQueueList(visit, own, path);
      if (round > 0) times.set(name, [...(times.get(name) ?? []), ms]);
      await visit.close();
    }
  }
  return new Map([...times].map(([name, ms]) => [name, median(ms)]));
}
