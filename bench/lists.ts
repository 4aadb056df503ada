import pg from "pg";
import { cpuTimeOf } from "./cpu-time.ts";
import { measureInBrowser, type InBrowser } from "./lists/in-browser.ts";
import { questions, type Question } from "./lists/questions.ts";
import { makeWorkspace, type Workspace } from "./lists/workspace.ts";
import { ownRow, percentile, type Row } from "./report.ts";
import { startBenchPostgres, type BenchPostgres } from "./servers.ts";

const bench = "lists";
const samples = 200;

/** From the start of the navigation to the first painted row of a list, code and session included. */
const paintMsMax = 2000;

/** `cpuMs` is the database's time on a processor for one question, null where the system does not tell. */
type Times = { p50: number; p99: number; cpuMs: number | null };

type ListsOptions = {
  sizes: number[];
  /** Also in the browser, through a server process. */
  inBrowser: boolean;
};
type Result = { size: number; times: Map<string, Times>; browser: InBrowser | null };

/** The console's lists by the server's own queries, as the app role with row-level security on, at two sizes. */
export async function benchLists({ sizes, inBrowser }: ListsOptions, say: (line: string) => void): Promise<Row[]> {
  const postgres = await startBenchPostgres();
  try {
    const results: Result[] = [];
    for (const size of sizes) results.push(await measureSize(postgres, size, inBrowser && { withMemory: size === sizes.at(-1) }, say));
    return [...toRows(results), ...toBrowserRows(results)];
  } finally {
    await postgres.stop();
  }
}

async function measureSize(
  postgres: BenchPostgres,
  size: number,
  inBrowser: { withMemory: boolean } | false,
  say: (line: string) => void,
): Promise<Result> {
  const database = await postgres.migratedDatabase();
  const owner = new pg.Pool({ connectionString: database.url, max: 1 });
  const worker = new pg.Pool({ connectionString: database.workerUrl, max: 4 });
  const app = new pg.Pool({ connectionString: database.appUrl, max: 2 });
  try {
    const workspace = await makeWorkspace({ owner, worker }, size, say);
    await postgres.settle();
    say(`${size.toLocaleString("en")} messages: asking`);
    const times = await measureAll(app, workspace);
    const browser = inBrowser ? await measureInBrowser(database.url, inBrowser.withMemory, say) : null;
    return { size, times, browser };
  } finally {
    await owner.end();
    await worker.end();
    await app.end();
    await database.drop();
  }
}

async function measureAll(app: pg.Pool, workspace: Workspace): Promise<Map<string, Times>> {
  const times = new Map<string, Times>();
  for (const question of questions(workspace)) times.set(question.row, await measure(app, workspace.tenantId, question));
  return times;
}

/** Times one question `samples` times after a warm-up, each in a transaction of its own, as the server asks. */
async function measure(app: pg.Pool, tenantId: number, question: Question): Promise<Times> {
  const client = await app.connect();
  const times: number[] = [];
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const cpuUs = (): number => cpuTimeOf(rows[0]?.pid ?? 0)?.own ?? NaN;
  let cpuFrom = NaN;
  try {
    for (let round = -20; round < samples; round += 1) {
      if (round === 0) cpuFrom = cpuUs();
      const started = performance.now();
      await client.query("begin");
      await client.query("select set_config('crossdock.tenant_id', $1, true)", [String(tenantId)]);
      await question.ask(client, round + 20);
      await client.query("commit");
      if (round >= 0) times.push(performance.now() - started);
    }
  } finally {
    client.release();
  }
  // The backend lives on in the pool.
  const cpuMs = (cpuUs() - cpuFrom) / samples / 1000;
  return { p50: percentile(times, 50), p99: percentile(times, 99), cpuMs: Number.isNaN(cpuMs) ? null : cpuMs };
}

/** What a list shows first may take no longer at the larger size, give or take what a page load varies by. */
function toBrowserRows(results: Result[]): Row[] {
  const [smallest] = results;
  const largest = results.at(-1);
  if (!smallest?.browser || !largest?.browser) return [];
  const { paints, memory } = largest.browser;
  const paintRows = [...paints].flatMap(([name, ms]) => {
    const atSmallest = smallest.browser?.paints.get(name) ?? ms;
    return [
      ...results.map(({ size, browser }) =>
        ownRow(bench, `first rows of ${name}, ${size.toLocaleString("en")}`, browser?.paints.get(name) ?? 0, "ms", { atMost: paintMsMax }),
      ),
      ownRow(bench, `first rows of ${name}, growth`, ms / atSmallest, "times", { atMost: 2 }),
    ];
  });
  return [...paintRows, ...memory];
}

function toRows(results: Result[]): Row[] {
  const [smallest] = results;
  const largest = results.at(-1);
  if (smallest === undefined || largest === undefined) return [];
  const asked = questions({ tenantId: 0, size: 0, queues: [], sourceIds: [] });
  return asked.flatMap(({ row, p50Ms, p99Ms, isOfAll = false }) => {
    const rows = results.flatMap(({ size, times }) => {
      const { p50, p99, cpuMs } = times.get(row) ?? { p50: 0, p99: 0, cpuMs: null };
      const at = `${row}, ${size.toLocaleString("en")}`;
      const isLargest = size === largest.size;
      return [
        ownRow(bench, `${at}, p50`, p50, "ms", isLargest && p50Ms !== undefined ? { atMost: p50Ms } : {}),
        ownRow(bench, `${at}, p99`, p99, "ms", isLargest && p99Ms !== undefined ? { atMost: p99Ms } : {}),
        ...(cpuMs === null ? [] : [ownRow(bench, `${at}, CPU of the database`, cpuMs, "ms")]),
      ];
    });
    return isOfAll ? rows : [...rows, growth(row, smallest.times.get(row), largest.times.get(row))];
  });
}

/**
 * How much more the larger size costs: by the database's CPU time, which is the same when the machine does other work, or else by the
 * median. The p99 of a fraction of a millisecond is chance, and below 2 ms nobody can tell.
 */
function growth(row: string, small: Times | undefined, large: Times | undefined): Row {
  const cost = (times: Times | undefined): number => Math.max(2, times?.cpuMs ?? times?.p50 ?? 0);
  return ownRow(bench, `${row}, growth`, cost(large) / cost(small), "times", { atMost: 2 });
}
