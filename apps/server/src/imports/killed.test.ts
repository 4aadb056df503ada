import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Run, RunLine } from "@crossdock/contract";
import { testDatabase, testSecret, type TestDatabase } from "@crossdock/db/testing";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";

/** Imports in processes of their own, one of which is ended with kill -9 in the middle of a file. */

const main = fileURLToPath(new URL("../main.ts", import.meta.url));
const admin = { email: "admin@example.com", password: "only for this test" };
const rows = 12_000;
const wrongEvery = 1_000;
const patience = { timeout: 120_000, interval: 100 };

let database: TestDatabase;
let owner: pg.Client;
const processes: ChildProcess[] = [];

beforeAll(async () => {
  database = await testDatabase();
  owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
});
afterAll(async () => {
  for (const child of processes) await end(child, "SIGTERM");
  await owner.end();
  await database.drop();
});

async function end(child: ChildProcess, signal: "SIGKILL" | "SIGTERM"): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill(signal);
  await exited;
}

type Server = { child: ChildProcess; call: <Answer>(method: string, path: string, body?: object) => Promise<Answer> };

async function startServer(): Promise<Server> {
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env["PATH"],
      DATABASE_URL: database.ownerUrl,
      CROSSDOCK_SECRET: testSecret,
      CROSSDOCK_DEMO: "0",
      CROSSDOCK_PORT: "0",
      CROSSDOCK_LOG_LEVEL: "error",
      CROSSDOCK_ADMIN_EMAIL: admin.email,
      CROSSDOCK_ADMIN_PASSWORD: admin.password,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  processes.push(child);
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  await expect.poll(() => /http:\/\/localhost:\d+/.exec(said)?.[0], patience).toBeDefined();
  const [url = ""] = /http:\/\/localhost:\d+/.exec(said) ?? [];
  const call = async (method: string, path: string, body?: object, token?: string) => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { ...(body && { "content-type": "application/json" }), ...(token && { authorization: `Bearer ${token}` }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${text}`);
    return text === "" ? null : JSON.parse(text);
  };
  const { access_token: token } = await call("POST", "/session", admin);
  return { child, call: (method, path, body) => call(method, path, body, token) };
}

const isWrong = (row: number): boolean => row % wrongEvery === wrongEvery - 1;

/** Hands a file in and starts it; its run's id. The first line of data is line 2. */
async function handIn({ call }: Server, prefix: string, integrationPointId: number): Promise<number> {
  const file = { integrationPointId, entityType: "item", name: "items.csv", format: "csv" };
  const { id } = await call<Run>("POST", "/tenants/nova/imports", file);
  const part = 4_000;
  for (let at = 0; at < rows; at += part) {
    const lines = Array.from({ length: part }, (_, index) => at + index).map((row) =>
      isWrong(row) ? `,Nameless ${row}` : `${prefix}-${row},Item ${row}`,
    );
    const text = `${at === 0 ? "sku,name\n" : ""}${lines.join("\n")}\n`;
    await call("PUT", `/tenants/nova/imports/${id}/parts/${at / part + 1}`, { text });
  }
  await call("POST", `/tenants/nova/imports/${id}/start`, { parts: rows / part, rows });
  return id;
}

const runOf = ({ call }: Server, id: number): Promise<Run> => call("GET", `/tenants/nova/runs/${id}`);

/** Keys of the messages that a file made, in the order in which they were published. */
async function published(prefix: string): Promise<string[]> {
  const { rows: found } = await owner.query<{ key: string }>("select key from queue.message where key like $1 order by id", [
    `${prefix}-%`,
  ]);
  return found.map(({ key }) => key);
}

let server: Server;
let pointId: number;

test("an import whose process is killed goes on in the next one: each row once, each wrong line told once", async () => {
  const first = await startServer();
  const point = { subtenantCode: "main" };
  await first.call("POST", "/tenants", { code: "nova", name: "Nova" });
  await first.call("POST", "/tenants/nova/subtenants", { code: "main", name: "Main" });
  const source = { ...point, connector: "wgr", code: "file", name: "File", sourceTypes: ["item"] };
  ({ id: pointId } = await first.call<{ id: number }>("POST", "/tenants/nova/integration-points", source));
  const target = { ...point, connector: "centra", code: "shop", name: "Shop", targetTypes: ["item"], deliveryMode: "pull" };
  await first.call("POST", "/tenants/nova/integration-points", target);
  const id = await handIn(first, "A", pointId);
  await expect.poll(async () => (await runOf(first, id)).done, { ...patience, interval: 20 }).toBeGreaterThan(0);
  await end(first.child, "SIGKILL");
  const before = await owner.query<{ done: number; state: string }>("select done, state from hub.run where id = $1", [id]);
  expect(before.rows[0]).toMatchObject({ state: "running" });
  expect(before.rows[0]?.done).toBeLessThan(rows);

  server = await startServer();
  // As if the killed process's lease had run out, which takes a minute.
  await owner.query("update hub.run set lease_until = clock_timestamp() - interval '1 second' where id = $1 and state = 'running'", [id]);
  await expect.poll(async () => (await runOf(server, id)).state, patience).toBe("done");
  const wrong = rows / wrongEvery;
  expect(await runOf(server, id)).toMatchObject({ total: rows, done: rows, accepted: rows - wrong, rejected: wrong, fault: null });
  const { items } = await server.call<{ items: RunLine[] }>("GET", `/tenants/nova/runs/${id}/lines?limit=500`);
  const expected = Array.from({ length: wrong }, (_, index) => (index + 1) * wrongEvery + 1);
  expect(items.filter(({ level }) => level === "error").map(({ text }) => Number(/^line (\d+):/.exec(text)?.[1]))).toEqual(expected);
  expect(items.filter(({ text }) => text === "taken up again after an interruption")).toHaveLength(1);
  const keys = Array.from({ length: rows }, (_, row) => row).flatMap((row) => (isWrong(row) ? [] : [`A-${row}`]));
  expect(await published("A")).toEqual(keys);
});

test("a cancelled import ends after the batch in hand, and what was taken is what its counters say", async () => {
  const id = await handIn(server, "B", pointId);
  await expect.poll(async () => (await runOf(server, id)).done, { ...patience, interval: 20 }).toBeGreaterThan(0);
  await server.call("POST", `/tenants/nova/runs/${id}/cancel`);
  await expect.poll(async () => (await runOf(server, id)).finishedAt, patience).not.toBeNull();
  const run = await runOf(server, id);
  expect(run).toMatchObject({ state: "cancelled", fault: null });
  expect(run.done).toBeLessThan(rows);
  expect(run.accepted + run.rejected).toBe(run.done);
  expect(await published("B")).toHaveLength(run.accepted);
});
