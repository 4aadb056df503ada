/** Steps that find little may take half of the time: how much of their time needs no rest, and how much rest may be owed at most. */
const restMsFree = 25;
const owedMsMax = 75;
const batchMin = 16;
/** Larger steps cost less a message, until what one reads no longer fits the database's memory for a query. */
const batchMax = 2000;
/** How far ahead a quick target's messages are read at once, without getting there by doubling; the gate allows twice as much. */
const aheadMs = 50;

/** How much a runner reads ahead, and how long it rests between its steps. */
export class Pace {
  /** Messages to have in hand: half of it when the first step, which settles nothing, has begun. */
  batch = 256;
  /** The last read brought about as much as it could, or was cut off by its limit: there is no time to rest. */
  isBulk = true;
  private startedAt = -Infinity;
  private endedAt = -Infinity;
  /** What the steps up to the last one took, less the time between them. */
  private owedMs = 0;

  /** `settled`: what was delivered since the last step started. Reads ahead as much, so that a slow target keeps little in hand. */
  start(now: number, settled: number): void {
    const pace = settled / (now - this.startedAt);
    if (settled >= this.batch / 2) this.batch = Math.min(batchMax, Math.max(this.batch * 2, Math.floor(pace * aheadMs)));
    else if (settled < this.batch / 8) this.batch = Math.max(batchMin, this.batch / 2);
    this.owedMs = Math.max(0, this.owedMs - (now - this.endedAt));
    this.startedAt = now;
  }

  end(now: number): void {
    this.endedAt = now;
    this.owedMs = Math.min(owedMsMax, this.owedMs + now - this.startedAt);
  }

  /** Time until the next step may start. It makes a busy machine take fewer and larger steps; a single slow step makes nobody wait. */
  restMs(now: number): number {
    return this.isBulk ? 0 : this.owedMs - restMsFree - (now - this.endedAt);
  }

  /** Time until something may be read beside the step under way. */
  restBesideMs(now: number): number {
    return this.owedMs - restMsFree / 2 - (now - this.startedAt);
  }

  /** `room`: what the step could have read. `isCut`: some of its shards have more. */
  noteRead(read: number, room: number, isCut: boolean): void {
    this.isBulk = read > 0 && (isCut || read >= room / 2);
  }
}
