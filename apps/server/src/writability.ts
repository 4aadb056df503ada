import { setTimeout as sleep } from "node:timers/promises";
import type { RefusalReason } from "@crossdock/contract";
import type pg from "pg";
import { ApiError, diskFaultOf } from "./errors/errors.ts";
import { because } from "./errors/faults.ts";

/** How long a failure stands while nothing is written: whoever asks then is sent work again, and the next failure tells anew. */
const believedMs = 10_000;

type NoWrites = Extract<RefusalReason, `no-writes-${string}`>;

const failures = new WeakMap<pg.Pool, { reason: NoWrites; at: number }>();

/** Keeps why a pool's transaction failed, where the database has no room for what it wrote. */
export function noteFailure(pool: pg.Pool, error: unknown): void {
  const reason = diskFaultOf(error);
  if (reason !== undefined) failures.set(pool, { reason, at: performance.now() });
}

/** A transaction that wrote has been committed. */
export function noteWritten(pool: pg.Pool): void {
  failures.delete(pool);
}

type Mode = { isRecovering: boolean; isReadOnly: boolean; isUnconfirmed: boolean };

// The second is true in recovery as well. The third: a commit of this role waits for a synchronous standby, which may be for ever.
const modeSql = `
  select pg_is_in_recovery() as "isRecovering", current_setting('transaction_read_only')::boolean as "isReadOnly", exists (
    select from pg_stat_activity
    where usename = current_user and wait_event = 'SyncRep' and state_change < clock_timestamp() - interval '5 seconds'
  ) as "isUnconfirmed"`;

/** One that hangs, or has gone without a word, leaves a question unanswered for as long as its network does. */
const answerMsMax = 5_000;

/** Why the database takes no writes of this pool now; null where it takes them. Rejects when it does not answer soon. */
export async function whyNoWrites(pool: pg.Pool, msMax = answerMsMax): Promise<NoWrites | null> {
  const answered = new AbortController();
  const { signal } = answered;
  const tooLate = sleep(msMax, undefined, { signal }).then(() =>
    Promise.reject(new Error(`the database does not answer within ${msMax} ms`)),
  );
  const { rows } = await Promise.race([pool.query<Mode>(modeSql), tooLate]).finally(() => answered.abort());
  if (rows[0]?.isRecovering) return "no-writes-standby";
  if (rows[0]?.isReadOnly) return "no-writes-read-only";
  if (rows[0]?.isUnconfirmed) return "no-writes-unconfirmed";
  const failure = failures.get(pool);
  return failure !== undefined && performance.now() - failure.at < believedMs ? failure.reason : null;
}

/** Throws what a probe is told while the database takes no writes of this pool. */
export async function requireWrites(pool: pg.Pool): Promise<void> {
  const reason = await whyNoWrites(pool).catch((cause: unknown) => {
    throw new ApiError("unavailable", { ...because("database-silent"), retryAfterSeconds: 5, cause });
  });
  if (reason !== null) throw new ApiError("unavailable", { ...because(reason), retryAfterSeconds: 5 });
}
