import type { Run } from "@crossdock/contract";
import type pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { inTenant } from "../db.ts";
import { createDirectory, type Directory } from "../intake/directory.ts";
import { createIntake } from "../intake/intake.ts";
import { makeTenant, type TestTenant } from "../intake/testing.ts";
import { startRunWorkers } from "../run-workers.ts";
import { RunRests, claimRun, finishRun, restRun } from "../runs/runs.ts";
import { callTenant, type TenantCall, type TestApp, testApp } from "../testing/test-app.ts";
import { resync } from "./run-resync.ts";

let made: TestApp;
let owner: pg.Pool;
let directory: Directory;
let tenant: TestTenant;
let code: string;
let tenants = 0;

beforeAll(async () => {
  made = await testApp();
  owner = made.pool("owner", 1);
  directory = createDirectory(made.deps.pools.app, made.deps);
  await directory.ready;
});
afterAll(async () => {
  await directory.close();
  await made.close();
});
beforeEach(async () => {
  tenants += 1;
  code = `sent-${tenants}`;
  tenant = await makeTenant(made.deps, made.ownerUrl, code, [
    { connector: "wgr", code: "pim", sourceTypes: ["item"] },
    { connector: "centra", code: "shop", deliveryMode: "pull", targetTypes: ["item"] },
    { connector: "litium", code: "other", deliveryMode: "pull", targetTypes: ["item"] },
  ]);
});

const call = <Answer>(...asked: TenantCall): Promise<Answer> => callTenant(made, code, ...asked);

async function takeIn(...documents: object[]): Promise<void> {
  const point = (await directory.of(tenant.tenantId)).points.get(tenant.points["pim"]?.id ?? 0);
  if (!point) throw new Error("no source");
  const { pools, logger } = made.deps;
  const intake = createIntake({ pool: pools.app, directory, logger });
  await inTenant(pools.app, tenant.tenantId, (client) => intake.storeDocumentsIn(client, { point, entityType: "item", documents }));
}

const items = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ sku: `A-${String(index).padStart(4, "0")}`, name: "First" }));
const what = (more: object = {}) => ({ kind: "resync", integrationPointId: tenant.points["shop"]?.id, entityType: "item", ...more });

/** One turn of a worker: null where the run rests. */
async function carryOut(of = directory.of): Promise<string | null> {
  const { worker } = made.deps.pools;
  const run = await claimRun(worker, tenant.tenantId);
  if (!run) throw new Error("nothing to run");
  try {
    const { state, fault } = await resync({ pools: made.deps.pools, directory: { ...directory, of } }, run, new AbortController().signal);
    await finishRun(worker, run, state, fault);
    return state;
  } catch (error) {
    if (!(error instanceof RunRests)) throw error;
    await restRun(worker, run, error.seconds);
    return null;
  }
}

/** What waits for a target, oldest first. */
async function waiting(name: string): Promise<{ key: string; version: number }[]> {
  const sql = `
    select message.key, message.entity_version as version from queue.queue
    join queue.ready on ready.tenant_id = queue.tenant_id and ready.queue_id = queue.id
    join queue.message on message.tenant_id = ready.tenant_id and message.queue_id = ready.queue_id and message.id = ready.id
    where queue.tenant_id = $1 and queue.target_id = $2 order by message.id`;
  return (await owner.query<{ key: string; version: number }>(sql, [tenant.tenantId, tenant.points[name]?.id])).rows;
}
const emptyQueues = () => owner.query("delete from queue.ready where tenant_id = $1", [tenant.tenantId]);

test("chosen objects go to one target in their newest version, what is not known is named", async () => {
  await takeIn(...items(3));
  await takeIn({ sku: "A-0001", name: "Second" });
  await emptyQueues();
  const { id } = await call<Run>(
    "POST",
    "runs",
    what({ keys: ["A-0001", "A-0002", "A-0001", "unknown"], reason: "its database was restored" }),
    201,
  );
  const { rows } = await owner.query("select reason from hub.audit_event where tenant_id = $1 and action = 'createRun'", [tenant.tenantId]);
  expect(rows).toEqual([{ reason: "its database was restored" }]);
  expect(await carryOut()).toBe("done");
  expect(await waiting("shop")).toEqual([
    { key: "A-0001", version: 2 },
    { key: "A-0002", version: 1 },
  ]);
  expect(await waiting("other")).toEqual([]);
  expect(await call("GET", `runs/${id}`)).toMatchObject({
    state: "done",
    reason: "its database was restored",
    total: 3,
    done: 3,
    accepted: 2,
    rejected: 1,
  });
  expect((await call<{ items: object[] }>("GET", `runs/${id}/lines`)).items).toMatchObject([{ text: expect.stringContaining("unknown") }]);
});

async function shopTakes(types: string): Promise<void> {
  const shop = [tenant.tenantId, tenant.points["shop"]?.id];
  await owner.query("update hub.integration_point set target_types = $3 where tenant_id = $1 and id = $2", [...shop, types]);
  await directory.fresh(tenant.tenantId);
}

test("a resync of what its target takes no more fails and says so, instead of passing over each object", async () => {
  await takeIn(...items(3));
  const { id } = await call<Run>("POST", "runs", what(), 201);
  await shopTakes("{stock}");
  await expect(carryOut()).rejects.toMatchObject({ code: "conflict", extras: { reason: "point-no-target-of-type" } });
  await shopTakes("{item}");
  expect(await call<Run>("GET", `runs/${id}`)).toMatchObject({ done: 0, rejected: 0 });
});

test("a resync sends nothing more from the batch on before which its target has ceased to take the type", async () => {
  await takeIn(...items(450));
  await emptyQueues();
  const { id } = await call<Run>("POST", "runs", what(), 201);
  let reads = 0;
  const changing = carryOut(async (tenantId) => {
    reads += 1;
    if (reads === 2) await shopTakes("{stock}");
    return directory.of(tenantId);
  });
  await expect(changing).rejects.toMatchObject({ code: "conflict", extras: { reason: "point-no-target-of-type" } });
  expect(await waiting("shop")).toHaveLength(200);
  expect(await call<Run>("GET", `runs/${id}`)).toMatchObject({ total: 450, done: 200 });
});

test("a run whose database connection is lost goes on later instead of failing", async () => {
  await takeIn(...items(3));
  await emptyQueues();
  const { id } = await call<Run>("POST", "runs", what(), 201);
  const workers = await startRunWorkers(made.deps);
  const turn = () => workers.chores.find(({ name }) => name === "run 1")?.run(new AbortController().signal);
  await owner.query("alter table queue.ready add constraint gone check (pg_terminate_backend(pg_backend_pid())) not valid");
  await turn();
  await owner.query("alter table queue.ready drop constraint gone");
  expect(await call("GET", `runs/${id}`)).toMatchObject({ state: "running", done: 0 });
  await owner.query("update hub.run set rests_until = null where tenant_id = $1", [tenant.tenantId]);
  await turn();
  await workers.stop();
  expect(await call("GET", `runs/${id}`)).toMatchObject({ state: "done", done: 3, rejected: 0 });
});

test("a run rests while its target has enough to do, and then goes on where it was, each object once", async () => {
  const count = 1_300;
  for (let at = 0; at < count; at += 500) await takeIn(...items(count).slice(at, at + 500));
  await emptyQueues();
  const { id } = await call<Run>("POST", "runs", what(), 201);
  expect(await carryOut()).toBeNull();
  const first = await waiting("shop");
  expect(first).toHaveLength(1_000);
  expect(await call("GET", `runs/${id}`)).toMatchObject({ state: "running", total: count, done: 1_000 });
  expect(await claimRun(made.deps.pools.worker, tenant.tenantId)).toBeNull();
  await emptyQueues();
  await owner.query("update hub.run set rests_until = null where tenant_id = $1", [tenant.tenantId]);
  expect(await carryOut()).toBe("done");
  const keys = [...first, ...(await waiting("shop"))].map(({ key }) => key);
  expect(new Set(keys).size).toBe(count);
  expect(keys).toHaveLength(count);
  expect((await call<{ items: object[] }>("GET", `runs/${id}/lines`)).items).toEqual([]);
});

test("a run that rests is put aside and cancelled, however long its target has enough to do", async () => {
  for (const at of [0, 500]) await takeIn(...items(1_000).slice(at, at + 500));
  const { id } = await call<Run>("POST", "runs", what(), 201);
  const workers = await startRunWorkers(made.deps);
  const turn = async (): Promise<string> => {
    await owner.query("update hub.run set rests_until = null where tenant_id = $1", [tenant.tenantId]);
    await workers.chores.find(({ name }) => name === "run 1")?.run(new AbortController().signal);
    return (await call<Run>("GET", `runs/${id}`)).state;
  };
  try {
    expect(await turn()).toBe("running");
    await call("POST", `runs/${id}/pause`);
    expect(await turn()).toBe("paused");
    await call("POST", `runs/${id}/resume`);
    expect(await turn()).toBe("running");
    await call("POST", `runs/${id}/cancel`);
    expect(await turn()).toBe("cancelled");
  } finally {
    await workers.stop();
  }
  expect(await call("GET", `runs/${id}`)).toMatchObject({ done: 0, isPausing: false, finishedAt: expect.any(String) });
});

test("a run is put aside and resumed; one is open per target; a cancelled one publishes no more", async () => {
  await takeIn(...items(3));
  await emptyQueues();
  const { id } = await call<Run>("POST", "runs", what(), 201);
  await call("POST", "runs", what(), 409);
  expect(await call("POST", `runs/${id}/pause`)).toMatchObject({ state: "paused" });
  expect(await claimRun(made.deps.pools.worker, tenant.tenantId)).toBeNull();
  await call("POST", "runs", what(), 409);
  expect(await call("POST", `runs/${id}/resume`)).toMatchObject({ state: "waiting" });
  await call("POST", `runs/${id}/resume`, undefined, 409);
  expect(await carryOut()).toBe("done");
  await call("POST", `runs/${id}/pause`, undefined, 409);
  await emptyQueues();
  const second = await call<Run>("POST", "runs", what(), 201);
  await call("POST", `runs/${second.id}/pause`);
  expect(await call("POST", `runs/${second.id}/cancel`)).toMatchObject({ state: "cancelled" });
  expect(await waiting("shop")).toEqual([]);
});
