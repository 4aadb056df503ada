import { parseArgs } from "node:util";
import { benchConsole } from "./console/console.ts";
import { benchDashboards } from "./dashboards.ts";
import { benchEndToEnd } from "./end-to-end.ts";
import { benchImports } from "./imports.ts";
import { benchIsolation } from "./isolation.ts";
import { benchLists } from "./lists.ts";
import { benchBacklog, benchQueue } from "./queue/queue.ts";
import { benchMetrics } from "./metrics.ts";
import { benchReconciliation } from "./reconciliation.ts";
import { benchSteady } from "./queue/steady.ts";
import { table, type Row } from "./report.ts";

const usage = `Usage: npm run bench -- queue | backlog | steady | end-to-end | lists | isolation | imports | reconciliation | metrics | dashboards | console [options]

  --json            one line per row {bench, row, value, unit, peer, ratio, floor, ok} instead of a table
  --rounds N        queue, console: rounds of which the median counts (default 3); metrics: pairs of slices, of which the sums count (default 11)
  --messages N      queue: messages to publish and drain (default 50,000)
  --backlog         queue: also fill and drain a backlog of 1,000,000 (some minutes, 6 GB of disk)
  --sizes A,B       lists: the two sizes to compare (default 100000,1000000)
  --browser         lists: also in the browser, through a server: first rows of each list, memory while 100,000 rows go by
  --rows N          imports: rows of the file (default 500,000)
  --kill            imports: end the server with kill -9 in the middle; another one goes on
  --subtenants N    dashboards: subtenants with twelve queues each (default 200)
  --keep FOLDER     dashboards: keep the filled database in that folder, and use it again when it is there
  --seconds N       end-to-end, metrics: length of a measurement (default 20), of a slice (default 5)

The command exits with 1 when a floor is missed.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: "boolean", default: false },
    rounds: { type: "string" },
    messages: { type: "string", default: "50000" },
    backlog: { type: "boolean", default: false },
    sizes: { type: "string", default: "100000,1000000" },
    browser: { type: "boolean", default: false },
    rows: { type: "string", default: "500000" },
    kill: { type: "boolean", default: false },
    subtenants: { type: "string", default: "200" },
    keep: { type: "string" },
    seconds: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

// Progress goes to the error stream, so that the standard output holds the result alone.
const say = (line: string): void => console.error(`… ${line}`);

const benches: Record<string, () => Promise<Row[]>> = {
  queue: () => benchQueue({ rounds: Number(values.rounds ?? 3), messages: Number(values.messages), backlog: values.backlog }, say),
  backlog: () => benchBacklog(say),
  steady: () => benchSteady(say),
  "end-to-end": () => benchEndToEnd({ seconds: Number(values.seconds ?? 20) }, say),
  lists: () => benchLists({ sizes: values.sizes.split(",").map(Number), inBrowser: values.browser }, say),
  isolation: () => benchIsolation(say),
  reconciliation: () => benchReconciliation(say),
  imports: () => benchImports({ rows: Number(values.rows), isKilled: values.kill }, say),
  metrics: () => benchMetrics({ rounds: Number(values.rounds ?? 11), seconds: Number(values.seconds ?? 5) }, say),
  dashboards: () => benchDashboards({ subtenants: Number(values.subtenants), keep: values.keep ?? null }, say),
  console: () => benchConsole({ rounds: Number(values.rounds ?? 3) }, say),
};

const bench = benches[positionals[0] ?? ""];
if (values.help || bench === undefined || positionals.length !== 1) {
  console.log(usage);
  process.exit(values.help ? 0 : 2);
}
const rows = await bench();
for (const line of values.json ? rows.map((row) => JSON.stringify(row)) : [table(rows)]) console.log(line);
process.exitCode = rows.some((row) => row.ok === false) ? 1 : 0;
