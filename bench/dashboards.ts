import type { MetricGrain } from "@crossdock/contract";
import pg from "pg";
import { inTenant } from "../apps/server/src/db.ts";
import { readMetrics, sourceOf } from "../apps/server/src/metrics/rows.ts";
import { readTenant } from "../apps/server/src/overview/read-tenant.ts";
import { selectQueues } from "../apps/server/src/messages/queue-selection.ts";
import { findSubtenantId } from "../apps/server/src/subtenants/codes.ts";
import { cpuTimeOf } from "./cpu-time.ts";
import { fillMetrics, tenantId } from "./dashboards/fill.ts";
import { timePainting } from "./dashboards/paint.ts";
import { ownRow, percentile, type Row } from "./report.ts";
import { startBenchPostgres } from "./servers.ts";

const bench = "dashboards";
const samples = 200;
const p99MsMax = 25;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

type Options = {
  subtenants: number;
  /** Where the filled database stays for the next run, null for nowhere. */
  keep: string | null;
};

export async function benchDashboards({ subtenants, keep }: Options, say: (line: string) => void): Promise<Row[]> {
  const postgres = await startBenchPostgres(keep);
  const database = await postgres.migratedDatabase();
  const owner = new pg.Pool({ connectionString: database.url, max: 1 });
  const app = new pg.Pool({ connectionString: database.appUrl, max: 1 });
  for (const pool of [owner, app]) pool.on("error", () => undefined);
  try {
    await fillMetrics(owner, subtenants, say);
    await postgres.settle();
    const found: Row[] = [];
    for (const { name, ask, p99Ms } of questions(app, subtenants)) {
      const { p50, p99, cpuMs } = await measure(app, ask);
      found.push(
        ownRow(bench, `${name}, p50`, p50, "ms"),
        ownRow(bench, `${name}, p99`, p99, "ms", p99Ms === undefined ? {} : { atMost: p99Ms }),
        ...(cpuMs === null ? [] : [ownRow(bench, `${name}, CPU`, cpuMs, "ms")]),
      );
    }
    return [...found, ...(await timePainting({ url: database.url, subtenants }, say))];
  } finally {
    await owner.end();
    await app.end();
    await postgres.stop();
  }
}

type Question = { name: string; ask: (round: number) => Promise<unknown>; p99Ms?: number };

/** What the hub of a subtenant asks for: a range up to the end of its last point, in rows as long as its points. */
type Asked = {
  hours: number;
  grain: MetricGrain;
  agoHours?: number;
  /** Of the viewer's zone, which hours begin at. */ offsetMinutes?: number;
};

/** As the server asks: a transaction of the app role with row-level security on. */
function questions(app: pg.Pool, subtenants: number): Question[] {
  const hub =
    ({ hours, grain, agoHours = 0, offsetMinutes = 0 }: Asked) =>
    (round: number) =>
      inTenant(app, tenantId, async (client) => {
        const [stepMs, offsetMs] = [grain * minuteMs, offsetMinutes * minuteMs];
        const to = (Math.floor((Date.now() + offsetMs) / stepMs) + 1) * stepMs - offsetMs - agoHours * hourMs;
        const from = new Date(to - hours * hourMs);
        const subtenant = `shop-${1 + ((round * 37) % subtenants)}`;
        await findSubtenantId(client, tenantId, subtenant);
        const queueIds = (await selectQueues(client, tenantId, { subtenant })) ?? null;
        const source = sourceOf(grain, from) ?? grain;
        return readMetrics(client, tenantId, { from, to: new Date(to), grain, source, queueIds, isByQueue: true });
      });
  const week = { hours: 24 * 7, grain: 60 } as const;
  return [
    { name: "subtenant, last hour", ask: hub({ hours: 1, grain: 1 }), p99Ms: p99MsMax },
    { name: "subtenant, last day", ask: hub({ hours: 24, grain: 15 }), p99Ms: p99MsMax },
    { name: "subtenant, last week", ask: hub(week), p99Ms: p99MsMax },
    { name: "subtenant, last week in a zone of half hours", ask: hub({ ...week, offsetMinutes: 330 }), p99Ms: p99MsMax },
    { name: "subtenant, the week before", ask: hub({ ...week, agoHours: 24 * 7 }), p99Ms: p99MsMax },
    { name: "subtenant, a month", ask: hub({ hours: 24 * 31, grain: 60 }) },
    { name: "subtenant, a year", ask: hub({ hours: 24 * 365, grain: 1440 }) },
    { name: "one tenant of the Brightcom Dashboard", ask: () => readTenant(app, tenantId), p99Ms: p99MsMax },
  ];
}

type Times = { p50: number; p99: number; cpuMs: number | null };

/** Times a question `samples` times after a warm-up. `cpuMs`: of the database and of this process for one, which says the same beside other work. */
async function measure(app: pg.Pool, ask: (round: number) => Promise<unknown>): Promise<Times> {
  const { rows } = await app.query<{ pid: number }>("select pg_backend_pid() as pid");
  const ofDatabase = (): number => cpuTimeOf(rows[0]?.pid ?? 0)?.own ?? NaN;
  const times: number[] = [];
  for (let round = 0; round < 20; round += 1) await ask(round);
  const [databaseFrom, processFrom] = [ofDatabase(), process.cpuUsage()];
  for (let round = 0; round < samples; round += 1) {
    const started = performance.now();
    await ask(round);
    times.push(performance.now() - started);
  }
  const { user, system } = process.cpuUsage(processFrom);
  const cpuMs = (ofDatabase() - databaseFrom + user + system) / samples / 1000;
  return { p50: percentile(times, 50), p99: percentile(times, 99), cpuMs: Number.isNaN(cpuMs) ? null : cpuMs };
}
