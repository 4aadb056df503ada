import type { Run, RunLine, Schedule } from "@crossdock/contract";
import { type Sandbox, startSandbox } from "@crossdock/sandbox";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { inTenant } from "../db.ts";
import { createAccessTokens } from "../delivery/access-tokens.ts";
import { createSender } from "../delivery/exchange.ts";
import { parseAllowList } from "../egress/addresses.ts";
import { createEgress } from "../egress/egress.ts";
import { makeTenant, type TestTenant } from "../intake/testing.ts";
import { type Loops, startLoops } from "../loops.ts";
import { callTenant, type TenantCall, type TestApp, testApp, waitingForLocks } from "../testing/test-app.ts";
import { type RunWorkers, startRunWorkers } from "../run-workers.ts";
import { fireDue } from "./due.ts";
import { poll } from "./poll.ts";
import { LeaseLost, RunRests, advanceRun, claimRun, finishRun, writeLines } from "../runs/runs.ts";

let made: TestApp;
let sandbox: Sandbox;
let owner: pg.Pool;
let tenant: TestTenant;
let code: string;
let running: { workers: RunWorkers; loops: Loops } | null = null;
let tenants = 0;

beforeAll(async () => {
  sandbox = await startSandbox();
  made = await testApp({ CROSSDOCK_EGRESS_ALLOW: `127.0.0.1:${sandbox.port}` });
  owner = made.pool("owner", 1);
});
afterAll(async () => {
  await stop();
  await sandbox.close();
  await made.close();
});
beforeEach(async () => {
  await stop();
  tenants += 1;
  code = `polled-${tenants}`;
  sandbox.reset(code);
  const settings = { baseUrl: `${sandbox.url}/magento/${code}` };
  tenant = await makeTenant(made.deps, made.ownerUrl, code, [
    {
      connector: "magento",
      code: "store",
      sourceTypes: ["order", "item"],
      settings,
      credentials: { accessToken: "opensesame" },
    },
    { connector: "magento", code: "locked", sourceTypes: ["order"], settings, credentials: { accessToken: "wrong" } },
    { connector: "litium", code: "silent", sourceTypes: ["order"], settings: { baseUrl: sandbox.url } },
    { connector: "wgr", code: "target", deliveryMode: "pull", targetTypes: ["order"] },
  ]);
});

async function start(): Promise<void> {
  const workers = await startRunWorkers(made.deps);
  running = { workers, loops: startLoops(workers.chores, made.deps.logger) };
}

async function stop(): Promise<void> {
  await running?.loops.stop();
  await running?.workers.stop();
  running = null;
}

const call = <Answer>(...asked: TenantCall): Promise<Answer> => callTenant(made, code, ...asked);

function schedule(point: string, timing: object = { everySeconds: 600 }, expected = 201): Promise<Schedule> {
  return call("POST", "schedules", { integrationPointId: tenant.points[point]?.id, entityType: "order", ...timing }, expected);
}

async function remove(scheduleId: number): Promise<number> {
  return (await made.call("admin", "DELETE", `/api/v1/tenants/${code}/schedules/${scheduleId}`)).statusCode;
}

async function placeOrders(count: number, more: object = {}): Promise<void> {
  for (let number = 1; number <= count; number += 1) {
    const entity = {
      ...more,
      ext_order_id: `${10_000 + number}`,
      created_at: "2026-11-21 08:00:00",
      order_currency_code: "SEK",
      items: [{ sku: "A-1", qty_ordered: 1, price: 10 }],
    };
    const answer = await fetch(`${sandbox.url}/magento/${code}/rest/default/V1/orders`, {
      method: "POST",
      headers: { authorization: "Bearer opensesame" },
      body: JSON.stringify({ entity }),
    });
    await answer.arrayBuffer();
  }
}

const getRun = (id: number): Promise<Run> => call("GET", `runs/${id}`);
async function ended(id: number): Promise<void> {
  await expect.poll(async () => (await getRun(id)).finishedAt).not.toBeNull();
}

test("a run takes all pages of a source, and the next one takes nothing twice", async () => {
  await placeOrders(130);
  await start();
  const { id } = await schedule("store");
  const first = await call<Run>("POST", `schedules/${id}/run`);
  await ended(first.id);
  // All have one moment: its first page is read once more, here and by the next run, which begins from it.
  expect(await getRun(first.id)).toMatchObject({ state: "done", done: 230, accepted: 130, unchanged: 100, rejected: 0, startedBy: "Ada" });
  const second = await call<Run>("POST", `schedules/${id}/run`);
  await ended(second.id);
  expect(await getRun(second.id)).toMatchObject({ state: "done", accepted: 0 });
  const { rows } = await owner.query("select count(*)::int as count from queue.message where tenant_id = $1", [tenant.tenantId]);
  expect(rows).toEqual([{ count: 130 }]);
  expect(await call<{ items: Schedule[] }>("GET", "schedules")).toMatchObject({
    items: [{ id, lastRun: { id: second.id, state: "done", done: 230, rejected: 0 } }],
  });
  expect((await call<{ items: Run[] }>("GET", "runs?subtenant=shop")).items.map((run) => run.id)).toEqual([second.id, first.id]);
});

test("a page may have several megabytes: of large orders it has a hundred", async () => {
  await placeOrders(100, { status_histories: [{ comment: "x".repeat(50_000) }] });
  await start();
  const { id } = await schedule("store");
  const run = await call<Run>("POST", `schedules/${id}/run`);
  await ended(run.id);
  expect(await getRun(run.id)).toMatchObject({ state: "done", done: 100, accepted: 100 });
});

test("a source that refuses the credentials fails the run, which says why", async () => {
  await start();
  const { id } = await schedule("locked");
  const run = await call<Run>("POST", `schedules/${id}/run`);
  await ended(run.id);
  expect(await getRun(run.id)).toMatchObject({ state: "failed", fault: expect.stringContaining("HTTP 401") });
  expect(await call<{ items: RunLine[] }>("GET", `runs/${run.id}/lines`)).toMatchObject({
    items: [{ level: "error", text: expect.stringContaining("HTTP 401") }],
  });
});

test("of many processes one fires a schedule that is due, and never beside a run that is open", async () => {
  const { id } = await schedule("store");
  const due = "update hub.schedule set next_at = clock_timestamp() where tenant_id = $1";
  for (let round = 0; round < 2; round += 1) {
    await owner.query(due, [tenant.tenantId]);
    await Promise.all(Array.from({ length: 6 }, () => fireDue(made.deps.pools.worker, tenant.tenantId)));
  }
  const { items } = await call<{ items: Run[] }>("GET", "runs");
  expect(items).toMatchObject([{ scheduleId: id, state: "waiting", startedBy: null }]);
  expect(await call("POST", `schedules/${id}/run`)).toMatchObject({ id: items[0]?.id });
});

test("a schedule fires, and a run goes on, when the database's clock has been set back", async () => {
  const { worker } = made.deps.pools;
  const hasWork = async () =>
    (await worker.query("select from hub.tenants_with_runs() as id where id = $1", [tenant.tenantId])).rowCount === 1;
  const { id } = await schedule("store");
  await owner.query("update hub.schedule set next_at = clock_timestamp() + interval '2 hours' where id = $1", [id]);
  expect(await hasWork()).toBe(true);
  await fireDue(worker, tenant.tenantId);
  const { items } = await call<{ items: Run[] }>("GET", "runs");
  expect(items).toMatchObject([{ scheduleId: id, state: "waiting" }]);
  await owner.query("update hub.run set rests_until = clock_timestamp() + interval '2 hours' where id = $1", [items[0]?.id]);
  expect(await hasWork()).toBe(true);
  expect(await claimRun(worker, tenant.tenantId)).toMatchObject({ id: items[0]?.id });
});

test("a worker takes one run at a time, however the claim is planned", async () => {
  for (const point of ["store", "locked"]) await call("POST", `schedules/${(await schedule(point)).id}/run`);
  const url = new URL(made.ownerUrl);
  url.searchParams.set("options", "-c enable_hashjoin=off -c enable_mergejoin=off -c enable_material=off");
  const pool = new pg.Pool({ connectionString: url.href, max: 1 });
  try {
    expect(await claimRun(pool, tenant.tenantId)).not.toBeNull();
  } finally {
    await pool.end();
  }
  const { items } = await call<{ items: Run[] }>("GET", "runs");
  expect(items.map(({ state }) => state).toSorted()).toEqual(["running", "waiting"]);
});

test("a run whose worker is gone is taken up by another, and the first one can write nothing more", async () => {
  const { id } = await schedule("store");
  const { id: runId } = await call<Run>("POST", `schedules/${id}/run`);
  const { worker } = made.deps.pools;
  const lost = await claimRun(worker, tenant.tenantId);
  expect(await claimRun(worker, tenant.tenantId)).toBeNull();
  await owner.query("update hub.run set lease_until = clock_timestamp() - interval '1 second' where tenant_id = $1", [tenant.tenantId]);
  const taken = await claimRun(worker, tenant.tenantId);
  if (!lost || !taken) throw new Error("not claimed");
  const counts = { done: 1, accepted: 1, unchanged: 0, rejected: 0 };
  await expect(inTenant(worker, tenant.tenantId, (client) => advanceRun(client, lost, counts))).rejects.toThrow(LeaseLost);
  await finishRun(worker, lost, "failed", "stale");
  expect(await getRun(runId)).toMatchObject({ state: "running", done: 0 });
  await inTenant(worker, tenant.tenantId, (client) => advanceRun(client, taken, counts));
  await finishRun(worker, taken, "done", null);
  expect(await getRun(runId)).toMatchObject({ state: "done", done: 1 });
});

test("a run that costs three workers in a row before it comes to a step fails instead of being begun again", async () => {
  const { worker } = made.deps.pools;
  const lose = () =>
    owner.query("update hub.run set lease_until = clock_timestamp() - interval '1 second' where tenant_id = $1", [tenant.tenantId]);
  const take = async () => {
    const run = await claimRun(worker, tenant.tenantId);
    if (!run) throw new Error("not claimed");
    return run;
  };
  await placeOrders(1);
  const { id } = await schedule("store");
  const { id: runId } = await call<Run>("POST", `schedules/${id}/run`);
  await take();
  await lose();
  const second = await take();
  await inTenant(worker, tenant.tenantId, (client) => advanceRun(client, second, {}));
  await lose();
  await take();
  await lose();
  await take();
  await lose();
  const workers = await startRunWorkers(made.deps);
  try {
    await workers.chores.find(({ name }) => name === "run 1")?.run(new AbortController().signal);
  } finally {
    await workers.stop();
  }
  expect(await getRun(runId)).toMatchObject({ state: "failed", done: 0, failure: { reason: "run-breaks-off", values: { count: "3" } } });
});

test("a run is cancelled at once while it waits, and after the page in hand while it works; an ended one is not", async () => {
  const { id } = await schedule("store");
  const waiting = await call<Run>("POST", `schedules/${id}/run`);
  expect(await call("POST", `runs/${waiting.id}/cancel`)).toMatchObject({ state: "cancelled" });
  const working = await call<Run>("POST", `schedules/${id}/run`);
  const claimed = await claimRun(made.deps.pools.worker, tenant.tenantId);
  expect(await call("POST", `runs/${working.id}/cancel`)).toMatchObject({ state: "running", isCancelling: true });
  if (!claimed) throw new Error("not claimed");
  const told = await inTenant(made.deps.pools.worker, tenant.tenantId, (client) =>
    advanceRun(client, claimed, { done: 0, accepted: 0, unchanged: 0, rejected: 0 }),
  );
  expect(told).toEqual({ isCancelling: true, isPausing: false });
  await finishRun(made.deps.pools.worker, claimed, "done", null);
  await call("POST", `runs/${working.id}/cancel`, undefined, 409);
});

test("of two who cancel a waiting run at once, one does and the other finds it cancelled, and the audit log names one", async () => {
  const { id } = await schedule("store");
  const waiting = await call<Run>("POST", `schedules/${id}/run`);
  const cancel = () => made.call("admin", "POST", `/api/v1/tenants/${code}/runs/${waiting.id}/cancel`);
  const { both } = await inTenant(made.deps.pools.worker, tenant.tenantId, async (client) => {
    await client.query("select from hub.run where tenant_id = $1 and id = $2 for update", [tenant.tenantId, waiting.id]);
    const both = Promise.all([cancel(), cancel()]);
    await expect.poll(() => waitingForLocks(owner)).toBe(2);
    return { both };
  });
  for (const answer of await both) expect([answer.statusCode, answer.json()]).toMatchObject([200, { state: "cancelled" }]);
  const { rows } = await owner.query("select from hub.audit_event where tenant_id = $1 and action = 'cancelRun'", [tenant.tenantId]);
  expect(rows).toHaveLength(1);
});

test("a schedule that is run just as its run ends begins another one", async () => {
  const { id } = await schedule("store");
  const before = await call<Run>("POST", `schedules/${id}/run`);
  // Once it was found to be open.
  await owner.query(`
    create function hub.end_runs() returns trigger language plpgsql as $$
      begin update hub.run set state = 'done', finished_at = clock_timestamp(); return null; end $$;
    create trigger ends after insert on hub.run for each statement execute function hub.end_runs()`);
  try {
    const next = await call<Run>("POST", `schedules/${id}/run`);
    expect(next).toMatchObject({ scheduleId: id, startedBy: "Ada" });
    expect(next.id).toBeGreaterThan(before.id);
  } finally {
    await owner.query("drop function hub.end_runs() cascade");
  }
});

test("a run whose source hangs is cancelled at once: its request is given up, and nobody is told of a fault", async () => {
  sandbox.control(code, { mode: "hang" });
  await start();
  const { id } = await schedule("store");
  const { id: runId } = await call<Run>("POST", `schedules/${id}/run`);
  await expect.poll(async () => (await getRun(runId)).state).toBe("running");
  await call("POST", `runs/${runId}/cancel`);
  await ended(runId);
  expect(await getRun(runId)).toMatchObject({ state: "cancelled", fault: null, done: 0 });
  // A request that had run into its time limit would be told of.
  expect((await call<{ items: RunLine[] }>("GET", `runs/${runId}/lines`)).items).toEqual([]);
});

test("a poll that loses the database as it takes a page goes on later instead of failing", async () => {
  await placeOrders(1);
  const { id } = await schedule("store");
  const { id: runId } = await call<Run>("POST", `schedules/${id}/run`);
  const workers = await startRunWorkers(made.deps);
  const turn = () => workers.chores.find(({ name }) => name === "run 1")?.run(new AbortController().signal);
  try {
    await owner.query("alter table hub.intake_key add constraint gone check (pg_terminate_backend(pg_backend_pid())) not valid");
    await turn();
    await owner.query("alter table hub.intake_key drop constraint gone");
    expect(await getRun(runId)).toMatchObject({ state: "running", done: 0 });
    await owner.query("update hub.run set rests_until = null where tenant_id = $1", [tenant.tenantId]);
    await turn();
  } finally {
    await workers.stop();
  }
  expect(await getRun(runId)).toMatchObject({ state: "done", accepted: 1 });
});

test("a run fails with what its source said, whatever characters that holds", async () => {
  const { id } = await schedule("store");
  const { id: runId } = await call<Run>("POST", `schedules/${id}/run`);
  const run = await claimRun(made.deps.pools.worker, tenant.tenantId);
  if (!run) throw new Error("not claimed");
  const body = JSON.stringify({ message: "no such store\u0000" });
  const { directory, intake, stop: end } = await startRunWorkers(made.deps);
  const send = () => Promise.resolve({ status: 400, headers: {}, body, conceal: (text: string) => text });
  try {
    const { state, fault } = await poll({ pools: made.deps.pools, directory, intake, send }, run, new AbortController().signal);
    await inTenant(made.deps.pools.worker, tenant.tenantId, (client) => writeLines(client, run, "error", fault ?? ""));
    await finishRun(made.deps.pools.worker, run, state, fault);
  } finally {
    await end();
  }
  expect(await getRun(runId)).toMatchObject({ state: "failed", fault: expect.stringContaining("no such store") });
});

/** A run of the schedule in a worker's hand, with what it takes to carry it out. */
async function takeUp(scheduleId: number) {
  const { id: runId } = await call<Run>("POST", `schedules/${scheduleId}/run`);
  const run = await claimRun(made.deps.pools.worker, tenant.tenantId);
  if (!run) throw new Error("not claimed");
  const { directory, intake, stop: stopWorkers } = await startRunWorkers(made.deps);
  const egress = createEgress({ allow: parseAllowList(made.deps.config.egressAllow) });
  const send = createSender({ egress, accessTokens: createAccessTokens(egress) });
  const end = async () => {
    await egress.close();
    await stopWorkers();
  };
  return { runId, run, deps: { pools: made.deps.pools, directory, intake, send }, end };
}

test("a source is polled on time also while deliveries to it are paused", async () => {
  const { id } = await schedule("store");
  const pause = `/api/v1/tenants/${code}/integration-points/${tenant.points["store"]?.id}/pause`;
  expect((await made.call("admin", "PUT", pause, { isPaused: true })).statusCode).toBe(200);
  await owner.query("update hub.schedule set next_at = clock_timestamp() where tenant_id = $1", [tenant.tenantId]);
  await fireDue(made.deps.pools.worker, tenant.tenantId);
  expect(await call("GET", "runs")).toMatchObject({ items: [{ scheduleId: id }] });
});

test("a poll rests from the page on at which its subtenant's intake is paused, and none is begun until that is over", async () => {
  await placeOrders(130);
  const { id } = await schedule("store");
  const { runId, run, deps, end } = await takeUp(id);
  const setPaused = async (incomingPaused: boolean) => {
    await made.call("admin", "PATCH", `/api/v1/tenants/${code}/subtenants/shop/switches`, { incomingPaused });
    await deps.directory.fresh(tenant.tenantId);
  };
  const send: typeof deps.send = async (...request) => {
    await setPaused(true);
    return deps.send(...request);
  };
  const signal = new AbortController().signal;
  try {
    await expect(poll({ ...deps, send }, run, signal)).rejects.toBeInstanceOf(RunRests);
    const { done } = await getRun(runId);
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(130);
    await owner.query("delete from hub.run where tenant_id = $1 and id = $2", [tenant.tenantId, runId]);
    expect(await call("POST", `schedules/${id}/run`, undefined, 409)).toMatchObject({ reason: "intake-paused" });
    await setPaused(false);
    await call("POST", `schedules/${id}/run`);
  } finally {
    await end();
  }
});

test("the place in the list of a system whose address leads to another one meanwhile is none of that one's", async () => {
  await placeOrders(3);
  const { id } = await schedule("store");
  const { run, deps, end } = await takeUp(id);
  const path = `/api/v1/tenants/${code}/integration-points/${tenant.points["store"]?.id}`;
  const change = { settings: { baseUrl: "https://other.example" }, credentials: { accessToken: "other" }, isAnotherSystem: true };
  const send: typeof deps.send = async (...request) => {
    expect((await made.call("admin", "PATCH", path, change)).statusCode).toBe(200);
    return deps.send(...request);
  };
  try {
    expect(await poll({ ...deps, send }, run, new AbortController().signal)).toMatchObject({ state: "done" });
  } finally {
    await end();
  }
  expect(await call("GET", "schedules")).toMatchObject({ items: [{ id, cursor: null }] });
});

test("nor is a place that comes while the address is just being turned to another system", async () => {
  await placeOrders(3);
  const { id } = await schedule("store");
  const { run, deps, end } = await takeUp(id);
  const holder = await made.pool("owner", 1).connect();
  await holder.query("begin; lock table hub.audit_event in share mode");
  const path = `/api/v1/tenants/${code}/integration-points/${tenant.points["store"]?.id}`;
  const turning = made.call("admin", "PATCH", path, { isAnotherSystem: true });
  try {
    await expect.poll(() => waitingForLocks(owner)).toBe(1);
    const polling = poll(deps, run, new AbortController().signal);
    await expect.poll(() => waitingForLocks(owner)).toBe(2);
    await holder.query("commit");
    expect(await polling).toMatchObject({ state: "done" });
    expect((await turning).statusCode).toBe(200);
  } finally {
    holder.release();
    await end();
  }
  expect(await call("GET", "schedules")).toMatchObject({ items: [{ id, cursor: null }] });
});

test("a poll fails where its point is no source of its type any more, is not begun by hand, and misses nothing once it is again", async () => {
  await start();
  const { id } = await schedule("store");
  const pollAs = async (point: object): Promise<Run> => {
    await call("PATCH", `integration-points/${tenant.points["store"]?.id}`, point);
    await running?.workers.directory.fresh(tenant.tenantId);
    await owner.query("update hub.schedule set next_at = clock_timestamp() where id = $1", [id]);
    await fireDue(made.deps.pools.worker, tenant.tenantId);
    const { items } = await call<{ items: Run[] }>("GET", "runs");
    const runId = items[0]?.id ?? 0;
    await ended(runId);
    return getRun(runId);
  };
  const refused = { state: "failed", done: 0, failure: { reason: "point-no-source-of-type", values: { point: "store" } } };
  await placeOrders(2);
  expect(await pollAs({ sourceTypes: [], targetTypes: ["order"] })).toMatchObject(refused);
  expect(await pollAs({ sourceTypes: ["item"] })).toMatchObject(refused);
  expect(await call("POST", `schedules/${id}/run`, undefined, 409)).toMatchObject({ reason: "point-no-source-of-type" });
  expect(await pollAs({ sourceTypes: ["order"] })).toMatchObject({ state: "done", accepted: 2 });
});

test("a poll whose schedule is removed meanwhile ends, instead of beginning again and again", async () => {
  await placeOrders(130);
  const { id } = await schedule("store");
  const { runId, run, deps, end } = await takeUp(id);
  let asked = 0;
  const send: typeof deps.send = async (...request) => {
    asked += 1;
    if (asked === 1) await made.call("admin", "DELETE", `/api/v1/tenants/${code}/schedules/${id}`);
    if (asked > 3) throw new Error("the source is asked without end");
    return deps.send(...request);
  };
  try {
    const ending = await poll({ ...deps, send }, run, new AbortController().signal);
    expect(ending).toMatchObject({ state: "failed", fault: expect.stringContaining("gone") });
  } finally {
    await end();
  }
  expect(asked).toBe(1);
  expect(await getRun(runId)).toMatchObject({ accepted: 100 });
});

test("a schedule is removed or fired beside its run that takes a page in, and neither waits for the other in a circle", async () => {
  const { id } = await schedule("store");
  await call("POST", `schedules/${id}/run`);
  const { worker } = made.deps.pools;
  const run = await claimRun(worker, tenant.tenantId);
  if (!run) throw new Error("not claimed");
  const takePage = (beside: () => Promise<unknown>) =>
    inTenant(worker, tenant.tenantId, async (client) => {
      await advanceRun(client, run, { done: 1 });
      let isOver = false;
      const other = beside().finally(() => (isOver = true));
      await expect.poll(async () => isOver || (await waitingForLocks(owner)) === 1).toBe(true);
      await client.query("update hub.schedule set cursor = 'x' where tenant_id = $1 and id = $2", [tenant.tenantId, id]);
      return { other };
    });
  await owner.query("update hub.schedule set next_at = clock_timestamp() where tenant_id = $1", [tenant.tenantId]);
  await (
    await takePage(() => fireDue(worker, tenant.tenantId))
  ).other;
  const removal = await takePage(() => made.call("admin", "DELETE", `/api/v1/tenants/${code}/schedules/${id}`));
  expect(await removal.other).toMatchObject({ statusCode: 204 });
  expect(await getRun(run.id)).toMatchObject({ scheduleId: id, done: 2 });
});

test("an object that a source gives again is taken once, and once more when it has changed under the same name", async () => {
  const { id } = await schedule("store");
  const { directory, intake, stop: end } = await startRunWorkers(made.deps);
  const given = async (price: number): Promise<Partial<Run>> => {
    const items = [{ item_id: 1, sku: "A-1", qty_ordered: 1, price }];
    const order = { entity_id: 7, increment_id: "7", created_at: "2026-11-21 08:00:00", updated_at: "2026-11-21 08:00:00" };
    const body = JSON.stringify({ items: [{ ...order, order_currency_code: "SEK", items }], total_count: 1 });
    const { id: runId } = await call<Run>("POST", `schedules/${id}/run`);
    const run = await claimRun(made.deps.pools.worker, tenant.tenantId);
    if (!run) throw new Error("not claimed");
    const send = () => Promise.resolve({ status: 200, headers: {}, body, conceal: (text: string) => text });
    const { state, fault } = await poll({ pools: made.deps.pools, directory, intake, send }, run, new AbortController().signal);
    await finishRun(made.deps.pools.worker, run, state, fault);
    return getRun(runId);
  };
  try {
    expect(await given(10)).toMatchObject({ state: "done", accepted: 1 });
    expect(await given(10)).toMatchObject({ state: "done", accepted: 0 });
    // A second change within the second that the source tells times by.
    expect(await given(12)).toMatchObject({ state: "done", accepted: 1 });
    expect(await given(12)).toMatchObject({ state: "done", accepted: 0 });
  } finally {
    await end();
  }
  const { rows } = await owner.query("select count(*)::int as count from hub.external_message where tenant_id = $1", [tenant.tenantId]);
  expect(rows).toEqual([{ count: 2 }]);
});

test("schedules are refused where they make no sense", async () => {
  await schedule("store");
  await schedule("store", { everySeconds: 60 }, 409);
  await schedule("target", { everySeconds: 60 }, 409);
  await schedule("silent", { everySeconds: 60 }, 409);
  for (const cron of ["* * * * * *", "daily", ""]) expect(await schedule("locked", { cron }, 400)).toMatchObject({ reason: "cron-fields" });
  await schedule("locked", { cron: "0 6 * * *", everySeconds: 60 }, 400);
  await schedule("locked", {}, 400);
  expect((await call<{ items: Schedule[] }>("GET", "schedules")).items).toHaveLength(1);
});

test("a schedule's time is changed, it begins from the start, and its history outlives it", async () => {
  const { id } = await schedule("store", { cron: "0 6 * * *" });
  await owner.query("update hub.schedule set cursor = 'x' where tenant_id = $1", [tenant.tenantId]);
  expect(await call("PATCH", `schedules/${id}`, { everySeconds: 30, isActive: false })).toMatchObject({
    cron: null,
    everySeconds: 30,
    isActive: false,
    cursor: "x",
  });
  expect(await call("PATCH", `schedules/${id}`, { fromStart: true, isActive: true })).toMatchObject({ everySeconds: 30, cursor: null });
  const run = await call<Run>("POST", `schedules/${id}/run`);
  const answer = await made.call("admin", "DELETE", `/api/v1/tenants/${code}/schedules/${id}`);
  expect(answer.statusCode).toBe(204);
  expect(await getRun(run.id)).toMatchObject({ scheduleId: id });
});

test("a removed schedule is as good as gone, and restored it goes on from its place, at its next time, as it was", async () => {
  const stored = await schedule("store", { cron: "0 6 * * *" });
  const { id } = stored;
  await owner.query("update hub.schedule set cursor = 'x', next_at = clock_timestamp() where tenant_id = $1", [tenant.tenantId]);
  await call("POST", `schedules/${id}/restore`, {}, 404);
  expect(await remove(id)).toBe(204);
  expect(await call("GET", "schedules")).toEqual({ items: [] });
  await call("PATCH", `schedules/${id}`, { isActive: true }, 404);
  await call("POST", `schedules/${id}/run`, undefined, 404);
  expect(await remove(id)).toBe(404);
  const { worker } = made.deps.pools;
  await fireDue(worker, tenant.tenantId);
  expect((await worker.query("select from hub.tenants_with_runs() id where id = $1", [tenant.tenantId])).rowCount).toBe(0);
  expect(await call<Schedule>("POST", `schedules/${id}/restore`)).toEqual({ ...stored, cursor: "x", version: stored.version + 1 });
  await fireDue(worker, tenant.tenantId);
  expect(await call("GET", "runs")).toMatchObject({ items: [] });
});

test("a removed schedule is not restored beside another one that does the same", async () => {
  const { id } = await schedule("store");
  expect(await remove(id)).toBe(204);
  await schedule("store");
  await call("POST", `schedules/${id}/restore`, undefined, 409);
});

test("a schedule that was changed meanwhile is not overwritten, and firing it is no change", async () => {
  const { id, version } = await schedule("store");
  const path = `/api/v1/tenants/${code}/schedules/${id}`;
  const edit = (body: object, headers = {}) => made.call("admin", "PATCH", path, body, headers);
  await owner.query("update hub.schedule set next_at = clock_timestamp() where tenant_id = $1", [tenant.tenantId]);
  await fireDue(made.deps.pools.worker, tenant.tenantId);
  const first = await edit({ everySeconds: 60 }, { "if-match": `"${version}"` });
  expect(first.headers.etag).toBe(`"${version + 1}"`);
  const second = await edit({ isActive: false }, { "if-match": `"${version}"` });
  expect(second.json()).toMatchObject({ status: 412, code: "version-changed" });
  const { items } = await call<{ items: Schedule[] }>("GET", "schedules");
  expect(items).toMatchObject([{ everySeconds: 60, isActive: true, version: version + 1 }]);
  // Without If-Match the last writer wins.
  expect((await edit({ isActive: false })).json()).toMatchObject({ everySeconds: 60, isActive: false, version: version + 2 });
});

test("a tenant whose schedules can't be fired keeps those of no other waiting", async () => {
  const broken = tenant.tenantId;
  await schedule("store");
  tenants += 1;
  code = `polled-${tenants}`;
  const settings = { baseUrl: `${sandbox.url}/magento/${code}` };
  tenant = await makeTenant(made.deps, made.ownerUrl, code, [{ connector: "magento", code: "store", sourceTypes: ["order"], settings }]);
  const { id } = await schedule("store");
  await owner.query(`
    update hub.schedule set next_at = now();
    create function hub.refuse() returns trigger language plpgsql as 'begin raise ''broken''; end';
    create trigger refuse before insert on hub.run for each row when (new.tenant_id = ${broken}) execute function hub.refuse()`);
  const workers = await startRunWorkers(made.deps);
  try {
    const fire = workers.chores.find(({ name }) => name === "fire schedules");
    await expect(fire?.run(new AbortController().signal)).rejects.toThrow("failed");
  } finally {
    await workers.stop();
    await owner.query("drop function hub.refuse cascade");
  }
  expect(await call<{ items: Run[] }>("GET", "runs")).toMatchObject({ items: [{ scheduleId: id }] });
});
