import { expect, test } from "vitest";
import { LeasedShard, type Held } from "./leased-shard.ts";
import { TargetGate } from "./target-gate.ts";
import type pg from "pg";

// Never asked: nothing here is sent to a database.
const pool = {} as pg.Pool;

function leasedShard(): LeasedShard {
  const settings = { tenantId: 1, targetId: 1, concurrency: 8, ratePerSecond: null, circuit: "closed" } as const;
  const gate = new TargetGate(pool, settings, { faults: 5, pauseMs: 1, pauseMsMax: 1 });
  const place = { tenantId: 1, queueId: 1, queueName: "a.order", targetId: 1 };
  const header = { ...place, shard: 0, epoch: "1", generation: 0, carefulTo: "0", cursor: "0", weight: 1, mode: "fifo" } as const;
  return new LeasedShard(header, gate, undefined, 0);
}

function hold(shard: LeasedShard, key: string, id: number): void {
  const lane = shard.laneOf(key);
  const held: Held = { id, version: null, row: {} as Held["row"], shard, lane };
  shard.held.set(id, held);
  shard.enqueue(lane, held);
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
