import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { roleUrl } from "@crossdock/db";
import { testSecret } from "@crossdock/db/testing";
import { closePools, createPools, inOrder, inTenant, inTenantAtOnce, inTenantUntil, verifyRole, verifySettings } from "./db.ts";
import { isDatabaseAway } from "./errors/errors.ts";
import { testDeps, type TestDeps } from "./testing/test-app.ts";

let made: TestDeps;
beforeAll(async () => {
  made = await testDeps();
  const owner = made.pool("owner", 1);
  await owner.query("insert into hub.tenant (id, code, name) values (1001, 'one', 'One'), (1002, 'two', 'Two')");
  await owner.query(
    "insert into hub.subtenant (tenant_id, code, name) values (1001, 'shop', 'Shop of one'), (1002, 'shop', 'Shop of two')",
  );
});
afterAll(() => made.close());

const subtenants = "select name from hub.subtenant order by name";

test("inside a tenant only its rows are seen, outside of any none", async () => {
  const { pools } = made.deps;
  for (const pool of [pools.app, pools.readOnly, pools.worker]) {
    expect((await inTenant(pool, 1001, (client) => client.query(subtenants))).rows).toEqual([{ name: "Shop of one" }]);
    expect((await pool.query(subtenants)).rows).toEqual([]);
  }
});

test("a row of another tenant can be neither written nor changed", async () => {
  const { app } = made.deps.pools;
  await expect(
    inTenant(app, 1001, (client) => client.query("insert into hub.subtenant (tenant_id, code, name) values (1002, 'spy', 'Spy')")),
  ).rejects.toThrow("row-level security");
  const update = await inTenant(app, 1001, (client) => client.query("update hub.subtenant set name = 'Mine' where tenant_id = 1002"));
  expect(update.rowCount).toBe(0);
});

test("what throws is rolled back, and the connection serves the next caller without a tenant", async () => {
  const { app } = made.deps.pools;
  const work = inTenant(app, 1001, async (client) => {
    await client.query("insert into hub.subtenant (tenant_id, code, name) values (1001, 'gone', 'Gone')");
    throw new Error("stop");
  });
  await expect(work).rejects.toThrow("stop");
  expect((await inTenant(app, 1001, (client) => client.query(subtenants))).rowCount).toBe(1);
  expect((await app.query("select queue.current_tenant() as tenant")).rows).toEqual([{ tenant: null }]);
});

test("a statement whose failure nobody minds does not let the others pass for written", async () => {
  const { app } = made.deps.pools;
  const work = inTenant(app, 1001, async (client) => {
    await client.query("insert into hub.subtenant (tenant_id, code, name) values (1001, 'lost', 'Lost')");
    await client.query("select 1 / 0").catch(() => undefined);
  });
  await expect(work).rejects.toThrow("the transaction ended with ROLLBACK");
  expect((await inTenant(app, 1001, (client) => client.query(subtenants))).rowCount).toBe(1);
});

test("statements sent at once are one transaction of their tenant, and fail with what the first of them failed with", async () => {
  const { app } = made.deps.pools;
  const insert = "insert into hub.subtenant (tenant_id, code, name) values ($1, $2, 'New')";
  const write = (client: pg.PoolClient, ...rows: [tenantId: number, code: string][]) =>
    inOrder(rows.map((row) => client.query({ name: "test-insert", text: insert, values: row })));
  const codes = async () =>
    (await inTenant(app, 1001, (client) => client.query<{ code: string }>("select code from hub.subtenant order by code"))).rows.map(
      ({ code }) => code,
    );
  for (const bad of [
    [1002, "spy"],
    [1001, "shop"],
  ] as const) {
    const work = inTenantAtOnce(app, 1001, (client) => () => write(client, [1001, "first"], [...bad], [1001, "last"]));
    await expect(work).rejects.toThrow(/row-level security|subtenant_tenant_id_code_key|unique/);
    expect(await codes()).toEqual(["shop"]);
  }
  const refused = inTenantAtOnce(app, 1001, async (client) => {
    await write(client, [1001, "first"]);
    throw new Error("stop");
  });
  await expect(refused).rejects.toThrow("stop");
  expect(await codes()).toEqual(["shop"]);
  const answer = await inTenantAtOnce(app, 1001, (client) => async () => {
    const [, found] = await inOrder([write(client, [1001, "first"], [1001, "last"]), client.query(subtenants)]);
    return found.rowCount;
  });
  expect(answer).toBe(3);
  expect(await codes()).toEqual(["first", "last", "shop"]);
  expect((await app.query("select queue.current_tenant() as tenant")).rows).toEqual([{ tenant: null }]);
});

test("a connection that would see through row-level security stops the start", async () => {
  await expect(verifyRole(made.deps.pools.app)).resolves.toBeUndefined();
  await expect(verifyRole(made.pool("owner", 1))).rejects.toThrow("is a superuser");
});

test("connections on the way to which the settings were lost are refused", async () => {
  await expect(verifySettings(made.deps.pools.readOnly)).resolves.toBeUndefined();
  await expect(verifySettings(made.pool("app", 1))).rejects.toThrow("connect to PostgreSQL itself");
});

test("a database that is set to show, take and isolate otherwise is used as any other", async () => {
  const owner = made.pool("owner", 1);
  const { rows } = await owner.query("select current_database() as name");
  const set = `alter database ${String(rows[0]?.name)} set`;
  await owner.query(
    `${set} datestyle = 'German, DMY'; ${set} timezone = 'Asia/Kolkata'; ${set} default_transaction_isolation = 'serializable';
     ${set} row_security = off; ${set} array_nulls = off; ${set} standard_conforming_strings = off`,
  );
  const urls = { appUrl: roleUrl(made.ownerUrl, testSecret, "app"), workerUrl: roleUrl(made.ownerUrl, testSecret, "worker") };
  const pools = createPools({ ...urls, size: 1, logger: made.deps.logger });
  const look =
    "select timestamptz '2026-11-22T20:00:00Z' as at, now()::text as text, current_setting('transaction_isolation') as isolation, $1::text[] as nulls, '\\d' as literal";
  for (const pool of Object.values(pools)) {
    const { rows } = await pool.query(look, [[null]]);
    expect(rows).toEqual([
      {
        at: new Date("2026-11-22T20:00:00Z"),
        text: expect.stringMatching(/^\d{4}-.*\+00$/),
        isolation: "read committed",
        nulls: [null],
        literal: "\\d",
      },
    ]);
    // Nothing, where a tenant's rows are asked for without one, instead of a refusal.
    expect((await pool.query("select from hub.entity")).rows).toEqual([]);
  }
  await closePools(pools);
});

test("time limits that are set for a database are not those of the server, which has its own", async () => {
  const owner = made.pool("owner", 1);
  const { rows } = await owner.query("select current_database() as name");
  const limits = ["statement_timeout", "lock_timeout", "idle_session_timeout", "idle_in_transaction_session_timeout"];
  for (const limit of limits) await owner.query(`alter database ${String(rows[0]?.name)} set ${limit} = 12345`);
  const urls = { appUrl: roleUrl(made.ownerUrl, testSecret, "app"), workerUrl: roleUrl(made.ownerUrl, testSecret, "worker") };
  const pools = createPools({ ...urls, size: 1, logger: made.deps.logger });
  const look = "select name, setting from pg_settings where name = any ($1)";
  for (const pool of Object.values(pools)) {
    const { rows } = await pool.query(look, [limits]);
    expect(rows.filter(({ setting }) => setting === "12345")).toEqual([]);
  }
  await closePools(pools);
  for (const limit of limits) await owner.query(`alter database ${String(rows[0]?.name)} reset ${limit}`);
});

test("keys are compared as bytes in every table, so that those with one beginning are a range of its index", async () => {
  const { rows } = await made.pool("owner", 1).query(`
    select distinct relname || '.' || attname as column from pg_attribute
    join pg_class on pg_class.oid = attrelid join pg_namespace on pg_namespace.oid = relnamespace
    where relkind in ('r', 'p') and attcollation <> '"C"'::regcollation
      and (nspname = 'queue' and attname = 'key' or nspname = 'hub' and attname = 'business_key')`);
  expect(rows).toEqual([]);
});

test("every table with a tenant in its key has row-level security and a policy", async () => {
  const owner = made.pool("owner", 1);
  const { rows } = await owner.query(`
    select nspname || '.' || relname as table from pg_class
    join pg_namespace on pg_namespace.oid = relnamespace join pg_attribute on attrelid = pg_class.oid
    where nspname in ('hub', 'queue') and relkind in ('r', 'p') and not relispartition and attname = 'tenant_id'
      and not (relrowsecurity and exists (select from pg_policy where polrelid = pg_class.oid))`);
  expect(rows).toEqual([]);
});

test("a database that falls silent without closing its connections is given up, and asked anew", async () => {
  const { host, port } = new pg.Client({ connectionString: made.ownerUrl });
  const sockets: Socket[] = [];
  const proxy = createServer((socket) => {
    const upstream = connect(host.startsWith("/") ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port });
    sockets.push(socket, upstream);
    for (const end of [socket, upstream]) end.on("error", () => undefined);
    socket.pipe(upstream).pipe(socket);
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const address = proxy.address();
  const way = new URL(made.ownerUrl);
  way.hostname = "127.0.0.1";
  way.port = String(typeof address === "object" ? address?.port : 0);
  const [appUrl, workerUrl] = [roleUrl(way.href, testSecret, "app"), roleUrl(way.href, testSecret, "worker")];
  const pools = createPools({
    appUrl,
    workerUrl,
    size: 1,
    logger: made.deps.logger,
    limitsMs: { app: 1000, readOnly: 1000, worker: 1000 },
  });
  const look = () => inTenant(pools.app, 1001, (client) => client.query(subtenants));
  await expect.poll(look).toMatchObject({ rows: [{}, {}, {}] });
  for (const socket of sockets) socket.unpipe();
  const failure: unknown = await look().catch((error: unknown) => error);
  expect(isDatabaseAway(failure)).toBe(true);
  await expect.poll(look).toMatchObject({ rows: [{}, {}, {}] });
  await closePools(pools);
  for (const socket of sockets) socket.destroy();
  proxy.close();
});

test("what is abandoned by the users of all connections at once ends at once, though none is free to cancel it by", async () => {
  const { readOnly } = made.deps.pools;
  const owner = made.pool("owner", 1);
  const count = readOnly.options.max ?? 0;
  const sleeping = async (): Promise<number> =>
    (
      await owner.query(
        "select from pg_stat_activity where datname = current_database() and query = 'select pg_sleep(9)' and state = 'active'",
      )
    ).rowCount ?? 0;
  const hungUp = new AbortController();
  const abandoned = Array.from({ length: count }, () =>
    inTenantUntil(hungUp.signal, readOnly, 1001, (client) => client.query("select pg_sleep(9)")),
  );
  await expect.poll(sleeping, { timeout: 5_000 }).toBe(count);
  const begun = performance.now();
  hungUp.abort();
  const ends = await Promise.allSettled(abandoned);
  expect(performance.now() - begun).toBeLessThan(4_000);
  expect(ends.map(({ status }) => status)).toEqual(ends.map(() => "rejected"));
});
