import { toDelivery, type MessageRow, type Place } from "./delivery.ts";
import type { Delivery, QueueMode } from "./model.ts";
import type { TargetGate } from "./target-gate.ts";

/** A message in the worker's hand. Ids stay below 2^53, so they are numbers here. */
export type Held = { id: number; version: number | null; row: MessageRow; shard: LeasedShard; lane: Lane };

/** What waits in memory for the messages of one key to be delivered one after the other. */
export type Lane = {
  key: string;
  shard: LeasedShard;
  queued: Held[];
  running: Held | null;
  /** Its message failed and the failure is not settled yet: nothing of the lane may run. */
  isBroken: boolean;
};

/** One line of queue.lease_shards' header. */
export type ShardHeader = Place & {
  shard: number;
  epoch: string;
  generation: number;
  carefulTo: string;
  cursor: string;
  weight: number;
  mode: QueueMode;
};

/** How far behind the newest id read a reader starts again: a commit that comes late may carry a lower id. */
const trailMs = 250;
const rescanMs = 1000;

/** Remembered between leases, so that a shard leased a thousand times a second does not read its past again each time. */
export type Trail = { generation: number; trail: number; mark: number; markedAt: number; readTo: number };

/** A shard this worker has leased: the lanes in memory and where to read on. */
export class LeasedShard {
  readonly place: Place;
  readonly shard: number;
  readonly epoch: string;
  readonly weight: number;
  readonly mode: QueueMode;
  readonly carefulTo: number;
  readonly gate: TargetGate;
  /** Aborted when the lease is lost. */
  readonly lost = new AbortController();
  /** Aborted when the worker stops waiting for its deliveries. */
  readonly stopped = new AbortController();
  /** What handlers get. */
  readonly signal = AbortSignal.any([this.lost.signal, this.stopped.signal]);
  readonly held = new Map<number, Held>();
  readonly lanes = new Map<string, Lane>();
  readonly memory: Trail;
  generation: number;
  /** Gives the shard back as soon as nothing of it is being delivered. */
  isDraining = false;
  isCarefulRunning = false;
  readonly carefulWaiting: Lane[] = [];
  inFlight = 0;
  private rewindTo = Infinity;
  private rescannedAt: number;

  constructor(header: ShardHeader, gate: TargetGate, remembered: Trail | undefined, now: number) {
    this.place = { tenantId: header.tenantId, queueId: header.queueId, queueName: header.queueName, targetId: header.targetId };
    this.shard = header.shard;
    this.epoch = header.epoch;
    this.weight = header.weight;
    this.mode = header.mode;
    this.carefulTo = Number(header.carefulTo);
    this.generation = header.generation;
    this.gate = gate;
    this.rescannedAt = now;
    const cursor = Number(header.cursor);
    this.memory =
      remembered?.generation === header.generation && remembered.trail >= cursor
        ? remembered
        : { generation: header.generation, trail: cursor, mark: cursor, markedAt: now, readTo: cursor };
  }

  get queued(): number {
    return this.held.size - this.inFlight;
  }

  /** Where the next read starts. */
  nextCursor(now: number): number {
    const { memory } = this;
    if (now - memory.markedAt > trailMs) {
      memory.trail = memory.mark;
      memory.mark = memory.readTo;
      memory.markedAt = now;
    }
    const start = now - this.rescannedAt > rescanMs ? 0 : Math.min(memory.trail, this.rewindTo);
    if (start === 0) this.rescannedAt = now;
    this.rewindTo = Infinity;
    return start;
  }

  /** Where the next lease shall start when this one is given back: before everything still undone. */
  resumeCursor(): number {
    let cursor = Math.min(this.memory.trail, this.rewindTo);
    for (const id of this.held.keys()) cursor = Math.min(cursor, id - 1);
    return Math.max(0, cursor);
  }

  rewind(cursor: number): void {
    this.rewindTo = Math.min(this.rewindTo, cursor);
  }

  /** Whether something was set aside that the next read brings back. */
  get hasRewound(): boolean {
    return this.rewindTo < Infinity;
  }

  /** Forgets a lane's messages that are not being delivered; they are still ready in the database and are read again. */
  setAside(lane: Lane): void {
    for (const held of lane.queued) {
      this.held.delete(held.id);
      this.rewind(held.id - 1);
    }
    lane.queued.length = 0;
  }

  /** Older messages came back: forgets what has not started and reads from the head. */
  startOver(generation: number): void {
    this.generation = generation;
    this.memory.generation = generation;
    this.memory.trail = 0;
    this.memory.mark = 0;
    this.memory.readTo = 0;
    for (const lane of this.lanes.values()) this.setAside(lane);
    this.rewind(0);
  }

  /** Forgets a lane in which nothing is left, unless another has its key by now. */
  drop(lane: Lane): void {
    if (lane.queued.length === 0 && !lane.running && this.lanes.get(lane.key) === lane) this.lanes.delete(lane.key);
  }

  laneOf(key: string): Lane {
    let lane = this.lanes.get(key);
    if (!lane) {
      lane = { key, shard: this, queued: [], running: null, isBroken: false };
      this.lanes.set(key, lane);
    }
    return lane;
  }

  deliveryOf(held: Held): Delivery {
    return toDelivery(this.place, held.row);
  }
}

/** Versions first, then ids; as queue.collapse compares. */
export function isNewer(one: Held, other: Held): boolean {
  const [a, b] = [one.version ?? 0, other.version ?? 0];
  return a === b ? one.id > other.id : a > b;
}
