import type pg from "pg";

/** Days for which a tenant's things stay: its own, or the installation's. */
export type Retention = { historyDays: number; attemptDays: number; rawMessageDays: number; removedDays: number; runDays: number };

const retentionSql = `
  select least(history_days, $2) as "historyDays", least(attempt_days, history_days, $2) as "attemptDays", least(raw_message_days, $2) as "rawMessageDays",
    least(removed_days, $2) as "removedDays", least(run_days, $2) as "runDays"
  from hub.tenant_limit where tenant_id = $1`;

/** Never more than the installation's, which may have become shorter since. */
export async function readRetention(client: pg.ClientBase, tenantId: number, installationDays: number): Promise<Retention> {
  const { rows } = await client.query<Retention>(retentionSql, [tenantId, installationDays]);
  const days = installationDays;
  return rows[0] ?? { historyDays: days, attemptDays: days, rawMessageDays: days, removedDays: days, runDays: days };
}
