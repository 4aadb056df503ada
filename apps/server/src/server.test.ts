import { createServer } from "node:net";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, inDatabase } from "@crossdock/db";
import { testDatabase, testSecret, type TestDatabase } from "@crossdock/db/testing";
import pg from "pg";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readConfig } from "./config.ts";
import { startServer, type Server } from "./server.ts";
import { StartError } from "./installation/start-error.ts";

const logger = pino({ level: "silent" });
let database: TestDatabase;
beforeEach(async () => {
  database = await testDatabase();
});
afterEach(() => database.drop());

const start = (environment: Record<string, string> = {}): Promise<Server> =>
  startServer(
    readConfig({ CROSSDOCK_DEMO: "0", CROSSDOCK_PORT: "0", CROSSDOCK_SECRET: testSecret, DATABASE_URL: database.ownerUrl, ...environment }),
    logger,
  );

async function signIn(server: Server, password: string): Promise<number> {
  const answer = await fetch(`${server.url}/api/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: server.admin?.email, password }),
  });
  return answer.status;
}

test("the first start makes an admin and tells the password once; it works", async () => {
  const first = await start();
  expect(first.admin).toMatchObject({ email: "admin@crossdock.local", newPassword: expect.stringMatching(/^.{16}$/) });
  expect(await signIn(first, first.admin?.newPassword ?? "")).toBe(200);
  await first.stop();
  const second = await start();
  expect(second.admin).toMatchObject({ email: "admin@crossdock.local", newPassword: null });
  expect(await signIn(second, first.admin?.newPassword ?? "")).toBe(200);
  await second.stop();
});

test("processes that started before the first one with the role api leave the first admin to it", async () => {
  const worker = await start({ CROSSDOCK_ROLES: "worker" });
  const api = await start({
    CROSSDOCK_ROLES: "api",
    CROSSDOCK_ADMIN_EMAIL: "ada@example.com",
    CROSSDOCK_ADMIN_PASSWORD: "the first password",
  });
  expect([worker.admin, api.admin?.email]).toEqual([null, "ada@example.com"]);
  expect(await signIn(api, "the first password")).toBe(200);
  await api.stop();
  await worker.stop();
});

test("a password from the environment replaces a forgotten one and ends its sessions", async () => {
  const first = await start({ CROSSDOCK_ADMIN_PASSWORD: "the first password" });
  expect(await signIn(first, "the first password")).toBe(200);
  await first.stop();
  const second = await start({ CROSSDOCK_ADMIN_PASSWORD: "the second password" });
  expect(await signIn(second, "the first password")).toBe(401);
  expect(await signIn(second, "the second password")).toBe(200);
  await second.stop();
});

test("a process without the role api listens nowhere but for its metrics and probes, when asked to", async () => {
  const worker = await start({ CROSSDOCK_ROLES: "worker,scheduler", CROSSDOCK_METRICS_PORT: "0" });
  expect(worker.url).toBeNull();
  for (const [path, status] of [
    ["/healthz", "ok"],
    ["/readyz", "ready"],
  ] as const) {
    const answer = await fetch(new URL(path, worker.metricsUrl ?? ""));
    expect([answer.status, await answer.json()]).toMatchObject([200, { status }]);
  }
  expect(await (await fetch(worker.metricsUrl ?? "")).text()).toContain("crossdock_metrics_store_up 1\n");
  await worker.stop();
});

test("a process that starts is alive and not ready before it serves", async () => {
  const port = await freePort();
  const probe = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`).catch(() => null))?.status;
  const holder = await database.pool("owner", 1).connect();
  await holder.query(`begin; lock table hub."user" in access exclusive mode`);
  const starting = start({ CROSSDOCK_ROLES: "api", CROSSDOCK_METRICS_PORT: String(port) });
  await expect.poll(() => probe("/healthz")).toBe(200);
  expect(await probe("/readyz")).toBe(503);
  await holder.query("rollback");
  holder.release();
  const server = await starting;
  expect(await probe("/readyz")).toBe(200);
  await server.stop();
});

test("a process that is told to stop goes on answering for as long as it is set, and says at once that it is not ready", async () => {
  const server = await start({ CROSSDOCK_STOP_DELAY_SECONDS: "3", CROSSDOCK_METRICS_PORT: "0" });
  const ask = async (path: string, at = server.url) => (await fetch(new URL(path, at ?? ""), { headers: { connection: "close" } })).status;
  expect(await ask("/readyz")).toBe(200);
  const stopped = server.stop();
  expect(await Promise.all([ask("/readyz"), ask("/readyz", server.metricsUrl), ask("/api/v1/sign-in-options")])).toEqual([503, 503, 200]);
  await stopped;
  await expect(ask("/readyz")).rejects.toThrow("fetch failed");
});

test("a server stops in order while its database is away", async () => {
  const server = await start();
  const name = new URL(database.ownerUrl).pathname.slice(1);
  const admin = new pg.Client({ connectionString: inDatabase(database.ownerUrl, "postgres") });
  await admin.connect();
  await admin.query(`alter database ${name} allow_connections false`);
  await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name]);
  await server.stop();
  await expect(fetch(`${server.url}/healthz`)).rejects.toThrow("fetch failed");
  await admin.end();
});

test("an app role that sees all tenants stops the start", async () => {
  await expect(start({ DATABASE_APP_URL: database.ownerUrl })).rejects.toThrow("is a superuser");
  await expect(start({ DATABASE_WORKER_URL: database.ownerUrl })).rejects.toThrow("is a superuser");
});

test("a port in use stops the start and names the setting that chooses it", async () => {
  const other = createServer();
  await new Promise<void>((done) => void other.listen(0, "127.0.0.1", done));
  const address = other.address();
  const port = String(typeof address === "object" && address ? address.port : 0);
  const taken = (setting: string) => new StartError(`Port ${port} is taken by another program. Choose another with ${setting}.`);
  await expect(start({ CROSSDOCK_PORT: port })).rejects.toThrow(taken("CROSSDOCK_PORT"));
  await expect(start({ CROSSDOCK_METRICS_PORT: port })).rejects.toThrow(taken("CROSSDOCK_METRICS_PORT"));
  other.close();
});

test.each([
  ["an address that is not this machine's", { CROSSDOCK_HOST: "192.0.2.1" }, "192.0.2.1", "CROSSDOCK_HOST"],
  [
    "a database that does not answer",
    { DATABASE_URL: "postgres://me:hunter2@127.0.0.1:1/x" },
    "The database cannot be used",
    "127.0.0.1:1",
  ],
  [
    "a data folder that can't be made",
    { DATABASE_URL: "", CROSSDOCK_DATA_DIR: "/proc/crossdock/data" },
    "The data folder /proc/crossdock/data cannot be used",
    "CROSSDOCK_DATA_DIR",
    "mkdir '/proc/crossdock'",
  ],
  [
    "another secret than the database's",
    { CROSSDOCK_SECRET: "another secret of more than 32 characters" },
    "The database cannot be used: it was set up with another secret",
    "CROSSDOCK_SECRET",
  ],
  [
    "a data folder that is a file",
    { DATABASE_URL: "", CROSSDOCK_DATA_DIR: import.meta.filename },
    import.meta.filename,
    "CROSSDOCK_DATA_DIR",
  ],
])("%s stops the start in words for a person", async (_what, environment, ...words) => {
  const error: unknown = await start(environment).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StartError);
  for (const word of words) expect(String(error)).toContain(word);
  expect(String(error)).not.toContain("hunter2");
});

test("without DATABASE_URL the database and a secret only the owner reads are made in the data folder, for one process at a time", async () => {
  const dir = mkdtempSync(join(tmpdir(), "crossdock-data-"));
  const embedded = { CROSSDOCK_DEMO: "0", CROSSDOCK_PORT: "0", CROSSDOCK_DATA_DIR: dir };
  const server = await startServer(readConfig(embedded), logger);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  expect(readFileSync(join(dir, "secret.key"), "utf8").trim()).toMatch(/^[0-9a-f]{64}$/);
  expect(statSync(join(dir, "secret.key")).mode & 0o777).toBe(0o600);
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  await server.stop();
  const again = await startServer(readConfig(embedded), logger);
  expect(again.admin?.newPassword).toBeNull();
  await again.stop();
  // The database's owner has its password of the secret.
  const withOther = startServer(readConfig({ ...embedded, CROSSDOCK_SECRET: testSecret }), logger);
  await expect(withOther).rejects.toThrow("The embedded PostgreSQL cannot be started: its folder was made with another secret");
  rmSync(dir, { recursive: true, force: true });
});

test("a data folder in use is left alone, and whoever holds it is told", async () => {
  const dir = mkdtempSync(join(tmpdir(), "crossdock-data-"));
  writeFileSync(join(dir, "server.pid"), String(process.ppid));
  await expect(start({ DATABASE_URL: "", CROSSDOCK_DATA_DIR: dir })).rejects.toThrow(
    new StartError(
      `Crossdock runs already with the folder ${dir} (process ${process.ppid}). If that process is another program, remove ${dir}/server.pid.`,
    ),
  );
  expect(readdirSync(dir)).toEqual(["server.pid"]);
  rmSync(dir, { recursive: true });
});

test.runIf(process.getuid?.() === 0)("as root, a folder that PostgreSQL's own user can't enter is named", async () => {
  const closed = mkdtempSync(join(tmpdir(), "crossdock-data-"));
  await expect(start({ DATABASE_URL: "", CROSSDOCK_DATA_DIR: join(closed, "data") })).rejects.toThrow(`who cannot enter ${closed}`);
  rmSync(closed, { recursive: true });
});
