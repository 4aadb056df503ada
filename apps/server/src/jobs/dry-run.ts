import { setImmediate } from "node:timers/promises";
import { dryRunMax } from "@crossdock/contract";
import type { MessagePlace } from "@crossdock/queue";
import type pg from "pg";
import { readPlaces } from "./rows.ts";

type Judged<Verdict extends string> = { messageId: string; verdict: Verdict };

/** A job whose messages are judged before it is started. */
export type DryRun<Item> = {
  client: pg.ClientBase;
  tenantId: number;
  jobId: number;
  /** How many messages are judged before other work gets a turn. */
  sliceSize: number;
  /** What would become of a slice's messages, in their order; one of which nothing can be told is left out. */
  judge: (messages: readonly MessagePlace[]) => Promise<Iterable<Item>>;
};

export type DryRunPage<Item> = { items: Item[]; nextCursor: string | null };
export type DryRunRequest<Verdict> = { jobId: number; cursor?: string | undefined; limit: number; verdict?: Verdict | undefined };

/** Messages that one page looks through for a verdict that is rare; the caller goes on from its cursor. */
const pageMessages = 2_000;

/** The job's messages of a verdict or of all, oldest first. */
export async function readVerdicts<Verdict extends string, Item extends Judged<Verdict>>(
  run: DryRun<Item>,
  { cursor, limit, verdict }: DryRunRequest<Verdict>,
): Promise<DryRunPage<Item>> {
  const items: Item[] = [];
  let nextCursor: string | null = null;
  for await (const { messages, next } of slicesOf(run, cursor ?? "0", pageMessages / run.sliceSize)) {
    for (const item of await run.judge(messages)) {
      if (verdict !== undefined && item.verdict !== verdict) continue;
      items.push(item);
      if (items.length === limit) return { items, nextCursor: item.messageId };
    }
    nextCursor = next;
  }
  return { items, nextCursor };
}

type Counted<Verdict extends string> = { counts: Partial<Record<Verdict, number>>; looked: number };

/** How many of the job's messages each verdict has, and how many were looked at: `dryRunMax` at most. */
export async function countVerdicts<Verdict extends string>(run: DryRun<Judged<Verdict>>): Promise<Counted<Verdict>> {
  const counts: Partial<Record<Verdict, number>> = {};
  let looked = 0;
  for await (const { messages } of slicesOf(run, "0", dryRunMax / run.sliceSize)) {
    for (const { verdict } of await run.judge(messages)) counts[verdict] = (counts[verdict] ?? 0) + 1;
    looked += messages.length;
  }
  return { counts, looked };
}

/** Null for the last slice: what one looks on from. */
type Slice = { messages: MessagePlace[]; next: string | null };

async function* slicesOf(run: DryRun<unknown>, after: string, slicesMax: number): AsyncGenerator<Slice> {
  const { client, tenantId, jobId, sliceSize } = run;
  let next: string | null = after;
  for (let slice = 0; next !== null && slice < slicesMax; slice++) {
    // Judging keeps the process busy.
    if (slice > 0) await setImmediate();
    const messages = await readPlaces(client, tenantId, jobId, next, sliceSize);
    next = (messages.length === sliceSize && messages.at(-1)?.messageId) || null;
    yield { messages, next };
  }
}
