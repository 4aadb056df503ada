import { createServer } from "node:net";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testDatabase, testSecret, type TestDatabase } from "@crossdock/db/testing";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readConfig } from "./config.ts";
import { startServer, type Server } from "./server.ts";

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

test("a password from the environment replaces a forgotten one and ends its sessions", async () => {
  const first = await start({ CROSSDOCK_ADMIN_PASSWORD: "the first password" });
  expect(await signIn(first, "the first password")).toBe(200);
  await first.stop();
  const second = await start({ CROSSDOCK_ADMIN_PASSWORD: "the second password" });
  expect(await signIn(second, "the first password")).toBe(401);
  expect(await signIn(second, "the second password")).toBe(200);
  await second.stop();
});

test("a process without the role api listens nowhere but for its metrics, when asked to", async () => {
  const worker = await start({ CROSSDOCK_ROLES: "worker,scheduler", CROSSDOCK_METRICS_PORT: "0" });
  expect(worker.url).toBeNull();
  expect(await (await fetch(worker.metricsUrl ?? "")).text()).toContain("crossdock_metrics_store_up 1\n");
  await worker.stop();
});

test("an app role that sees all tenants stops the start", async () => {
  await expect(start({ DATABASE_APP_URL: database.ownerUrl })).rejects.toThrow("is a superuser");
  await expect(start({ DATABASE_WORKER_URL: database.ownerUrl })).rejects.toThrow("is a superuser");
});

test("a port in use stops the start with that reason, and leaves nothing running", async () => {
  const other = createServer();
  await new Promise<void>((done) => void other.listen(0, "127.0.0.1", done));
  const address = other.address();
  const port = typeof address === "object" && address ? address.port : 0;
  await expect(start({ CROSSDOCK_PORT: String(port) })).rejects.toThrow("EADDRINUSE");
  other.close();
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
  rmSync(dir, { recursive: true, force: true });
});
