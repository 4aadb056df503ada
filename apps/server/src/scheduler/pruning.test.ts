import { afterAll, beforeAll, expect, test } from "vitest";
import type pg from "pg";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { makeTenant, type TestTenant } from "../intake/testing.ts";
import { testDeps } from "../testing/test-app.ts";
import { giveUpUploads, pruneRuns } from "../runs/pruning.ts";
import { createIntakePruning, pruneAnswers, pruneAuditEvents } from "./pruning.ts";

let deps: Deps;
let close: () => Promise<void>;
let owner: pg.Pool;
let ownerUrl: string;
let tenant: TestTenant;

beforeAll(async () => {
  const made = await testDeps();
  ({ deps, close, ownerUrl } = made);
  owner = made.pool("owner", 1);
  tenant = await makeTenant(deps, made.ownerUrl, "pruned", []);
});
afterAll(async () => {
  await close();
});

const idDaysAgo = `(((now() at time zone 'utc')::date - date '1970-01-01' - $2::integer)::bigint * 10000000000 + 1)`;

async function addVersion(key: string, version: number, daysAgo: number): Promise<void> {
  await owner.query(
    `insert into hub.entity_version (tenant_id, subtenant_id, entity_type, business_key, is_development, version, external_message_id, integration_point_id, document)
     values ($1, 1, 'item', $3, false, $4, ${idDaysAgo}, 1, '{}')`,
    [tenant.tenantId, daysAgo, key, version],
  );
}

test("intake keys go after seven days, and concurrent schedulers do not disturb each other", async () => {
  for (const [key, daysAgo] of Object.entries({ a: 0, b: 6, c: 8, d: 100 })) {
    await owner.query(`insert into hub.intake_key (tenant_id, hash, external_message_id, body_hash) values ($1, $3, ${idDaysAgo}, '')`, [
      tenant.tenantId,
      daysAgo,
      Buffer.from(key),
    ]);
  }
  await createIntakePruning(deps.pools.worker, 30)(AbortSignal.abort());
  expect((await owner.query("select from hub.intake_key")).rowCount).toBe(4);
  await Promise.all([createIntakePruning(deps.pools.worker, 30)(), createIntakePruning(deps.pools.worker, 30)()]);
  const { rows } = await inTenant(deps.pools.worker, tenant.tenantId, (client) =>
    client.query<{ key: string }>("select convert_from(hash, 'UTF8') as key from hub.intake_key order by 1"),
  );
  expect(rows.map(({ key }) => key)).toEqual(["a", "b"]);
});

test("a version goes when it has been replaced for the whole retention, the newest one never", async () => {
  await addVersion("never changed", 1, 200);
  await addVersion("replaced long ago", 1, 200);
  await addVersion("replaced long ago", 2, 100);
  await addVersion("replaced long ago", 3, 31);
  await addVersion("replaced lately", 1, 200);
  await addVersion("replaced lately", 2, 5);
  await createIntakePruning(deps.pools.worker, 30)();
  const { rows } = await owner.query<{ kept: string }>(
    "select business_key || ' ' || version as kept from hub.entity_version where tenant_id = $1 order by 1",
    [tenant.tenantId],
  );
  expect(rows.map(({ kept }) => kept)).toEqual(["never changed 1", "replaced lately 1", "replaced lately 2", "replaced long ago 3"]);
});

test("of an object that changed all day long every replaced version goes", async () => {
  for (let version = 1; version <= 120; version += 1) await addVersion("changed all day", version, 40);
  await createIntakePruning(deps.pools.worker, 30)();
  const { rows } = await owner.query("select version from hub.entity_version where tenant_id = $1 and business_key = 'changed all day'", [
    tenant.tenantId,
  ]);
  expect(rows).toEqual([{ version: 120 }]);
});

test("what tells that a source's message is late goes once none can come that is", async () => {
  for (const daysAgo of [5, 29, 31]) {
    const sql =
      "insert into hub.whole (tenant_id, name, source_version) values ($1, $2, extract(epoch from now() - make_interval(days => $3)) * 1000000)";
    await owner.query(sql, [tenant.tenantId, `1 product/${daysAgo}`, daysAgo]);
  }
  await createIntakePruning(deps.pools.worker, 30)();
  const { rows } = await owner.query<{ name: string }>("select name from hub.whole where tenant_id = $1 order by 1", [tenant.tenantId]);
  expect(rows.map(({ name }) => name)).toEqual(["1 product/29", "1 product/5"]);
});

test("who put which copy in a message's place goes when the copy is old", async () => {
  for (const daysAgo of [5, 31]) {
    await owner.query(
      `insert into hub.repair (tenant_id, message_id, successor_id, actor_name, reason, is_edited)
       select $1, id - 1, id, 'Ada', 'a test', false from (select ${idDaysAgo} as id) copy`,
      [tenant.tenantId, daysAgo],
    );
  }
  await createIntakePruning(deps.pools.worker, 30)();
  const { rows } = await owner.query(`select successor_id > ${idDaysAgo} as "isYoung" from hub.repair where tenant_id = $1`, [
    tenant.tenantId,
    30,
  ]);
  expect(rows).toEqual([{ isYoung: true }]);
});

test("who acted on a message is known while it is, and for the whole retention after the act", async () => {
  for (const [daysAgo, actedDaysAgo] of [
    [5, 5],
    [40, 2],
    [41, 31],
  ]) {
    await owner.query(
      `insert into hub.message_action (tenant_id, message_id, verb, actor_name, acted_at)
       values ($1, ${idDaysAgo}, 'remove', 'Ada', now() - make_interval(days => $3))`,
      [tenant.tenantId, daysAgo, actedDaysAgo],
    );
  }
  await createIntakePruning(deps.pools.worker, 30)();
  const { rows } = await owner.query("select date_part('day', now() - acted_at) as days from hub.message_action where tenant_id = $1", [
    tenant.tenantId,
  ]);
  expect(rows.map(({ days }) => days).toSorted((one, other) => one - other)).toEqual([2, 5]);
});

test("answers to creating requests go after a day, the installation's too", async () => {
  for (const [key, age] of Object.entries({ new: "23 hours", old: "25 hours" })) {
    await owner.query(
      `insert into hub.idempotent_answer (tenant_id, hash, request_hash, answer, created_at)
       select id, $2, '', '{}', now() - $3::interval from unnest(array[0, $1::integer]) as id`,
      [tenant.tenantId, Buffer.from(key), age],
    );
  }
  await Promise.all([pruneAnswers(deps.pools.worker), pruneAnswers(deps.pools.worker)]);
  const { rows } = await owner.query<{ key: string }>("select convert_from(hash, 'UTF8') as key from hub.idempotent_answer");
  expect(rows.map(({ key }) => key)).toEqual(["new", "new"]);
});

test("a tenant's shorter times hold for its finished messages, attempts and raw messages, and for nobody else's", async () => {
  const [own, other] = [tenant.tenantId, (await makeTenant(deps, ownerUrl, "kept", [])).tenantId];
  const day = "((now() at time zone 'utc')::date - date '1970-01-01' - 10)::bigint * 10000000000";
  for (const name of ["queue.message", "queue.history", "queue.attempt", "queue.search_text", "hub.external_message"]) {
    const bounds = await owner.query<{ from: string; to: string }>(`select (${day})::text as from, (${day} + 10000000000)::text as to`);
    const { from = "", to = "" } = bounds.rows[0] ?? {};
    await owner.query(`create table ${name}_of_test partition of ${name} for values from (${from}) to (${to})`);
  }
  for (const tenantId of [own, other]) {
    const queue = await owner.query<{ id: number }>(
      `with target as (insert into queue.target (tenant_id, id) values ($1, 70000 + $1) returning id)
       insert into queue.queue (tenant_id, target_id, name, mode, delivery, shards) select $1, id, 'test.item', 'latest', 'pull', 1 from target returning id`,
      [tenantId],
    );
    const queueId = queue.rows[0]?.id;
    // The second one was never finished.
    for (const number of [1, 2]) {
      await owner.query(
        `insert into queue.message (tenant_id, queue_id, id, subtenant_id, key, entity_type, document) values ($1, $2, ${day} + $3, 1, 'a', 'item', '{}')`,
        [tenantId, queueId, number],
      );
      await owner.query(
        `insert into queue.attempt (tenant_id, queue_id, id, number, started_at, duration_ms) values ($1, $2, ${day} + $3, 1, now(), 5)`,
        [tenantId, queueId, number],
      );
    }
    await owner.query(
      `insert into queue.history (tenant_id, queue_id, id, attempts, outcome) values ($1, $2, ${day} + 1, 1, 'delivered')`,
      [tenantId, queueId],
    );
    await owner.query(
      `insert into hub.external_message (tenant_id, id, subtenant_id, integration_point_id, channel, state, signature, headers, body)
       values ($1, ${day} + 1, 1, 1, 'hook', 'accepted', 'valid', '{}', '')`,
      [tenantId],
    );
  }
  const left = async (tenantId: number) => {
    const counts: number[] = [];
    for (const name of ["queue.message", "queue.history", "queue.attempt", "hub.external_message"]) {
      const { rows } = await owner.query<{ count: number }>(`select count(*)::int as count from ${name} where tenant_id = $1`, [tenantId]);
      counts.push(rows[0]?.count ?? 0);
    }
    return counts;
  };
  await createIntakePruning(deps.pools.worker, 30)();
  expect(await left(own)).toEqual([2, 1, 2, 1]);
  // The first one finished today, as an old dead letter that was requeued.
  await owner.query("insert into hub.tenant_limit (tenant_id, history_days, attempt_days) values ($1, 10, 9)", [own]);
  await createIntakePruning(deps.pools.worker, 30)();
  expect(await left(own)).toEqual([2, 1, 2, 1]);
  await owner.query("update queue.history set finished_at = now() - interval '10 days' where tenant_id = $1", [own]);
  await createIntakePruning(deps.pools.worker, 30)();
  expect(await left(own)).toEqual([2, 1, 1, 1]);
  await owner.query("update hub.tenant_limit set history_days = 9, raw_message_days = 9 where tenant_id = $1", [own]);
  await owner.query("update queue.history set finished_at = now() where tenant_id = $1", [own]);
  await createIntakePruning(deps.pools.worker, 30)();
  expect(await left(own)).toEqual([2, 1, 1, 0]);
  await owner.query("update queue.history set finished_at = now() - interval '10 days' where tenant_id = $1", [own]);
  await createIntakePruning(deps.pools.worker, 30)();
  expect(await left(own)).toEqual([1, 0, 1, 0]);
  expect(await left(other)).toEqual([2, 1, 2, 1]);
  await owner.query("delete from hub.tenant_limit");
});

const countOf = (table: string): string =>
  `(select count(*)::int from hub.${table} part where part.tenant_id = run.tenant_id and part.run_id = run.id)`;

test("a read file goes after a day, an abandoned upload is cancelled, and runs go with what hangs on them", async () => {
  const { tenantId, subtenantId, points } = await makeTenant(deps, ownerUrl, "runs", [
    { connector: "wgr", code: "file", sourceTypes: ["item"] },
  ]);
  const addImport = async (state: string, daysAgo: number, lease: string | null): Promise<number> => {
    const { rows } = await owner.query<{ id: number }>(
      `insert into hub.run (tenant_id, kind, subtenant_id, integration_point_id, entity_type, state, lease_until, rests_until, created_at, started_at, finished_at)
       values ($1, 'import', $2, $3, 'item', $4, $5, now() + interval '1 minute' - make_interval(days => $6), now() - make_interval(days => $6), case when $4 = 'done' then now() end,
         case when $4 = 'done' then now() - make_interval(days => $6) end) returning id`,
      [tenantId, subtenantId, points["file"]?.id, state, lease, daysAgo],
    );
    const id = rows[0]?.id ?? 0;
    await owner.query(
      "insert into hub.import_file (tenant_id, run_id, name, format, element, mapping) values ($1, $2, 'f', 'csv', '', '{}')",
      [tenantId, id],
    );
    await owner.query("insert into hub.import_part (tenant_id, run_id, number, content) values ($1, $2, 1, 'sku')", [tenantId, id]);
    await owner.query("insert into hub.import_rejection (tenant_id, run_id, row_count, lines) values ($1, $2, 1, '[]')", [tenantId, id]);
    await owner.query("insert into hub.run_line (tenant_id, run_id, level, text) values ($1, $2, 'info', 'told')", [tenantId, id]);
    return id;
  };
  const [ancient, old, fresh] = [await addImport("done", 40, null), await addImport("done", 2, null), await addImport("done", 0, null)];
  const [abandoned, arriving] = [await addImport("waiting", 2, "infinity"), await addImport("waiting", 0, "infinity")];
  await Promise.all([giveUpUploads(deps.pools.worker), giveUpUploads(deps.pools.worker)]);
  await Promise.all([pruneRuns(deps.pools.worker, 30), pruneRuns(deps.pools.worker, 30)]);
  const { rows } = await owner.query<{ id: number; state: string; parts: number; rejections: number }>(
    `select id, state, ${countOf("import_part")} as parts, ${countOf("import_rejection")} as rejections
     from hub.run where tenant_id = $1 order by id`,
    [tenantId],
  );
  expect(rows).toEqual([
    { id: old, state: "done", parts: 0, rejections: 0 },
    { id: fresh, state: "done", parts: 1, rejections: 1 },
    { id: abandoned, state: "cancelled", parts: 0, rejections: 0 },
    { id: arriving, state: "waiting", parts: 1, rejections: 1 },
  ]);
  expect((await owner.query("select from hub.run_line where tenant_id = $1 and run_id = $2", [tenantId, ancient])).rowCount).toBe(0);
  await owner.query("insert into hub.tenant_limit (tenant_id, run_days) values ($1, 1)", [tenantId]);
  await pruneRuns(deps.pools.worker, 30);
  expect((await owner.query("select id from hub.run where tenant_id = $1 order by id", [tenantId])).rows).toEqual([
    { id: fresh },
    { id: abandoned },
    { id: arriving },
  ]);
});

test("old runs, and what their work left, go a few at a time, however many there are", async () => {
  const { tenantId, subtenantId, points } = await makeTenant(deps, ownerUrl, "busy", [
    { connector: "wgr", code: "file", sourceTypes: ["item"] },
  ]);
  const made = await owner.query<{ id: number }>(
    `insert into hub.run (tenant_id, kind, subtenant_id, integration_point_id, entity_type, state, finished_at)
     select $1, 'import', $2, $3, 'item', 'done', now() - make_interval(days => case when place <= 4200 then 40 else 2 end)
     from generate_series(1, 4201) place order by place returning id`,
    [tenantId, subtenantId, points["file"]?.id],
  );
  const last = made.rows.at(-1)?.id;
  await owner.query(
    "insert into hub.import_file (tenant_id, run_id, name, format, element, mapping) values ($1, $2, 'f', 'csv', '', '{}')",
    [tenantId, last],
  );
  await owner.query(
    "insert into hub.import_part (tenant_id, run_id, number, content) select $1, $2, place, 'sku' from generate_series(1, 250) place",
    [tenantId, last],
  );
  await owner.query(
    `insert into hub.run_object (tenant_id, run_id, side, business_key, fields) select $1, $2, 'target', 'A-' || place, '{}'
     from generate_series(1, 5001) place`,
    [tenantId, last],
  );
  await owner.query(`
    create table deleted (what text, count integer);
    create function note_deleted() returns trigger language plpgsql security definer as $$
    begin
      insert into public.deleted select tg_table_name, count(*) from gone having count(*) > 0;
      return null;
    end $$`);
  for (const table of ["run", "import_part", "run_object"])
    await owner.query(
      `create trigger note_deleted after delete on hub.${table} referencing old table as gone for each statement execute function note_deleted()`,
    );
  await pruneRuns(deps.pools.worker, 30);
  const { rows } = await owner.query("select what, array_agg(count order by count) as counts from deleted group by what order by what");
  expect(rows).toEqual([
    { what: "import_part", counts: [50, 100, 100] },
    { what: "run", counts: [200, 2000, 2000] },
    { what: "run_object", counts: [1, 5000] },
  ]);
  for (const table of ["run", "import_part", "run_object"]) await owner.query(`drop trigger note_deleted on hub.${table}`);
});

test("a removed schedule goes when it can't be restored any more and its runs have gone, no sooner and no other", async () => {
  const { tenantId, subtenantId, points } = await makeTenant(deps, ownerUrl, "schedules", [
    { connector: "wgr", code: "shop", sourceTypes: ["item"] },
  ]);
  const addSchedule = async (removedDaysAgo: number | null, runDaysAgo: number | null): Promise<number> => {
    const { rows } = await owner.query<{ id: number }>(
      `insert into hub.schedule (tenant_id, kind, subtenant_id, integration_point_id, entity_type, every_seconds, next_at, removed_at)
       values ($1, 'poll', $2, $3, 'item', 600, now(), now() - make_interval(days => $4)) returning id`,
      [tenantId, subtenantId, points["shop"]?.id, removedDaysAgo],
    );
    const id = rows[0]?.id ?? 0;
    await owner.query(
      `insert into hub.run (tenant_id, kind, schedule_id, subtenant_id, integration_point_id, entity_type, state, finished_at)
       select $1, 'poll', $2, $3, $4, 'item', 'done', now() - make_interval(days => $5) where $5::integer is not null`,
      [tenantId, id, subtenantId, points["shop"]?.id, runDaysAgo],
    );
    return id;
  };
  await addSchedule(31, 35);
  await addSchedule(31, null);
  const kept = [await addSchedule(31, 5), await addSchedule(5, 35), await addSchedule(null, 35)];
  await Promise.all([pruneRuns(deps.pools.worker, 30), pruneRuns(deps.pools.worker, 30)]);
  const left = async () =>
    (await owner.query<{ id: number }>("select id from hub.schedule where tenant_id = $1 order by id", [tenantId])).rows;
  expect((await left()).map(({ id }) => id)).toEqual(kept);
  await owner.query("insert into hub.tenant_limit (tenant_id, removed_days, run_days) values ($1, 4, 4)", [tenantId]);
  await pruneRuns(deps.pools.worker, 30);
  expect((await left()).map(({ id }) => id)).toEqual(kept.slice(2));
});

test("what grew old in a tenant that is not active goes as well, also what grew old long ago", async () => {
  await addVersion("inactive", 1, 200);
  await addVersion("inactive", 2, 31);
  await addVersion("inactive for long", 1, 200);
  await addVersion("inactive for long", 2, 100);
  await owner.query("update hub.tenant set is_active = false where id = $1", [tenant.tenantId]);
  await createIntakePruning(deps.pools.worker, 30)();
  const { rows } = await owner.query("select version from hub.entity_version where business_key like 'inactive%'");
  expect(rows).toEqual([{ version: 2 }, { version: 2 }]);
});

/** Days since the events of the test below, as they are kept. */
async function ages(): Promise<number[]> {
  const sql = "select extract(day from now() - at)::integer as age from hub.audit_event where action = 'aged' order by 1";
  return (await owner.query<{ age: number }>(sql)).rows.map(({ age }) => age);
}

test("audit events go after their retention, in no case within 30 days, and by no other way", async () => {
  const add = `insert into hub.audit_event (tenant_id, outcome, action, request_id, at)
    select $1, 'done', 'aged', gen_random_uuid(), now() - make_interval(days => age) from unnest($2::integer[]) age`;
  for (const tenantId of [tenant.tenantId, null]) await owner.query(add, [tenantId, [1, 29, 31, 364, 366, 4000]]);
  const { app, worker } = deps.pools;
  // Of a process that ends: it begins no further batch.
  await pruneAuditEvents(worker, 365, AbortSignal.abort());
  expect(await ages()).toEqual([1, 1, 29, 29, 31, 31, 364, 364, 366, 366, 4000, 4000]);
  await Promise.all([pruneAuditEvents(worker, 365), pruneAuditEvents(worker, 365)]);
  expect(await ages()).toEqual([1, 1, 29, 29, 31, 31, 364, 364]);
  await pruneAuditEvents(worker, 0);
  expect(await ages()).toEqual([1, 1, 29, 29]);
  await expect(worker.query("delete from hub.audit_event")).rejects.toMatchObject({ code: "42501" });
  await expect(app.query("select hub.prune_audit_events(365, 10)")).rejects.toMatchObject({ code: "42501" });
});
