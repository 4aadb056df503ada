import { changedAtOf, sourceAheadMsMax, sourceVersionOf, type Fault } from "@crossdock/contract";
import type pg from "pg";
import { faultBecause } from "../errors/faults.ts";

/** Judges the times that sources give, by the database's clock. */
export type SourceClock = {
  /** What is wrong with a document's time of change; null where nothing is. Rejects when the database can't be asked. */
  faultOf: (document: Parameters<typeof changedAtOf>[0]) => Promise<Fault | null>;
};

const nowSql = "select (extract(epoch from clock_timestamp()) * 1000000)::bigint::text as now";
const aheadMax = BigInt(sourceAheadMsMax) * 1000n;

export function createSourceClock(pool: pg.Pool): SourceClock {
  /** What the database said last, in microseconds, and when by this process's monotonic clock, in milliseconds. */
  let known: { now: bigint; at: number } | null = null;
  let asking: Promise<bigint> | null = null;

  async function ask(): Promise<bigint> {
    const { rows } = await pool.query<{ now: string }>(nowSql);
    const now = BigInt(rows[0]?.now ?? 0);
    known = { now, at: performance.now() };
    return now;
  }

  // Never later than it is: the monotonic clock stands still while the machine sleeps, and is read after the answer has come.
  const nowAtLeast = (): bigint => (known ? known.now + BigInt(Math.floor((performance.now() - known.at) * 1000)) : 0n);

  async function isAhead(version: bigint): Promise<boolean> {
    if (version <= nowAtLeast() + aheadMax) return false;
    // Nothing is refused by what was said a while ago.
    asking ??= ask().finally(() => {
      asking = null;
    });
    return version > (await asking) + aheadMax;
  }

  return {
    faultOf: async (document) => {
      const version = sourceVersionOf(document);
      if (version === null || !(await isAhead(BigInt(version)))) return null;
      const name = document.updatedAt == null ? "deletedAt" : "updatedAt";
      return faultBecause(name, "source-time-ahead", { time: changedAtOf(document) ?? "" });
    },
  };
}
