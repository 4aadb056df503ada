import type pg from "pg";

/** Days for which a tenant's things stay: its own, or the installation's. */
export type Retention = { historyDays: number; attemptDays: number; rawMessageDays: number; removedDays: number; runDays: number };
/** What a tenant has of its own. */
type OwnDays = { [Name in keyof Retention]?: number | null | undefined };

/** Never more than the installation's, which may have become shorter since. */
export function retentionOf(limits: OwnDays, installationDays: number): Retention {
  const least = (...days: (number | null | undefined)[]) => Math.min(installationDays, ...days.filter((count) => count != null));
  return {
    historyDays: least(limits.historyDays),
    attemptDays: least(limits.attemptDays, limits.historyDays),
    rawMessageDays: least(limits.rawMessageDays),
    removedDays: least(limits.removedDays),
    runDays: least(limits.runDays),
  };
}

const limitsSql = `
  select history_days as "historyDays", attempt_days as "attemptDays", raw_message_days as "rawMessageDays", removed_days as "removedDays",
    run_days as "runDays"
  from hub.tenant_limit where tenant_id = $1`;

export async function readRetention(client: pg.ClientBase, tenantId: number, installationDays: number): Promise<Retention> {
  const { rows } = await client.query<OwnDays>(limitsSql, [tenantId]);
  return retentionOf(rows[0] ?? {}, installationDays);
}
