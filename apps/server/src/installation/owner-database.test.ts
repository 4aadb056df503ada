import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { expect, test } from "vitest";
import { testDatabase, testSecret } from "@crossdock/db/testing";
import { skipIds } from "./after-restore.ts";
import { readConfig } from "../config.ts";
import { databaseUrl } from "./database-url.ts";
import { openOwnerDatabase } from "./owner-database.ts";

test("a person is told how to get in as the owner and as the server's roles", async () => {
  const database = await testDatabase();
  const config = readConfig({ DATABASE_URL: database.ownerUrl, CROSSDOCK_SECRET: testSecret });
  expect(databaseUrl(config, "owner")).toBe(database.ownerUrl);
  const client = new pg.Client({ connectionString: databaseUrl(config, "worker") });
  await client.connect();
  expect((await client.query("select current_user as name")).rows).toEqual([{ name: "crossdock_worker" }]);
  await client.end();
  await database.drop();
});

test("who asks for an embedded database that is not running is told so", () => {
  const dir = mkdtempSync(join(tmpdir(), "crossdock-data-"));
  mkdirSync(join(dir, "data"));
  writeFileSync(join(dir, "data", "PG_VERSION"), "18");
  expect(() => databaseUrl(readConfig({ CROSSDOCK_DATA_DIR: dir }), "owner")).toThrow("Start that first");
  rmSync(dir, { recursive: true });
});

test.each([
  ["database", "data/PG_VERSION", {}],
  ["secret", "secret.key", { DATABASE_URL: "postgres://127.0.0.1:1/x" }],
])("without the server's settings a maintenance command makes no new %s", async (_, file, settings) => {
  const dir = mkdtempSync(join(tmpdir(), "crossdock-data-"));
  const config = readConfig({ CROSSDOCK_DATA_DIR: dir, ...settings });
  const told = `${join(dir, file)} is missing`;
  await expect(openOwnerDatabase(config)).rejects.toThrow(told);
  expect(() => databaseUrl(config, "owner")).toThrow(told);
  expect(readdirSync(dir)).toEqual([]);
  rmSync(dir, { recursive: true });
});

test("a maintenance command outlives its idle connection, as when the embedded database stops behind it", async () => {
  const database = await testDatabase();
  const opened = await openOwnerDatabase(readConfig({ DATABASE_URL: database.ownerUrl, CROSSDOCK_SECRET: testSecret }));
  const { rows } = await opened.pool.query<{ pid: number }>("select pg_backend_pid() as pid");
  const broken = new Promise((resolve) => void opened.pool.once("remove", resolve));
  await database.pool("owner", 1).query("select pg_terminate_backend($1)", [rows[0]?.pid]);
  await broken;
  expect((await opened.pool.query("select")).rowCount).toBe(1);
  await opened.close();
  await database.drop();
});

test("after a restore no id comes again that may have been given since the backup, on its day or on a later one", async () => {
  const database = await testDatabase();
  const owner = database.pool("owner", 1);
  const today = Math.trunc(Date.now() / 86_400_000) * 10 ** 10;
  for (const atBackup of [today + 5, today - 10 ** 10 + 5]) {
    await owner.query("select setval('queue.message_id', $1)", [atBackup]);
    await skipIds(owner);
    const { rows } = await owner.query<{ id: string }>("select nextval('queue.message_id') as id");
    expect(Number(rows[0]?.id)).toBeGreaterThan(today + 10 ** 9);
  }
  await database.drop();
});

test("after a restore the ids are not moved while a server is connected, which may be giving them a second time", async () => {
  const database = await testDatabase();
  const owner = database.pool("owner", 1);
  const lastId = async () => (await owner.query<{ id: string }>("select last_value as id from queue.message_id")).rows[0]?.id;
  const before = await lastId();
  const server = new pg.Client({ connectionString: database.workerUrl });
  await server.connect();
  await expect(skipIds(owner)).rejects.toThrow("Stop all servers");
  expect(await lastId()).toBe(before);
  await server.end();
  await expect.poll(() => skipIds(owner).catch(() => null)).not.toBeNull();
  await database.drop();
});

test("after a restore of what is older than the days made ahead, messages are taken in before a scheduler has run", async () => {
  const database = await testDatabase();
  const owner = database.pool("owner", 1);
  const { rows } = await owner.query<{ name: string }>(
    "select inhrelid::regclass::text as name from pg_inherits where inhparent::regclass::text like '%.message'",
  );
  for (const { name } of rows) await owner.query(`drop table ${name}`);
  await skipIds(owner);
  const today =
    "select to_regclass(queue.partition_name('queue.message', (select last_value / 10000000000 from queue.message_id)::integer)) as today";
  expect((await owner.query(today)).rows).toEqual([{ today: expect.stringContaining("queue.message_") }]);
  await database.drop();
});
