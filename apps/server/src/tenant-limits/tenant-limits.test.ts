import type { ExpiredCount, TenantLimits, TenantUsage } from "@crossdock/contract";
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inTenant } from "../db.ts";
import { makeTenant } from "../intake/testing.ts";
import { type TestApp, testApp } from "../testing/test-app.ts";
import { readUsage } from "./rows.ts";

let made: TestApp;
const path = "/api/v1/tenants/limited";
const free = { historyDays: null, attemptDays: null, rawMessageDays: null, removedDays: null, runDays: null, messageBytes: null };

beforeAll(async () => {
  made = await testApp();
  await makeTenant(made.deps, made.ownerUrl, "limited", [
    { connector: "centra", code: "pim", sourceTypes: ["item"] },
    { connector: "wgr", code: "shop", deliveryMode: "pull", targetTypes: ["item"] },
  ]);
});
afterAll(() => made.close());

const push = (name: string) =>
  made.call("admin", "POST", "/centra/v1/items?tenant=limited&subtenant=shop", { schemaVersion: 1, sku: "A-1", name });

test("limits stay within the installation's bounds, and nobody overwrites what somebody else has set", async () => {
  const { bounds, version } = (await made.call("admin", "GET", `${path}/limits`)).json<TenantLimits>();
  expect(version).toBe(0);
  const refused = await made.call("admin", "PUT", `${path}/limits`, { ...free, historyDays: bounds.days + 1, version });
  expect(refused.statusCode).toBe(400);
  expect(refused.json()).toMatchObject({ code: "validation-failed", errors: [{ path: "historyDays" }] });
  const wide = { ...free, messageBytes: bounds.messageBytes + 1, version };
  expect((await made.call("admin", "PUT", `${path}/limits`, wide)).json()).toMatchObject({ errors: [{ path: "messageBytes" }] });
  const saved = await made.call("admin", "PUT", `${path}/limits`, { ...free, historyDays: 7, version });
  expect(saved.json()).toMatchObject({ historyDays: 7, version: 1, bounds });
  expect((await made.call("admin", "PUT", `${path}/limits`, { ...free, version })).json()).toMatchObject({ code: "changed-meanwhile" });
  expect((await made.call("viewer", "PUT", "/api/v1/tenants/acme/limits", { ...free, version: 0 })).statusCode).toBe(403);
});

test("a message above the tenant's limit is refused at the door with its code, and one below it is taken", async () => {
  const { version } = (await made.call("admin", "GET", `${path}/limits`)).json<TenantLimits>();
  await made.call("admin", "PUT", `${path}/limits`, { ...free, messageBytes: 2_000, version });
  await expect.poll(async () => (await push("x".repeat(3_000))).statusCode).toBe(413);
  expect((await push("x".repeat(3_000))).json()).toMatchObject({ code: "too-large", detail: expect.stringContaining("2000") });
  expect((await push("short")).statusCode).toBe(202);
});

test("what a tenant's things take up is told by category", async () => {
  const { items } = (await made.call("admin", "GET", `${path}/usage`)).json<{ items: TenantUsage[] }>();
  const raw = items.find(({ category }) => category === "rawMessages");
  expect(items.map(({ category }) => category)).toEqual(["messages", "attempts", "rawMessages", "removed", "runs", "versions"]);
  expect(raw?.rows).toBeGreaterThan(0);
  expect(raw).toMatchObject({ isExact: true, rowsPerDay: raw?.rows });
  expect(raw?.bytes).toBeGreaterThan(100);
});

/** The first id of a day. */
const day = (ago: number) => `((now() at time zone 'utc')::date - date '1970-01-01' - ${ago})::bigint * 10000000000`;

test("before the tenant's things stay for a shorter time it is told how much of each goes, and from which day on", async () => {
  const owner = made.pool("owner", 1);
  const { tenantId } = await makeTenant(made.deps, made.ownerUrl, "aging", []);
  const { rows } = await owner.query<{ from: string; to: string; before: string }>(
    `select (${day(20)})::text as from, (${day(1)})::text as to, queue.iso(((now() at time zone 'utc')::date - 10)::timestamp at time zone 'utc') as before`,
  );
  const { from = "", to = "", before } = rows[0] ?? {};
  for (const name of ["queue.message", "queue.history", "queue.attempt", "queue.search_text", "hub.external_message"]) {
    await owner.query(`create table ${name}_of_test partition of ${name} for values from (${from}) to (${to})`);
  }
  const plant = (sql: string) => owner.query(sql, [tenantId]);
  // Of the two that are old enough one was finished today.
  for (const [ago, finished] of [
    [15, 15],
    [15, 0],
    [5, 5],
  ] as const) {
    const id = `${day(ago)} + 1 + (select count(*) from queue.history)`;
    await plant(`insert into queue.attempt (tenant_id, queue_id, id, number, started_at, duration_ms) values ($1, 1, ${id}, 1, now(), 5)`);
    await plant(
      `insert into queue.history (tenant_id, queue_id, id, attempts, outcome, finished_at)
       values ($1, 1, ${id}, 1, 'delivered', now() - interval '${finished} days')`,
    );
  }
  for (const [number, ago] of [15, 15, 5].entries()) {
    await plant(
      `insert into hub.external_message (tenant_id, id, subtenant_id, integration_point_id, channel, state, signature, headers, body)
       values ($1, ${day(ago)} + ${number}, 1, 1, 'hook', 'accepted', 'valid', '{}', '')`,
    );
    await plant(
      `insert into hub.entity_version (tenant_id, subtenant_id, entity_type, business_key, is_development, version, external_message_id, integration_point_id, document)
       values ($1, 1, 'item', 'a', false, ${number + 1}, ${day(ago)} + ${number}, 1, '{}')`,
    );
    await plant(
      `insert into hub.external_item_removed (tenant_id, integration_point_id, entity_type, business_key, subtenant_id, created_at, removed_by, removed_at)
       values ($1, 1, 'item', '${number}', 1, now(), 'Ada', now() - interval '${ago} days')`,
    );
  }
  const expired = async (query: string) =>
    (await made.call("admin", "GET", `/api/v1/tenants/aging/limits/expired?${query}`)).json<{ items: ExpiredCount[] }>().items;
  const counts = async (query: string) => (await expired(query)).map(({ category, count }) => [category, count]);
  expect(await expired("rawMessageDays=10")).toEqual([{ category: "rawMessages", before, count: 2, isExact: true }]);
  expect(await counts("historyDays=10")).toEqual([
    ["messages", 1],
    ["attempts", 1],
    ["versions", 1],
  ]);
  expect(await counts("attemptDays=10&removedDays=10&runDays=10")).toEqual([
    ["attempts", 1],
    ["removed", 2],
  ]);
  // Nothing is that old; and a longer time than what holds takes nothing.
  expect(await counts("historyDays=20&rawMessageDays=20&removedDays=20")).toEqual([]);
  await owner.query("insert into hub.tenant_limit (tenant_id, history_days) values ($1, 8)", [tenantId]);
  expect(await counts("historyDays=10")).toEqual([]);
});

test("the size of messages is told by the newest of each queue, without reading the others to find them", async () => {
  const owner = made.pool("owner", 1);
  const { rows: queues } = await owner.query<{ tenantId: number; id: number }>(
    `select queue.tenant_id as "tenantId", queue.id from queue.queue join hub.tenant on tenant.id = queue.tenant_id where tenant.code = 'limited'`,
  );
  const { tenantId = 0, id } = queues[0] ?? {};
  const fill = `
    insert into queue.message (tenant_id, queue_id, subtenant_id, key, entity_type, document)
    select $1, $2, 1, number, 'item', repeat('x', 500) from generate_series(1, 20000) number`;
  await owner.query(fill, [tenantId, id]);
  await owner.query("analyze queue.message");
  await inTenant(made.deps.pools.readOnly, tenantId, async (client) => {
    const sorted: number[] = [];
    const explaining = {
      query: async (text: string, values: unknown[]) => {
        const { rows } = await client.query<{ "QUERY PLAN": [{ Plan: Node }] }>(
          `explain (analyze, timing off, format json) ${text}`,
          values,
        );
        sorted.push(...rows.flatMap((row) => rowsSorted(row["QUERY PLAN"][0].Plan)));
        return { rows: [] };
      },
    } as unknown as pg.ClientBase;
    await readUsage(explaining, tenantId);
    expect(Math.max(0, ...sorted)).toBeLessThan(2_000);
  });
});

type Node = { "Node Type": string; "Actual Rows": number; "Actual Loops": number; Plans?: Node[] };

/** How many rows the sorts of a plan were given. */
function rowsSorted({ "Node Type": type, Plans = [] }: Node): number[] {
  const given = Plans.reduce((sum, plan) => sum + plan["Actual Rows"] * plan["Actual Loops"], 0);
  return [...(type === "Sort" ? [given] : []), ...Plans.flatMap(rowsSorted)];
}
