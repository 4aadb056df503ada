import type pg from "pg";
import { inTenant } from "./db.ts";

/** Rows deleted by one statement: a few thousand keep each transaction short, as an open one holds the engine's vacuum back. */
export const batchSize = 5_000;

/** One tenant's part of a round of pruning. A process that ends stops it between two batches; the next round goes on there. */
export type Round = { pool: pg.Pool; tenantId: number; stop: AbortSignal | undefined };

/** `prune` deletes up to `size` rows and answers how many. */
export async function inBatches(
  { pool, tenantId, stop }: Round,
  prune: (client: pg.PoolClient) => Promise<pg.QueryResult | number>,
  size: number = batchSize,
): Promise<void> {
  for (;;) {
    if (stop?.aborted) return;
    const done = await inTenant(pool, tenantId, prune);
    if ((typeof done === "number" ? done : (done.rowCount ?? 0)) < size) return;
  }
}
