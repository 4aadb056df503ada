import { randomUUID } from "node:crypto";
import type pg from "pg";
import { Announcer } from "./announcer.ts";
import { Dispatcher } from "./dispatcher.ts";
import { beat, leave, type Share } from "./heartbeat.ts";
import { LeasedShard } from "./leased-shard.ts";
import { listen, type Listener } from "./listen.ts";
import type { Handler } from "./model.ts";
import { Runner, type RunnerHost } from "./runner.ts";
import { SleepingShards } from "./sleeping-shards.ts";
import { leaseShards, type LeaseHeader } from "./step.ts";
import { shareOf, TargetGate, type CircuitPolicy } from "./target-gate.ts";
import { countActive, readLimits, type TargetName } from "./target-limits.ts";

export type WorkerEvent =
  | { kind: "error"; error: unknown }
  /** Shards another worker took over, or that were leased after a worker had been lost. */
  | { kind: "lease-lost"; count: number }
  | { kind: "circuit-opened"; tenantId: number; targetId: number };

export type WorkerOptions = {
  handler: Handler;
  workerId?: string;
  /** Deliveries at a time in this process. */
  concurrency?: number;
  leaseSeconds?: number;
  /** How long an empty shard stays leased, so that what is published meanwhile needs no new lease. */
  lingerMs?: number;
  circuit?: Partial<CircuitPolicy>;
  /** Looks for work at least this often; NOTIFY wakes it sooner. */
  pollMs?: number;
  /** How often it says that it lives and reads its targets' limits. After 20 seconds of silence others take it for dead. */
  heartbeatMs?: number;
  onEvent?: (event: WorkerEvent) => void;
};

export type Worker = {
  start: () => Promise<void>;
  /** Resolves when deliveries under way are settled, or aborted and given back. */
  stop: () => Promise<void>;
};

/** How long `stop` waits for deliveries under way before it aborts them. */
const stopMs = 10_000;
const shardsPerLease = 32;
const runnersMax = 64;
/**
 * Characters of requests' and responses' bodies that wait to be settled: beyond them a delivery is begun only when others were settled, also while the
 * database is slow or away. What was being delivered then comes on top, each with as much as its handler keeps.
 */
const keptMax = 16 * 1024 * 1024;

/** Delivers the messages of all push queues through `handler`, in lane order. The pool's role must see all tenants; it needs at least six connections. */
export function createWorker(pool: pg.Pool, options: WorkerOptions): Worker {
  return new DeliveryWorker(pool, options);
}

class DeliveryWorker implements Worker {
  private readonly pool: pg.Pool;
  private readonly workerId: string;
  private readonly leaseSeconds: number;
  private readonly circuit: CircuitPolicy;
  private readonly options: WorkerOptions;
  private readonly dispatcher: Dispatcher;
  private readonly runners = new Set<Runner>();
  private readonly gates = new Map<string, TargetGate>();
  private readonly sleeping: SleepingShards;
  private readonly announcer: Announcer;
  private readonly timers: NodeJS.Timeout[] = [];
  private share: Share = { workers: 1, rank: 0 };
  private beating: Promise<void> | undefined;
  private listener: Listener | undefined;
  private isRunning = false;
  private isAcquiring = false;
  private isWanted = false;
  private onDrained: (() => void) | undefined;
  private readonly host: RunnerHost;

  constructor(pool: pg.Pool, options: WorkerOptions) {
    this.pool = pool;
    this.options = options;
    this.workerId = options.workerId ?? randomUUID();
    this.leaseSeconds = options.leaseSeconds ?? 30;
    this.circuit = { faults: 5, pauseMs: 5000, pauseMsMax: 300_000, ...options.circuit };
    const onError = (error: unknown): void => this.report(error);
    this.sleeping = new SleepingShards({ pool, onWoken: () => this.acquire(), onError });
    this.announcer = new Announcer(pool, onError);
    this.dispatcher = new Dispatcher({
      handler: options.handler,
      concurrency: options.concurrency ?? 256,
      pool,
      onRoom: () => this.acquire(),
      onTripped: (gate, isOpening) => this.giveBack(gate, isOpening),
      onError,
    });
    this.host = {
      pool,
      leaseSeconds: this.leaseSeconds,
      lingerMs: options.lingerMs ?? 3000,
      offer: (lane) => this.dispatcher.offer(lane),
      dispatch: () => this.dispatcher.dispatch(),
      onAsleep: (shards) => this.sleeping.add(shards),
      onLost: (shards) => {
        this.dispatcher.makeRoom();
        this.options.onEvent?.({ kind: "lease-lost", count: shards.length });
      },
      onSettled: (tenantId) => {
        this.dispatcher.makeRoom();
        this.announcer.announce(tenantId);
      },
      keptMax: () => keptMax / this.runners.size,
      onError,
      onEnd: (runner) => this.ended(runner),
    };
  }

  async start(): Promise<void> {
    this.isRunning = true;
    // A second connection is made meanwhile for a second lease, so that both plan their statements at the same time.
    const connected = this.connect();
    await this.beat();
    // Stopped meanwhile.
    if (!this.isRunning) return;
    // Before the listener, which keeps the connection it takes.
    this.acquire(connected);
    this.listener = listen(this.pool, {
      channels: ["queue_ready"],
      onNotification: (_, payload) => this.onReady(payload),
      onMissed: () => {
        for (const runner of this.runners) runner.wake(null);
        this.acquire();
      },
      onError: (error) => this.report(error),
    });
    this.every(this.options.heartbeatMs ?? 5000, () => this.beat());
    this.every(this.options.pollMs ?? 1000, () => this.acquire());
  }

  async stop(): Promise<void> {
    if (!this.isRunning) return;
    this.isRunning = false;
    for (const timer of this.timers) clearInterval(timer);
    this.sleeping.stop();
    this.announcer.stop();
    const abort = setTimeout(() => this.dispatcher.abort(), stopMs);
    this.dispatcher.close();
    const drained = new Promise<void>((resolve) => (this.onDrained = resolve));
    for (const runner of this.runners) runner.drain();
    if (this.runners.size > 0 || this.isAcquiring) await drained;
    clearTimeout(abort);
    await this.listener?.stop();
    // A heartbeat still under way would write the worker's row anew.
    await this.beating;
    // If the database is away, the others take this one for dead in time.
    await leave(this.pool, this.workerId).catch((error: unknown) => this.report(error));
  }

  private async connect(): Promise<void> {
    try {
      await this.pool.query("select");
    } catch (error) {
      this.report(error);
    }
  }

  private every(ms: number, job: () => unknown): void {
    this.timers.push(setInterval(job, ms));
  }

  private report(error: unknown): void {
    this.options.onEvent?.({ kind: "error", error });
  }

  private beat(): Promise<void> {
    this.beating ??= this.beatOnce().finally(() => (this.beating = undefined));
    return this.beating;
  }

  private async beatOnce(): Promise<void> {
    try {
      const share = await beat(this.pool, this.workerId);
      // The other workers want their part of the shards that linger here with nothing to do.
      if (share.workers !== this.share.workers) for (const runner of this.runners) runner.rest();
      this.share = share;
      if (this.gates.size > 0) await this.readLimits();
      for (const gate of this.gates.values()) {
        this.setShare(gate);
        this.dispatcher.resume(gate);
      }
      for (const runner of this.runners) this.giveBackOf(runner, ({ gate }) => gate.limit === 0);
      await this.giveOthersTheirPart();
    } catch (error) {
      this.report(error);
    }
  }

  /** One lease takes most shards of a target. When there is a backlog, the other workers get the part of the shards that matches their share. */
  private async giveOthersTheirPart(): Promise<void> {
    const held = Map.groupBy(
      [...this.runners].flatMap(({ shards }) => shards),
      ({ gate }) => gate,
    );
    const gates = [...held.keys()].filter((gate) => gate.isSaturated && gate.limit > 0 && gate.share < gate.settings.concurrency);
    if (gates.length === 0) return;
    for (const { active, ...name } of await countActive(this.pool, gates)) {
      const gate = this.gates.get(keyOfGate(name));
      if (!gate) continue;
      const part = Math.ceil((active * gate.share) / gate.settings.concurrency);
      const beyond = new Set(held.get(gate)?.slice(part));
      for (const runner of this.runners) this.giveBackOf(runner, (shard) => beyond.has(shard));
    }
  }

  /** A shard that always has something to do stays leased, so no new lease brings its target's new limits. */
  private async readLimits(): Promise<void> {
    for (const limits of await readLimits(this.pool, [...this.gates.values()])) this.gates.get(keyOfGate(limits))?.adopt(limits);
  }

  private setShare(gate: TargetGate): void {
    gate.share = shareOf(gate.settings.concurrency, this.share.workers, this.share.rank, gate.settings.targetId);
  }

  /** Payload: 'tenant' for everything of it, or 'tenant * queue.shard …': '*' when something may be leased, then leased shards that were read to their end. */
  private onReady(payload: string): void {
    const [tenantId, ...names] = payload.split(" ");
    const named = names.length > 0 ? new Set(names) : null;
    for (const runner of this.runners) if (runner.tenantId === Number(tenantId)) runner.wake(named);
    if (named === null || named.has("*")) this.acquire();
  }

  /** Leases while there is room and something to lease; with `beside`, twice at once when that is done. Calls during a round become one more round. */
  private acquire(beside?: Promise<void>): void {
    this.isWanted = true;
    if (this.isAcquiring || !this.isRunning) return;
    this.isAcquiring = true;
    void this.acquireAll(beside).finally(() => {
      this.isAcquiring = false;
      if (this.runners.size === 0) this.onDrained?.();
    });
  }

  private async acquireAll(beside: Promise<void> | undefined): Promise<void> {
    if (beside) await Promise.all([this.leaseOnce(), beside.then(() => this.leaseOnce())]);
    while (this.isWanted && this.isRunning) {
      this.isWanted = false;
      while (this.isRunning && this.runners.size < runnersMax && (await this.leaseOnce()));
      if (this.runners.size >= runnersMax) for (const runner of this.runners) if (runner.isIdle) runner.rest();
    }
  }

  private leaseOnce(): Promise<boolean> {
    return this.lease().catch((error: unknown) => {
      this.report(error);
      return false;
    });
  }

  private async lease(): Promise<boolean> {
    const leasedAt = performance.now();
    const skip = [...this.gates.values()]
      .filter((gate) => gate.isSaturated && gate.settings.circuit !== "open")
      .map((gate) => gate.settings);
    const request = { workerId: this.workerId, shards: shardsPerLease, leaseSeconds: this.leaseSeconds, skip };
    const headers = await leaseShards(this.pool, request);
    const [first] = headers;
    if (!first) return false;
    const lostBefore = headers.filter((header) => header.isLost).length;
    if (lostBefore > 0) this.options.onEvent?.({ kind: "lease-lost", count: lostBefore });
    const shards = headers.map((header) => new LeasedShard(header, this.gateOf(header), this.sleeping.take(header), leasedAt));
    const runner = this.runnerFor(first.tenantId, shards, leasedAt);
    for (const shard of shards) shard.owner = runner;
    // With more workers than the target takes deliveries, some have no share: their shards go back at once.
    const unusable = this.isRunning ? shards.filter((shard) => shard.gate.limit === 0) : shards;
    if (unusable.length > 0) runner.drain(unusable);
    runner.schedule();
    return true;
  }

  /** One of the tenant's runners that has room for these shards, or a new one. Fewer runners mean fewer steps, and each step has a price. */
  private runnerFor(tenantId: number, shards: readonly LeasedShard[], leasedAt: number): Runner {
    for (const runner of this.runners) {
      if (runner.tenantId !== tenantId || runner.shards.length + shards.length > shardsPerLease) continue;
      runner.adopt(shards);
      return runner;
    }
    const runner = new Runner(this.host, tenantId, [...shards], leasedAt);
    this.runners.add(runner);
    return runner;
  }

  private gateOf(header: LeaseHeader): TargetGate {
    const key = keyOfGate(header);
    const { tenantId, targetId, concurrency, ratePerSecond, circuit } = header;
    const settings = { tenantId, targetId, concurrency, ratePerSecond, circuit };
    let gate = this.gates.get(key);
    if (gate) gate.adopt(settings);
    else {
      gate = new TargetGate(this.pool, settings, this.circuit);
      this.gates.set(key, gate);
    }
    this.setShare(gate);
    return gate;
  }

  private giveBack(gate: TargetGate, isOpening: boolean): void {
    const { tenantId, targetId } = gate.settings;
    if (isOpening) this.options.onEvent?.({ kind: "circuit-opened", tenantId, targetId });
    for (const runner of this.runners) this.giveBackOf(runner, (shard) => shard.gate === gate);
  }

  private giveBackOf(runner: Runner, isMeant: (shard: LeasedShard) => boolean): void {
    const shards = runner.shards.filter(isMeant);
    if (shards.length > 0) runner.drain(shards);
  }

  private ended(runner: Runner): void {
    if (!this.runners.delete(runner)) return;
    if (this.isRunning) this.acquire();
    else if (this.runners.size === 0 && !this.isAcquiring) this.onDrained?.();
  }
}

function keyOfGate({ tenantId, targetId }: TargetName): string {
  return `${tenantId}.${targetId}`;
}
