import { claim, publish, requeueDead, settle, type NewMessage, type Outcome } from "@crossdock/queue";
import { jobStatesMax, type Job, type JobItem, type JobStates } from "@crossdock/contract";
import type pg from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { inTenant } from "../db.ts";
import { noteActions } from "../messages/actions.ts";
import { testApp, waitingForLocks, type TestApp } from "../testing/test-app.ts";
import { pruneJobs } from "./pruning.ts";
import { createJobRunner, runBatch } from "./runner.ts";
import { endAll, failure, jobCalls, makeDue } from "./testing.ts";

const tenantId = 1001;
const base = "/api/v1/tenants/acme";

let made: TestApp;
let owner: pg.Pool;
let queues: { order: number; item: number };
let keys = 0;

beforeAll(async () => {
  made = await testApp();
  owner = made.pool("owner", 2);
  const point = { subtenantCode: "shop", connector: "centra", code: "jobs", name: "Jobs", deliveryMode: "pull" };
  const settings = { url: "https://shop.example" };
  await made.call("admin", "POST", `${base}/integration-points`, { ...point, targetTypes: ["item", "order"], settings });
  const { rows } = await inTenant(made.deps.pools.app, tenantId, (client) =>
    client.query<{ id: number; name: string }>("select id, name from queue.queue where tenant_id = $1", [tenantId]),
  );
  const idOf = (name: string) => rows.find((row) => row.name === name)?.id ?? 0;
  queues = { order: idOf("centra.order"), item: idOf("centra.item") };
});
afterAll(() => made.close());

let prefix = "";
beforeEach(async () => {
  prefix = `t${++keys}-`;
  await endAll(owner);
});

function messages(count: number, entityType: keyof typeof queues = "order"): NewMessage[] {
  return Array.from({ length: count }, (_, index) => ({
    tenantId,
    queueId: queues[entityType],
    subtenantId: 1101,
    key: `${prefix}${index}`,
    entityType,
    document: JSON.stringify({ index }),
  }));
}

const put = (list: NewMessage[]) => inTenant(made.deps.pools.app, tenantId, (client) => publish(client, list));

/** Takes what waits and ends it as told. */
async function end(entityType: keyof typeof queues, outcome: Outcome, max = 10_000): Promise<void> {
  await inTenant(made.deps.pools.app, tenantId, async (client) => {
    const leases = await claim(client, { tenantId, queueId: queues[entityType], max, leaseSeconds: 60 });
    for (const { leaseToken } of leases) await settle(client, { tenantId, leaseToken, outcome });
  });
}

const kill = (entityType: keyof typeof queues) => end(entityType, { kind: "dead", attempt: failure });
const delivered: Outcome = { kind: "delivered", attempt: { durationMs: 1 } };

type Filter = Record<string, unknown>;

const { get, post, start, read, itemsOf, countIn } = jobCalls({ made: () => made, base: () => base, reader: "viewer" });
const create = (kind: Job["kind"], filter: Filter = {}) =>
  post<Job>("/jobs", { kind, selection: { filter: { keyPrefix: prefix, ...filter } } });
const countOf = (state: string) => countIn(prefix, state);

/** Runs everything that may run. */
const work = () => createJobRunner(made.deps.pools.worker, pino({ level: "silent" }))(new AbortController().signal);

test("a job does to exactly the messages that were counted what was confirmed, and tells of each", async () => {
  await put(messages(1200));
  const job = await create("remove");
  expect(job).toMatchObject({ state: "ready", total: 1200, done: 0, mustConfirm: true, createdByName: "Uli" });
  expect(await countOf("removed")).toBe(0);
  await start(job);
  await work();
  expect(await read(job)).toMatchObject({ state: "done", done: 1200, skipped: 0, failed: 0, canUndo: true, reason: "a test" });
  expect(await countOf("removed")).toBe(1200);
  expect(await itemsOf(job, "done")).toHaveLength(500);
  expect((await itemsOf(job))[0]).toEqual(expect.objectContaining({ key: `${prefix}0`, queueName: "centra.order", outcome: "done" }));
  // Each message tells who removed it.
  const sql = "select verb, actor_name, count(*)::int from hub.message_action where tenant_id = $1 group by 1, 2";
  expect((await owner.query(sql, [tenantId])).rows).toEqual([{ verb: "remove", actor_name: "Uli", count: 1200 }]);
});

test("a job goes on when the database's clock has been set back", async () => {
  await put(messages(1));
  const job = await create("remove");
  await start(job);
  await owner.query("update hub.job set next_at = clock_timestamp() + interval '2 hours' where state = 'running'");
  await work();
  expect(await read(job)).toMatchObject({ state: "done", done: 1 });
});

test("of what a job requeued it is told how much has arrived since and which died again", async () => {
  await put(messages(6));
  await kill("order");
  const job = await create("requeue", { state: ["dead"] });
  await end("order", delivered);
  await start(job);
  await work();
  const states = () => get<JobStates>(`/jobs/${job.id}/states`);
  const inState = async (state: string) =>
    (await get<{ items: JobItem[] }>(`/jobs/${job.id}/items?state=${state}`)).items.map(({ key }) => key);
  expect(await states()).toEqual({ counts: [{ state: "ready", count: 6 }], counted: 6, isExact: true });
  await end("order", delivered, 4);
  await kill("order");
  expect(await states()).toEqual({
    counts: [
      { state: "dead", count: 2 },
      { state: "delivered", count: 4 },
    ],
    counted: 6,
    isExact: true,
  });
  expect(await inState("dead")).toEqual([`${prefix}4`, `${prefix}5`]);
  expect(await inState("delivered")).toHaveLength(4);
  expect(await inState("parked")).toEqual([]);
});

test("of a job with very many messages the first ones are counted, as at least so many", async () => {
  await put(messages(jobStatesMax + 1));
  const job = await create("remove");
  await start(job);
  await work();
  expect(await get(`/jobs/${job.id}/states`)).toEqual({
    counts: [{ state: "removed", count: jobStatesMax }],
    counted: jobStatesMax,
    isExact: false,
  });
});

test("what comes after the count is not touched", async () => {
  await put(messages(30));
  const job = await create("remove");
  await put(messages(30));
  await start(job);
  await put(messages(30));
  await work();
  expect(await read(job)).toMatchObject({ total: 30, done: 30 });
  expect([await countOf("removed"), await countOf("ready")]).toEqual([30, 60]);
});

test("what moved on since the count is skipped, with the state it was found in", async () => {
  await put(messages(5));
  const job = await create("remove");
  await end("order", delivered, 2);
  await start(job);
  await work();
  expect(await read(job)).toMatchObject({ done: 3, skipped: 2 });
  expect((await itemsOf(job, "skipped")).map(({ foundIn }) => foundIn)).toEqual(["delivered", "delivered"]);
});

test("a job goes by a list of keys", async () => {
  const given = messages(4);
  await put(given);
  const job = await create("remove", { key: [...given.slice(0, 2).map(({ key }) => key), "none"] });
  expect(job).toMatchObject({ total: 2 });
  await start(job);
  await work();
  expect([await countOf("removed"), await countOf("ready")]).toEqual([2, 2]);
});

test("rows taken out of the selection stay", async () => {
  const [spared = ""] = await put(messages(4));
  const job = await post<Job>("/jobs", { kind: "remove", selection: { filter: { keyPrefix: prefix }, except: [spared] } });
  await start(job);
  await work();
  expect([await countOf("removed"), await countOf("ready")]).toEqual([3, 1]);
});

test("a job tells in which queues its messages are and what they had to match, but not what was looked for in documents", async () => {
  await put(messages(3));
  const queueIds = Object.values(queues);
  const wide = await create("remove", {
    queueId: queueIds,
    state: ["ready", "dead"],
    subtenant: "main",
    payload: '$.email = "eva@example.com"',
  });
  expect((await read(wide)).filter).toEqual({ keyPrefix: prefix, state: "ready, dead", subtenant: "main", payload: "•••" });
  const [first = ""] = await put(messages(1));
  const named = await post<Job>("/jobs", { kind: "remove", selection: { ids: [first] } });
  expect(await read(named)).toMatchObject({ filter: null, queueNames: ["centra.order"] });
  await start(named);
  await work();
  const undo = await post<Job>(`/jobs/${named.id}/undo`);
  expect(undo).toMatchObject({ filter: null, queueNames: ["centra.order"] });
});

test("Undo brings back what the job removed, and leaves what somebody else removed since", async () => {
  const ids = await put(messages(7));
  const byHand = ids.slice(0, 1);
  const job = await create("remove");
  await start(job);
  await work();
  await post("/messages/restore", { ids: byHand });
  await post("/messages/remove", { ids: byHand });
  const undo = await post<Job>(`/jobs/${job.id}/undo`);
  expect(undo).toMatchObject({ kind: "restore", state: "running", total: 7, undoOf: job.id });
  await work();
  expect(await read(undo)).toMatchObject({ state: "done", done: 6, skipped: 1 });
  expect([await countOf("removed"), await countOf("ready")]).toEqual([1, 6]);
  expect(await read(job)).toMatchObject({ canUndo: false, undoneBy: undo.id });
  expect(await post<Job>(`/jobs/${job.id}/undo`)).toMatchObject({ id: undo.id });
});

test("Undo of a removal leaves out orders that a later one has passed meanwhile, and tells so", async () => {
  const passed = await put(messages(2));
  const job = await create("remove");
  await start(job);
  await work();
  await put(messages(1));
  await end("order", delivered);
  const undo = await post<Job>(`/jobs/${job.id}/undo`);
  await work();
  expect(await read(undo)).toMatchObject({ state: "done", done: 1, skipped: 1 });
  expect(await itemsOf(undo, "skipped")).toEqual([expect.objectContaining({ messageId: passed[0], foundIn: "superseded" })]);
  expect([await countOf("superseded"), await countOf("ready")]).toEqual([1, 1]);
});

test("what a job restored can be removed again by its Undo, and nothing else of the filter", async () => {
  await put(messages(3));
  await start(await create("remove"));
  await work();
  const restoring = await create("restore");
  await start(restoring);
  await work();
  await put(messages(2));
  await post(`/jobs/${restoring.id}/undo`);
  await work();
  expect([await countOf("removed"), await countOf("ready")]).toEqual([3, 2]);
});

async function restoreDead(count: number): Promise<{ ids: string[]; restoring: Job }> {
  const ids = await put(messages(count));
  await kill("order");
  await start(await create("remove"));
  await work();
  const restoring = await create("restore");
  await start(restoring);
  await work();
  return { ids, restoring };
}

test("Undo of a restore leaves what somebody has requeued or restored anew since, and tells where it is", async () => {
  const { ids, restoring } = await restoreDead(5);
  const [requeued = "", anew = ""] = ids;
  await post("/dead-letters/requeue", { ids: [requeued] });
  await post("/messages/remove", { ids: [anew] });
  await post("/messages/restore", { ids: [anew] });
  const undo = await post<Job>(`/jobs/${restoring.id}/undo`);
  await work();
  expect(await read(undo)).toMatchObject({ state: "done", done: 3, skipped: 2 });
  expect((await itemsOf(undo, "skipped")).map(({ messageId, foundIn }) => [messageId, foundIn])).toEqual([
    [requeued, "ready"],
    [anew, "dead"],
  ]);
  expect(await countOf("removed")).toBe(3);
});

test("Undo of a restore waits for who is just requeueing, and leaves that message", async () => {
  const { ids, restoring } = await restoreDead(2);
  const messageIds = ids.slice(0, 1);
  const undo = await post<Job>(`/jobs/${restoring.id}/undo`);
  let undoing = Promise.resolve<unknown>(undefined);
  await inTenant(made.deps.pools.app, tenantId, async (client) => {
    await requeueDead(client, { tenantId, messageIds });
    undoing = runBatch(made.deps.pools.worker, tenantId);
    await expect.poll(() => waitingForLocks(owner)).toBe(1);
    await noteActions(client, tenantId, { ids: messageIds, verb: "requeue", by: "Bo" });
  });
  await undoing;
  expect(await read(undo)).toMatchObject({ state: "done", done: 1, skipped: 1 });
  expect([await countOf("removed"), await countOf("ready")]).toEqual([1, 1]);
});

test("requeue: dead letters become ready in order; one that newer data overtook is told as superseded and stays settled", async () => {
  const orders = await put(messages(3));
  await kill("order");
  const [oldPrice = ""] = await put(messages(1, "item"));
  await kill("item");
  const job = await create("requeue");
  expect(job).toMatchObject({ total: 4 });
  // Newer data for the same object, delivered meanwhile: the engine settles the dead one itself.
  await put(messages(1, "item"));
  await end("item", delivered);
  await start(job);
  await work();
  expect(await read(job)).toMatchObject({ done: 3, skipped: 1 });
  expect(await itemsOf(job, "skipped")).toEqual([expect.objectContaining({ messageId: oldPrice, foundIn: "superseded" })]);
  expect((await itemsOf(job, "done")).map(({ messageId }) => messageId)).toEqual(orders);
  expect(await countOf("dead")).toBe(0);
});

test("retry now: all that wait for their next attempt are ready", async () => {
  await put(messages(6));
  await end("order", { kind: "retry", retryAfterMs: 3_600_000, attempt: failure });
  const job = await create("retry-now");
  await start(job);
  await work();
  expect(await read(job)).toMatchObject({ state: "done", total: 6, done: 6, canUndo: false });
  expect([await countOf("retrying"), await countOf("ready")]).toEqual([0, 6]);
  expect((await made.call("user", "POST", `${base}/jobs/${job.id}/undo`)).json()).toMatchObject({ status: 409, code: "conflict" });
});

test("one error's dead letters are removed as dead letters: what was requeued meanwhile stays", async () => {
  const [requeued = ""] = await put(messages(3));
  await kill("order");
  const job = await create("remove", { fingerprint: "f-1" });
  await post("/dead-letters/requeue", { ids: [requeued] });
  await start(job);
  await work();
  expect(await read(job)).toMatchObject({ total: 3, done: 2, skipped: 1 });
  expect([await countOf("removed"), await countOf("ready")]).toEqual([2, 1]);
});

test("a cause chooses its own messages alone: its dead letters, or those in the states named with it, as in the lists", async () => {
  await put(messages(4));
  await end("order", { kind: "dead", attempt: failure }, 1);
  await end("order", { kind: "dead", attempt: { durationMs: 1, error: { ...failure.error, fingerprint: "f-2" } } }, 1);
  await end("order", { kind: "retry", attempt: failure, retryAfterMs: 3_600_000 }, 1);
  for (const [filter, total] of [
    [{ fingerprint: "f-1" }, 1],
    [{ fingerprint: "f-1", state: ["retrying"] }, 1],
    [{ fingerprint: "f-1", state: ["dead", "retrying"] }, 2],
    [{ fingerprint: "f-1", state: ["ready"] }, 0],
    [{ fingerprint: "unheard of" }, 0],
  ] as const) {
    const query = new URLSearchParams([
      ["fingerprint", filter.fingerprint],
      ...("state" in filter ? filter.state.map((state) => ["state", state]) : []),
    ]);
    expect({ filter, count: (await get<{ count: number }>(`/message-count?keyPrefix=${prefix}&${query.toString()}`)).count }).toEqual({
      filter,
      count: total,
    });
    expect({ filter, total: (await create("remove", filter)).total }).toEqual({ filter, total });
  }
  const [wanted, other] = [
    await create("remove", { fingerprint: "f-1", state: ["retrying"] }),
    await create("retry-now", { fingerprint: "f-1" }),
  ];
  await start(wanted);
  await work();
  expect(await countOf("removed")).toBe(1);
  expect([await countOf("retrying"), await countOf("dead"), other.total]).toEqual([0, 2, 0]);
});

test("a requeue puts no more before a target than it takes in two seconds, and says how long it will take", async () => {
  await put(messages(50));
  await kill("order");
  await rate(5);
  const job = await create("requeue");
  expect(job).toMatchObject({ total: 50, perSecond: 5, secondsLeft: 10 });
  await start(job);
  expect(await runBatch(made.deps.pools.worker, tenantId)).toBe("more");
  expect(await runBatch(made.deps.pools.worker, tenantId)).toBe("none");
  expect(await countOf("ready")).toBe(10);
  await makeDue(owner);
  await runBatch(made.deps.pools.worker, tenantId, { size: 500 });
  expect([await countOf("ready"), await countOf("dead")]).toEqual([10, 40]);
  await end("order", delivered, 4);
  await makeDue(owner);
  await runBatch(made.deps.pools.worker, tenantId, { size: 500 });
  expect([await countOf("ready"), await countOf("dead")]).toEqual([10, 36]);
  expect((await read(job)).secondsLeft).toBeGreaterThan(0);
  await rate(null);
  await makeDue(owner);
  await work();
  expect(await read(job)).toMatchObject({ state: "done", done: 50 });
});

const rate = (perSecond: number | null) => owner.query("update queue.target set rate_per_second = $1", [perSecond]);
test("a paused job stands still, goes on where it was, and a cancelled one keeps what was done", async () => {
  await put(messages(1100));
  const job = await create("remove");
  await start(job);
  await runBatch(made.deps.pools.worker, tenantId, { size: 500 });
  expect(await post<Job>(`/jobs/${job.id}/pause`)).toMatchObject({ state: "paused", done: 500 });
  await work();
  expect(await read(job)).toMatchObject({ state: "paused", done: 500 });
  await post(`/jobs/${job.id}/resume`);
  await runBatch(made.deps.pools.worker, tenantId, { size: 500 });
  await post(`/jobs/${job.id}/cancel`);
  await work();
  expect(await read(job)).toMatchObject({ state: "cancelled", done: 1000, canUndo: true });
  expect([await countOf("removed"), await countOf("ready")]).toEqual([1000, 100]);
  await post(`/jobs/${job.id}/undo`);
  await work();
  expect([await countOf("removed"), await countOf("ready")]).toEqual([0, 1100]);
});

test("a cancelled job goes on where it was, unless nothing is left of it, or it was taken back or never started", async () => {
  await put(messages(1100));
  const job = await create("remove");
  const statusOf = async ({ id }: Job) => (await made.call("user", "POST", `${base}/jobs/${id}/resume`)).statusCode;
  await start(job);
  await runBatch(made.deps.pools.worker, tenantId, { size: 500 });
  expect(await post<Job>(`/jobs/${job.id}/cancel`)).toMatchObject({ state: "cancelled", canResume: true });
  expect(await post<Job>(`/jobs/${job.id}/resume`)).toMatchObject({ state: "running", done: 500, finishedAt: null, canResume: false });
  await work();
  expect(await read(job)).toMatchObject({ state: "done", done: 1100, canResume: false });
  expect(await statusOf(job)).toBe(409);

  const undo = await post<Job>(`/jobs/${job.id}/undo`);
  expect(await post<Job>(`/jobs/${undo.id}/cancel`)).toMatchObject({ state: "cancelled", canResume: false });
  expect(await statusOf(undo)).toBe(409);
  await post(`/jobs/${job.id}/undo`);
  await work();

  const taken = await create("remove");
  await start(taken);
  await runBatch(made.deps.pools.worker, tenantId, { size: 500 });
  await post(`/jobs/${taken.id}/cancel`);
  await post(`/jobs/${taken.id}/undo`);
  expect(await read(taken)).toMatchObject({ canResume: false });
  expect(await statusOf(taken)).toBe(409);
  await work();

  const unstarted = await create("remove");
  expect(await post<Job>(`/jobs/${unstarted.id}/cancel`)).toMatchObject({ canResume: false });
  expect(await statusOf(unstarted)).toBe(409);
  expect([await countOf("removed"), await countOf("ready")]).toEqual([0, 1100]);
});

test("of two operators at one job the second is told who was faster and where it is now", async () => {
  await put(messages(2));
  const job = await create("remove");
  await start(job);
  const both = await Promise.all(
    (["user", "admin"] as const).map((account) => made.call(account, "POST", `${base}/jobs/${job.id}/cancel`)),
  );
  const done = both.find(({ statusCode }) => statusCode === 200)?.json<Job>();
  expect(done).toMatchObject({ state: "cancelled", stateBy: expect.any(String) });
  const late = both.find(({ statusCode }) => statusCode === 409)?.json<{ detail: string; current: object }>();
  expect(late).toMatchObject({ current: { state: "cancelled", stateBy: done?.stateBy } });
  expect(late?.detail).toContain(done?.stateBy);
});

test("several runners at once do each item once", async () => {
  await put(messages(3000));
  const job = await create("remove");
  await start(job);
  await Promise.all([work(), work(), work()]);
  // Each left when the others had the job in hand; the last batch may still be one's alone.
  await work();
  expect(await read(job)).toMatchObject({ state: "done", done: 3000, skipped: 0 });
  expect(await countOf("removed")).toBe(3000);
});

async function confirm({ id, total }: Job, body: object): Promise<number> {
  return (await made.call("user", "POST", `${base}/jobs/${id}/start`, { total, ...body })).statusCode;
}

test("a large job is confirmed by its count, the tenant's code and a reason; so is one of everything", async () => {
  await put(messages(101));
  const job = await create("remove");
  expect(await confirm(job, {})).toBe(400);
  expect(await confirm(job, { confirmation: "other", reason: "a test" })).toBe(400);
  expect(await confirm(job, { confirmation: "acme" })).toBe(400);
  expect(await confirm(job, { confirmation: "acme", reason: "a test", total: 100 })).toBe(409);
  expect(await read(job)).toMatchObject({ state: "ready" });
  expect(await confirm(job, { confirmation: "acme", reason: "a test" })).toBe(200);
  expect(await confirm(job, { confirmation: "acme", reason: "a test" })).toBe(409);
  const small = await post<Job>("/jobs", { kind: "retry-now", selection: { filter: { state: ["retrying"] } } });
  expect(small).toMatchObject({ mustConfirm: true });
  const named = await create("remove", { key: `${prefix}1` });
  expect(named).toMatchObject({ total: 1, mustConfirm: false });
  expect(await confirm(named, {})).toBe(200);
  await work();
});

test("a job without messages is not started, and one that is over not ended again", async () => {
  const job = await create("remove");
  expect(job).toMatchObject({ total: 0 });
  expect((await made.call("user", "POST", `${base}/jobs/${job.id}/start`, { total: 0 })).statusCode).toBe(409);
  await post(`/jobs/${job.id}/cancel`);
  expect((await made.call("user", "POST", `${base}/jobs/${job.id}/cancel`)).statusCode).toBe(409);
});

test("a viewer sees jobs and starts none; another tenant's are as good as none", async () => {
  await put(messages(1));
  const job = await create("remove");
  expect((await made.call("viewer", "POST", `${base}/jobs`, { kind: "remove", selection: { filter: {} } })).statusCode).toBe(403);
  expect((await made.call("viewer", "POST", `${base}/jobs/${job.id}/start`, { total: 1 })).statusCode).toBe(403);
  expect((await made.call("stranger", "GET", `/api/v1/tenants/other/jobs/${job.id}`)).statusCode).toBe(404);
  expect((await made.call("stranger", "POST", `/api/v1/tenants/other/jobs/${job.id}/start`, { total: 1 })).statusCode).toBe(404);
  const [foreign = ""] = await put(messages(1));
  const elsewhere = { kind: "remove", selection: { ids: [foreign] } };
  expect((await made.call("stranger", "POST", "/api/v1/tenants/other/jobs", elsewhere)).json()).toMatchObject({ total: 0 });
});

const age = (job: Job, interval: string) =>
  owner.query(
    `update hub.job set created_at = created_at - $3::interval, finished_at = finished_at - $3::interval where tenant_id = $1 and id = $2`,
    [tenantId, job.id, interval],
  );

/** What `ask` is answered while the job's items are being forgotten. */
async function whileForgotten<Answer>(job: Job, ask: () => Promise<Answer>): Promise<Answer> {
  const holder = await owner.connect();
  await holder.query("begin");
  await holder.query("select from hub.job_item where tenant_id = $1 and job_id = $2 for update", [tenantId, job.id]);
  const pruning = pruneJobs(made.deps.pools.worker, 30);
  await expect.poll(() => waitingForLocks(owner)).toBe(1);
  const answer = await ask();
  await holder.query("rollback");
  holder.release();
  await pruning;
  return answer;
}

const postTo = (job: Job, verb: string, body = {}) => made.call("user", "POST", `${base}/jobs/${job.id}/${verb}`, body);

test("a job that is forgotten as nobody started it can't be started meanwhile", async () => {
  await put(messages(1));
  await kill("order");
  const job = await create("requeue");
  await age(job, "2 hours");
  const started = await whileForgotten(job, () => postTo(job, "start", { total: 1, confirmation: "acme", reason: "a test" }));
  expect(started.statusCode).toBe(409);
  expect((await made.call("user", "GET", `${base}/jobs/${job.id}`)).statusCode).toBe(404);
});

test("a job that is forgotten as it ended long ago can't be resumed or taken back meanwhile", async () => {
  await put(messages(2));
  const job = await create("remove");
  await start(job);
  await runBatch(made.deps.pools.worker, tenantId, { size: 1 });
  await post(`/jobs/${job.id}/cancel`);
  expect(await read(job)).toMatchObject({ canResume: true, canUndo: true });
  await age(job, "31 days");
  const answers = await whileForgotten(job, async () => [await postTo(job, "resume"), await postTo(job, "undo")]);
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([409, 409]);
  expect((await made.call("user", "GET", `${base}/jobs/${job.id}`)).statusCode).toBe(404);
});

test("a job stands as long as the one that takes it back, which restores nothing but what that job removed", async () => {
  const [byHand = ""] = await put(messages(2));
  const job = await create("remove");
  await start(job);
  await work();
  await post("/messages/restore", { ids: [byHand] });
  await post("/messages/remove", { ids: [byHand] });
  await age(job, "31 days");
  const undo = await post<Job>(`/jobs/${job.id}/undo`);
  await pruneJobs(made.deps.pools.worker, 30);
  await work();
  expect(await read(undo)).toMatchObject({ done: 1, skipped: 1 });
  await age(undo, "31 days");
  await pruneJobs(made.deps.pools.worker, 30);
  for (const { id } of [job, undo]) expect((await made.call("user", "GET", `${base}/jobs/${id}`)).statusCode).toBe(404);
});

test("a batch that cannot be carried out is tried again after a pause, and the job stops when it never can", async () => {
  await put(messages(3));
  const job = await create("remove");
  await start(job);
  await owner.query("revoke insert on queue.removed from crossdock_worker");
  try {
    for (let fault = 0; fault < 8; fault++) {
      await makeDue(owner);
      await expect(runBatch(made.deps.pools.worker, tenantId)).rejects.toThrow("permission denied");
    }
  } finally {
    await owner.query("grant insert on queue.removed to crossdock_worker");
  }
  expect(await read(job)).toMatchObject({ state: "stopped", done: 0, fault: expect.stringContaining("permission denied") });
  await post(`/jobs/${job.id}/resume`);
  await work();
  expect(await read(job)).toMatchObject({ state: "done", done: 3, fault: null });
});

test("a batch that failed says why, also where its job cannot be told", async () => {
  await put(messages(1));
  await start(await create("remove"));
  await owner.query("revoke insert on queue.removed from crossdock_worker");
  await owner.query("alter table hub.job add constraint no_faults check (faults = 0)");
  try {
    await expect(runBatch(made.deps.pools.worker, tenantId)).rejects.toMatchObject({
      cause: { message: expect.stringContaining("permission denied") },
      errors: [{ message: expect.stringContaining("no_faults") }],
    });
  } finally {
    await owner.query("alter table hub.job drop constraint no_faults");
    await owner.query("grant insert on queue.removed to crossdock_worker");
  }
});
