import { randomBytes } from "node:crypto";
import pg from "pg";
import { expect, test, vi } from "vitest";
import { checkServer, migrate, roleUrl } from "./migrate.ts";
import { testDatabase, testSecret } from "./testing.ts";

test("a second run applies nothing", async () => {
  const database = await testDatabase();
  expect((await migrate(database.ownerUrl, testSecret)).applied).toEqual([]);
  await database.drop();
});

test.each([
  ["a newer version", "insert into public.migration (name, checksum) values ('9999_later.sql', '')", "9999_later.sql"],
  ["a state before the first release", "insert into public.migration (name, checksum) values ('0001_earlier.sql', '')", "0001_earlier.sql"],
  ["a version with another first file", "update public.migration set checksum = 'other' where name like '0001%'", "0001_queue_tables.sql"],
])("a database of %s is refused with a way on, and left as it is", async (_, makeOther, name) => {
  const database = await testDatabase();
  const owner = database.pool("owner", 1);
  await owner.query("delete from public.migration where name = (select max(name) from public.migration)");
  await owner.query(makeOther);
  const before = await owner.query("select * from public.migration");
  await expect(migrate(database.ownerUrl, testSecret)).rejects.toThrow(
    `made by a newer version, or by a state before the first release, whose migration ${name} this version does not have. Start that version, or this one with an empty`,
  );
  expect((await owner.query("select * from public.migration")).rows).toEqual(before.rows);
  await database.drop();
});

test("another secret is refused before it changes anything, and the first one goes on", async () => {
  const database = await testDatabase();
  const other = "another secret of more than 32 characters";
  await expect(migrate(database.ownerUrl, other)).rejects.toThrow("CROSSDOCK_SECRET");
  await expect(database.pool("app", 1).query("select 1")).resolves.toMatchObject({ rowCount: 1 });
  await expect(migrate(database.ownerUrl, testSecret)).resolves.toEqual({ applied: [] });
  const { rows } = await database.pool("owner", 1).query<{ kept: string }>("select installation::text as kept from public.installation");
  expect(rows).toHaveLength(1);
  expect(rows[0]?.kept).not.toContain(testSecret);
  await expect(database.pool("worker", 1).query("select from public.installation")).rejects.toThrow("permission denied");
  await database.drop();
});

test("servers of two databases of one cluster may start together", async () => {
  const [mine, others] = [await testDatabase(), await testDatabase()];
  const rival = await others.pool("owner", 1).connect();
  const { rows } = await rival.query<{ pid: number }>("select pg_backend_pid() as pid");
  await rival.query("begin");
  await rival.query("alter role crossdock_app login");
  const migrating = migrate(mine.ownerUrl, testSecret);
  const observer = mine.pool("owner", 1);
  await expect
    .poll(
      async () => (await observer.query("select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))", [rows[0]?.pid])).rowCount,
    )
    .toBe(1);
  await rival.query("commit");
  await expect(migrating).resolves.toEqual({ applied: [] });
  rival.release();
  await mine.drop();
  await others.drop();
});

test("a pooler that keeps the connection keeps no lock with it", async () => {
  const database = await testDatabase();
  const query = vi.spyOn(pg.Client.prototype, "query");
  await migrate(database.ownerUrl, testSecret);
  const client = query.mock.contexts.at(-1);
  const asked = query.mock.calls.filter((_, index) => query.mock.contexts[index] === client).map(([sql]) => sql);
  query.mockRestore();
  expect(asked).toContain("select pg_advisory_lock(7265641)");
  expect(asked.at(-1)).toBe("select pg_advisory_unlock_all()");
  await database.drop();
});

test("the owner of a database may set it up and start again with it, being no superuser", async () => {
  const database = await testDatabase();
  const admin = database.pool("owner", 1);
  const name = `plain_${randomBytes(6).toString("hex")}`;
  await admin.query(`create role ${name} login createrole password 'plain'`);
  // What it would have from making them itself.
  await admin.query(`grant crossdock_app, crossdock_worker to ${name} with admin option`);
  await admin.query(`create database ${name} owner ${name}`);
  const url = new URL(database.ownerUrl);
  [url.username, url.password, url.pathname] = [name, "plain", name];
  expect((await migrate(url.href, testSecret)).applied).not.toEqual([]);
  expect((await migrate(url.href, testSecret)).applied).toEqual([]);
  await admin.query(`drop database ${name} with (force)`);
  await admin.query(`drop role ${name}`);
  await database.drop();
});

test("no time limit of the database breaks a migration off", async () => {
  const database = await testDatabase();
  const admin = database.pool("owner", 1);
  const name = `limited_${randomBytes(4).toString("hex")}`;
  await admin.query(`create database ${name}`);
  await admin.query(`alter database ${name} set statement_timeout = 1`);
  const url = new URL(database.ownerUrl);
  url.pathname = name;
  expect((await migrate(url.href, testSecret)).applied).not.toEqual([]);
  await admin.query(`drop database ${name}`);
  await database.drop();
});

test("a role of the server that was given more than it needs is put right at the next start", async () => {
  const database = await testDatabase();
  const admin = database.pool("owner", 1);
  // Tests beside this one start servers, which change the role as well: the later of two such changes fails.
  const widen = (): Promise<boolean> =>
    admin.query("alter role crossdock_worker createdb").then(
      () => true,
      () => false,
    );
  await expect.poll(widen).toBe(true);
  await migrate(database.ownerUrl, testSecret);
  const { rows } = await admin.query("select rolcreatedb from pg_roles where rolname = 'crossdock_worker'");
  expect(rows).toEqual([{ rolcreatedb: false }]);
  await database.drop();
});

test("a server that is too old is refused before anything is made in it, and a database that cannot hold every character", async () => {
  expect(() => checkServer(150_008, "UTF8")).toThrow("PostgreSQL 16 or newer is needed, and this is 15.");
  expect(() => checkServer(160_000, "UTF8")).not.toThrow();
  const database = await testDatabase();
  const admin = database.pool("owner", 1);
  const name = `ascii_${randomBytes(6).toString("hex")}`;
  await admin.query(`create database ${name} encoding 'SQL_ASCII' locale_provider libc locale 'C' template template0`);
  const url = new URL(database.ownerUrl);
  url.pathname = name;
  await expect(migrate(url.href, testSecret)).rejects.toThrow("its encoding is SQL_ASCII, and UTF8 is needed.");
  await admin.query(`drop database ${name} with (force)`);
  await database.drop();
});

test("a role connects as itself, wherever the owner is named, and by the same way", () => {
  for (const owner of ["postgres://me:a%40b@db:1/x?sslmode=verify-full", "postgres://db:1/x?user=me&sslmode=verify-full&password=a%40b"]) {
    const client = new pg.Client({ connectionString: roleUrl(owner, testSecret, "app") });
    expect(client).toMatchObject({ user: "crossdock_app", host: "db", port: 1, database: "x", ssl: {} });
    expect(client.password).not.toBe("a@b");
  }
});

const waiting = "tenant_id, queue_id, shard, id, lane, attempts, collapses";
const asked = "explain (costs off) select from";

test.each([
  ["retrying", `${waiting}, due_at`, "2, false, now()"],
  ["parked", "tenant_id, queue_id, shard, id, lane, attempts", "2"],
  ["dead", waiting, "2, false"],
])("what is %s is found by its id and by its lane, also in a queue that no statistics know yet", async (table, columns, values) => {
  const database = await testDatabase();
  const owner = database.pool("owner", 1);
  await owner.query(`insert into queue.${table} (${columns}) select 1, 1, 0, id, id, ${values} from generate_series(1, 500) id`);
  await owner.query(`analyze queue.${table}`);
  const indexOf = async (condition: string): Promise<string | undefined> => {
    const { rows } = await owner.query<{ "QUERY PLAN": string }>(
      `${asked} queue.${table} where tenant_id = 1 and queue_id = 2 and ${condition}`,
    );
    return / (\w+) on /.exec(rows[0]?.["QUERY PLAN"] ?? "")?.[1];
  };
  expect([await indexOf("id = 7"), await indexOf("lane = 7")]).toEqual([`${table}_pkey`, `${table}_lane`]);
  await database.drop();
});

test("a version of an object is found by its primary key, also of a tenant that no statistics know yet", async () => {
  const database = await testDatabase();
  const owner = database.pool("owner", 1);
  await owner.query("analyze hub.entity_version");
  await owner.query("set enable_seqscan = off");
  await owner.query("set enable_bitmapscan = off");
  const { rows } = await owner.query<{ "QUERY PLAN": string }>(`${asked} hub.entity_version where tenant_id = 1 and subtenant_id = 1
    and entity_type = 'order' and business_key = '1' and is_development = (select false) and version = 1`);
  expect(rows.map((row) => row["QUERY PLAN"]).join(" ")).toContain("entity_version_pkey");
  await database.drop();
});

test("keys and targets' ids are compared as bytes whatever the database's locale, so what begins like one is a range of theirs", async () => {
  const database = await testDatabase();
  const { rows } = await database.pool("owner", 1).query(
    `select table_name, column_name from information_schema.columns
     where table_schema in ('queue', 'hub') and column_name in ('key', 'business_key', 'external_id') and data_type = 'text' and collation_name is distinct from 'C'`,
  );
  expect(rows).toEqual([]);
  await database.drop();
});
