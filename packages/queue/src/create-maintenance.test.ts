import type pg from "pg";
import { expect, test, vi } from "vitest";
import { createMaintenance } from "./create-maintenance.ts";

test("a job that failed is told and done again at its time", async () => {
  vi.useFakeTimers();
  try {
    const failures: string[] = [];
    const pool = { query: () => Promise.reject(new Error("the database is away")) } as unknown as pg.Pool;
    const maintenance = createMaintenance(pool, { retentionDays: 7, onError: (job) => failures.push(job) });
    maintenance.start();
    await vi.advanceTimersByTimeAsync(1_000);
    await maintenance.stop();
    const times = (job: string): number => failures.filter((failed) => failed === job).length;
    expect(["promote-retries", "try-circuits", "rescue-leases", "drop-expired"].map(times)).toEqual([5, 3, 2, 1]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(times("promote-retries")).toBe(5);
  } finally {
    vi.useRealTimers();
  }
});
