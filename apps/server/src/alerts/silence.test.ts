import type pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Delays } from "@crossdock/contract";
import { fillQueues } from "../testing/queues.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";
import { watchTenant } from "./watch.ts";

/** Histories are generated as the metrics keep them, and the watch is told what time it is: a Wednesday. */

let made: TestApp;
let owner: pg.Pool;
let queueId: number;
const tenantId = 1001;
const at = (time: string): Date => new Date(`2026-03-18T${time}:00Z`);

beforeAll(async () => {
  made = await testApp();
  owner = made.pool("owner", 1);
  queueId = (await fillQueues(made, "acme")).orderQueueId;
});
beforeEach(async () => {
  await owner.query("truncate hub.metric, hub.metric_mark; delete from hub.alert; delete from hub.open_order; delete from hub.order_news");
  await owner.query("update hub.alert_watch set away_from = '-infinity', away_to = '-infinity'");
  await owner.query("update hub.alert_rule set is_active = kind in ('silence', 'order-unshipped', 'stock-stale')");
});
afterAll(() => made.close());

/** Eight weeks in which each hour brought what `count`, SQL over the moment `hour`, says. */
async function plantHistory(count: string): Promise<void> {
  await owner.query(
    `insert into hub.metric (tenant_id, grain, queue_id, at, added)
     select $1, 60, $2, hour, added
     from generate_series('2026-01-14T00:00Z'::timestamptz, '2026-03-18T23:00Z', interval '1 hour') hour
     cross join lateral (select (${count})::integer as added) counted where added > 0`,
    [tenantId, queueId],
  );
}
async function plantLast(moment: Date): Promise<void> {
  await owner.query(
    "insert into hub.metric (tenant_id, grain, queue_id, at, added) values ($1, 1, $2, date_trunc('minute', $3::timestamptz) - interval '1 minute', 1)",
    [tenantId, queueId, moment],
  );
}

/** Silent subtenants at that time, and what is said of them. */
async function silentAt(now: Date): Promise<{ value: number; usualPerHour: number }[]> {
  await owner.query("update hub.alert_watch set next_at = '-infinity', slow_next_at = '-infinity'");
  return silentOnReturnAt(now);
}

/** The same where nobody has looked since the last time. */
async function silentOnReturnAt(now: Date): Promise<{ value: number; usualPerHour: number }[]> {
  await owner.query("insert into hub.metric_mark (read_at, next_xid) values ($1, pg_current_xact_id())", [now]);
  await owner.query("update hub.metric_progress set settled_to = $1", [now]);
  expect(await watchTenant(made.deps.pools, tenantId, async () => undefined, now)).toBe(true);
  const { rows } = await owner.query<{ value: number; usualPerHour: number }>(
    `select value, (details ->> 'usualPerHour')::float8 as "usualPerHour" from hub.alert where kind = 'silence' and state = 'firing'`,
  );
  return rows;
}

const twelveByDay = "case when extract(hour from hour at time zone 'utc') between 7 and 20 then 12 else 0 end";

test("no orders for forty minutes where twelve an hour are usual is silence; for half of that it is not", async () => {
  await plantHistory(twelveByDay);
  await plantLast(at("12:00"));
  expect(await silentAt(at("12:20"))).toEqual([]);
  expect(await silentAt(at("12:40"))).toEqual([{ value: 40, usualPerHour: 12 }]);
  await plantLast(at("12:50"));
  await silentAt(at("12:51"));
  expect(await silentAt(at("12:53"))).toEqual([]);
});

test("what could not come while the hub was away is no silence; what does not come from then on is", async () => {
  await plantHistory(twelveByDay);
  await plantLast(at("12:00"));
  expect(await silentAt(at("12:01"))).toEqual([]);
  expect(await silentOnReturnAt(at("13:00"))).toEqual([]);
  expect(await silentAt(at("13:20"))).toEqual([]);
  expect(await silentAt(at("13:40"))).toEqual([{ value: 100, usualPerHour: 12 }]);
});

test("a silence from before the hub was away goes on", async () => {
  await plantHistory(twelveByDay);
  await plantLast(at("12:00"));
  expect(await silentAt(at("12:45"))).toHaveLength(1);
  expect(await silentOnReturnAt(at("13:45"))).toEqual([{ value: 105, usualPerHour: 12 }]);
});

test("a quiet night that is usual is none, nor the first hour of a day that begins an hour later than usual", async () => {
  await plantHistory(twelveByDay);
  await plantLast(at("00:00"));
  for (const time of ["02:00", "06:59", "07:59"]) expect(await silentAt(at(time))).toEqual([]);
  expect(await silentAt(at("09:00"))).toMatchObject([{ value: 540 }]);
});

test("a calm day of the week is no silence on that day", async () => {
  await plantHistory("case when extract(isodow from hour at time zone 'utc') = 3 then 0 else 30 end");
  await plantLast(new Date("2026-03-17T23:59:00Z"));
  for (const time of ["06:00", "12:00", "22:00"]) expect(await silentAt(at(time))).toEqual([]);
});

test("one campaign of eight weeks makes nothing usual", async () => {
  await plantHistory("case when hour >= '2026-03-11T00:00Z' and hour < '2026-03-12T00:00Z' then 600 else 1 end");
  await plantLast(at("10:00"));
  expect(await silentAt(at("13:00"))).toEqual([]);
});

test("counts that vary as orders do give no false alarm within the gaps that orders leave", async () => {
  // Seeded, so that each run sees the same.
  await owner.query("select setseed(0.42)");
  await plantHistory(`case when extract(hour from hour at time zone 'utc') between 7 and 20 then 6 + floor(random() * 13) else 0 end`);
  for (const gap of [5, 15, 25]) {
    for (const hour of ["09", "12", "16", "19"]) {
      await owner.query("delete from hub.metric where grain = 1");
      await plantLast(at(`${hour}:00`));
      expect(await silentAt(at(`${hour}:${String(gap).padStart(2, "0")}`))).toEqual([]);
    }
  }
});

test("with two weeks or less nobody knows what is usual, and while nobody counts nothing is silent", async () => {
  await plantHistory("12");
  await plantLast(at("10:00"));
  await owner.query("delete from hub.metric where grain = 60 and at < '2026-03-05T00:00Z'");
  expect(await silentAt(at("14:00"))).toEqual([]);
  await owner.query("truncate hub.metric, hub.metric_mark");
  await plantHistory("12");
  await plantLast(at("10:00"));
  await owner.query("update hub.alert_watch set next_at = '-infinity', slow_next_at = '-infinity'");
  await watchTenant(made.deps.pools, tenantId, async () => undefined, at("14:00"));
  expect((await owner.query("select from hub.alert")).rowCount).toBe(0);
});

const addVersion = (type: "order" | "shipment", key: string, document: object) =>
  owner.query(
    `insert into hub.entity_version (tenant_id, subtenant_id, entity_type, business_key, is_development, version, external_message_id, integration_point_id, document)
     select $1, 1101, $2, $3, false, coalesce(max(version), 0) + 1, 1, 1, $4 from hub.entity_version where entity_type = $2 and business_key = $3`,
    [tenantId, type, key, JSON.stringify(document)],
  );
const unshipped = async () =>
  (await owner.query(`select value, details ->> 'name' as name from hub.alert where kind = 'order-unshipped' and state = 'firing'`)).rows;
const order = (orderNumber: string, orderedAt: string, more: object = {}) =>
  addVersion("order", orderNumber, { orderNumber, orderedAt, ...more });

test("the oldest order without a shipment is told, but only where shipments are known to come", async () => {
  await order("o-1", "2026-03-14T12:00:00Z");
  await order("o-2", "2026-03-15T12:00:00+02:00", { note: "bad \u0000 character" });
  await order("o-3", "2026-03-01T12:00:00Z", { fulfilmentStatus: "fulfilled" });
  await order("o-4", "2026-03-01T12:00:00Z", { status: "cancelled" });
  await silentAt(at("12:00"));
  expect(await unshipped()).toEqual([]);
  await order("o-5", "2026-03-10T12:00:00Z");
  // Text that the database can't read: the order is taken in all the same, and not watched.
  expect((await owner.query("select from hub.order_news where order_number = 'o-2'")).rowCount).toBe(0);
  await addVersion("shipment", "s-5", { orderNumber: "o-5", status: "shipped" });
  await silentAt(at("12:05"));
  expect(await unshipped()).toEqual([{ value: 96, name: "o-1" }]);
  // It changes once more after it was shipped, and stays shipped.
  await addVersion("shipment", "s-1", { orderNumber: "o-1", status: "delivered" });
  await silentAt(at("12:10"));
  await order("o-1", "2026-03-14T12:00:00Z", { note: "called" });
  await silentAt(at("12:15"));
  expect(await unshipped()).toEqual([]);
});

test("the hub is told of streams, orders and stock, each subtenant of its own", async () => {
  const answer = await made.call("viewer", "GET", "/api/v1/tenants/acme/delays?subtenant=shop");
  expect(answer.statusCode).toBe(200);
  expect(answer.json<Delays>()).toMatchObject({ streams: [], orders: [], stock: [] });
  // Against the real clock: twelve at any hour, the last of them an hour and a half ago.
  await owner.query(
    `insert into hub.metric (tenant_id, grain, queue_id, at, added)
     select $1::integer, 60, $2::integer, hour, 12 from generate_series(date_trunc('hour', now()) - interval '60 days', now() - interval '150 minutes', interval '1 hour') hour
     union all select $1::integer, 1, $2::integer, date_trunc('minute', now() - interval '91 minutes'), 3`,
    [tenantId, queueId],
  );
  const streams = (await made.call("viewer", "GET", "/api/v1/tenants/acme/delays")).json<Delays>().streams;
  expect(streams).toMatchObject([{ subtenantCode: "shop", entityType: "order", usualPerHour: 12, isSilent: true }]);
  expect((await made.call("viewer", "GET", "/api/v1/tenants/acme/delays?subtenant=none")).json()).toMatchObject({
    code: "unknown-subtenant",
  });
});
