import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testApp, waitingForLocks, type TestApp } from "../testing/test-app.ts";

let made: TestApp;
let origin: string;
beforeAll(async () => {
  made = await testApp();
  origin = await made.app.listen({ port: 0, host: "127.0.0.1" });
});
afterAll(() => made.close());

type Event = { id: string | null; type: string };

/** Opens the stream and gives its events one by one. */
async function listen(tenant: string, account: "user" | "viewer" | "stranger", headers: Record<string, string> = {}) {
  const stop = new AbortController();
  const answer = await fetch(`${origin}/api/v1/tenants/${tenant}/events`, {
    headers: { authorization: `Bearer ${made.accounts[account]}`, ...headers },
    signal: stop.signal,
  });
  const lines = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const next = async (): Promise<Event> => {
    for (;;) {
      const found = /^(?:id: (?<id>.+)\n)?data: (?<data>.+)\n\n/m.exec(text);
      if (found?.groups?.data) {
        text = text.slice(found.index + found[0].length);
        return { id: found.groups.id ?? null, type: JSON.parse(found.groups.data).type };
      }
      const chunk = await lines?.read();
      if (!chunk || chunk.done) throw new Error("the stream ended");
      text += chunk.value;
    }
  };
  return { answer, next, stop: () => stop.abort() };
}

const notify = (channel: string, tenantId: number) => made.deps.pools.app.query("select pg_notify($1, $2)", [channel, String(tenantId)]);

test("a change of a tenant's queues reaches its listeners and nobody else's", async () => {
  const own = await listen("acme", "user");
  const foreign = await listen("other", "stranger");
  expect(own.answer.headers.get("content-type")).toContain("text/event-stream");
  await notify("queue_changed", 1001);
  expect(await own.next()).toMatchObject({ type: "queues-changed" });
  // What the other tenant gets first is its own news, so the one before was not meant for it.
  await notify("hub_changed", 1002);
  expect(await foreign.next()).toMatchObject({ type: "configuration-changed" });
  own.stop();
  foreign.stop();
});

test("who comes back is told to ask again only if something happened meanwhile", async () => {
  const first = await listen("acme", "user");
  await notify("queue_changed", 1001);
  const { id } = await first.next();
  first.stop();
  const unchanged = await listen("acme", "user", { "last-event-id": id ?? "" });
  await notify("queue_changed", 1001);
  const news = await unchanged.next();
  expect(news.type).toBe("queues-changed");
  unchanged.stop();
  const behind = await listen("acme", "user", { "last-event-id": id ?? "" });
  expect(await behind.next()).toEqual({ id: null, type: "resync" });
  behind.stop();
});

test("a stream needs the right to read the tenant", async () => {
  expect((await fetch(`${origin}/api/v1/tenants/acme/events`)).status).toBe(401);
  const foreign = await listen("acme", "stranger");
  expect(foreign.answer.status).toBe(404);
});

test("after a broken database connection the streams are told to ask for everything again, and who was away is when he comes back", async () => {
  const away = await listen("acme", "user");
  await notify("queue_changed", 1001);
  const { id } = await away.next();
  away.stop();
  const stream = await listen("other", "stranger");
  await made
    .pool("owner", 1)
    .query(
      "select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%hub_changed%' and datname = current_database()",
    );
  expect(await stream.next()).toMatchObject({ type: "resync" });
  stream.stop();
  const back = await listen("acme", "user", { "last-event-id": id ?? "" });
  await notify("queue_changed", 1001);
  expect(await back.next()).toEqual({ id: null, type: "resync" });
  back.stop();
});

/** Resolves when the server ends the stream. */
async function ended(stream: Awaited<ReturnType<typeof listen>>): Promise<void> {
  for (;;) {
    const isOver = await stream.next().then(
      () => false,
      (error: unknown) => String(error).includes("the stream ended"),
    );
    if (isOver) return;
  }
}

/** What takes a right away and gives it back, on tenant `acme` and person 3, the viewer. */
const losses = [
  ["a disabled person", `update hub."user" set is_active = false where id = 3`, `update hub."user" set is_active = true where id = 3`],
  [
    "a withdrawn grant",
    "delete from hub.user_tenant where user_id = 3",
    "insert into hub.user_tenant (tenant_id, user_id) values (1001, 3)",
  ],
  [
    "an inactive tenant",
    "update hub.tenant set is_active = false where id = 1001",
    "update hub.tenant set is_active = true where id = 1001",
  ],
  [
    "an ended session",
    "update hub.session set revoked_at = now() where user_id = 3",
    "update hub.session set revoked_at = null where user_id = 3",
  ],
] as const;

test.each(losses)("%s ends the open stream at once", async (_, lose, restore) => {
  const owner = made.pool("owner", 1);
  const stream = await listen("acme", "viewer");
  expect(stream.answer.status).toBe(200);
  await owner.query(lose);
  await ended(stream);
  await owner.query(restore);
});

test("a stream that has ended is told nothing more, also while its reader has not taken the end", async () => {
  const owner = made.pool("owner", 1);
  const other = await listen("acme", "user");
  const asked = once(made.app.server, "request") as Promise<[unknown, ServerResponse]>;
  const stream = await listen("acme", "viewer");
  const [, response] = await asked;
  const faults: unknown[] = [];
  response.on("error", (fault) => faults.push(fault));
  // A reader who is away, as a computer that sleeps: nothing more is taken off the connection.
  Object.assign(response.socket ?? {}, { _write: () => undefined, _writev: null });
  await owner.query(`update hub."user" set is_active = false where id = 3`);
  await expect.poll(() => response.writableEnded).toBe(true);
  for (const channel of ["queue_changed", "notes_changed"]) {
    await notify(channel, 1001);
    await other.next();
  }
  await owner.query(`update hub."user" set is_active = true where id = 3`);
  response.destroy();
  stream.stop();
  other.stop();
  expect(faults).toEqual([]);
});

test("a person whose rights change and leave the stream its right is told so, and nobody else", async () => {
  const owner = made.pool("owner", 1);
  const [changed, other] = [await listen("acme", "viewer"), await listen("acme", "user")];
  await owner.query(`update hub."user" set role = 'user' where id = 3`);
  expect(await changed.next()).toEqual({ id: null, type: "access-changed" });
  await notify("queue_changed", 1001);
  expect(await other.next()).toMatchObject({ type: "queues-changed" });
  await owner.query(`update hub."user" set role = 'viewer' where id = 3`);
  changed.stop();
  other.stop();
});

test("a revoked key's stream ends, although keys are remembered for a while", async () => {
  const created = await made.call("admin", "POST", "/api/v1/tenants/acme/api-keys", { name: "reader", role: "viewer" });
  const { id, key } = created.json<{ id: number; key: string }>();
  const stream = await listen("acme", "user", { authorization: `Bearer ${key}` });
  expect(stream.answer.status).toBe(200);
  expect((await made.call("admin", "DELETE", `/api/v1/tenants/acme/api-keys/${id}`)).statusCode).toBe(204);
  await ended(stream);
});

test("of what was let in as the server stops a stream is told to come again, the rest answered, and no connection keeps it from stopping", async () => {
  const stopping = await testApp();
  const url = await stopping.app.listen({ port: 0, host: "127.0.0.1" });
  const owner = stopping.pool("owner", 2);
  const holder = await owner.connect();
  // Let in before the stop, and asked for their rights still when it has begun.
  await holder.query("begin; lock table hub.session in access exclusive mode");
  const headers = { authorization: `Bearer ${stopping.accounts.user}` };
  const asked = ["events", "queues"].map((path) => fetch(`${url}/api/v1/tenants/acme/${path}`, { headers }));
  await expect.poll(() => waitingForLocks(owner)).toBe(2);
  const closed = stopping.close();
  await expect.poll(() => stopping.app.server.listening).toBe(false);
  await holder.query("rollback");
  holder.release();
  const answers = await Promise.all(asked);
  expect(answers.map((answer) => [answer.status, answer.headers.get("connection")])).toEqual([
    [503, "close"],
    [200, "close"],
  ]);
  await closed;
});

test("a listener who leaves while his rights are looked at leaves no stream behind", async () => {
  const owner = made.pool("owner", 2);
  const holder = await owner.connect();
  const leaving = new AbortController();
  try {
    await holder.query("begin; lock table hub.session in access exclusive mode");
    const arrived = once(made.app.server, "request") as Promise<[unknown, ServerResponse]>;
    const headers = { authorization: `Bearer ${made.accounts.user}` };
    const asked = fetch(`${origin}/api/v1/tenants/acme/events`, { headers, signal: leaving.signal }).catch(() => null);
    const [, response] = await arrived;
    await expect.poll(() => waitingForLocks(owner)).toBe(1);
    leaving.abort();
    await asked;
    await expect.poll(() => response.destroyed).toBe(true);
    await holder.query("rollback");
    await expect.poll(() => response.headersSent).toBe(true);
    expect(made.app.liveStreams.running).toBe(0);
  } finally {
    await holder.query("rollback");
    holder.release();
  }
});
