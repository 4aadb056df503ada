import { expect, test } from "vitest";
import { LeasedShard, type Held, type ReadPosition, type ShardHeader } from "./leased-shard.ts";
import { TargetGate } from "./target-gate.ts";
import type pg from "pg";

// Never asked: nothing here is sent to a database.
const pool = {} as pg.Pool;

function leasedShard(changes: Partial<ShardHeader> = {}, remembered?: ReadPosition): LeasedShard {
  const settings = { tenantId: 1, targetId: 1, concurrency: 8, ratePerSecond: null, circuit: "closed" } as const;
  const gate = new TargetGate(pool, settings, { faults: 5, pauseMs: 1, pauseMsMax: 1 });
  const place = { tenantId: 1, queueId: 1, queueName: "a.order", targetId: 1 };
  const header = {
    ...place,
    shard: 0,
    epoch: "1",
    generation: 0,
    carefulTo: "0",
    cursor: "0",
    weight: 1,
    mode: "fifo",
    ...changes,
  } as const;
  return new LeasedShard(header, gate, remembered, 0);
}

/** The id of the message that this supersedes, if any. */
function hold(shard: LeasedShard, key: string, id: number, version: number | null = null): number | null {
  const lane = shard.laneOf(key);
  const held: Held = { id, version, row: {} as Held["row"], shard, lane };
  shard.held.set(id, held);
  shard.gate.queued++;
  return shard.enqueue(lane, held)?.id ?? null;
}

const queuedIn = (shard: LeasedShard, key: string) => shard.laneOf(key).queued.map(({ id }) => id);

/** A read from where the shard stands; it has seen every transaction before the one numbered `openFrom`. */
function read(shard: LeasedShard, to: number, note: Partial<Parameters<LeasedShard["noteRead"]>[0]> = {}): void {
  shard.noteRead({ from: shard.nextCursor(), to, seenTo: Infinity, openFrom: 100, ownXid: 100, now: 0, ...note });
}

test("what is set aside while a read is under way is read again, and what comes before it is not", () => {
  const shard = leasedShard();
  let xid = 1;
  const read = (to: number, meanwhile = () => {}): number => {
    const cursor = shard.nextCursor();
    meanwhile();
    xid++;
    shard.noteRead({ from: cursor, to, seenTo: Infinity, openFrom: xid, ownXid: xid, now: 0 });
    return cursor;
  };
  read(20);
  hold(shard, "a", 10);
  hold(shard, "b", 20);
  read(0);
  // This read confirms what the first one saw.
  read(0, () => shard.setAside(shard.laneOf("b")));
  expect(shard.nextCursor()).toBe(19);
});

test("a lane runs in the order of ids, whatever order they came in", () => {
  const shard = leasedShard();
  for (const id of [20, 10, 30, 15]) hold(shard, "a", id);
  expect(queuedIn(shard, "a")).toEqual([10, 15, 20, 30]);
});

test("of a lane of the latest one waits: the one of the newest version, and of these of the highest id, unless what runs is newer", () => {
  const shard = leasedShard({ mode: "latest" });
  expect([
    hold(shard, "a", 20, 5),
    hold(shard, "a", 30, 4),
    hold(shard, "a", 10, 6),
    hold(shard, "a", 11, 6),
    hold(shard, "a", 9, 6),
  ]).toEqual([null, 30, 20, 10, 9]);
  expect(queuedIn(shard, "a")).toEqual([11]);
  const lane = shard.laneOf("a");
  lane.running = lane.queued.pop() ?? null;
  expect([hold(shard, "a", 12, 5), hold(shard, "a", 13, 6)]).toEqual([12, null]);
});

test("where a shard was read to is known again for the same messages, and no place before the one where its last lease ended", () => {
  const remembered = { generation: 1, confirmed: 10, mark: 20, horizon: 5, openSince: null, readTo: 20 };
  expect(leasedShard({ generation: 1, cursor: "10" }, remembered).nextCursor()).toBe(10);
  expect(leasedShard({ generation: 1, cursor: "10" }, remembered).position).toBe(remembered);
  expect(leasedShard({ generation: 1, cursor: "11" }, remembered).nextCursor()).toBe(11);
  expect(leasedShard({ generation: 2, cursor: "3" }, remembered).nextCursor()).toBe(3);
});

test("what was read counts once a later read has seen all transactions that were open then, all there is, and from there on", () => {
  const shard = leasedShard();
  // The first confirms nothing but its beginning, the second says which transactions have to end.
  read(shard, 20);
  read(shard, 0, { ownXid: 200 });
  expect(shard.nextCursor()).toBe(0);
  read(shard, 0, { openFrom: 199, now: 10 });
  expect([shard.nextCursor(), shard.isHeldBack(110), shard.isHeldBack(111)]).toEqual([0, false, true]);
  read(shard, 0, { openFrom: 199, now: 50 });
  expect(shard.isHeldBack(111)).toBe(true);
  read(shard, 0, { openFrom: 200, seenTo: 19 });
  expect([shard.nextCursor(), shard.isHeldBack(1_000)]).toEqual([0, false]);
  read(shard, 0, { openFrom: 200, from: 1 });
  expect(shard.nextCursor()).toBe(0);
  read(shard, 25, { openFrom: 200, seenTo: 20 });
  expect(shard.nextCursor()).toBe(20);
  // What was read beyond that waits for the transactions of a read of its own.
  read(shard, 0, { openFrom: 300, ownXid: 300 });
  expect(shard.nextCursor()).toBe(20);
  read(shard, 0, { openFrom: 300 });
  expect([shard.nextCursor(), shard.reachedTo]).toEqual([25, 25]);
});

test("a shard that is given back begins before all that is still undone, and one whose older messages came back at the head", () => {
  const shard = leasedShard({ cursor: "15" });
  hold(shard, "a", 10);
  hold(shard, "b", 20);
  expect([shard.resumeCursor(), shard.gate.queued]).toEqual([9, 2]);
  shard.setAside(shard.laneOf("b"));
  expect([shard.nextCursor(), shard.held.size, shard.gate.queued, shard.laneOf("b").queued.length]).toEqual([15, 1, 1, 0]);
  shard.startOver(1);
  expect([shard.hasMore, shard.nextCursor(), shard.held.size, shard.gate.queued]).toEqual([true, 0, 0, 0]);
});

test("a lane is forgotten once nothing of it waits or runs, and not in the place of another with its key", () => {
  const shard = leasedShard();
  const lane = shard.laneOf("a");
  hold(shard, "a", 1);
  shard.drop(lane);
  expect(shard.laneOf("a")).toBe(lane);
  lane.running = lane.queued.pop() ?? null;
  shard.drop(lane);
  expect(shard.laneOf("a")).toBe(lane);
  lane.running = null;
  shard.drop(lane);
  const next = shard.laneOf("a");
  expect(next).not.toBe(lane);
  shard.drop(lane);
  expect(shard.laneOf("a")).toBe(next);
});

test("a shard that is polled in vain is polled less and less often, once a second at least, and soon again when somebody says so", () => {
  const shard = leasedShard();
  expect([shard.isPollDue(50), shard.hasMore]).toEqual([false, true]);
  shard.noteLook(0, false);
  expect([shard.isPollDue(49), shard.isPollDue(50), shard.hasMore]).toEqual([false, true, false]);
  for (let look = 0; look < 20; look += 1) shard.noteLook(0, true);
  expect([shard.isPollDue(999), shard.isPollDue(1000)]).toEqual([false, true]);
  shard.pollSoon(0);
  expect(shard.isPollDue(50)).toBe(true);
  shard.rewind(5);
  expect(shard.hasMore).toBe(true);
  shard.nextCursor();
  expect(shard.hasMore).toBe(false);
  shard.startOver(1);
  expect(shard.hasMore).toBe(true);
});

test("a shard is read while its target could take more, or it has nothing in hand, until it is to be given back", () => {
  const shard = leasedShard();
  shard.gate.share = 0;
  expect(shard.isReadable).toBe(true);
  hold(shard, "a", 1);
  expect([shard.isReadable, shard.queued]).toEqual([false, 1]);
  shard.gate.share = 8;
  shard.inFlight = 1;
  expect([shard.isReadable, shard.queued]).toEqual([true, 0]);
  shard.isDraining = true;
  expect(shard.isReadable).toBe(false);
});
