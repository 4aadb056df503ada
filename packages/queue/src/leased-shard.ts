import { toDelivery, type Place } from "./delivery.ts";
import type { Delivery, Outcome, QueueMode } from "./model.ts";
import type { SlotRow } from "./step.ts";
import type { TargetGate } from "./target-gate.ts";

/** A message in the worker's hand. Ids stay below 2^53, so they are numbers here. */
export type Held = { id: number; version: number | null; row: SlotRow; shard: LeasedShard; lane: Lane };

/** What waits in memory for the messages of one key to be delivered one after the other. */
export type Lane = {
  key: string;
  shard: LeasedShard;
  queued: Held[];
  running: Held | null;
  /** Its message failed and the failure is not settled yet: nothing of the lane may run. */
  isBroken: boolean;
};

/** What a lease says of a shard. */
export type ShardHeader = Place & {
  shard: number;
  epoch: string;
  generation: number;
  carefulTo: string;
  cursor: string;
  weight: number;
  mode: QueueMode;
};

/** A position that has waited this long waits for a long transaction: time to find out whether that one publishes. */
const lookAfterMs = 100;
const pollMsMin = 50;
const pollMsMax = 1000;

/**
 * How far a shard is read; kept between leases, so that one leased a thousand times a second does not read its past again each time.
 * A commit may come late with an id lower than others that were read, so a position counts once every transaction has ended that
 * was open when it was read; see queue.note_read.
 */
export type ReadPosition = {
  generation: number;
  /** Everything up to this id is in hand or settled: where the next read starts. */
  confirmed: number;
  /** The highest id read so far when it was set: confirmed when all transactions below `horizon` have ended. */
  mark: number;
  /** A transaction that began after the mark was read; null until there is one. */
  horizon: number | null;
  /** When a transaction below the horizon was first seen open; null when none was. */
  openSince: number | null;
  readTo: number;
};

type ReadNote = { from: number; to: number; seenTo: number; openFrom: number; ownXid: number | null; now: number };

/** Who works a shard off: told what its deliveries came to. When full, it takes no more of them for now. */
type Owner = { finish: (held: Held, outcome: Outcome) => void; readonly isFull: boolean };

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
  readonly position: ReadPosition;
  owner: Owner | null = null;
  generation: number;
  /** Gives the shard back as soon as nothing of it is being delivered. */
  isDraining = false;
  isCarefulRunning = false;
  readonly carefulWaiting: Lane[] = [];
  inFlight = 0;
  /** Something was set aside that the next read brings back. */
  hasRewound = false;
  /** The last read took all there was, and nothing was published since as far as this process was told. */
  isWhole = false;
  /** The last read was cut off by its limit. */
  isBehind = false;
  /** The database has noted that it is whole: whoever publishes will notify this process. */
  isWaiting = false;
  /** When it is read next even if nobody says that there is something to read. */
  pollAt: number;
  pollMs = pollMsMin;
  /** When it was read last. */
  lookedAt = -Infinity;
  /** Since when nothing is ready or in hand: it stays leased for a while, so that what is published next is picked up at once. */
  emptySince = Infinity;
  /** The highest id that was read under this lease: up to there messages count as in hand. */
  reachedTo = 0;
  /** Virtual time of what was settled since the row was last written. */
  cost = 0;

  constructor(header: ShardHeader, gate: TargetGate, remembered: ReadPosition | undefined, now: number) {
    this.place = { tenantId: header.tenantId, queueId: header.queueId, queueName: header.queueName, targetId: header.targetId };
    this.shard = header.shard;
    this.epoch = header.epoch;
    this.weight = header.weight;
    this.mode = header.mode;
    this.carefulTo = Number(header.carefulTo);
    this.generation = header.generation;
    this.gate = gate;
    this.pollAt = now + this.pollMs;
    const confirmed = Number(header.cursor);
    this.position =
      remembered?.generation === header.generation && remembered.confirmed >= confirmed
        ? remembered
        : { generation: header.generation, confirmed, mark: confirmed, horizon: 0, openSince: null, readTo: confirmed };
  }

  /** As a notification names it. */
  get name(): string {
    return `${this.place.queueId}.${this.shard}`;
  }

  get queued(): number {
    return this.held.size - this.inFlight;
  }

  /** Its target could take more. */
  get isReadable(): boolean {
    return !this.isDraining && (!this.gate.isSaturated || this.held.size === 0);
  }

  /** As far as this process knows. */
  get hasMore(): boolean {
    return !this.isWhole || this.hasRewound;
  }

  isPollDue(now: number): boolean {
    return this.isWhole && now >= this.pollAt;
  }

  /** It is being read: taken for whole until somebody says otherwise. A shard polled in vain is polled less and less often. */
  noteLook(now: number, isPoll: boolean): void {
    this.isWhole = true;
    this.lookedAt = now;
    if (isPoll) this.pollMs = Math.min(pollMsMax, this.pollMs * 1.5);
    this.pollAt = now + this.pollMs;
  }

  pollSoon(now: number): void {
    this.pollMs = pollMsMin;
    this.pollAt = now + this.pollMs;
  }

  /** Where the next read starts. */
  nextCursor(): number {
    this.hasRewound = false;
    return this.position.confirmed;
  }

  /**
   * A read that began after `from` got up to `to` and has seen all there is up to `seenTo`, of every transaction below `openFrom`.
   * Whoever drew ids before an earlier read has an id below `ownXid`, that of this read's own transaction, if it wrote anything.
   */
  noteRead({ from, to, seenTo, openFrom, ownXid, now }: ReadNote): void {
    const { position } = this;
    position.readTo = Math.max(position.readTo, to);
    this.reachedTo = Math.max(this.reachedTo, to);
    if (position.horizon === null) {
      position.horizon = ownXid;
      return;
    }
    const isOpen = openFrom < position.horizon;
    position.openSince = isOpen ? (position.openSince ?? now) : null;
    // Such a transaction is still open, messages were set aside, or the end was not reached: the next read starts where this one did.
    if (isOpen || from > position.confirmed || seenTo < position.mark) return;
    position.confirmed = position.mark;
    position.mark = position.readTo;
    position.horizon = null;
  }

  /** The position waits for transactions that are open for long. */
  isHeldBack(now: number): boolean {
    const { openSince } = this.position;
    return openSince !== null && now - openSince > lookAfterMs;
  }

  /** Where the next lease shall start when this one is given back: before everything still undone. */
  resumeCursor(): number {
    let cursor = this.position.confirmed;
    for (const id of this.held.keys()) cursor = Math.min(cursor, id - 1);
    return Math.max(0, cursor);
  }

  rewind(cursor: number): void {
    const { position } = this;
    position.confirmed = Math.min(position.confirmed, cursor);
    // A read under way, which left out what was in hand, may confirm the mark.
    position.mark = Math.min(position.mark, cursor);
    this.hasRewound = true;
  }

  /** Forgets a lane's messages that are not being delivered; they are still ready in the database and are read again. */
  setAside(lane: Lane): void {
    this.gate.queued -= lane.queued.length;
    for (const held of lane.queued) {
      this.held.delete(held.id);
      this.rewind(held.id - 1);
    }
    lane.queued.length = 0;
  }

  /** Older messages came back: forgets what has not started and reads from the head. */
  startOver(generation: number): void {
    this.generation = generation;
    Object.assign(this.position, { generation, confirmed: 0, mark: 0, horizon: 0, readTo: 0 });
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

  /** Puts it into its lane; a lane of a 'latest' queue keeps only the newest. Returns the message that this supersedes, if any. */
  enqueue(lane: Lane, held: Held): Held | null {
    const [other] = lane.queued;
    if (this.mode === "fifo") insert(lane, held);
    else if ((lane.running && isNewer(lane.running, held)) || (other && isNewer(other, held))) return held;
    else {
      lane.queued[0] = held;
      return other ?? null;
    }
    return null;
  }

  deliveryOf({ row, id }: Held, document: string): Delivery {
    // What the worker that lost the lease may have had in hand is delivered with care.
    const isUntried = row.attempts === 0 && id > this.carefulTo;
    return toDelivery(this.place, row, document, new Date(row.createdMs), isUntried);
  }
}

/** A lane runs in the order of ids, whatever order they came in. */
function insert({ queued }: Lane, held: Held): void {
  let place = queued.length;
  // Most lanes are empty, and to look before the first place is slow.
  if (place === 0) {
    queued.push(held);
    return;
  }
  while (place > 0 && (queued[place - 1]?.id ?? 0) > held.id) place--;
  queued.splice(place, 0, held);
}

/** Versions first, then ids; as queue.collapse compares. */
function isNewer(one: Held, other: Held): boolean {
  const [a, b] = [one.version ?? 0, other.version ?? 0];
  return a === b ? one.id > other.id : a > b;
}
