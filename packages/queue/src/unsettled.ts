import type { Held } from "./leased-shard.ts";
import type { Outcome } from "./model.ts";
import { attemptRecord, failureOf, hasContent } from "./pull.ts";
import type { Failure, Slot } from "./step.ts";

/** What became of a message in hand, which the database has not been told yet. */
export type Result = { held: Held; outcome: Outcome | { kind: "superseded" }; finishedAt: number };

/** The results of a runner that wait for a step, and how much of attempts' bodies they and those under way keep in memory. */
export class Unsettled {
  private waiting: Result[] = [];
  /** Characters of the bodies of attempts that wait to be settled, or are being settled. */
  private keptLength = 0;

  get count(): number {
    return this.waiting.length;
  }

  get first(): Result | undefined {
    return this.waiting[0];
  }

  get kept(): number {
    return this.keptLength;
  }

  add(result: Result): void {
    this.waiting.push(result);
    this.keptLength += bodyLength(result);
  }

  /** For a step, which settles them or gives them back. */
  take(): Result[] {
    const taken = this.waiting;
    this.waiting = [];
    return taken;
  }

  giveBack(taken: readonly Result[]): void {
    this.waiting = [...taken, ...this.waiting];
  }

  settle(result: Result): void {
    this.keptLength -= bodyLength(result);
  }

  /** Of shards that are lost nothing can be settled any more. */
  dropLost(): void {
    this.waiting = this.waiting.filter((result) => {
      const isLost = result.held.shard.lost.signal.aborted;
      if (isLost) this.settle(result);
      return !isLost;
    });
  }
}

/** Puts a result into the part that its shard has in a step. */
export function addToSlot(slot: Slot, { held, outcome, finishedAt }: Result, now: number): void {
  const { id } = held;
  slot.cost += held.shard.weight;
  if (outcome.kind === "superseded") slot.failures.push({ id, kind: "superseded" });
  else if (outcome.kind === "delivered") {
    slot.delivered.push(held.row.id);
    slot.places.push(held.row.place);
  } else slot.failures.push({ id, kind: outcome.kind, ...failureOf(outcome) } satisfies Failure);
  if ("attempt" in outcome && hasContent(outcome.attempt)) slot.attempts.push({ id, ...attemptRecord(outcome.attempt, now - finishedAt) });
}

function bodyLength({ outcome }: Result): number {
  if (!("attempt" in outcome)) return 0;
  const { request, response } = outcome.attempt;
  return (request?.body?.length ?? 0) + (response?.body?.length ?? 0);
}
