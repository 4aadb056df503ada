import type { Overview } from "@crossdock/contract";
import type { QueueDepth } from "@crossdock/queue";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { fillQueues } from "../testing/queues.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";
import { overviewOf, type Seen } from "./overview.ts";
import { readTenant, type TenantState } from "./read-tenant.ts";
import { worstOf } from "./worst-queues.ts";

let made: TestApp;
beforeAll(async () => {
  made = await testApp();
});
afterAll(() => made.close());

const calm: TenantState = {
  added: 0,
  delivered: 0,
  failed: 0,
  died: 0,
  waiting: 0,
  dead: 0,
  oldestWaitingAt: null,
  failingJobs: 0,
  alerts: 0,
  missing: [],
  minutes: [],
  cutOff: [],
  queues: [],
  causes: [],
};
const tenant = (code: string, state: Partial<TenantState>): Seen => ({ code, name: code.toUpperCase(), state: { ...calm, ...state } });
const away = (target: string, waiting: number) => ({
  target,
  retryAt: new Date("2026-01-01T00:01:00Z"),
  code: "shop",
  name: "Shop",
  waiting,
});

test("a target's outage is one incident with every tenant that it touches, the widest first", () => {
  const { incidents, tenants } = overviewOf(
    [
      tenant("calm", { waiting: 9_000 }),
      ...["a", "b", "c", "d", "e"].map((code) => tenant(code, { cutOff: [away("https://erp.example", 10)] })),
      tenant("alone", { cutOff: [away("https://other.example", 5_000)] }),
    ],
    new Date(),
  );
  expect(incidents.map(({ target, waiting, points }) => [target, waiting, points.length])).toEqual([
    ["https://erp.example", 50, 5],
    ["https://other.example", 5_000, 1],
  ]);
  expect(tenants.at(-1)?.code).toBe("calm");
});

test("dead letters of one cause are counted across tenants", () => {
  const cause = { fingerprint: "f", errorClass: "http-422", errorMessage: "colour is not known" };
  const { causes } = overviewOf(
    [
      tenant("a", { causes: [{ ...cause, count: 2 }] }),
      tenant("b", {
        causes: [
          { ...cause, count: 3 },
          { ...cause, fingerprint: "g", count: 4 },
        ],
      }),
    ],
    new Date(),
  );
  expect(causes.map(({ fingerprint, count, tenants }) => [fingerprint, count, tenants.length])).toEqual([
    ["f", 5, 2],
    ["g", 4, 1],
  ]);
});

const minute = (time: string, added: number) => ({ at: new Date(`2026-01-01T${time}:00Z`), added, delivered: 1, failed: 2, died: 0 });

test("throughput is a row for each of the last sixty minutes, all tenants together", () => {
  const at = new Date("2026-01-01T12:00:30Z");
  const { throughput } = overviewOf(
    [
      tenant("a", { minutes: [minute("11:00", 100), minute("11:01", 5), minute("12:00", 3)] }),
      tenant("b", { minutes: [minute("12:00", 4)] }),
    ],
    at,
  );
  expect(throughput).toHaveLength(60);
  expect(throughput[0]).toEqual({ at: "2026-01-01T11:01:00.000Z", added: 5, delivered: 1, failed: 2 });
  expect(throughput[1]).toEqual({ at: "2026-01-01T11:02:00.000Z", added: 0, delivered: 0, failed: 0 });
  expect(throughput.at(-1)).toEqual({ at: "2026-01-01T12:00:00.000Z", added: 7, delivered: 2, failed: 4 });
});

const now = new Date("2026-01-01T12:00:00Z");
const depth = (queueId: number, { dead = 0, ready = 0, minutes = 0 }): QueueDepth => ({
  queueId,
  name: `queue ${queueId}`,
  targetId: 1,
  mode: "fifo",
  delivery: "push",
  isPaused: false,
  ready,
  inHand: 0,
  retrying: 0,
  parked: 0,
  dead,
  oldestWaitingAt: ready === 0 ? null : new Date(now.getTime() - minutes * 60_000),
});

test("of a tenant's queues those are bad in which something died or is stuck, at most ten, and what moves is none", () => {
  const worst = worstOf(
    [
      depth(1, { ready: 50_000, minutes: 0.5 }),
      depth(2, { dead: 1 }),
      depth(3, { ready: 50_000, minutes: 180 }),
      depth(4, { dead: 40 }),
      depth(5, {}),
    ],
    now,
  );
  expect(worst.map(({ queueId }) => queueId)).toEqual([3, 4, 2]);
  const many = Array.from({ length: 30 }, (_, index) => depth(index, { dead: index }));
  expect(worstOf(many, now).map(({ queueId }) => queueId)).toEqual([29, 28, 27, 26, 25, 24, 23, 22, 21, 20]);
});

const queue = (queueId: number, weight: number) => ({
  queueId,
  weight,
  queueName: "orders",
  integrationPointName: "Shop",
  subtenantCode: "main",
  subtenantName: "Main",
  dead: 1,
  waiting: 0,
  oldestWaitingAt: null,
});

test("the worst queues are those of all tenants, at most ten, each with its tenant", () => {
  const { queues, tenants } = overviewOf(
    [tenant("a", { queues: Array.from({ length: 10 }, (_, index) => queue(index, 1)) }), tenant("b", { queues: [queue(77, 2)] })],
    now,
  );
  expect(queues).toHaveLength(10);
  const { weight: _weight, ...shown } = queue(77, 2);
  expect(queues[0]).toEqual({ tenantCode: "b", tenantName: "B", ...shown });
  expect(tenants.flatMap((one) => Object.keys(one))).not.toContain("queues");
});

test("what usually comes and doesn't stands with its tenant", () => {
  const silence = { alertId: 7, kind: "silence" as const, subtenantName: "Shop", value: 40, details: { usualPerHour: 12 } };
  const { missing } = overviewOf([tenant("a", {}), tenant("b", { missing: [silence] })], new Date());
  expect(missing).toEqual([{ tenantCode: "b", tenantName: "B", ...silence }]);
});

test("admins see what waits, what died and what failed in every tenant", async () => {
  const { integrationPointId, orderQueueId } = await fillQueues(made, "acme");
  await made
    .pool("owner", 1)
    .query(`update queue.target set circuit = 'open', circuit_open_until = now() + interval '1 hour' where tenant_id = 1001 and id = $1`, [
      integrationPointId,
    ]);
  await made.deps.pools.worker.query("select hub.collect_metrics()");
  // The minutes are those of the database's clock, whatever the process's own says.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 7_200_000 });
  onTestFinished(() => void vi.useRealTimers());
  const answer = await made.call("admin", "GET", "/api/v1/overview");
  expect(answer.statusCode).toBe(200);
  const overview = answer.json<Overview>();
  expect(overview.tenants.map(({ code }) => code)).toEqual(["acme", "other"]);
  expect(overview.tenants[0]).toMatchObject({ added: 4, died: 1, dead: 1, openCircuits: 1 });
  expect(overview.causes).toMatchObject([{ count: 1, tenants: [{ code: "acme" }] }]);
  expect(overview.incidents).toMatchObject([{ points: [{ tenantCode: "acme" }] }]);
  const place = {
    tenantCode: "acme",
    subtenantCode: "shop",
    queueId: orderQueueId,
    queueName: "centra.order",
    integrationPointName: "Queues",
  };
  expect(overview.queues).toMatchObject([{ ...place, dead: 1, waiting: 2 }]);
  expect(overview.throughput).toHaveLength(60);
  expect(overview.throughput.reduce((sum, { added }) => sum + added, 0)).toBe(4);
  expect((await made.call("user", "GET", "/api/v1/overview")).statusCode).toBe(403);
});

test("no next try is told of a target that is paused, as there will be none", async () => {
  const cutOff = async () => (await readTenant(made.deps.pools.readOnly, 1001)).cutOff;
  expect(await cutOff()).toMatchObject([{ name: "Queues", retryAt: expect.any(Date) }]);
  await made.pool("owner", 1).query("update queue.target set is_paused = true where tenant_id = 1001");
  expect(await cutOff()).toMatchObject([{ name: "Queues", retryAt: null }]);
  await made.pool("owner", 1).query("update queue.target set is_paused = false where tenant_id = 1001");
});

test("an import that failed is a failing job until a later one goes through", async () => {
  const owner = made.pool("owner", 1);
  const run = (state: string) =>
    owner.query(
      `insert into hub.run (tenant_id, kind, subtenant_id, integration_point_id, entity_type, state, finished_at)
       select tenant_id, 'import', subtenant_id, id, 'order', $1, now() from hub.integration_point where tenant_id = 1001 order by id limit 1`,
      [state],
    );
  const failing = async () => (await readTenant(made.deps.pools.readOnly, 1001)).failingJobs;
  expect(await failing()).toBe(0);
  expect((await run("failed")).rowCount).toBe(1);
  expect(await failing()).toBe(1);
  await run("done");
  expect(await failing()).toBe(0);
});
