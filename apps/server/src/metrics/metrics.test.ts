import { claim, publish, settle } from "@crossdock/queue";
import type pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { inTenant } from "../db.ts";
import { fillQueues } from "../testing/queues.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";

let made: TestApp;
let owner: pg.Pool;
let queueId: number;
const tenantId = 1001;

beforeAll(async () => {
  made = await testApp();
  owner = made.pool("owner", 3);
  queueId = (await fillQueues(made, "acme")).itemQueueId;
});
beforeEach(async () => {
  await owner.query("truncate hub.metric, hub.metric_latency, hub.metric_mark");
  await owner.query("update hub.metric_progress set settled_to = date_trunc('minute', now() - interval '10 minutes')");
});
afterAll(() => made.close());

/** As the scheduler does, `ahead` minutes later than it is. Nothing may be added after one that is ahead. */
const collect = (ahead = 0) =>
  made.deps.pools.worker.query("select hub.collect_metrics(clock_timestamp() + make_interval(mins => $1))", [ahead]);
const settledTo = async (): Promise<Date> =>
  (await owner.query<{ to: Date }>(`select settled_to as "to" from hub.metric_progress`)).rows[0]?.to ?? new Date(0);

const message = (key: string) => ({ tenantId, queueId, subtenantId: 1101, entityType: "item", key, document: "{}" });
const add = (...keys: string[]) => inTenant(made.deps.pools.app, tenantId, (client) => publish(client, keys.map(message)));

/** Delivers up to so many. */
async function deliver(max: number): Promise<number> {
  return inTenant(made.deps.pools.app, tenantId, async (client) => {
    const leases = await claim(client, { tenantId, queueId, max, leaseSeconds: 60 });
    const attempt = { durationMs: 5, response: { status: 200, headers: {}, body: null } };
    for (const { leaseToken } of leases) await settle(client, { tenantId, leaseToken, outcome: { kind: "delivered", attempt } });
    return leases.length;
  });
}

/** What the metrics say and what the engine keeps, over all time; the same when every row was counted, and counted once. */
async function compare(grain: number) {
  const metrics = await owner.query(
    `select sum(added)::integer as added, sum(delivered)::integer as delivered, sum(superseded)::integer as superseded,
       sum(attempts)::integer as attempts, sum(failed)::integer as failed
     from hub.metric where grain = $1`,
    [grain],
  );
  const kept = await owner.query(
    `select (select count(*) from queue.message)::integer as added,
       (select count(*) from queue.history where outcome = 'delivered')::integer as delivered,
       (select count(*) from queue.history where outcome = 'superseded')::integer as superseded,
       (select count(*) from queue.attempt)::integer as attempts,
       (select count(*) from queue.attempt where error_class is not null)::integer as failed`,
  );
  expect(metrics.rows[0]).toEqual(kept.rows[0]);
  return kept.rows[0] as Record<string, number>;
}

test("sums of every grain are the counts of what the engine keeps, however often and by however many it is counted", async () => {
  for (let round = 0; round < 4; round += 1) {
    await add(`a-${round}`, `b-${round}`, `c-${round}`);
    await Promise.all([deliver(2), collect(), collect(), collect()]);
  }
  await deliver(2);
  await Promise.all([collect(), collect()]);
  for (const grain of [1, 15, 60, 1440]) {
    const kept = await compare(grain);
    expect(kept["added"]).toBeGreaterThan(12);
    expect(kept["delivered"]).toBeGreaterThan(2);
    expect(kept["failed"]).toBeGreaterThan(0);
  }
});

test("a commit that comes late is counted, in the minute of its messages, and no minute before its end is settled", async () => {
  // A pool of its own, so that a failure here leaves none of the app's connections taken.
  const late = await made.pool("app", 1).connect();
  await late.query(`begin; set local crossdock.tenant_id = '${tenantId}'`);
  const begun = new Date();
  await publish(late, [message("late")]);
  // Counted again and again, as if it took a quarter of an hour to commit.
  for (const ahead of [0, 5, 10, 15]) await collect(ahead);
  expect((await settledTo()).getTime()).toBeLessThanOrEqual(begun.getTime());
  const before = await owner.query<{ added: number }>("select coalesce(sum(added), 0)::integer as added from hub.metric where grain = 1");
  await late.query("commit");
  late.release();
  await collect(20);
  const after = await compare(1);
  expect(after["added"]).toBe((before.rows[0]?.added ?? 0) + 1);
});

test("what happens after the database's clock has been set back is counted, and settled no earlier than it is over", async () => {
  await collect(120);
  await owner.query("update hub.metric_progress set settled_to = now() + interval '2 hours'");
  await add("set-back");
  await collect();
  await compare(1);
  expect((await settledTo()).getTime()).toBeLessThanOrEqual(Date.now());
});

test("a minute's times to delivery are counted when it is over, and again when more were delivered in it", async () => {
  const latencies = async () =>
    (
      await owner.query(
        "select grain, sum(count)::integer as count, sum(attempts)::integer as attempts from hub.metric_latency group by 1 order by 1",
      )
    ).rows;
  await add("timed");
  await deliver(1);
  // As it stood at the last delivery, whose minute goes on.
  await made.deps.pools.worker.query("select hub.collect_metrics(max(finished_at)) from queue.history");
  const { rows } = await owner.query(
    `select from hub.metric_latency where at = (select date_trunc('minute', max(finished_at)) from queue.history) and grain = 1`,
  );
  expect(rows).toEqual([]);
  for (const key of ["", "timed-later"]) {
    if (key !== "") await add(key);
    if (key !== "") await deliver(1);
    await collect(1);
    const { rows: counted } = await owner.query(
      "select grain, sum(delivered)::integer as count, sum(attempts)::integer as attempts from hub.metric group by 1 order by 1",
    );
    expect(await latencies()).toEqual(counted);
  }
});

test("a time to delivery counts from the message's arrival, however long that is ago", async () => {
  await add("came-long-ago", "came-just-now");
  await deliver(100);
  await owner.query("update queue.message set created_at = created_at - interval '3 hours' where key = 'came-long-ago'");
  await collect(1);
  const { rows } = await owner.query<{ count: number }>(
    "select sum(count)::integer as count from hub.metric_latency where grain = 1 and bucket = 23",
  );
  // From 2^23 ms, 2.3 hours, to twice as long.
  expect(rows).toEqual([{ count: 1 }]);
  const { rows: short } = await owner.query("select from hub.metric_latency where grain = 1 and bucket < 22");
  expect(short.length).toBeGreaterThan(0);
});

test("deaths are counted though the dead letters left since, and not again when they are restored", async () => {
  const { rows } = await owner.query<{ id: string }>("select id from queue.dead where tenant_id = $1", [tenantId]);
  for (const change of ["dead-letters/remove", "messages/restore", "dead-letters/requeue"]) {
    const answer = await made.call("user", "POST", `/api/v1/tenants/acme/${change}`, { ids: rows.map(({ id }) => id) });
    expect(answer.json()).toMatchObject({ skipped: [] });
  }
  await collect();
  expect((await owner.query("select from queue.dead where tenant_id = $1", [tenantId])).rowCount).toBe(0);
  expect((await owner.query("select sum(dead)::integer as dead from hub.metric where grain = 60")).rows).toEqual([{ dead: rows.length }]);
});

test("what waits is looked at, with the age of the oldest", async () => {
  await add("waiting-1", "waiting-2");
  await collect();
  const { rows } = await owner.query<{ depth: number; ready: number }>(
    `select depth_max as depth, (select count(*)::integer from queue.ready where queue_id = $1) as ready from hub.metric where grain = 1 and queue_id = $1
     order by at desc limit 1`,
    [queueId],
  );
  expect(rows[0]?.depth).toBeGreaterThanOrEqual(2);
  expect(rows[0]?.depth).toBe(rows[0]?.ready);
});

const range = (hours: number) => {
  const to = new Date(Date.now() + 60_000);
  return `from=${new Date(to.getTime() - hours * 3_600_000).toISOString()}&to=${to.toISOString()}`;
};
const read = (account: "viewer" | "stranger", query: string) => made.call(account, "GET", `/api/v1/tenants/acme/metrics?${query}`);

test("an attempt's time is what it took, also where it failed, and is told beside the times to delivery", async () => {
  await add("slow");
  await inTenant(made.deps.pools.app, tenantId, async (client) => {
    const [lease] = await claim(client, { tenantId, queueId, max: 1, leaseSeconds: 60 });
    const attempt = { durationMs: 40_000, error: { class: "timeout", message: "no answer" } };
    await settle(client, { tenantId, leaseToken: lease?.leaseToken ?? "", outcome: { kind: "retry", attempt } });
  });
  await collect(1);
  // From 2^15 ms, 33 seconds, to twice as long.
  const slow = "select sum(attempts)::integer as count from hub.metric_latency where grain = 1 and bucket = 15";
  expect((await owner.query(slow)).rows).toEqual([{ count: 1 }]);
  const { latency } = (await read("viewer", `${range(1)}&queueId=${queueId}`)).json<{ latency: { bucket: number }[] }>();
  expect(latency.find(({ bucket }) => bucket === 15)).toMatchObject({ count: 0, attempts: 1 });
});

test("a range is answered in minutes, quarters, hours or days, as long as it is, with the same sums", async () => {
  await add("read-1");
  await deliver(1);
  await collect(1);
  const sums: number[] = [];
  for (const [hours, grain] of [
    [1, 1],
    [24, 15],
    [24 * 30, 60],
    [24 * 365, 1440],
  ] as const) {
    const answer = (await read("viewer", range(hours))).json<{ grain: number; items: { added: number }[]; latency: { count: number }[] }>();
    expect(answer.grain).toBe(grain);
    sums.push(answer.items.reduce((sum, { added }) => sum + added, 0));
    expect(answer.latency.length).toBeGreaterThan(0);
  }
  // A day row stands for the whole UTC day, a minute row for the last hour: all that there is happened just now.
  expect(new Set(sums).size).toBe(1);
  expect(sums[0]).toBeGreaterThan(0);
});

/** Added in the subtenant within an hour. */
const sum = async (more: string): Promise<number> => {
  const answer = await read("viewer", `${range(1)}&subtenant=shop${more}`);
  return answer.json<{ items: { added: number }[] }>().items.reduce((all, { added }) => all + added, 0);
};

test("a row for each queue adds up to the subtenant's", async () => {
  await collect();
  expect(await sum("&by=queue")).toBe(await sum(""));
  expect(await sum(`&queueId=${queueId}`)).toBeGreaterThan(0);
});

/** In thousandths, as means are not whole. */
const sumOf = (values: number[]): number => Math.round(values.reduce((all, value) => all + value, 0) * 1000);

test("rows of the length asked for begin with the range, wherever its zone's hours do, and are the same numbers", async () => {
  await add("zoned-1", "zoned-2");
  await deliver(1);
  await collect(1);
  const quarter = Math.floor(Date.now() / 900_000) * 900_000 + 900_000;
  type Answer = {
    grain: number;
    items: { at: string; added: number; addedMin: number; depthMean: number }[];
    latency: { count: number }[];
  };
  const found: number[][] = [];
  for (const by of ["queue", "total"])
    for (const [quarters, grain] of [
      [0, 60],
      [1, 60],
      [2, 60],
      [3, 60],
      [1, 15],
    ] as const) {
      const from = quarter - 24 * 3_600_000 - quarters * 900_000;
      const span = `from=${new Date(from).toISOString()}&to=${new Date(from + 26 * 3_600_000).toISOString()}`;
      const { items, latency, ...answer } = (await read("viewer", `${span}&grain=${grain}&by=${by}&subtenant=shop`)).json<Answer>();
      expect(answer.grain).toBe(grain);
      for (const { at, addedMin } of items) expect([(Date.parse(at) - from) % (grain * 60_000), addedMin]).toEqual([0, 0]);
      found.push([
        sumOf(items.map(({ added }) => added)),
        sumOf(items.map(({ depthMean }) => depthMean * grain)),
        sumOf(latency.map(({ count }) => count)),
      ]);
    }
  expect(new Set(found.map(String)).size).toBe(1);
  expect(Math.min(...(found[0] ?? [0]))).toBeGreaterThan(0);
  for (const refused of [
    "from=2026-01-01T00:07:00Z&to=2026-01-02T00:00:00Z&grain=60",
    "from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z&grain=1",
  ])
    expect((await read("viewer", refused)).statusCode).toBe(400);
});

test("a range that is none, another tenant's numbers and rows by queue without a subtenant are refused", async () => {
  expect((await read("viewer", "from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z")).statusCode).toBe(400);
  expect((await read("viewer", "from=2000-01-02T00:00:00Z&to=2026-01-01T00:00:00Z")).statusCode).toBe(400);
  expect((await read("viewer", `${range(1)}&by=queue`)).statusCode).toBe(400);
  expect((await read("viewer", `${range(1)}&subtenant=nowhere`)).json()).toMatchObject({ code: "unknown-subtenant" });
  expect((await read("stranger", range(1))).statusCode).toBe(404);
});
