import type pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "@crossdock/db/testing";
import { createWorker, publish, saveQueue, saveTarget, type Delivery } from "./index.ts";

let database: TestDatabase;
let pool: pg.Pool;
let tenantId = 0;
beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool("worker", 12);
});
beforeEach(() => {
  tenantId++;
});
afterAll(() => database.drop());

type Bench = {
  send: (key: string, client?: pg.ClientBase) => Promise<string>;
  delivered: string[];
  until: (count: number) => Promise<void>;
};

/** A queue of one shard, so that every message passes the same reader. A delivery under way may keep it awake. */
async function withQueue(run: (bench: Bench) => Promise<void>, { isAwake = true } = {}): Promise<void> {
  await saveTarget(pool, { tenantId, targetId: 1, concurrency: 1 });
  const queueId = await saveQueue(pool, { tenantId, targetId: 1, name: "a.order", mode: "fifo", delivery: "push" });
  await saveTarget(pool, { tenantId, targetId: 1, concurrency: 4 });
  const delivered: string[] = [];
  let told = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const own = tenantId;
  const handler = async ({ tenantId: of, messageId, key }: Delivery) => {
    // What an earlier test left behind is nobody's business here.
    if (of !== own) return { kind: "released", delayMs: 60_000 } as const;
    if (key === "keeps awake") {
      started.resolve();
      await gate.promise;
      return { kind: "delivered", attempt: { durationMs: 1 } } as const;
    }
    delivered.push(messageId);
    told.resolve();
    told = Promise.withResolvers<void>();
    return { kind: "delivered", attempt: { durationMs: 1 } } as const;
  };
  const send = async (key: string, client: pg.ClientBase | pg.Pool = pool): Promise<string> => {
    const [id = ""] = await publish(client, [{ tenantId, queueId, subtenantId: 1, key, entityType: "order", document: "{}" }]);
    return id;
  };
  const until = async (count: number): Promise<void> => {
    while (delivered.length < count) await told.promise;
  };
  const worker = createWorker(pool, { handler, pollMs: 20 });
  await worker.start();
  if (isAwake) {
    await send("keeps awake");
    await started.promise;
  }
  try {
    await run({ send, delivered, until });
  } finally {
    gate.resolve();
    await worker.stop();
  }
}

async function inTransaction(run: (client: pg.PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    await run(client);
    await client.query("commit");
  } finally {
    await client.query("rollback");
    client.release();
  }
}

const confirmedTo = async (): Promise<string | undefined> =>
  (await pool.query<{ cursor: string }>("select cursor from queue.shard where tenant_id = $1", [tenantId])).rows[0]?.cursor;

test("a message whose commit comes late is delivered before its lane's next one, however much was read meanwhile", async () => {
  await withQueue(async ({ send, delivered, until }) => {
    let late = "";
    let others = 0;
    await inTransaction(async (client) => {
      late = await send("slow", client);
      // Longer than any reader looks back by time, and with other messages read in between.
      const ends = performance.now() + 400;
      while (performance.now() < ends || others < 20) {
        await send("other");
        await until(++others);
      }
    });
    const next = await send("slow");
    await until(others + 2);
    expect(delivered.indexOf(late)).toBeLessThan(delivered.indexOf(next));
    expect(delivered.filter((id) => id === late)).toHaveLength(1);
  });
});

test("a message is delivered though a transaction that began earlier published a higher id first", async () => {
  await withQueue(async ({ send, delivered, until }) => {
    const [early, late] = [await pool.connect(), await pool.connect()];
    try {
      await early.query("begin; select pg_current_xact_id()");
      await late.query("begin");
      const lower = await send("a key", late);
      const higher = await send("another key", early);
      // Nothing has ended yet whose id is above that of the one that is still open.
      await early.query("commit");
      await until(1);
      for (let n = 2; n <= 20; n++) {
        await send("other");
        await until(n);
      }
      await late.query("commit");
      await until(21);
      expect(delivered).toContain(higher);
      expect(delivered).toContain(lower);
    } finally {
      for (const client of [early, late]) {
        await client.query("rollback");
        client.release();
      }
    }
  });
});

test("a transaction that publishes nothing keeps no reader back, however long it is open", async () => {
  await withQueue(
    async ({ send, until }) => {
      await inTransaction(async (client) => {
        await client.query("select pg_current_xact_id()");
        const first = await send("a key");
        // A position is confirmed by a later read of the same lease.
        for (let n = 1; n < 10; n++) {
          await until(n);
          await send("a key");
        }
        await expect.poll(async () => BigInt((await confirmedTo()) ?? 0)).toBeGreaterThanOrEqual(BigInt(first));
      });
    },
    // A shard's row tells the cursor when it goes to sleep.
    { isAwake: false },
  );
});

test("a delivery under way keeps no other lane of its shard waiting for a poll", { timeout: 20_000 }, async () => {
  await withQueue(async ({ send, delivered, until }) => {
    const sent: string[] = [];
    // Polls come up to a second apart.
    for (let n = 1; n <= 100; n++) {
      sent.push(await send("a key"));
      await until(n);
    }
    expect(delivered).toEqual(sent);
  });
});

test(
  "while a worker waits for a settlement to be stored it reads and delivers what is published for other lanes",
  { timeout: 30_000 },
  async () => {
    await saveTarget(pool, { tenantId, targetId: 1, concurrency: 2 });
    const queueId = await saveQueue(pool, { tenantId, targetId: 1, name: "a.order", mode: "fifo", delivery: "push" });
    const keySql = "select chr(96 + n) as key from generate_series(1, 26) n where queue.lane_of(chr(96 + n)) & 1 = $1 limit 1";
    const keyOf = async (shard: number): Promise<string> => (await pool.query<{ key: string }>(keySql, [shard])).rows[0]?.key ?? "";
    const [slow, other] = [await keyOf(0), await keyOf(1)];
    const send = (key: string) => publish(pool, [{ tenantId, queueId, subtenantId: 1, key, entityType: "order", document: "{}" }]);
    const own = tenantId;
    const locker = await pool.connect();
    const locked = Promise.withResolvers<void>();
    const others: string[] = [];
    const worker = createWorker(pool, {
      lingerMs: 600_000,
      handler: async (delivery) => {
        if (delivery.tenantId !== own) return { kind: "released", delayMs: 60_000 };
        if (delivery.key === other) others.push(delivery.messageId);
        else {
          // The settling waits for this row, as it may for the disk.
          await locker.query("begin");
          await locker.query("select from queue.shard where tenant_id = $1 and shard = 0 for update", [own]);
          locked.resolve();
        }
        return { kind: "delivered", attempt: { durationMs: 1 } };
      },
    });
    await worker.start();
    try {
      await send(slow);
      await locked.promise;
      // A step that began later could be for both lanes.
      const waitingSql = "select from pg_locks where not granted and $1 = any(pg_blocking_pids(pid))";
      const blocker = (await locker.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]?.pid;
      while ((await pool.query(waitingSql, [blocker])).rows.length === 0);
      // Several, as a worker whose steps took long lately rests in between.
      for (let n = 0; n < 2000 && others.length === 0; n += 1) await send(other);
      expect(others).not.toHaveLength(0);
      const { rows } = await pool.query("select from queue.history where tenant_id = $1", [own]);
      expect(rows).toHaveLength(0);
    } finally {
      await locker.query("rollback");
      locker.release();
      await worker.stop();
    }
  },
);
