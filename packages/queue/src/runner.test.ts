import type pg from "pg";
import { expect, test } from "vitest";
import { LeasedShard, type Held } from "./leased-shard.ts";
import { Runner, type RunnerHost } from "./runner.ts";
import type { SlotRow } from "./step.ts";
import { TargetGate } from "./target-gate.ts";

/** A database that is away, and says so at once. */
const pool = { query: () => Promise.reject(new Error("the database is away")) } as unknown as pg.Pool;

function leasedShard(shard = 0): LeasedShard {
  const settings = { tenantId: 1, targetId: 1, concurrency: 8, ratePerSecond: null, circuit: "closed" } as const;
  const place = { tenantId: 1, queueId: 1, queueName: "a.order", targetId: 1 };
  const header = { ...place, shard, epoch: "1", generation: 0, carefulTo: "0", cursor: "0", weight: 1, mode: "fifo" } as const;
  return new LeasedShard(header, new TargetGate(pool, settings, { faults: 5, pauseMs: 1, pauseMsMax: 1 }), undefined, 0);
}

/** Starts a runner of the shards, and calls `onError` with each failed step. */
function run(shards: LeasedShard[], leaseSeconds: number, told: Pick<RunnerHost, "onError" | "onLost">, database = pool): Runner {
  const host: RunnerHost = {
    pool: database,
    leaseSeconds,
    lingerMs: 3000,
    offer: () => undefined,
    dispatch: () => undefined,
    onAsleep: () => undefined,
    onSettled: () => undefined,
    onEnd: () => undefined,
    keptMax: () => 10,
    ...told,
  };
  const runner = new Runner(host, 1, shards, performance.now());
  runner.schedule();
  return runner;
}

test("while the database is away a worker holds on to its shards until its lease has run out, and then aborts what is in hand", async () => {
  const [kept, given] = [leasedShard(), leasedShard()];
  const failed = Promise.withResolvers<void>();
  const holding = run([kept], 600, { onError: () => failed.resolve(), onLost: () => expect.unreachable() });
  await failed.promise;
  expect([holding.shards, kept.signal.aborted]).toEqual([[kept], false]);
  const lost = Promise.withResolvers<readonly LeasedShard[]>();
  const losing = run([given], 0, { onError: () => undefined, onLost: lost.resolve });
  expect(await lost.promise).toEqual([given]);
  expect([losing.shards, given.signal.aborted]).toEqual([[], true]);
  // Tries no more.
  holding.drain();
});

test("a runner has room again when the attempts that filled it are lost with their lease", async () => {
  const shard = leasedShard();
  const lost = Promise.withResolvers<readonly LeasedShard[]>();
  const runner = run([shard], 0, { onError: () => undefined, onLost: lost.resolve });
  const held: Held = { id: 5, version: null, row: { document: "" } as SlotRow, shard, lane: shard.laneOf("k") };
  shard.inFlight = 1;
  const response = { status: 200, headers: {}, body: "12345" };
  const request = { method: "POST", url: "https://example.com", headers: {}, body: "67890" };
  runner.finish(held, { kind: "delivered", attempt: { durationMs: 1, request, response } });
  expect(runner.isFull).toBe(true);
  await lost.promise;
  expect(runner.isFull).toBe(false);
});

test("what is given back is read again, however far reading has got meanwhile", () => {
  const shard = leasedShard();
  const waiting = { query: () => new Promise(() => undefined) } as unknown as pg.Pool;
  const runner = run([shard], 600, { onError: () => undefined, onLost: () => undefined }, waiting);
  const lane = shard.laneOf("k");
  const held: Held = { id: 5, version: null, row: { document: "" } as SlotRow, shard, lane };
  shard.held.set(held.id, held);
  lane.running = held;
  shard.inFlight = 1;
  for (let read = 0; read < 4; read++) shard.noteRead({ from: 0, to: 9, seenTo: Infinity, openFrom: 2, ownXid: 1, now: 0 });
  expect(shard.position.confirmed).toBe(9);
  runner.finish(held, { kind: "released" });
  // Once it is settled, nothing in hand holds the cursor back.
  shard.held.delete(held.id);
  expect([shard.resumeCursor(), shard.hasMore]).toEqual([4, true]);
});

test("the shards of a backlog take turns", async () => {
  const shards = Array.from({ length: 32 }, (_, index) => leasedShard(index));
  const turns: number[][] = [];
  const done = Promise.withResolvers<void>();
  // Of the parameters of queue.step: the shards, and how much to read of each. None of them is ever read to its end.
  const query = ({ values }: { values: string[] }): Promise<{ rows: unknown[][] }> => {
    const [names = [], rooms = []] = [values[4], values[8]].map((text): number[] => JSON.parse(`[${text?.slice(1, -1)}]`));
    turns.push(names.filter((_, index) => rooms[index] !== 0));
    if (turns.length === 4) done.resolve();
    if (turns.length >= 4) return new Promise(() => undefined);
    const states = names.map((_, index) => ({ slot: index + 1, generation: 0, isBlocked: false, reachedTo: null }));
    const read = { isRead: true, isEmpty: false, isAsleep: false, isWhole: false, isNoted: false, readTo: null };
    const slots = states.map(({ slot }) => ({ slot, ...read }));
    return Promise.resolve({ rows: [[JSON.stringify(states)], [JSON.stringify({ openFrom: "1", ownXid: null, slots })]] });
  };
  run(shards, 600, { onError: done.reject, onLost: () => expect.unreachable() }, { query } as unknown as pg.Pool);
  await done.promise;
  const half = (from: number): number[] => shards.slice(from, from + 16).map(({ shard }) => shard);
  // What no read has been cut off of yet doesn't wait.
  expect(turns).toEqual([[...half(0), ...half(16)], half(0), half(16), half(0)]);
});
