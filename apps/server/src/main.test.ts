import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { freePort } from "@crossdock/db";
import { testDatabase, testSecret, type TestDatabase } from "@crossdock/db/testing";
import { afterAll, beforeAll, expect, test } from "vitest";

const main = fileURLToPath(new URL("main.ts", import.meta.url));

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

const settings = () => ({
  ...process.env,
  DATABASE_URL: database.ownerUrl,
  CROSSDOCK_SECRET: testSecret,
  CROSSDOCK_DEMO: "0",
  CROSSDOCK_PORT: "0",
  CROSSDOCK_LOG_LEVEL: "warn",
});

/** What is written to it so far. */
function read(stream: Readable): () => string {
  let said = "";
  stream.setEncoding("utf8").on("data", (text: string) => (said += text));
  return () => said;
}

/** Where it listens. Fails at once when it ends before it has said so. */
function urlIn(output: Readable): Promise<string> {
  const said = read(output);
  return new Promise((resolve, reject) => {
    output.on("data", () => {
      const url = /http:\/\/localhost:\d+/.exec(said())?.[0];
      if (url !== undefined) resolve(url);
    });
    output.once("close", () => reject(new Error(`The server ended before it listened. It said: ${said()}`)));
  });
}

test("a server that npm started stops when npm is killed", async () => {
  // As npm does it: a shell between the two.
  const shell = spawn("sh", ["-c", `"$0" "$1"; true`, process.execPath, main], {
    env: { ...settings(), npm_lifecycle_event: "start" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await urlIn(shell.stdout);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);

  // The pipe is closed when the last process that could write to it has ended.
  const ended = once(shell.stdout, "close");
  shell.kill("SIGKILL");
  await ended;
  await expect(fetch(`${url}/readyz`)).rejects.toThrow("fetch failed");
});

test("the password of the environment is not told as that of an admin with another address", async () => {
  const owner = database.pool("owner", 1);
  await owner.query(`insert into hub."user" (email, name, role) values ('first@example.com', 'Ada', 'admin')`);
  const other = { CROSSDOCK_ADMIN_EMAIL: "other@example.com", CROSSDOCK_ADMIN_PASSWORD: "not of the first one" };
  const server = spawn(process.execPath, [main], { env: { ...settings(), ...other }, stdio: ["ignore", "pipe", "inherit"] });
  const said = read(server.stdout);
  await urlIn(server.stdout);
  server.kill("SIGTERM");
  await once(server, "close");
  expect(said()).toMatch(/Sign in {3}(\S+) {3}\(forgotten\? start once with CROSSDOCK_ADMIN_EMAIL=\1 CROSSDOCK_ADMIN_PASSWORD=NEW\)/);
});

test("a server whose terminal is closed stops in order", async () => {
  const server = spawn(process.execPath, [main], { env: settings(), stdio: ["ignore", "pipe", "inherit"] });
  await urlIn(server.stdout);
  server.kill("SIGHUP");
  expect(await once(server, "close")).toEqual([0, null]);
});

test("a signal that arrives by two ways, as from the terminal and from npm, stops in order", async () => {
  const server = spawn(process.execPath, [main], { env: settings(), stdio: ["ignore", "pipe", "inherit"] });
  await urlIn(server.stdout);
  // Of the same signal twice, the system may make one.
  server.kill("SIGINT");
  server.kill("SIGTERM");
  expect(await once(server, "close")).toEqual([0, null]);
});

test.each([
  ["an exception", "throw new Error('planted')"],
  ["a rejection", "void Promise.reject(new Error('planted'))"],
])("%s that nobody takes care of is logged and ends the server in order", async (_, fault) => {
  const planted = `data:text/javascript,process.once('SIGUSR2', () => { ${fault} })`;
  const server = spawn(process.execPath, ["--import", planted, main], { env: settings(), stdio: ["ignore", "pipe", "pipe"] });
  const log = read(server.stderr);
  await urlIn(server.stdout);
  server.kill("SIGUSR2");
  expect(await once(server, "close")).toEqual([1, null]);
  const faults = log()
    .split("\n")
    .filter((line) => line.includes('"level":60'));
  expect(faults.map((line) => JSON.parse(line))).toMatchObject([{ err: { message: "planted" } }]);
});

test("the demo's systems are there before the first delivery to them and until the last one has ended, also when it starts again", async () => {
  const worker = database.pool("worker", 1);
  const env = { ...settings(), CROSSDOCK_DEMO: "1", CROSSDOCK_DEMO_PORT: String(await freePort()) };
  for (const _ of ["first", "again"]) {
    const { now } = (await worker.query("select clock_timestamp() as now")).rows[0];
    const attempts = async (): Promise<number> =>
      (await worker.query("select from queue.attempt where started_at > $1 limit 500", [now])).rows.length;
    const server = spawn(process.execPath, [main], { env, stdio: ["ignore", "pipe", "inherit"] });
    await urlIn(server.stdout);
    await expect.poll(attempts).toBe(500);
    server.kill("SIGINT");
    await once(server, "close");
  }
  const lost = await worker.query("select error_class, error_message from queue.attempt where error_class like 'connection-%'");
  expect(lost.rows).toEqual([]);
});
