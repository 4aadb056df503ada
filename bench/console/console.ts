import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launchBrowser } from "../../e2e/browser.ts";
import type { Row } from "../report.ts";
import { build, crossdock, installPeers, peers } from "./contenders.ts";
import { timeFirstRows } from "./first-rows.ts";
import { measureMemory } from "./memory.ts";
import { timeScrolling } from "./scrolling.ts";
import { startFront, startSite, type Front } from "./site.ts";
import { timeSwitches } from "./switches.ts";
import { startVisitor, type Place } from "./visit.ts";
import { weigh } from "./weight.ts";

const messageCount = 101_000;

/** The console's budgets, beside the same page in two other kits: built for production, in headless Chromium, over a real server. */
export async function benchConsole({ rounds }: { rounds: number }, say: (line: string) => void): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "crossdock-bench-"));
  const fronts: Front[] = [];
  say("installing the peers");
  installPeers();
  say(`starting the server with ${messageCount.toLocaleString("en")} messages`);
  const site = await startSite(messageCount);
  const browser = await launchBrowser();
  try {
    const places: Place[] = [];
    for (const contender of [crossdock, ...peers]) {
      say(`building ${contender.name}`);
      const outDir = join(folder, String(places.length));
      build(contender, outDir);
      const front = await startFront(outDir, site.serverUrl);
      fronts.push(front);
      places.push({ ...contender, url: front.url });
    }
    const [own, ...others] = places;
    if (own === undefined) return [];
    const visitor = await startVisitor(browser, site.serverUrl);
    return [
      ...(await weigh(visitor, own, others, say)),
      ...(await timeFirstRows(visitor, [own, ...others], rounds, say)),
      ...(await timeSwitches(visitor, [own, ...others], rounds, say)),
      ...(await timeScrolling(visitor, [own, ...others], say)),
      ...(await measureMemory(browser, visitor, own, say)),
    ];
  } finally {
    await browser.close();
    for (const front of fronts) await front.stop();
    await site.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
