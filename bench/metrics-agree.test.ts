import { claim, publish, settle } from "@crossdock/queue";
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { axisOf, timesOf, type Metrics } from "../apps/console/src/subtenant-hub/points.ts";
import { queueSeries, sumSeries } from "../apps/console/src/subtenant-hub/series.ts";
import { inTenant } from "../apps/server/src/db.ts";
import { fillQueues } from "../apps/server/src/testing/queues.ts";
import { testApp, type TestApp } from "../apps/server/src/testing/test-app.ts";

/** What the hub draws, over the real API and database, for viewers in several zones, in the weeks in which Europe's clocks change. */
let made: TestApp;
let owner: pg.Pool;
let queues: { id: number; name: string }[];
const tenantId = 1001;
const count = 600;
const zone = process.env["TZ"];

beforeAll(async () => {
  made = await testApp();
  owner = made.pool("owner", 2);
  const { itemQueueId: queueId } = await fillQueues(made, "acme");
  queues = [{ id: queueId, name: "centra.item" }];
  const message = (n: number) => ({ tenantId, queueId, subtenantId: 1101, entityType: "item", key: `k-${n}`, document: "{}" });
  await inTenant(made.deps.pools.app, tenantId, async (client) => {
    await publish(
      client,
      Array.from({ length: count }, (_, n) => message(n)),
    );
    const leases = await claim(client, { tenantId, queueId, max: count, leaseSeconds: 60 });
    for (const { leaseToken } of leases)
      await settle(client, { tenantId, leaseToken, outcome: { kind: "delivered", attempt: { durationMs: 5 } } });
  });
});
afterAll(async () => {
  process.env["TZ"] = zone ?? "UTC";
  await made?.close();
});

/** Moves all messages into the four days around a moment, some minutes apart, each delivered 95 seconds after it came; then counts anew. */
async function plant(around: Date): Promise<void> {
  await owner.query("truncate hub.metric, hub.metric_latency, hub.metric_mark");
  await owner.query(
    `update queue.message set created_at = $1::timestamptz + (row - $2::integer / 2) * interval '577 seconds'
     from (select id, row_number() over (order by id) as row from queue.message) numbered where numbered.id = message.id`,
    [around, count],
  );
  await owner.query(
    "update queue.history set finished_at = created_at + interval '95 seconds' from queue.message where message.id = history.id",
  );
  await owner.query("update hub.metric_progress set settled_to = date_trunc('minute', $1::timestamptz - interval '5 days')", [around]);
  await owner.query("select hub.collect_metrics($1::timestamptz + interval '5 days', '12 days')", [around]);
}

/** What the engine keeps of a span, in the item queue. */
async function kept(table: "message.created_at" | "history.finished_at", from: number, to: number): Promise<number> {
  const [name, column] = table.split(".");
  const { rows } = await owner.query<{ count: number }>(
    `select count(*)::integer as count from queue.${name} where queue_id = $1 and ${column} >= $2 and ${column} < $3`,
    [queues[0]?.id, new Date(from), new Date(to)],
  );
  return rows[0]?.count ?? 0;
}

const sum = (values: readonly (number | null)[]): number => values.reduce<number>((all, value) => all + (value ?? 0), 0);

for (const around of ["2026-10-25T01:00:00Z", "2026-03-29T01:00:00Z"]) {
  test(`hour, day and week around ${around} add up to what is kept, in every viewer's zone and at every point`, async () => {
    await plant(new Date(around));
    for (const name of ["Europe/Stockholm", "Asia/Kolkata", "America/New_York", "Australia/Lord_Howe"]) {
      process.env["TZ"] = name;
      const offset = new Intl.DateTimeFormat("en", { timeZone: name, timeZoneName: "longOffset" }).format(new Date(around));
      expect(new Intl.DateTimeFormat("en", { timeZoneName: "longOffset" }).format(new Date(around))).toBe(offset);
      for (const range of ["hour", "day", "week"] as const) {
        const axis = axisOf(range, null, Date.parse(around) + 26 * 60_000);
        const [from, to] = [new Date(axis.from).toISOString(), new Date(axis.to).toISOString()];
        const grain = axis.stepMs / 60_000;
        const url = `/api/v1/tenants/acme/metrics?from=${from}&to=${to}&grain=${grain}&subtenant=shop&by=queue&queueId=${queues[0]?.id}`;
        const data = (await made.call("viewer", "GET", url)).json<Metrics>();
        const added = queueSeries(data, queues, axis, { measure: "added", aggregate: "sum", isStacked: false })[0]?.values ?? [];
        const delivered = sumSeries(data, axis, [{ key: "delivered", label: "" }])[0]?.values ?? [];
        const where = `${name} ${range}`;
        expect([where, sum(added)]).toEqual([where, await kept("message.created_at", axis.from, axis.to)]);
        expect([where, sum(delivered)]).toEqual([where, await kept("history.finished_at", axis.from, axis.to)]);
        expect(sum(added)).toBeGreaterThan(0);
        // Some of the points, as each is a question to the database.
        const sampled = timesOf(axis).flatMap((at, index) => (index % 12 === 0 ? [{ at, drawn: added[index] }] : []));
        for (const { at, drawn } of sampled) expect(drawn).toBe(await kept("message.created_at", at, at + axis.stepMs));
      }
    }
  });
}
