import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServerProcess } from "../../apps/demo/src/processes.ts";
import { launchBrowser } from "../../e2e/browser.ts";
import { build, crossdock } from "../console/contenders.ts";
import { startFront } from "../console/site.ts";
import { startVisitor, type Visit, type Visitor } from "../console/visit.ts";
import { admin } from "../installation.ts";
import { ownRow, percentile, type Row } from "../report.ts";
import { benchSecret } from "../servers.ts";

const bench = "dashboards";
const visits = 5;
const paintMsMax = 200;
/** A letter's width in the notice of a newer version, which stands here as the bench's build is another than the server's, weighs 0.00002. */
const shiftMax = 0.001;

type Painted = { answerMs: number; paintMs: number; shift: number };

/**
 * The hub of a subtenant with twelve queues in headless Chromium, from an empty cache. Timed from the arrival of the answer's last byte to the frame
 * that paints the last of the four charts; what moves by itself until then is added up as the browser weighs it (https://wicg.github.io/layout-instability).
 */
export async function timePainting({ url, subtenants }: { url: string; subtenants: number }, say: (line: string) => void): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "crossdock-bench-"));
  say("building the console");
  build(crossdock, join(folder, "console"));
  const server = await startServerProcess({
    CROSSDOCK_PORT: "0",
    CROSSDOCK_ROLES: "api",
    CROSSDOCK_DATA_DIR: folder,
    CROSSDOCK_DEMO: "0",
    CROSSDOCK_ADMIN_EMAIL: admin.email,
    CROSSDOCK_ADMIN_PASSWORD: admin.password,
    CROSSDOCK_SECRET: benchSecret,
    CROSSDOCK_RATE_LIMIT: "1000000",
    CROSSDOCK_LOG_LEVEL: "error",
    DATABASE_URL: url,
  });
  const front = await startFront(join(folder, "console"), server.url);
  const browser = await launchBrowser();
  try {
    const visitor = await startVisitor(browser, server.url);
    const hubOf = (round: number): string => `${front.url}/subtenant/shop-${1 + ((round * 37) % subtenants)}/dashboard`;
    const rows: Row[] = [];
    say("warming up");
    await look(visitor, hubOf(0), false);
    for (const isThrottled of [false, true]) {
      const how = isThrottled ? ", CPU slowed down four times" : "";
      say(`painting charts${how}`);
      const times: Painted[][] = [];
      for (let round = 0; round < visits; round += 1) times.push(await look(visitor, hubOf(round), isThrottled));
      for (const [place, { name }] of steps.entries()) {
        const found = times.map((visit) => visit[place]?.paintMs ?? NaN);
        rows.push(
          ownRow(bench, `charts painted after data, ${name}${how}, median`, percentile(found, 50), "ms"),
          ownRow(
            bench,
            `charts painted after data, ${name}${how}, longest`,
            percentile(found, 100),
            "ms",
            isThrottled ? {} : { atMost: paintMsMax },
          ),
        );
      }
      const answers = times.flatMap((visit) => visit[0]?.answerMs ?? []);
      const shift = Math.max(...times.map((visit) => visit[0]?.shift ?? NaN));
      rows.push(ownRow(bench, `the week's answer in the browser${how}, median`, percentile(answers, 50), "ms"));
      rows.push(ownRow(bench, `layout shift at first sight${how}, greatest`, shift, "", { atMost: shiftMax }));
    }
    return rows;
  } finally {
    await browser.close();
    await front.stop();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What is looked at one after the other, and how its question is told from the others. */
const steps = [
  { name: "a week at first sight", range: "week", asked: "grain=60" },
  { name: "a day instead", range: "day", asked: "grain=15" },
  { name: "an hour instead", range: "hour", asked: "grain=1&" },
];

async function look(visitor: Visitor, url: string, isThrottled: boolean): Promise<Painted[]> {
  const visit = await visitor.arrive({ ...crossdock, url }, { isThrottled });
  await visit.page.addInitScript({ content: `bench.watchCharts()` });
  const times: Painted[] = [];
  for (const [place, { range, asked }] of steps.entries()) {
    if (place === 0) await visit.page.goto(`${url}?range=${range}`);
    else await visit.page.locator("main select").first().selectOption(range);
    times.push(await painted(visit, asked));
  }
  await visit.close();
  return times;
}

async function painted({ page }: Visit, words: string): Promise<Painted> {
  const found = await page.waitForFunction<Painted | null>(
    `bench.chartsAfter(${JSON.stringify({ words: ["/metrics?", words], charts: 4 })})`,
  );
  const times = await found.jsonValue();
  if (times === null) throw new Error("the charts were not painted");
  return times;
}
