import type pg from "pg";
import { arrayLiteral } from "./packed-text.ts";
import type { TargetGate, TargetLimits } from "./target-gate.ts";

export type TargetName = { tenantId: number; targetId: number };

const limitsSql = `
  select t.tenant_id as "tenantId", t.id as "targetId", t.concurrency, t.rate_per_second as "ratePerSecond"
  from unnest($1::integer[], $2::integer[]) as known (tenant_id, id) join queue.target t on t.tenant_id = known.tenant_id and t.id = known.id`;

const activeSql = `
  select known.tenant_id as "tenantId", known.id as "targetId", count(*)::integer as active
  from unnest($1::integer[], $2::integer[]) as known (tenant_id, id)
  join queue.queue q on q.tenant_id = known.tenant_id and q.target_id = known.id
  join queue.shard s on s.tenant_id = q.tenant_id and s.queue_id = q.id
  where s.is_active and not s.is_blocked group by 1, 2`;

/** The targets' present limits. */
export async function readLimits(pool: pg.Pool, gates: readonly TargetGate[]): Promise<TargetLimits[]> {
  return (await pool.query<TargetLimits>({ name: "queue.limits", text: limitsSql, values: namesOf(gates) })).rows;
}

/** How many shards of each target are leased or could be. */
export async function countActive(pool: pg.Pool, gates: readonly TargetGate[]): Promise<(TargetName & { active: number })[]> {
  return (await pool.query<TargetName & { active: number }>({ name: "queue.active", text: activeSql, values: namesOf(gates) })).rows;
}

function namesOf(gates: readonly TargetGate[]): string[] {
  return [arrayLiteral(gates.map(({ settings }) => settings.tenantId)), arrayLiteral(gates.map(({ settings }) => settings.targetId))];
}
