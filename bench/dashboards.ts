import { saveQueue, saveTarget } from "@crossdock/queue";
import pg from "pg";
import { inTenant } from "../apps/server/src/db.ts";
import { grainOf, queuesOfSubtenant, readMetrics } from "../apps/server/src/metrics/rows.ts";
import { readTenant } from "../apps/server/src/overview/read-tenant.ts";
import { ownRow, percentile, type Row } from "./report.ts";
import { startBenchPostgres } from "./servers.ts";

const bench = "dashboards";
const tenantId = 1;
const queuesPerSubtenant = 12;
const samples = 200;
const p99MsMax = 25;
const hourMs = 3_600_000;

/**
 * A year of metrics of so many subtenants with twelve queues each, as counting, rolling up and pruning leave it: minutes of eight days, quarters
 * of 100, hours and days of the whole year. Something happens in half of the hours, in a quarter of the quarters and in a twentieth of the minutes.
 */
const grains = [
  { grain: 1, days: 8, share: 0.05 },
  { grain: 15, days: 100, share: 0.25 },
  { grain: 60, days: 365, share: 0.5 },
  { grain: 1440, days: 365, share: 1 },
];

const fillSql = `
  insert into hub.metric (tenant_id, grain, queue_id, at, subtenant_id, added, delivered, minutes, added_max, depth_total, depth_max, samples)
  select $1, $2::integer, id, at, (id - 1) / ${queuesPerSubtenant} + 1, 12 * $2::integer, 12 * $2::integer, greatest(1, $2::integer / 4), 15, $2::integer, 9, 6
  from generate_series(1, $3::integer) as id,
    generate_series(date_bin(make_interval(mins => $2::integer), now() - make_interval(days => $4::integer), 'epoch'), now(), make_interval(mins => $2::integer)) as at
  where hashint8(id * 7919 + extract(epoch from at)::bigint / 60) & 1023 < 1024 * $5::float8`;

const fillLatencySql = `
  insert into hub.metric_latency (tenant_id, grain, queue_id, at, bucket, count)
  select tenant_id, grain, queue_id, at, bucket, added / 2 from hub.metric, unnest(array[7, 9]) as bucket where grain = $1`;

export async function benchDashboards({ subtenants }: { subtenants: number }, say: (line: string) => void): Promise<Row[]> {
  const postgres = await startBenchPostgres();
  const database = await postgres.migratedDatabase();
  const owner = new pg.Pool({ connectionString: database.url, max: 1 });
  const app = new pg.Pool({ connectionString: database.appUrl, max: 2 });
  for (const pool of [owner, app]) pool.on("error", () => undefined);
  try {
    await makeQueues(owner, subtenants);
    for (const { grain, days, share } of grains) {
      say(`rows of ${grain} minutes for ${days} days`);
      await owner.query(fillSql, [tenantId, grain, subtenants * queuesPerSubtenant, days, share]);
      await owner.query(fillLatencySql, [grain]);
    }
    const { rows } = await owner.query<{ count: number }>("select count(*)::integer as count from hub.metric");
    say(`${(rows[0]?.count ?? 0).toLocaleString("en")} rows; vacuum`);
    await owner.query("vacuum analyze");
    await postgres.settle();
    const found: Row[] = [];
    for (const { name, ask, p99Ms } of questions(app, subtenants)) {
      const { p50, p99 } = await measure(ask);
      found.push(
        ownRow(bench, `${name}, p50`, p50, "ms"),
        ownRow(bench, `${name}, p99`, p99, "ms", p99Ms === undefined ? {} : { atMost: p99Ms }),
      );
    }
    return found;
  } finally {
    await owner.end();
    await app.end();
    await postgres.stop();
  }
}

async function makeQueues(owner: pg.Pool, subtenants: number): Promise<void> {
  await owner.query("insert into hub.tenant (id, code, name) values ($1, 'bench', 'Bench')", [tenantId]);
  await owner.query(
    "insert into hub.subtenant (tenant_id, id, code, name) select $1, n, 'shop-' || n, 'Shop ' || n from generate_series(1, $2::integer) as n",
    [tenantId, subtenants],
  );
  await owner.query(
    `insert into hub.integration_point (tenant_id, id, subtenant_id, connector, code, name, environment, direction, delivery_mode, entity_types, settings, retry)
     overriding system value
     select $1, n, n, 'magento', 'target-' || n, 'Target', 'production', 'target', 'push', array['order'], '{}', '{}' from generate_series(1, $2::integer) as n`,
    [tenantId, subtenants],
  );
  for (let targetId = 1; targetId <= subtenants; targetId += 1) {
    await saveTarget(owner, { tenantId, targetId });
    for (let n = 1; n <= queuesPerSubtenant; n += 1)
      await saveQueue(owner, { tenantId, targetId, name: `magento.${n}`, mode: "fifo", delivery: "push" });
  }
}

type Question = { name: string; ask: (round: number) => Promise<unknown>; p99Ms?: number };

/** As the server asks: a transaction of the app role with row-level security on. */
function questions(app: pg.Pool, subtenants: number): Question[] {
  const hub = (round: number, hours: number, agoHours = 0) =>
    inTenant(app, tenantId, async (client) => {
      const to = new Date(Date.now() - agoHours * hourMs);
      const queueIds = await queuesOfSubtenant(client, tenantId, `shop-${1 + ((round * 37) % subtenants)}`);
      const from = new Date(to.getTime() - hours * hourMs);
      return readMetrics(client, tenantId, { grain: grainOf(hours * hourMs), from, to, queueIds, isByQueue: true });
    });
  return [
    { name: "subtenant, last hour", ask: (round) => hub(round, 1), p99Ms: p99MsMax },
    { name: "subtenant, last day", ask: (round) => hub(round, 24), p99Ms: p99MsMax },
    { name: "subtenant, last week", ask: (round) => hub(round, 24 * 7), p99Ms: p99MsMax },
    { name: "subtenant, the week before", ask: (round) => hub(round, 24 * 7, 24 * 7), p99Ms: p99MsMax },
    { name: "subtenant, a month", ask: (round) => hub(round, 24 * 31) },
    { name: "subtenant, a year", ask: (round) => hub(round, 24 * 365) },
    { name: "one tenant of the Brightcom Dashboard", ask: () => readTenant(app, tenantId), p99Ms: p99MsMax },
  ];
}

async function measure(ask: (round: number) => Promise<unknown>): Promise<{ p50: number; p99: number }> {
  const times: number[] = [];
  for (let round = 0; round < 10; round += 1) await ask(round);
  for (let round = 0; round < samples; round += 1) {
    const started = performance.now();
    await ask(round);
    times.push(performance.now() - started);
  }
  return { p50: percentile(times, 50), p99: percentile(times, 99) };
}
