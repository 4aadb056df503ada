import pg from "pg";
import { questions, type Question } from "./lists/questions.ts";
import { makeWorkspace, type Workspace } from "./lists/workspace.ts";
import { ownRow, percentile, type Row } from "./report.ts";
import { startBenchPostgres, type BenchPostgres } from "./servers.ts";

const bench = "lists";
const samples = 200;

type Times = { p50: number; p99: number };

/** The console's lists by the server's own queries, as the app role with row-level security on, at two sizes. */
export async function benchLists({ sizes }: { sizes: number[] }, say: (line: string) => void): Promise<Row[]> {
  const postgres = await startBenchPostgres();
  try {
    const results: { size: number; times: Map<string, Times> }[] = [];
    for (const size of sizes) results.push({ size, times: await measureSize(postgres, size, say) });
    return toRows(results);
  } finally {
    await postgres.stop();
  }
}

async function measureSize(postgres: BenchPostgres, size: number, say: (line: string) => void): Promise<Map<string, Times>> {
  const database = await postgres.migratedDatabase();
  const owner = new pg.Pool({ connectionString: database.url, max: 1 });
  const worker = new pg.Pool({ connectionString: database.workerUrl, max: 4 });
  const app = new pg.Pool({ connectionString: database.appUrl, max: 2 });
  try {
    const workspace = await makeWorkspace({ owner, worker }, size, say);
    await postgres.settle();
    say(`${size.toLocaleString("en")} messages: asking`);
    return await measureAll(app, workspace);
  } finally {
    await owner.end();
    await worker.end();
    await app.end();
    await database.drop();
  }
}

export async function measureAll(app: pg.Pool, workspace: Workspace): Promise<Map<string, Times>> {
  const times = new Map<string, Times>();
  for (const question of questions(workspace)) times.set(question.row, await measure(app, workspace.tenantId, question));
  return times;
}

/** Times one question `samples` times after a warm-up, each in a transaction of its own, as the server asks. */
async function measure(app: pg.Pool, tenantId: number, question: Question): Promise<Times> {
  const client = await app.connect();
  const times: number[] = [];
  try {
    for (let round = -20; round < samples; round += 1) {
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
  return { p50: percentile(times, 50), p99: percentile(times, 99) };
}

function toRows(results: { size: number; times: Map<string, Times> }[]): Row[] {
  const [smallest] = results;
  const largest = results.at(-1);
  if (smallest === undefined || largest === undefined) return [];
  const asked = questions({ tenantId: 0, size: 0, queues: [], sourceIds: [] });
  return asked.flatMap(({ row, p50Ms, p99Ms }) => {
    const rows = results.flatMap(({ size, times }) => {
      const { p50, p99 } = times.get(row) ?? { p50: 0, p99: 0 };
      const at = `${row}, ${size.toLocaleString("en")}`;
      const isLargest = size === largest.size;
      return [
        ownRow(bench, `${at}, p50`, p50, "ms", isLargest && p50Ms !== undefined ? { atMost: p50Ms } : {}),
        ownRow(bench, `${at}, p99`, p99, "ms", isLargest && p99Ms !== undefined ? { atMost: p99Ms } : {}),
      ];
    });
    return [...rows, growth(row, smallest.times.get(row), largest.times.get(row))];
  });
}

/**
 * How much slower the larger size is, by the median: the p99 of a fraction of a millisecond is chance. Below 2 ms nobody can tell.
 */
function growth(row: string, small: Times | undefined, large: Times | undefined): Row {
  const ratio = Math.max(2, large?.p50 ?? 0) / Math.max(2, small?.p50 ?? 0);
  return ownRow(bench, `${row}, growth`, ratio, "times", { atMost: 2 });
}
