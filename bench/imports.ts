import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { signIn, type Client } from "../apps/demo/src/client.ts";
import { startServerProcess, type Started } from "../apps/demo/src/processes.ts";
import { admin } from "./installation.ts";
import { type Row, missingRow, ownRow } from "./report.ts";
import { startBenchPostgres } from "./servers.ts";

const bench = "imports";
const partRows = 2_000;
/** Every so many rows one has no quantity. */
const wrongEvery = 10_000;
const lookEveryMs = 500;

type Options = { rows: number; isKilled: boolean };

/**
 * A CSV of so many stock levels, handed in part by part, until the last row has its outcome; the server's memory meanwhile. Killed: the
 * server is ended with kill -9 at two fifths, and another one goes on when the lease has run out.
 */
export async function benchImports({ rows, isKilled }: Options, say: (line: string) => void): Promise<Row[]> {
  const postgres = await startBenchPostgres();
  const { url, drop } = await postgres.database();
  const dir = mkdtempSync(join(tmpdir(), "crossdock-bench-"));
  const settings = {
    DATABASE_URL: url,
    CROSSDOCK_PORT: "0",
    CROSSDOCK_DATA_DIR: dir,
    CROSSDOCK_DEMO: "0",
    CROSSDOCK_ADMIN_EMAIL: admin.email,
    CROSSDOCK_ADMIN_PASSWORD: admin.password,
    CROSSDOCK_LOG_LEVEL: "error",
  };
  let server = await startServerProcess(settings);
  try {
    let client = await signIn(server.url, admin.email, admin.password);
    const runId = await handIn(client, rows, say);
    const idleMb = memoryMb(server);
    const begun = performance.now();
    const params = { tenantCode: "imports", runId };
    await client.call("startImport", { params, body: { parts: Math.ceil(rows / partRows), rows } });
    let [peakMb, pausedMs, isAlive] = [idleMb, 0, true];
    for (let look = 0; ; look += 1) {
      const run = await client.call("getRun", { params });
      peakMb = Math.max(peakMb, memoryMb(server));
      if (run.finishedAt !== null) {
        const seconds = (performance.now() - begun - pausedMs) / 1000;
        await verify(url, client, runId, rows);
        return rowsOf({ rows, seconds, idleMb, peakMb, isKilled });
      }
      if (look % 10 === 0) say(`${run.done.toLocaleString("en")} rows, ${Math.round(memoryMb(server))} MB`);
      if (isKilled && isAlive && run.done > rows * 0.4) {
        isAlive = false;
        const killed = performance.now();
        say(`killed at ${run.done.toLocaleString("en")} rows; another server goes on when the lease has run out`);
        server.child.kill("SIGKILL");
        server = await startServerProcess(settings);
        client = await signIn(server.url, admin.email, admin.password);
        const { done } = await client.call("getRun", { params });
        while ((await client.call("getRun", { params })).done === done) await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
        pausedMs = performance.now() - killed;
      }
      await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    }
  } finally {
    await server.stop();
    await drop();
    await postgres.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function handIn(client: Client, rows: number, say: (line: string) => void): Promise<number> {
  const params = { tenantCode: "imports" };
  const point = { subtenantCode: "main" };
  await client.call("createTenant", { body: { code: "imports", name: "Imports" } });
  await client.call("createSubtenant", { params, body: { code: "main", name: "Main" } });
  const from = { ...point, connector: "wgr" as const, code: "file", name: "File", sourceTypes: ["stock" as const] };
  const source = await client.call("createIntegrationPoint", { params, body: from });
  const to = {
    ...point,
    connector: "centra" as const,
    code: "shop",
    name: "Shop",
    targetTypes: ["stock" as const],
    deliveryMode: "pull" as const,
  };
  await client.call("createIntegrationPoint", { params, body: to });
  const mapping = { sku: "Artikel", quantity: "Antal" };
  const body = { integrationPointId: source.id, entityType: "stock" as const, name: "stock.csv", format: "csv" as const, mapping };
  const { id: runId } = await client.call("createImport", { params, body });
  say(`${rows.toLocaleString("en")} rows: handing them in`);
  for (let row = 0; row < rows; row += partRows) {
    const lines = Array.from({ length: Math.min(partRows, rows - row) }, (_, index) => lineOf(row + index));
    const text = `${row === 0 ? "Artikel;Antal\n" : ""}${lines.join("\n")}\n`;
    await client.call("putImportPart", { params: { ...params, runId, number: row / partRows + 1 }, body: { text } });
  }
  return runId;
}

const isWrong = (row: number): boolean => row % wrongEvery === wrongEvery - 1;
const lineOf = (row: number): string => `S-${row};${isWrong(row) ? "many" : row % 1_000}`;

/** Throws where a row was lost or taken twice, or where a wrong line is not told by its number. */
async function verify(url: string, client: Client, runId: number, rows: number): Promise<void> {
  const params = { tenantCode: "imports", runId };
  const { state, done, accepted, rejected, fault } = await client.call("getRun", { params });
  const wrong = Array.from({ length: rows }, (_, row) => row).filter(isWrong);
  if (state !== "done" || done !== rows || accepted !== rows - wrong.length || rejected !== wrong.length)
    throw new Error(`${state}: ${done} of ${rows} rows, ${accepted} accepted, ${rejected} rejected; ${fault ?? ""}`);
  const { items } = await client.call("listRunLines", { params, query: { limit: 500 } });
  const told = items.flatMap(({ text }) => /^line (\d+):/.exec(text)?.[1] ?? []).map(Number);
  if (told.join() !== wrong.map((row) => row + 2).join()) throw new Error(`wrong lines were told as ${told.join()}`);
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  try {
    const { rows: counts } = await owner.query<{ messages: number; keys: number }>(
      "select count(*)::integer as messages, count(distinct key)::integer as keys from queue.message",
    );
    const [count] = counts;
    if (count?.messages !== accepted || count.keys !== accepted)
      throw new Error(`${count?.messages} messages of ${count?.keys} objects for ${accepted} rows`);
  } finally {
    await owner.end();
  }
}

type Measured = { rows: number; seconds: number; idleMb: number; peakMb: number; isKilled: boolean };

function rowsOf({ rows, seconds, idleMb, peakMb, isKilled }: Measured): Row[] {
  const name = `${rows.toLocaleString("en")} rows of CSV${isKilled ? ", killed in between" : ""}`;
  const memory = Number.isNaN(peakMb)
    ? [missingRow(bench, "memory: no /proc on this machine", null, false)]
    : [ownRow(bench, "memory before", idleMb, "MB"), ownRow(bench, "memory at most", peakMb, "MB", { atMost: 600 })];
  return [ownRow(bench, name, rows / seconds, "rows/s", { atLeast: 1_000 }), ownRow(bench, "whole file", seconds, "s"), ...memory];
}

/** Resident memory of the server's process; NaN where the system does not tell. */
function memoryMb({ child }: Started): number {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? [];
    return Number(kilobytes) / 1024;
  } catch {
    return Number.NaN;
  }
}
