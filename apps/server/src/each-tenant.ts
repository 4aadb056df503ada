import type pg from "pg";
import { isDatabaseAway } from "./errors/errors.ts";

const tenantsBy = (list: string) => async (pool: pg.Pool) =>
  (await pool.query<{ id: number }>(`select id from hub.${list} as id`)).rows.map(({ id }) => id);

export const allTenants = tenantsBy("all_tenants()");
export const tenantsWithRuns = tenantsBy("tenants_with_runs()");
export const tenantsWithJobs = tenantsBy("tenants_with_jobs()");
export const tenantsToWatch = tenantsBy("tenants_to_watch(clock_timestamp())");

/**
 * Works for one tenant after the other. What fails for one is told when the others have had their turn; a database that is away ends the
 * round, and so does `stop` before the next tenant.
 */
export async function eachTenant(
  tenantIds: readonly number[],
  work: (tenantId: number) => Promise<unknown>,
  stop?: AbortSignal,
): Promise<void> {
  const faults: unknown[] = [];
  for (const id of tenantIds) {
    if (stop?.aborted) break;
    try {
      await work(id);
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      faults.push(error);
    }
  }
  if (faults.length > 0) throw new AggregateError(faults, `the work for ${faults.length} tenants failed`);
}
