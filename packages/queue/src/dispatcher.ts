import type pg from "pg";
import type { Held, Lane, LeasedShard } from "./leased-shard.ts";
import type { Attempt, Handler, Outcome } from "./model.ts";
import type { TargetFault, TargetGate } from "./target-gate.ts";

type DispatcherOptions = {
  handler: Handler;
  concurrency: number;
  pool: pg.Pool;
  /** A target could take more than is in memory for it. */
  onRoom: () => void;
  /** The target's circuit is open, or it is left to others. `isOpening`: this very outcome opened it; outcomes of what was in flight then may follow. */
  onTripped: (gate: TargetGate, isOpening: boolean) => void;
  onError: (error: unknown) => void;
};

const markSql = { name: "queue.mark_suspect", text: `select queue.mark_suspect($1, $2, $3, $4, $5) as "isMarked"` };

// Planned for its one day: a kept plan would be one for all of them.
const documentSql = "select document from queue.message where tenant_id = $1 and queue_id = $2 and id = $3";

/** How much of large documents may be on its way at once; a few times as much is needed to translate and send it. */
const largeBytesMax = 16 * 1024 * 1024;

/** Starts deliveries: targets take turns, each within its gate, all within the process's concurrency and memory. */
export class Dispatcher {
  private readonly options: DispatcherOptions;
  private readonly waiting = new Set<TargetGate>();
  private readonly underWay = new Set<LeasedShard>();
  private inFlight = 0;
  private largeBytes = 0;
  /** What they have next is a large document, for which there is no room, or would bring another attempt where too much waits to be settled. */
  private readonly crowded = new Set<TargetGate>();
  private isClosed = false;
  private isScheduled = false;

  constructor(options: DispatcherOptions) {
    this.options = options;
  }

  offer(lane: Lane): void {
    const { gate } = lane.shard;
    gate.runnable.push(lane);
    this.waiting.add(gate);
    this.schedule();
  }

  close(): void {
    this.isClosed = true;
  }

  /** Aborts the signals of everything being delivered. */
  abort(): void {
    for (const shard of this.underWay) shard.stopped.abort(new Error("The worker stops."));
  }

  /** Dispatches at the end of this turn of the event loop, however often it is asked to in the meantime. */
  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.dispatch();
    });
  }

  dispatch(): void {
    const now = performance.now();
    for (const gate of this.waiting) {
      do {
        if (this.inFlight >= this.options.concurrency || this.isClosed) return;
        if (!this.startOne(gate, now)) this.waiting.delete(gate);
      } while (this.waiting.size === 1 && this.waiting.has(gate));
      // A Set walks in order of insertion: adding a gate again puts it behind the others, so they take turns.
      if (this.waiting.delete(gate)) this.waiting.add(gate);
    }
  }

  /** False: the gate has nothing to run now; it is offered again when it has. */
  private startOne(gate: TargetGate, now: number): boolean {
    for (;;) {
      const lane = gate.runnable[0];
      if (!lane) return false;
      const [head] = lane.queued;
      if (!head || lane.running || lane.isBroken || lane.shard.isDraining) {
        gate.runnable.shift();
        continue;
      }
      if (!this.hasRoomFor(head)) {
        this.crowded.add(gate);
        return false;
      }
      if (!gate.mayStart(now, () => this.resume(gate))) return false;
      gate.runnable.shift();
      this.run(lane);
      return true;
    }
  }

  /** One at a time every target may have, so that a slow one's large documents keep nobody else's waiting. */
  private hasRoomFor({ row, shard }: Held): boolean {
    if (shard.owner?.isFull) return false;
    return row.largeBytes === 0 || shard.gate.inFlight === 0 || this.largeBytes + row.largeBytes <= largeBytesMax;
  }

  /** Something was settled or given up, so there may be room for what waits for it. */
  makeRoom(): void {
    for (const gate of this.crowded) this.waiting.add(gate);
    this.crowded.clear();
    this.schedule();
  }

  /** The gate may let more through than before. */
  resume(gate: TargetGate): void {
    if (gate.runnable.length > 0) this.waiting.add(gate);
    this.dispatch();
  }

  private run(lane: Lane): void {
    const { shard } = lane;
    const head = lane.queued[0];
    if (!head) return;
    const isCareful = head.id <= shard.carefulTo;
    if (isCareful && shard.isCarefulRunning) {
      shard.carefulWaiting.push(lane);
      return;
    }
    lane.queued.shift();
    lane.running = head;
    shard.inFlight++;
    shard.gate.start();
    this.inFlight++;
    this.largeBytes += head.row.largeBytes;
    this.underWay.add(shard);
    if (isCareful) shard.isCarefulRunning = true;
    (isCareful ? this.deliverCarefully(head) : this.deliver(head)).then(
      (outcome) => this.finish(head, outcome),
      (error: unknown) => this.finish(head, outcomeOf(error)),
    );
  }

  private deliver(held: Held): Promise<Outcome> {
    const { document } = held.row;
    return document === null ? this.deliverLarge(held) : this.handle(held, document);
  }

  private handle(held: Held, document: string): Promise<Outcome> {
    const { shard } = held;
    try {
      return this.options.handler(shard.deliveryOf(held, document), shard.signal);
    } catch (error) {
      return Promise.resolve(outcomeOf(error));
    }
  }

  private async deliverLarge(held: Held): Promise<Outcome> {
    const document = await this.readDocument(held);
    // Lost or stopped meanwhile: whoever has the shard next delivers it.
    return document === null || held.shard.signal.aborted ? { kind: "released" } : this.handle(held, document);
  }

  private async readDocument({ shard, row }: Held): Promise<string | null> {
    const { tenantId, queueId } = shard.place;
    try {
      const { rows } = await this.options.pool.query<{ document: string }>(documentSql, [tenantId, queueId, row.id]);
      return rows[0]?.document ?? null;
    } catch (error) {
      // Trouble with the database must not cost the message an attempt.
      this.options.onError(error);
      return null;
    }
  }

  /** The shard's lease was lost once: each message is noted before its delivery, so that one that kills its worker is found. */
  private async deliverCarefully(held: Held): Promise<Outcome> {
    return (await this.mark(held)) ? this.deliver(held) : { kind: "released" };
  }

  private async mark({ shard, id }: Held): Promise<boolean> {
    const { tenantId, queueId } = shard.place;
    try {
      const values = [tenantId, queueId, shard.shard, shard.epoch, id];
      const { rows } = await this.options.pool.query<{ isMarked: boolean }>({ ...markSql, values });
      return rows[0]?.isMarked ?? false;
    } catch (error) {
      // Trouble with the database must not cost the message an attempt.
      this.options.onError(error);
      return false;
    }
  }

  private finish(held: Held, outcome: Outcome): void {
    const { shard } = held;
    const { gate } = shard;
    gate.end(performance.now());
    this.inFlight--;
    this.largeBytes -= held.row.largeBytes;
    if (held.row.largeBytes > 0) this.makeRoom();
    if (held.id <= shard.carefulTo) this.nextCareful(shard);
    const isFault = outcome.kind === "retry" && outcome.isTargetFault === true;
    if (outcome.kind !== "released" && (isFault || gate.isWatched)) {
      gate.note(isFault ? faultOf(held, outcome.attempt) : null).then(
        (verdict) => {
          // A trial of a target that is still down does not count as an attempt.
          this.conclude(held, verdict === "trial-failed" ? { kind: "released" } : outcome);
          if (verdict !== "closed") this.options.onTripped(gate, verdict === "opened");
          this.resume(gate);
        },
        (error: unknown) => {
          this.options.onError(error);
          this.conclude(held, outcome);
          this.resume(gate);
        },
      );
      return;
    }
    this.conclude(held, outcome);
    if (outcome.kind === "released" && outcome.restMs !== undefined) {
      gate.rest(outcome.restMs);
      this.options.onTripped(gate, false);
    }
    if (!gate.isSaturated && gate.wasSaturated) this.options.onRoom();
    gate.wasSaturated = gate.isSaturated;
    if (gate.runnable.length > 0) this.waiting.add(gate);
    if (this.waiting.size > 0) this.schedule();
  }

  private conclude(held: Held, outcome: Outcome): void {
    const { shard } = held;
    shard.owner?.finish(held, outcome);
    if (shard.inFlight === 0) this.underWay.delete(shard);
  }

  private nextCareful(shard: LeasedShard): void {
    shard.isCarefulRunning = false;
    // All of them: the first may have nothing left to run, and the others would then wait for ever.
    for (const lane of shard.carefulWaiting.splice(0)) this.offer(lane);
  }
}

function faultOf({ row }: Held, { error, response }: Attempt): TargetFault {
  return { messageId: row.id, errorClass: error?.class ?? "unknown", status: response?.status ?? null };
}

/** Characters of what a handler threw that are kept. */
const thrownMax = 2_000;

/**
 * A handler that throws says nothing about the target: the message is tried again. Its text may be anything; with a NUL or half of a character, which
 * PostgreSQL keeps neither of, it would be refused for ever, with all that is settled beside it.
 */
function outcomeOf(error: unknown): Outcome {
  const thrown = error instanceof Error ? error.message : String(error);
  const message = thrown.slice(0, thrownMax).toWellFormed().replaceAll("\0", "\ufffd");
  return { kind: "retry", attempt: { durationMs: 0, error: { class: "handler-error", message } } };
}
