import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "@crossdock/db/testing";
import { listen } from "./index.ts";

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool("worker", 4);
});
afterAll(() => database.drop());

/** Collects what a listener is told, and resolves when that is `count` things. */
function recorder() {
  const told: string[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const tell = (what: string): void => {
    told.push(what);
    for (const { count, resolve } of waiting) if (told.length >= count) resolve();
  };
  const until = async (count: number): Promise<string[]> => {
    if (told.length < count) await new Promise<void>((resolve) => waiting.push({ count, resolve }));
    return told;
  };
  return {
    until,
    options: {
      onNotification: (channel: string, payload: string) => tell(`${channel} ${payload}`),
      onMissed: () => tell("missed"),
      onError: () => tell("error"),
    },
  };
}

const notify = (channel: string, payload: string) => pool.query("select pg_notify($1, $2)", [channel, payload]);
const end = () =>
  pool.query("select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%' and datname = current_database()");

test("a listener hears its channels, and after a loss is told once and listens again", async () => {
  const { options, until } = recorder();
  const listener = listen(pool, { channels: ["one", "Two"], reconnectMs: 1, ...options });
  await listener.ready;
  expect(listener.isListening).toBe(true);
  await notify("one", "a");
  await notify("three", "b");
  await notify("Two", "");
  expect(await until(3)).toEqual(["missed", "one a", "Two "]);
  await end();
  expect(await until(5)).toEqual(["missed", "one a", "Two ", "error", "missed"]);
  await notify("one", "c");
  expect((await until(6)).at(-1)).toBe("one c");
  await listener.stop();
  expect(listener.isListening).toBe(false);
});

test("a listener that never found its database is told so once, and can be stopped", async () => {
  const closed = createServer().listen(0, "127.0.0.1");
  await once(closed, "listening");
  const address = closed.address();
  closed.close();
  const lost = new pg.Pool({ host: "127.0.0.1", port: typeof address === "object" ? (address?.port ?? 0) : 0 });
  let tries = 0;
  const thrice = Promise.withResolvers<void>();
  const connecting = lost.connect.bind(lost);
  lost.connect = (() => {
    tries += 1;
    if (tries === 3) thrice.resolve();
    return connecting();
  }) as typeof lost.connect;
  const { options, until } = recorder();
  const listener = listen(lost, { channels: ["one"], reconnectMs: 1, ...options });
  await thrice.promise;
  await listener.stop();
  await listener.ready;
  expect(await until(1)).toEqual(["error"]);
  await lost.end();
});

test("a connection that falls silent without an error is given up for a new one", async () => {
  const { host, port } = new pg.Client({ connectionString: database.workerUrl });
  const sockets: Socket[] = [];
  const proxy = createServer((socket) => {
    const upstream = connect(host.startsWith("/") ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port });
    sockets.push(socket, upstream);
    for (const end of [socket, upstream]) end.on("error", () => undefined);
    socket.pipe(upstream).pipe(socket);
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const address = proxy.address();
  const target = new URL(database.workerUrl);
  target.hostname = "127.0.0.1";
  target.port = String(typeof address === "object" ? address?.port : 0);
  const through = new pg.Pool({ connectionString: target.href, max: 2 });
  const { options, until } = recorder();
  const listener = listen(through, { channels: ["one"], reconnectMs: 1, heartbeatMs: 50, ...options });
  await until(1);
  for (const socket of sockets) socket.unpipe();
  expect(await until(3)).toEqual(["missed", "error", "missed"]);
  await notify("one", "heard");
  expect((await until(4)).at(-1)).toBe("one heard");
  await listener.stop();
  for (const socket of sockets) socket.destroy();
  proxy.close();
  await through.end();
});
