import { attemptRecord, failureOf, hasContent } from "./pull.ts";
import type { Held, Lane, LeasedShard } from "./leased-shard.ts";
import type { Outcome } from "./model.ts";
import { Pace } from "./pace.ts";
import { step, type Failure, type Progress, type Slot, type SlotRow, type StepAnswer } from "./step.ts";
import type pg from "pg";

/** What a runner needs of its worker. */
export type RunnerHost = {
  pool: pg.Pool;
  leaseSeconds: number;
  /** How long an empty shard stays leased: what is published meanwhile is read at once, in one step and without a new lease. */
  lingerMs: number;
  /** A lane has something to run. */
  offer: (lane: Lane) => void;
  /** Starts what was offered, at once rather than when the event loop comes to it. */
  dispatch: () => void;
  /** Shards went to sleep; a publish may have committed just then. */
  onAsleep: (shards: readonly LeasedShard[]) => void;
  onLost: (shards: readonly LeasedShard[]) => void;
  onSettled: (tenantId: number, count: number) => void;
  /** How much of attempts' bodies may wait to be settled: this runner's part of what the process keeps. */
  keptMax: () => number;
  onError: (error: unknown) => void;
  onEnd: (runner: Runner) => void;
};

/** A shard that a step reads, and from where. */
type Reader = { shard: LeasedShard; cursor: number; isPoll: boolean };

type Taking = { slots: readonly Slot[]; results: readonly Result[]; isRenewing: boolean; isAside: boolean };

type Result = { held: Held; outcome: Outcome | { kind: "superseded" }; finishedAt: number };

const settleMs = 50;
const settleCount = 100;
const fewRows = 16;
/** Of a backlog so many shards are read by a step, which take turns: few longer reads cost less than many short ones, and what they bring is done sooner. */
const readersMax = 16;

/**
 * Works off the shards of one lease, all of one tenant: runs what was read, settles results as they come, renews, reads on.
 * One step is under way at a time, and what is in memory is delivered meanwhile, so database and process work at once. At low load what
 * is published for the other shards is read by a second step beside one that settles, as that one waits for the disk.
 */
export class Runner {
  readonly tenantId: number;
  readonly shards: LeasedShard[];
  private readonly host: RunnerHost;
  private results: Result[] = [];
  /** The shards of the step under way. */
  private stepping: ReadonlySet<LeasedShard> | null = null;
  private isReadingAside = false;
  private timer: NodeJS.Timeout | undefined;
  private timerAt = Infinity;
  private readonly pace = new Pace();
  private renewedAt: number;
  private isResting = false;
  private retryMs = 50;
  /** Characters of the bodies of attempts that wait to be settled, or are being settled. */
  private kept = 0;

  constructor(host: RunnerHost, tenantId: number, shards: LeasedShard[], leasedAt: number) {
    this.tenantId = tenantId;
    this.host = host;
    this.shards = shards;
    this.renewedAt = leasedAt;
  }

  /** Takes over shards that were leased a moment ago. */
  adopt(shards: readonly LeasedShard[]): void {
    this.shards.push(...shards);
  }

  get isIdle(): boolean {
    return this.results.length === 0 && this.shards.every((shard) => shard.held.size === 0);
  }

  /** What is delivered next has to wait until more is settled. */
  get isFull(): boolean {
    return this.kept >= this.host.keptMax();
  }

  /** Takes what a step has read. */
  private accept(slots: readonly (Reader | undefined)[], rows: readonly SlotRow[], progress: Progress): void {
    for (const row of rows) {
      const reader = slots[row.slot - 1];
      if (reader) this.acceptRow(reader.shard, row);
    }
    // At low load the delivery is what somebody waits for, at high load the next read.
    if (rows.length <= fewRows) this.host.dispatch();
    const asleep: LeasedShard[] = [];
    const now = performance.now();
    const openFrom = Number(progress.openFrom);
    const ownXid = progress.ownXid === null ? null : Number(progress.ownXid);
    for (const { slot, isRead, isEmpty, isAsleep, isWhole, isNoted, readTo } of progress.slots) {
      const reader = slots[slot - 1];
      if (!reader || !isRead) continue;
      const to = readTo ?? 0;
      const { shard } = reader;
      shard.noteRead({ from: reader.cursor, to, seenTo: isWhole ? Infinity : to, openFrom, ownXid, now });
      if (!isWhole) shard.isWhole = false;
      shard.isBehind = !isWhole;
      // A publication that looked at the shard before this was noted has notified nobody.
      if (isNoted && isWhole && !shard.isWaiting) shard.pollSoon(now);
      if (isNoted) shard.isWaiting = isWhole;
      if (reader.isPoll && readTo !== null) shard.pollSoon(now);
      shard.emptySince = isEmpty ? Math.min(shard.emptySince, now) : Infinity;
      if (isAsleep) asleep.push(shard);
    }
    if (asleep.length === 0) return;
    for (const shard of asleep) this.remove(shard);
    this.host.onAsleep(asleep);
  }

  private acceptRow(shard: LeasedShard, row: SlotRow): void {
    const id = Number(row.id);
    if (shard.held.has(id)) return;
    const lane = shard.laneOf(row.key);
    if (lane.isBroken || shard.isDraining) {
      if (!lane.isBroken) shard.drop(lane);
      shard.rewind(id - 1);
      return;
    }
    const held: Held = { id, version: row.version === null ? null : Number(row.version), row, shard, lane };
    shard.held.set(id, held);
    shard.gate.queued++;
    const superseded = shard.enqueue(lane, held);
    if (superseded) this.supersede(superseded);
    if (!lane.running && lane.queued.length === 1) this.host.offer(lane);
  }

  private supersede(held: Held): void {
    held.shard.gate.queued--;
    this.addResult({ held, outcome: { kind: "superseded" }, finishedAt: performance.now() });
  }

  /** A delivery ended. The worker has taken it off the gate. */
  finish(held: Held, outcome: Outcome): void {
    const { shard, lane } = held;
    shard.inFlight--;
    lane.running = null;
    // Nobody reads the document any more, and each garbage collection would copy what waits here to be settled.
    held.row.document = "";
    // Lost meanwhile: whoever has the shard now delivers it again.
    if (shard.lost.signal.aborted) return;
    if (outcome.kind === "released") shard.rewind(held.id - 1);
    if (outcome.kind !== "delivered" && shard.mode === "fifo") {
      lane.isBroken = true;
      shard.setAside(lane);
    } else if (lane.queued.length > 0 && !shard.isDraining) this.host.offer(lane);
    else shard.drop(lane);
    this.addResult({ held, outcome, finishedAt: performance.now() });
  }

  private addResult(result: Result): void {
    this.results.push(result);
    this.kept += bodyLength(result);
    this.schedule();
  }

  /** Nothing new is started; the shards go back once what is being delivered has ended. */
  drain(shards: readonly LeasedShard[] = this.shards): void {
    for (const shard of shards) {
      shard.isDraining = true;
      for (const lane of shard.lanes.values()) shard.setAside(lane);
    }
    this.schedule();
  }

  /** Something was published for the tenant: in the shards named 'queue.shard', or in any. */
  wake(names: ReadonlySet<string> | null): void {
    for (const shard of this.shards) if (names === null || names.has(shard.name)) shard.isWhole = false;
    this.schedule();
  }

  /** Empty shards go to sleep at once: others may want them, or this one's place. */
  rest(): void {
    this.isResting = true;
    this.schedule();
  }

  /** Plans the next step, at once where something waits for it. */
  schedule(): void {
    if (this.stepping || this.isReadingAside) return this.readAside();
    if (this.shards.length === 0) {
      clearTimeout(this.timer);
      return this.host.onEnd(this);
    }
    const waitMs = this.waitMs(performance.now());
    if (waitMs <= 0) void this.step();
    else this.scheduleIn(waitMs);
  }

  private scheduleIn(waitMs: number): void {
    const at = performance.now() + waitMs;
    if (at >= this.timerAt) return;
    clearTimeout(this.timer);
    this.timerAt = at;
    this.timer = setTimeout(() => {
      this.timerAt = Infinity;
      this.schedule();
    }, waitMs);
  }

  /** Reads the shards for which something was published since the step under way began. */
  private readAside(): void {
    const { stepping } = this;
    if (!stepping || this.isReadingAside || this.pace.isBulk) return;
    const now = performance.now();
    const woken = this.shards.filter((shard) => !stepping.has(shard) && !shard.isWhole && shard.isReadable);
    if (woken.length === 0) return;
    const waitMs = this.pace.restBesideMs(now);
    if (waitMs > 0) return this.scheduleIn(waitMs);
    this.isReadingAside = true;
    const slots = this.slotsOf(woken, [], now, false);
    void this.take({ slots, results: [], isRenewing: false, isAside: true }).then((isDone) => {
      this.isReadingAside = false;
      if (isDone) this.schedule();
    });
  }

  private waitMs(now: number): number {
    if (this.shards.some((shard) => shard.isDraining && shard.inFlight === 0)) return 0;
    return Math.max(this.untilNeeded(now), this.pace.restMs(now));
  }

  private untilNeeded(now: number): number {
    const [first] = this.results;
    // Nothing else is in hand: nothing to wait for.
    if (first && this.queued <= 0 && this.shards.every((shard) => shard.inFlight === 0)) return 0;
    if (this.results.length >= settleCount && this.results.length >= this.pace.batch / 2) return 0;
    let wait = this.renewMs - (now - this.renewedAt);
    if (first) wait = Math.min(wait, settleMs - (now - first.finishedAt));
    const isHungry = this.queued < this.pace.batch;
    for (const shard of this.shards) {
      wait = Math.min(wait, shard.emptySince + (this.isResting ? 0 : this.host.lingerMs) - now);
      if (isHungry && shard.isReadable) wait = Math.min(wait, shard.isWhole && !shard.hasRewound ? shard.pollAt - now : 0);
    }
    return wait;
  }

  /** Leases are renewed no sooner than after a third of their time: each old version of a shard's row stays while a transaction is open. */
  private get renewMs(): number {
    return this.host.leaseSeconds * 333;
  }

  private get queued(): number {
    return this.shards.reduce((sum, shard) => sum + shard.queued, 0) - this.results.length;
  }

  private async step(): Promise<void> {
    clearTimeout(this.timer);
    this.timerAt = Infinity;
    const now = performance.now();
    const results = this.results;
    this.pace.start(now, results.length);
    this.results = [];
    const isRenewing = now - this.renewedAt >= this.renewMs;
    const slots = this.slotsOf(this.shards, results, now, isRenewing);
    this.isResting = false;
    this.stepping = new Set(slots.map(({ shard }) => shard));
    const isDone = await this.take({ slots, results, isRenewing, isAside: false });
    this.stepping = null;
    this.pace.end(performance.now());
    if (isDone) this.schedule();
  }

  /** False when it failed: it is tried again later. */
  private async take(taking: Taking): Promise<boolean> {
    const { slots, results, isRenewing, isAside } = taking;
    const { tenantId, host } = this;
    const now = performance.now();
    const isLooking = !isAside && this.shards.some((shard) => shard.isHeldBack(now));
    try {
      const answer = await step(host.pool, { tenantId, leaseSeconds: host.leaseSeconds, isRenewing, slots, isLooking });
      if (isRenewing) this.renewedAt = now;
      this.retryMs = 50;
      this.apply(taking, answer);
      return true;
    } catch (error) {
      this.results = [...results, ...this.results];
      for (const { shard } of slots) {
        shard.isWhole = false;
        // It may have been noted as read to its end.
        shard.pollSoon(now);
      }
      this.afterError(error);
      return false;
    }
  }

  /** Trying again is safe: what is already settled is passed over. Once the lease has run out, others may have the shards. */
  private afterError(error: unknown): void {
    this.host.onError(error);
    if (performance.now() - this.renewedAt > this.host.leaseSeconds * 1000) {
      this.lose([...this.shards]);
    }
    setTimeout(() => this.schedule(), this.retryMs);
    this.retryMs = Math.min(this.retryMs * 2, 2000);
  }

  /** The slots of the next step: those of the shards that have something to do in it. */
  private slotsOf(shards: readonly LeasedShard[], results: readonly Result[], now: number, isOfAll: boolean): Slot[] {
    const settled = new Set(results.map(({ held }) => held.shard));
    // Shards that are due soon are taken along with those that are due now.
    const isPolling = shards.some((shard) => shard.isReadable && shard.isPollDue(now));
    const isPolled = (shard: LeasedShard): boolean => isPolling && shard.isReadable && shard.isPollDue(now + shard.pollMs / 2);
    const behind = shards
      .filter((shard) => shard.isBehind && shard.hasMore && shard.isReadable)
      .toSorted((a, b) => a.lookedAt - b.lookedAt);
    const waiting = new Set(behind.slice(readersMax));
    const isDue = (shard: LeasedShard): boolean => this.isDue(shard, now) && !waiting.has(shard);
    const chosen = shards.filter((shard) => isOfAll || settled.has(shard) || isDue(shard) || isPolled(shard));
    const free = Math.max(1, 2 * this.pace.batch - this.queued + results.length);
    const room = Math.ceil(free / Math.max(1, chosen.filter((shard) => shard.hasMore && !waiting.has(shard)).length));
    // Those that were read to their end are looked at beside the others.
    const roomBeside = Math.min(fewRows, Math.ceil(free / Math.max(1, chosen.length)));
    const slots = new Map<LeasedShard, Slot>();
    for (const shard of chosen.toSorted((a, b) => a.place.queueId - b.place.queueId || a.shard - b.shard)) {
      const isReading = !waiting.has(shard) && (shard.isReadable || (shard.hasRewound && !shard.isDraining));
      const isPoll = isPolled(shard);
      const roomOfShard = shard.hasMore ? room : roomBeside;
      if (isReading) shard.noteLook(now, isPoll);
      slots.set(shard, {
        shard,
        isPoll,
        cursor: isReading ? shard.nextCursor() : shard.resumeCursor(),
        room: isReading ? roomOfShard : 0,
        isRelease: shard.isDraining && shard.inFlight === 0,
        isResting: this.isResting || now - shard.emptySince >= this.host.lingerMs,
        cost: shard.cost,
        delivered: [],
        places: [],
        failures: [],
        attempts: [],
      });
    }
    for (const result of results) this.addToSlot(slots.get(result.held.shard), result, now);
    return [...slots.values()];
  }

  private isDue(shard: LeasedShard, now: number): boolean {
    if (shard.isDraining) return shard.inFlight === 0;
    return shard.hasRewound || !shard.isWhole || now - shard.emptySince >= (this.isResting ? 0 : this.host.lingerMs);
  }

  private addToSlot(slot: Slot | undefined, { held, outcome, finishedAt }: Result, now: number): void {
    if (!slot) return;
    const { id } = held;
    slot.cost += held.shard.weight;
    if (outcome.kind === "superseded") slot.failures.push({ id, kind: "superseded" });
    else if (outcome.kind === "delivered") {
      slot.delivered.push(held.row.id);
      slot.places.push(held.row.place);
    } else slot.failures.push({ id, kind: outcome.kind, ...failureOf(outcome) } satisfies Failure);
    if ("attempt" in outcome && hasContent(outcome.attempt))
      slot.attempts.push({ id, ...attemptRecord(outcome.attempt, now - finishedAt) });
  }

  private apply({ slots, results, isAside }: Taking, answer: StepAnswer): void {
    this.settleInMemory(results);
    const live = new Map(answer.states.map((state) => [state.slot, state]));
    const lost = slots.filter((_, index) => !live.has(index + 1)).map(({ shard }) => shard);
    const noted = new Set(answer.progress?.slots.filter(({ isNoted }) => isNoted).map(({ slot }) => slot));
    const readers: (Reader | undefined)[] = [];
    slots.forEach((slot, index) => {
      const { shard, isRelease } = slot;
      const state = live.get(index + 1);
      if (!state) return;
      shard.reachedTo = Math.max(shard.reachedTo, state.reachedTo ?? 0);
      shard.cost = noted.has(index + 1) ? 0 : slot.cost;
      if (isRelease) this.remove(shard);
      else if (state.generation !== shard.generation) shard.startOver(state.generation);
      else readers[index] = slot;
      if (state.isBlocked && !isRelease) this.drain([shard]);
    });
    if (lost.length > 0) this.lose(lost);
    if (!isAside) {
      const room = slots.reduce((sum, slot) => sum + slot.room, 0);
      this.pace.noteRead(answer.messages.length, room, answer.progress?.slots.some(({ isRead, isWhole }) => isRead && !isWhole) ?? false);
      if (this.shards.some((shard) => shard.hasRewound && !shard.isDraining)) this.pace.isBulk = true;
    }
    if (answer.progress) this.accept(readers, answer.messages, answer.progress);
    if (results.length > 0) this.host.onSettled(this.tenantId, results.length);
  }

  private settleInMemory(results: readonly Result[]): void {
    for (const result of results) {
      const { held, outcome } = result;
      const { shard, lane } = held;
      this.kept -= bodyLength(result);
      shard.held.delete(held.id);
      // An earlier message of the lane was delivered; the failure after it is settled by the next step.
      if (!lane.isBroken || outcome.kind === "delivered") continue;
      lane.isBroken = false;
      shard.drop(lane);
    }
  }

  /** Another worker has these shards: everything in hand of them is given up. Of two steps under way, both may find that out. */
  private lose(given: readonly LeasedShard[]): void {
    const shards = given.filter((shard) => this.shards.includes(shard));
    if (shards.length === 0) return;
    for (const shard of shards) {
      shard.isDraining = true;
      shard.lost.abort(new Error("The lease was lost."));
      for (const lane of shard.lanes.values()) shard.setAside(lane);
      this.remove(shard);
    }
    this.results = this.results.filter((result) => {
      const isLost = result.held.shard.lost.signal.aborted;
      if (isLost) this.kept -= bodyLength(result);
      return !isLost;
    });
    this.host.onLost(shards);
  }

  /** Only once: of two steps under way, one may have given up a shard that the other still answers for. */
  private remove(shard: LeasedShard): void {
    const index = this.shards.indexOf(shard);
    if (index >= 0) this.shards.splice(index, 1);
  }
}

function bodyLength({ outcome }: Result): number {
  if (!("attempt" in outcome)) return 0;
  const { request, response } = outcome.attempt;
  return (request?.body?.length ?? 0) + (response?.body?.length ?? 0);
}
