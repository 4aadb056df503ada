import { publish, saveQueue, saveTarget } from "@crossdock/queue";
import type pg from "pg";

export const tenantId = 1;
const queuesPerSubtenant = 12;

/**
 * A year of metrics as counting, rolling up and pruning leave it: minutes of eight days, quarters of 100, hours and days of the whole year.
 * Something happens in half of the hours, in a quarter of the quarters and in a twentieth of the minutes.
 */
const grains = [
  { grain: 1440, days: 365, share: 1 },
  { grain: 60, days: 365, share: 0.5 },
  { grain: 15, days: 100, share: 0.25 },
  { grain: 1, days: 8, share: 0.05 },
];

// In the order of time, as counting writes them, so that a queue's rows lie as far apart as they do in an installation. A database that was kept
// is filled from its last row of the grain on.
const metricSql = `
  insert into hub.metric (tenant_id, grain, queue_id, at, subtenant_id, added, delivered, minutes, added_max, depth_total, depth_max, samples)
  select $1, $2::integer, id, at, (id - 1) / ${queuesPerSubtenant} + 1, 12 * $2::integer, 12 * $2::integer, greatest(1, $2::integer / 4), 15, $2::integer, 9, 6
  from generate_series($3::timestamptz, now(), make_interval(mins => $2::integer)) as at, generate_series(1, $4::integer) as id
  where hashint8(id * 7919 + extract(epoch from at)::bigint / 60) & 1023 < 1024 * $5::float8
  order by at, id`;

const latencySql = `
  insert into hub.metric_latency (tenant_id, grain, queue_id, at, bucket, count, attempts)
  select tenant_id, grain, queue_id, at, bucket, added / 3, added / 3 from hub.metric, unnest(array[5, 7, 9]) as bucket
  where grain = $1 and at >= $2
  order by at, queue_id`;

const fromSql = `
  select coalesce(max(at) + make_interval(mins => $1), date_bin(make_interval(mins => $1), now() - make_interval(days => $2), 'epoch')) as "from"
  from hub.metric where grain = $1`;

/** Makes subtenants with twelve queues each, lets messages wait in some, and fills in what their metrics miss until now. */
export async function fillMetrics(owner: pg.Pool, subtenants: number, say: (line: string) => void): Promise<void> {
  const count = async (sql: string): Promise<number> => (await owner.query<{ count: number }>(sql)).rows[0]?.count ?? 0;
  if ((await count("select count(*)::integer as count from hub.subtenant")) === 0) await makeQueues(owner, subtenants);
  if ((await count("select count(*)::integer as count from queue.queue")) !== subtenants * queuesPerSubtenant)
    throw new Error("The folder holds a database with another number of subtenants, or one that was left unfinished.");
  if ((await count("select count(*)::integer as count from (select from queue.message limit 1) one")) === 0)
    await makeWaiting(owner, subtenants);
  // All or nothing, so that a folder that is kept never holds a half.
  await owner.query("begin");
  await owner.query("set synchronous_commit = off; set maintenance_work_mem = '512MB'; set work_mem = '256MB'");
  const isFirst = (await count("select count(*)::integer as count from (select from hub.metric limit 1) one")) === 0;
  const putBack = isFirst ? await takeIndexes(owner) : [];
  for (const { grain, days, share } of grains) {
    const { rows } = await owner.query<{ from: Date }>(fromSql, [grain, days]);
    const from = rows[0]?.from;
    const { rowCount } = await owner.query(metricSql, [tenantId, grain, from, subtenants * queuesPerSubtenant, share]);
    await owner.query(latencySql, [grain, from]);
    say(`rows of ${grain} minutes: ${(rowCount ?? 0).toLocaleString("en")}`);
  }
  say("indexes and vacuum");
  for (const sql of putBack) await owner.query(sql);
  await owner.query("commit");
  await owner.query("vacuum analyze");
}

/** In a twentieth of the queues something waits. */
async function makeWaiting(owner: pg.Pool, subtenants: number): Promise<void> {
  for (let queueId = 20; queueId <= subtenants * queuesPerSubtenant; queueId += 20) {
    const subtenantId = Math.floor((queueId - 1) / queuesPerSubtenant) + 1;
    const message = { tenantId, queueId, subtenantId, entityType: "order", document: "{}" };
    await publish(
      owner,
      ["1", "2", "3"].map((key) => ({ ...message, key })),
    );
  }
}

const indexesSql = `
  select index.relname as name, pg_get_indexdef(index.oid) as made, owned.conrelid::regclass::text as owner
  from pg_index join pg_class index on index.oid = indexrelid
  left join pg_constraint owned on owned.conindid = index.oid and owned.contype = 'p'
  where indrelid in ('hub.metric'::regclass, 'hub.metric_latency'::regclass)`;

/** Indexes are made several times faster of what is there than row by row. Answers what makes them again. */
async function takeIndexes(owner: pg.Pool): Promise<string[]> {
  const { rows } = await owner.query<{ name: string; made: string; owner: string | null }>(indexesSql);
  for (const { name, owner: table } of rows)
    await owner.query(table === null ? `drop index hub.${name}` : `alter table ${table} drop constraint ${name}`);
  return rows.flatMap(({ name, made, owner: table }) =>
    table === null ? [made] : [made, `alter table ${table} add constraint ${name} primary key using index ${name}`],
  );
}

async function makeQueues(owner: pg.Pool, subtenants: number): Promise<void> {
  await owner.query("insert into hub.tenant (id, code, name) values ($1, 'bench', 'Bench')", [tenantId]);
  await owner.query(
    "insert into hub.subtenant (tenant_id, id, code, name) select $1, n, 'shop-' || n, 'Shop ' || n from generate_series(1, $2::integer) as n",
    [tenantId, subtenants],
  );
  await owner.query(
    `insert into hub.integration_point (tenant_id, id, subtenant_id, connector, code, name, environment, delivery_mode, source_types, target_types, settings, retry)
     overriding system value
     select $1, n, n, 'magento', 'target-' || n, 'Target', 'production', 'push', '{}', array['order'], '{}', '{}' from generate_series(1, $2::integer) as n`,
    [tenantId, subtenants],
  );
  for (let targetId = 1; targetId <= subtenants; targetId += 1) {
    await saveTarget(owner, { tenantId, targetId });
    for (let n = 1; n <= queuesPerSubtenant; n += 1)
      await saveQueue(owner, { tenantId, targetId, name: `magento.${n}`, mode: "fifo", delivery: "push" });
  }
}
