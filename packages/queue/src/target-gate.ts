import type pg from "pg";
import type { CircuitState } from "./model.ts";
import type { Lane } from "./leased-shard.ts";
import { reserveRate } from "./targets.ts";

export type CircuitPolicy = {
  /** Target faults in a row that open the circuit. */
  faults: number;
  /** First pause; doubled with each opening since the last success. */
  pauseMs: number;
  pauseMsMax: number;
};

export type TargetLimits = { tenantId: number; targetId: number; concurrency: number; ratePerSecond: number | null };
export type GateSettings = TargetLimits & { circuit: CircuitState };

/** How many of `concurrency` the worker with this rank may use; the shares of all workers add up to it exactly. */
export function shareOf(concurrency: number, workers: number, rank: number, targetId: number): number {
  const turn = (rank + targetId) % workers;
  return Math.floor(concurrency / workers) + (turn < concurrency % workers ? 1 : 0);
}

/** How much is kept in memory, as time at the target's pace: a few steps of a busy machine, during which it must not run dry. */
const readAheadMs = 100;
const paceMs = 20;
const paceMsMin = 5;

/** How a target failed, and the message whose attempt it was. */
export type TargetFault = { messageId: string; errorClass: string; status: number | null };

const closeSql = `
  update queue.target set circuit = 'closed', circuit_trips = 0, circuit_fault = null where tenant_id = $1 and id = $2 and circuit = 'half-open'`;
const openSql = `select queue.open_circuit($1, $2, $3, $4, $5) as "isOpened"`;

/** What one process may send to one target: concurrency share, rate budget, circuit. */
export class TargetGate {
  readonly settings: GateSettings;
  readonly runnable: Lane[] = [];
  inFlight = 0;
  /** Messages in memory for this target that are not being delivered. */
  queued = 0;
  share = 1;
  wasSaturated = false;
  /** Deliveries that end in a millisecond, smoothed. */
  private pace = 0;
  private paceAt = -Infinity;
  private ended = 0;
  private readonly pool: pg.Pool;
  private readonly policy: CircuitPolicy;
  private faultsInARow = 0;
  private tokens = 0;
  private isReserving = false;
  private tokensAt = 0;
  private restUntil = -Infinity;

  constructor(pool: pg.Pool, settings: GateSettings, policy: CircuitPolicy) {
    this.pool = pool;
    this.settings = settings;
    this.policy = policy;
  }

  /** Takes new settings. With another rate, what was taken of the old rate's budget is void. */
  adopt(settings: TargetLimits & { circuit?: CircuitState }): void {
    if (settings.ratePerSecond !== this.settings.ratePerSecond) {
      this.tokens = 0;
      this.tokensAt = 0;
    }
    Object.assign(this.settings, settings);
  }

  /** Outcomes matter to the circuit even when they are no faults. */
  get isWatched(): boolean {
    return this.faultsInARow > 0 || this.settings.circuit !== "closed";
  }

  /** Half-open: one trial at a time in this process. */
  get limit(): number {
    if (performance.now() < this.restUntil) return 0;
    return this.settings.circuit === "half-open" ? Math.min(1, this.share) : this.share;
  }

  /** Enough in memory already, by its pace: more would only keep it from other workers, and from operators. */
  get isSaturated(): boolean {
    if (this.settings.circuit === "open" || this.limit === 0) return true;
    const inHand = this.inFlight + this.queued;
    if (inHand < Math.max(this.limit * 2 + 32, this.pace * readAheadMs)) return false;
    // A quick target's first messages are done before its pace is known.
    const elapsed = Math.max(paceMsMin, performance.now() - this.paceAt);
    return inHand >= (this.ended / elapsed) * readAheadMs;
  }

  /** This process delivers nothing there for so long. */
  rest(ms: number): void {
    this.restUntil = performance.now() + ms;
  }

  /** Whether a delivery may start now; calls `onTokens` later when it has to wait for the rate budget. */
  mayStart(now: number, onTokens: () => void): boolean {
    if (this.settings.circuit === "open" || this.inFlight >= this.limit) return false;
    if (this.settings.ratePerSecond === null) return true;
    if (this.tokens > 0 && now >= this.tokensAt) return true;
    if (!this.isReserving && this.tokens === 0) void this.reserve(this.settings.ratePerSecond, onTokens);
    return false;
  }

  start(): void {
    this.inFlight++;
    this.queued--;
    this.tokens--;
  }

  end(now: number): void {
    this.inFlight--;
    this.ended++;
    const elapsed = now - this.paceAt;
    if (elapsed < paceMs) return;
    this.pace = (this.pace + this.ended / elapsed) / 2;
    this.paceAt = now;
    this.ended = 0;
  }

  /** Takes a tenth of a second's budget from the database, which all processes share. */
  private async reserve(ratePerSecond: number, onTokens: () => void): Promise<void> {
    this.isReserving = true;
    const count = Math.max(1, Math.min(Math.floor(ratePerSecond / 10), this.queued));
    try {
      const { tenantId, targetId } = this.settings;
      const waitMs = await reserveRate(this.pool, { tenantId, targetId, count });
      this.tokens = count;
      this.tokensAt = performance.now() + waitMs;
      setTimeout(onTokens, Math.ceil(waitMs) + 1).unref();
    } catch {
      // The pool's trouble is the step loop's to report; the budget is asked for again a second later.
      setTimeout(onTokens, 1000).unref();
    } finally {
      this.isReserving = false;
    }
  }

  /**
   * Counts an outcome for the circuit. Anything but 'closed' means that it is open now and the target's shards must go back. 'opened': this very outcome,
   * of all in all processes, opened it. 'trial-failed': it is open again, and the trial must not count as one of the message's attempts.
   */
  async note(fault: TargetFault | null): Promise<"closed" | "opened" | "open" | "trial-failed"> {
    const { tenantId, targetId, circuit } = this.settings;
    if (!fault) {
      this.faultsInARow = 0;
      if (circuit === "half-open") {
        await this.change("closed", closeSql, [tenantId, targetId]);
      }
      return "closed";
    }
    // What was in flight as it opened must not open it once more when it is closed again.
    if (circuit === "open") return "open";
    this.faultsInARow++;
    if (circuit === "closed" && this.faultsInARow < this.policy.faults) return "closed";
    const { pauseMs, pauseMsMax } = this.policy;
    const { rows } = await this.change("open", openSql, [tenantId, targetId, pauseMs, pauseMsMax, fault]);
    this.faultsInARow = 0;
    if (circuit === "half-open") return "trial-failed";
    return rows[0]?.isOpened ? "opened" : "open";
  }

  /** Changes it in memory at once, so that nothing is started meanwhile; takes that back if the database fails, so that the next outcome tries again. */
  private async change(circuit: CircuitState, sql: string, values: unknown[]): Promise<pg.QueryResult<{ isOpened?: boolean }>> {
    const before = this.settings.circuit;
    this.settings.circuit = circuit;
    try {
      return await this.pool.query(sql, values);
    } catch (error) {
      this.settings.circuit = before;
      throw error;
    }
  }
}
