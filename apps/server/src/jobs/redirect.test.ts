import type { Job, RedirectCounts, RedirectedMessage } from "@crossdock/contract";
import { claim, publish, replaceMessage, requeueDead, retryNow, settle, type NewMessage } from "@crossdock/queue";
import pg from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { inTenant } from "../db.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";
import { pruneJobs } from "./pruning.ts";
import { followersSql } from "./redirecting.ts";
import { createJobRunner, runBatch } from "./runner.ts";
import { dyingPool, endAll, failure, jobCalls, makeDue } from "./testing.ts";

const tenantId = 1001;
const base = "/api/v1/tenants/acme";

let made: TestApp;
let owner: pg.Pool;
/** By integration point and entity type. */
let queues: Record<string, number>;
let otherShopId = 0;
let prefix = "";
let runs = 0;

beforeAll(async () => {
  made = await testApp();
  owner = made.pool("owner", 1);
  await made.call("admin", "POST", `${base}/subtenants`, { code: "other-shop", name: "Other" });
  for (const [code, more] of Object.entries({
    old: {},
    new: {},
    trial: { environment: "development" },
    foreign: { subtenantCode: "other-shop" },
    mapped: { connector: "sitoo", deliveryMode: "push" },
    fetching: { connector: "sitoo" },
  })) {
    const point = {
      subtenantCode: "shop",
      connector: "centra",
      code,
      name: code,
      deliveryMode: "pull",
      sourceTypes: ["order", "price"],
      targetTypes: ["order", "price"],
    };
    const answer = await made.call("admin", "POST", `${base}/integration-points`, {
      ...point,
      settings: { url: "https://shop.example" },
      ...more,
    });
    if (answer.statusCode !== 201) throw new Error(answer.body);
  }
  await made.call("admin", "POST", `${base}/mappings`, {
    fieldName: "currency",
    source: "*",
    sourceValue: "GBP",
    target: "sitoo",
    targetValue: "pounds",
  });
  const { rows } = await owner.query<{ id: number; name: string }>(
    `select queue.id, point.code || '.' || split_part(queue.name, '.', -1) as name from queue.queue
       join hub.integration_point point on point.tenant_id = queue.tenant_id and point.id = queue.target_id where queue.tenant_id = $1`,
    [tenantId],
  );
  const subtenant = "select id from hub.subtenant where tenant_id = $1 and code = 'other-shop'";
  otherShopId = (await owner.query<{ id: number }>(subtenant, [tenantId])).rows[0]?.id ?? 0;
  queues = Object.fromEntries(rows.map(({ id, name }) => [name, id]));
});
afterAll(() => made.close());
beforeEach(async () => {
  prefix = `r${++runs}-`;
  await endAll(owner);
});

const queueOf = (name: string): number => queues[name] ?? 0;

function message(key: string, more: Partial<NewMessage> = {}): NewMessage {
  const document = JSON.stringify({ orderNumber: prefix + key, currency: "GBP" });
  return { tenantId, queueId: queueOf("old.order"), subtenantId: 1101, key: prefix + key, entityType: "order", document, ...more };
}
const price = (key: string, more: Partial<NewMessage> = {}): NewMessage =>
  message(key, { queueId: queueOf("old.price"), entityType: "price", ...more });

const changed = (key: string, change: string) => message(key, { document: JSON.stringify({ change }) });

const put = (list: NewMessage[]) => inTenant(made.deps.pools.app, tenantId, (client) => publish(client, list));

/** The target takes or refuses what waits, `max` messages at most where that is given: their keys with the documents' change, in order. */
async function take(queueName: string, kind: "delivered" | "dead" = "delivered", max?: number): Promise<string[]> {
  return inTenant(made.deps.pools.app, tenantId, async (client) => {
    const taken: string[] = [];
    for (;;) {
      const leases = await claim(client, { tenantId, queueId: queueOf(queueName), max: max ?? 10_000, leaseSeconds: 60 });
      for (const { leaseToken, key, document } of leases) {
        taken.push(`${key}${(JSON.parse(document) as { change?: string }).change ?? ""}`.slice(prefix.length));
        const attempt = kind === "dead" ? failure : { durationMs: 1 };
        await settle(client, { tenantId, leaseToken, outcome: { kind, attempt } });
      }
      if (leases.length === 0 || max !== undefined) return taken;
    }
  });
}

const { get, post, read, itemsOf, ...calls } = jobCalls({ made: () => made, base: () => base, reader: "user" });
const create = (to: string, more: object = {}) =>
  post<Job>("/jobs", { kind: "redirect", queueId: queueOf(to), selection: { filter: { keyPrefix: prefix } }, ...more });
const start = (job: Job) => calls.start(job, "The shop has moved");
const countOf = (state: string) => calls.countIn(prefix, state);

const replaying = () => ({ directory: made.parts.directory, intake: made.parts.intake });
const work = async () => {
  await makeDue(owner);
  const { pools } = made.deps;
  await createJobRunner(pools.worker, pino({ level: "silent" }), { ...replaying(), pool: pools.app })(new AbortController().signal);
};
const batch = (size: number, pool = made.deps.pools.app) => runBatch(pool, tenantId, { size, replaying: replaying() });

async function run(to: string, more: object = {}): Promise<Job> {
  const job = await create(to, more);
  await start(job);
  await work();
  return read(job);
}

test("dead letters and what waits behind them go to another target in the order of their lanes, linked both ways", async () => {
  const ids = await put([changed("a", "1"), changed("b", "1"), changed("a", "2"), changed("a", "3"), changed("b", "2")]);
  await take("old.order", "dead");
  const done = await run("new.order");
  expect(done).toMatchObject({ state: "done", total: 5, done: 5, redirect: { queueName: "centra.order", integrationPointName: "new" } });
  expect(await take("old.order")).toEqual([]);
  const taken = await take("new.order");
  expect(taken.filter((name) => name.startsWith("a"))).toEqual(["a1", "a2", "a3"]);
  expect(taken.filter((name) => name.startsWith("b"))).toEqual(["b1", "b2"]);
  const [item] = await itemsOf(done);
  expect(item).toMatchObject({ messageId: ids[0], outcome: "done", successorId: expect.any(String) });
  const link = { by: "Uli", reason: "The shop has moved", isEdited: false };
  expect(await get(`/messages/${ids[0]}`)).toMatchObject({ state: "redirected", successor: { id: item?.successorId, ...link } });
  expect(await get(`/messages/${item?.successorId}`)).toMatchObject({ state: "delivered", predecessor: { id: ids[0], ...link } });
});

test("a lane goes as a whole though the job is at its first message, so that nothing of it is delivered where it was", async () => {
  const changes = ["1", "2", "3"].map((change) => changed("a", change));
  const [first = changes[0], ...others] = changes;
  await put([...(first ? [first] : []), message("b"), message("c"), ...others]);
  await take("old.order", "dead");
  const job = await create("new.order");
  await start(job);
  await batch(1);
  expect(await read(job)).toMatchObject({ done: 3 });
  expect(await take("old.order")).toEqual([]);
  expect(await take("new.order")).toEqual(["a1", "a2", "a3"]);
  await work();
  expect(await read(job)).toMatchObject({ state: "done", done: 5, skipped: 0 });
  expect((await take("new.order")).toSorted()).toEqual(["b", "c"]);
});

test("an edited copy goes in the place of its message, not behind what came after it", async () => {
  const [first = ""] = await put(["1", "2"].map((change) => changed("a", change)));
  await take("old.order", "dead");
  await inTenant(made.deps.pools.app, tenantId, (client) =>
    replaceMessage(client, { tenantId, messageId: first, document: JSON.stringify({ change: "1-mended" }) }),
  );
  await run("new.order");
  expect(await take("new.order")).toEqual(["a1-mended", "a2"]);
});

test("what newer data has overtaken, where it was or where it goes, is told as superseded and never sent", async () => {
  const [here = "", there = "", fits = ""] = await put([price("here"), price("there"), price("fits")]);
  await take("old.price", "dead");
  const job = await create("new.price");
  await put([price("here"), price("there", { queueId: queueOf("new.price") })]);
  await take("old.price");
  await take("new.price");
  expect(await get<RedirectCounts>(`/jobs/${job.id}/redirect-dry-run-count`)).toEqual({
    counts: { superseded: 2, fits: 1 },
    isExact: true,
  });
  await start(job);
  await work();
  expect(await read(job)).toMatchObject({ state: "done", done: 1, skipped: 2 });
  expect((await itemsOf(job)).map(({ messageId, foundIn }) => [messageId, foundIn])).toEqual([
    [here, "superseded"],
    [there, "superseded"],
    [fits, null],
  ]);
  expect(await take("new.price")).toEqual(["fits"]);
});

test("an order that the other target has had, or of which it has had a later state, is told as superseded and stays", async () => {
  const there = { queueId: queueOf("new.order") };
  const [had = "", old = "", fits = ""] = await put([
    message("had", { originId: "11" }),
    message("old", { originId: "12" }),
    message("fits", { originId: "13" }),
    message("had", { originId: "11", ...there }),
    message("old", { originId: "14", ...there }),
  ]);
  await take("new.order");
  const job = await create("new.order");
  const { items } = await get<{ items: RedirectedMessage[] }>(`/jobs/${job.id}/redirect-dry-run`);
  expect(items.map(({ messageId, verdict }) => [messageId, verdict])).toEqual([
    [had, "superseded"],
    [old, "superseded"],
    [fits, "fits"],
  ]);
  await start(job);
  await work();
  expect(await read(job)).toMatchObject({ state: "done", done: 1, skipped: 2 });
  expect(await take("new.order")).toEqual(["fits"]);
  expect(await take("old.order")).toEqual(["had", "old"]);
});

test("what newer data has overtaken and an operator or the target has settled meanwhile is told by its state", async () => {
  const [delivered = "", removed = "", waits = ""] = await put([price("d"), price("m"), price("w")]);
  const job = await create("new.price");
  await take("old.price", "delivered", 1);
  await post("/messages/remove", { ids: [removed] });
  await put(["d", "m", "w"].map((key) => price(key, { queueId: queueOf("new.price") })));
  await start(job);
  await work();
  const left = (await itemsOf(job)).map(({ messageId, outcome, foundIn }) => [messageId, outcome, foundIn]);
  expect(left).toEqual([
    [delivered, "skipped", "delivered"],
    [removed, "skipped", "removed"],
    [waits, "skipped", "superseded"],
  ]);
});

test("a message that a worker could not be handed for want of a mapping is no more redirected to it than to a target that is delivered to", async () => {
  const [id = ""] = await put([message("unmapped", { document: '{"currency":"SEK"}' })]);
  const job = await create("fetching.order");
  const { items } = await get<{ items: RedirectedMessage[] }>(`/jobs/${job.id}/redirect-dry-run`);
  expect(items).toMatchObject([{ messageId: id, verdict: "mapping", missing: "currency 'SEK'" }]);
  await start(job);
  await work();
  expect(await itemsOf(job, "failed")).toMatchObject([{ messageId: id, error: "currency 'SEK'" }]);
  expect(await countOf("ready")).toBe(1);
});

test("for a target with mappings few documents are read at a time, however many go there at once", async () => {
  await put(Array.from({ length: 60 }, (_, index) => message(`many-${index}`)));
  const job = await create("mapped.order");
  await start(job);
  const asked = vi.spyOn(pg.Client.prototype, "query");
  try {
    await work();
    const answers = asked.mock.results.map(({ value }): Promise<Partial<pg.QueryResult<object>> | undefined> => value);
    const documents = (await Promise.all(answers)).map((answer) => answer?.rows?.filter((row) => "document" in row).length ?? 0);
    expect(documents.filter((count) => count > 0)).toEqual([25, 25, 10]);
  } finally {
    asked.mockRestore();
  }
  expect(await read(job)).toMatchObject({ state: "done", done: 60 });
});

test("a dry run tells of each message why it can't go and changes nothing; the job leaves those alone and says the same", async () => {
  const [gone = ""] = await put([message("gone")]);
  await put([
    message("fits"),
    message("unmapped", { document: '{"currency":"SEK"}' }),
    price("wrong-type"),
    message("wrong-shop", { queueId: queueOf("foreign.order"), subtenantId: otherShopId }),
    message("wrong-environment", { queueId: queueOf("trial.order") }),
    message("there-already", { queueId: queueOf("mapped.order") }),
  ]);
  const job = await create("mapped.order");
  await post("/messages/remove", { ids: [gone] });
  const { items } = await get<{ items: RedirectedMessage[] }>(`/jobs/${job.id}/redirect-dry-run`);
  expect(items.map(({ key, verdict, state, missing }) => [key?.slice(prefix.length), verdict, state ?? missing])).toEqual([
    ["gone", "gone", "removed"],
    ["fits", "fits", null],
    ["unmapped", "mapping", "currency 'SEK'"],
    ["wrong-type", "entity-type", null],
    ["wrong-shop", "subtenant", null],
    ["wrong-environment", "environment", null],
    ["there-already", "same-queue", null],
  ]);
  const rare = await get<{ items: RedirectedMessage[] }>(`/jobs/${job.id}/redirect-dry-run?verdict=mapping&limit=1`);
  expect(rare.items.map(({ key }) => key)).toEqual([`${prefix}unmapped`]);
  expect([await countOf("ready"), await countOf("redirected")]).toEqual([6, 0]);
  await start(job);
  await work();
  expect(await read(job)).toMatchObject({ state: "done", done: 1, skipped: 1, failed: 5 });
  expect((await itemsOf(job, "failed")).map(({ unfit, error }) => error ?? unfit)).toEqual([
    "currency 'SEK'",
    "entity-type",
    "subtenant",
    "environment",
    "same-queue",
  ]);
  expect(await itemsOf(job, "skipped")).toMatchObject([{ messageId: gone, foundIn: "removed", unfit: null }]);
});

test("Undo brings back what still waits; what was delivered there stays delivered", async () => {
  await put([message("a"), message("b"), message("c")]);
  await take("old.order", "dead");
  const job = await run("new.order");
  expect(await take("new.order", "delivered", 1)).toHaveLength(1);
  expect(job).toMatchObject({ canUndo: true });
  const undo = await post<Job>(`/jobs/${job.id}/undo`);
  expect(undo).toMatchObject({ kind: "redirect", state: "running", total: 3, redirect: null, undoOf: job.id });
  await work();
  expect(await read(undo)).toMatchObject({ state: "done", done: 2, skipped: 1, canUndo: false });
  expect(await take("new.order")).toEqual([]);
  expect(await take("old.order")).toHaveLength(2);
});

test("Undo brings each message back to the queue that it came from, also where one lane took in two", async () => {
  await put([changed("a", "1"), message("a", { queueId: queueOf("new.order"), document: JSON.stringify({ change: "2" }) })]);
  const job = await run("fetching.order");
  expect(job).toMatchObject({ done: 2 });
  await post(`/jobs/${job.id}/undo`);
  await batch(1);
  await work();
  expect(await take("old.order")).toEqual(["a1"]);
  expect(await take("new.order")).toEqual(["a2"]);
});

test("a redirect that was taken back is forgotten with the job that did so", async () => {
  await put([message("a")]);
  const job = await create("new.order");
  await start(job);
  await work();
  const undo = await post<Job>(`/jobs/${job.id}/undo`);
  await work();
  const sql = `update hub.job set created_at = now() - interval '31 days', finished_at = now() - interval '31 days' where tenant_id = $1 and id = any($2)`;
  await owner.query(sql, [tenantId, [job.id, undo.id]]);
  await pruneJobs(made.deps.pools.worker, 30);
  for (const { id } of [job, undo]) expect((await made.call("user", "GET", `${base}/jobs/${id}`)).statusCode).toBe(404);
});

test("against retries and requeues at the same time, of each message and its copy exactly one is delivered", async () => {
  const ids = await put(Array.from({ length: 60 }, (_, index) => message(`k${index}`)));
  await take("old.order", "dead", 30);
  const job = await create("new.order");
  await start(job);
  const { app } = made.deps.pools;
  const inApp = (change: Parameters<typeof inTenant<unknown>>[2]) => inTenant(app, tenantId, change);
  const [there] = await Promise.all([
    work().then(() => take("new.order")),
    ...ids.map((messageId) => inApp((client) => requeueDead(client, { tenantId, messageIds: [messageId] }))),
    ...ids.map((messageId) => inApp((client) => retryNow(client, { tenantId, messageIds: [messageId] }))),
    take("old.order"),
  ]);
  await work();
  const all = [...there, ...(await take("old.order")), ...(await take("new.order"))];
  const delivered = await owner.query(
    "select m.key from queue.history h join queue.message m using (tenant_id, queue_id, id) where h.outcome = 'delivered' and m.key like $1",
    [`${prefix}%`],
  );
  expect(all.length).toBeLessThanOrEqual(60);
  expect(new Set(delivered.rows.map(({ key }: { key: string }) => key)).size).toBe(60);
  expect(delivered.rows).toHaveLength(60);
  const { done, skipped, failed } = await read(job);
  expect([done + skipped, failed]).toEqual([60, 0]);
});

test("whenever its runners are killed, a redirect sends each message once and counts exactly", async () => {
  const count = 60;
  await put(Array.from({ length: count }, (_, index) => changed(`k${index % 40}`, `+${index}`)));
  await take("old.order", "dead");
  const job = await create("new.order");
  expect(job.total).toBe(count);
  await start(job);
  for (let fatal = 1; (await read(job)).state === "running"; fatal += 2) {
    for (const isLate of [false, true]) {
      await makeDue(owner);
      await batch(7, dyingPool(made.deps.pools.app, owner, { fatal, isLate })).catch(() => undefined);
    }
    const known = await read(job);
    expect(known.done).toBe(await countOf("redirected"));
    await makeDue(owner);
    await batch(7);
  }
  expect(await read(job)).toMatchObject({ state: "done", done: count, skipped: 0, failed: 0 });
  const taken = await take("new.order");
  expect(taken).toHaveLength(count);
  expect(new Set(taken).size).toBe(count);
  for (const lane of ["k3", "k17"]) {
    const own = taken.filter((name) => name.startsWith(`${lane}+`)).map((name) => Number(name.split("+")[1]));
    expect(own).toEqual(own.toSorted((one, other) => one - other));
  }
});

test("a redirect keeps to its target's rate, and says beforehand how long it takes", async () => {
  await put(Array.from({ length: 30 }, (_, index) => message(`k${index}`)));
  await take("old.order", "dead");
  const target = "(select target_id from queue.queue where id = $1)";
  await owner.query(`update queue.target set rate_per_second = 5 where id = ${target}`, [queueOf("new.order")]);
  const job = await create("new.order");
  expect(job).toMatchObject({ perSecond: 5, secondsLeft: 6 });
  await start(job);
  await batch(500);
  expect(await read(job)).toMatchObject({ state: "running", done: 10 });
  await owner.query(`update queue.target set rate_per_second = null where id = ${target}`, [queueOf("new.order")]);
  await work();
  expect(await read(job)).toMatchObject({ state: "done", done: 30 });
});

test("a redirect names an open queue of the tenant, gives a reason, and is no viewer's", async () => {
  await put([message("a")]);
  const attempt = async (body: object, account: "user" | "viewer" = "user") =>
    (await made.call(account, "POST", `${base}/jobs`, { selection: { filter: { keyPrefix: prefix } }, ...body })).statusCode;
  const queueId = queueOf("new.order");
  expect(await attempt({ kind: "redirect" })).toBe(400);
  expect(await attempt({ kind: "requeue", queueId })).toBe(400);
  expect(await attempt({ kind: "redirect", queueId: 999_999 })).toBe(400);
  expect(await attempt({ kind: "redirect", queueId }, "viewer")).toBe(403);
  const job = await create("new.order");
  expect((await made.call("user", "POST", `${base}/jobs/${job.id}/start`, { total: 1 })).statusCode).toBe(400);
  const requeue = await post<Job>("/jobs", { kind: "remove", selection: { filter: { keyPrefix: prefix } } });
  expect((await made.call("user", "GET", `${base}/jobs/${requeue.id}/redirect-dry-run`)).statusCode).toBe(409);
});

test("what follows in a lane is looked for among a job's items one by one, also where no statistics know the job yet", async () => {
  const client = await made.pool("owner", 1).connect();
  try {
    // No job is needed to plan by, nor messages.
    await client.query("set session_replication_role = replica");
    await client.query("insert into hub.job_item (tenant_id, job_id, message_id) select 1, 1, id from generate_series(1, 5000) id");
    await client.query("analyze hub.job_item");
    const { rows } = await client.query<{ "QUERY PLAN": string }>(`explain (costs off) ${followersSql}`, [1, 2, 3, "1", [1], ["1"]]);
    const plan = rows.map((row) => row["QUERY PLAN"]).join(" ");
    expect(plan).toMatch(/job_item_pkey on job_item \w+\s+Index Cond: [^:]*message_id = /);
  } finally {
    client.release(true);
  }
});
