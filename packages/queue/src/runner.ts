import type pg from "pg";
import type { Held, Lane, LeasedShard } from "./leased-shard.ts";
import type { Outcome } from "./model.ts";
import { Pace } from "./pace.ts";
import { fewRows, planSlots } from "./plan-slots.ts";
import { step, type Progress, type Slot, type SlotRow, type StepAnswer } from "./step.ts";
import { Unsettled, type Result } from "./unsettled.ts";

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
  onSettled: (tenantId: number) => void;
  /** How much of attempts' bodies may wait to be settled: this runner's part of what the process keeps. */
  keptMax: () => number;
  onError: (error: unknown) => void;
  onEnd: (runner: Runner) => void;
};

/** A shard that a step reads, and from where. */
type Reader = { shard: LeasedShard; cursor: number; isPoll: boolean };

type Taking = { slots: readonly Slot[]; results: readonly Result[]; isRenewing: boolean; isAside: boolean };

const settleMs = 50;
const settleCount = 100;

/**
 * Works off the shards of one lease, all of one tenant: runs what was read, settles results as they come, renews, reads on.
 * One step is under way at a time, and what is in memory is delivered meanwhile, so database and process work at once. At low load what
 * is published for the other shards is read by a second step beside one that settles, as that one waits for the disk.
 */
export class Runner {
  readonly tenantId: number;
  readonly shards: LeasedShard[];
  private readonly host: RunnerHost;
  private readonly unsettled = new Unsettled();
  /** The shards of the step under way. */
  private stepping: ReadonlySet<LeasedShard> | null = null;
  private isReadingAside = false;
  private timer: NodeJS.Timeout | undefined;
  private timerAt = Infinity;
  private readonly pace = new Pace();
  private renewedAt: number;
  private isResting = false;
  private retryMs = 50;

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
    return this.unsettled.count === 0 && this.shards.every((shard) => shard.held.size === 0);
  }

  /** What is delivered next has to wait until more is settled. */
  get isFull(): boolean {
    return this.unsettled.kept >= this.host.keptMax();
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
    this.unsettled.add(result);
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
    const slots = this.plan(woken, [], now, false);
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
    const { first, count } = this.unsettled;
    // Nothing else is in hand: nothing to wait for.
    if (first && this.queued <= 0 && this.shards.every((shard) => shard.inFlight === 0)) return 0;
    if (count >= settleCount && count >= this.pace.batch / 2) return 0;
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
    return this.shards.reduce((sum, shard) => sum + shard.queued, 0) - this.unsettled.count;
  }

  private async step(): Promise<void> {
    clearTimeout(this.timer);
    this.timerAt = Infinity;
    const now = performance.now();
    const results = this.unsettled.take();
    this.pace.start(now, results.length);
    const isRenewing = now - this.renewedAt >= this.renewMs;
    const slots = this.plan(this.shards, results, now, isRenewing);
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
      this.unsettled.giveBack(results);
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

  private plan(shards: readonly LeasedShard[], results: readonly Result[], now: number, isOfAll: boolean): Slot[] {
    const { isResting } = this;
    const free = Math.max(1, 2 * this.pace.batch - this.queued + results.length);
    return planSlots({ shards, results, now, isOfAll, isResting, lingerMs: this.host.lingerMs, free });
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
    if (results.length > 0) this.host.onSettled(this.tenantId);
  }

  private settleInMemory(results: readonly Result[]): void {
    for (const result of results) {
      const { held, outcome } = result;
      const { shard, lane } = held;
      this.unsettled.settle(result);
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
    this.unsettled.dropLost();
    this.host.onLost(shards);
  }

  /** Only once: of two steps under way, one may have given up a shard that the other still answers for. */
  private remove(shard: LeasedShard): void {
    const index = this.shards.indexOf(shard);
    if (index >= 0) this.shards.splice(index, 1);
  }
}
