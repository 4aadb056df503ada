import type { CircuitState, Queryable } from "./model.ts";
import type { TargetFault } from "./target-gate.ts";

export type TargetSettings = {
  tenantId: number;
  /** Chosen by the caller, unique in the tenant. */
  targetId: number;
  /** Deliveries at a time, over all workers. */
  concurrency?: number;
  /** Null: no limit. */
  ratePerSecond?: number | null;
  isPaused?: boolean;
};

// What is not given keeps its value, or gets the default of a new target.
const saveTargetSql = `
  insert into queue.target as t (tenant_id, id, concurrency, rate_per_second, is_paused)
  values ($1, $2, coalesce($3::smallint, 8), $4, coalesce($6, false))
  on conflict (tenant_id, id) do update set
    concurrency = coalesce($3::smallint, t.concurrency),
    rate_per_second = case when $5 then $4 else t.rate_per_second end,
    -- What was taken of the budget was taken at the old rate, at which the next delivery may be minutes away.
    rate_free_at = case when $5 and t.rate_per_second is distinct from $4 then '-infinity' else t.rate_free_at end,
    is_paused = coalesce($6, t.is_paused)`;

export async function saveTarget(db: Queryable, settings: TargetSettings): Promise<void> {
  const { tenantId, targetId, concurrency, ratePerSecond, isPaused } = settings;
  await db.query(saveTargetSql, [
    tenantId,
    targetId,
    concurrency ?? null,
    ratePerSecond ?? null,
    ratePerSecond !== undefined,
    isPaused ?? null,
  ]);
  await db.query("select queue.refresh_blocks($1, $2)", [tenantId, targetId]);
}

/** For a transaction that changes several targets, or queues, before the first change: it waits here for who is at work in them, instead of each for the other. */
export async function lockTargets(
  db: Queryable,
  { tenantId, targetIds }: { tenantId: number; targetIds: readonly number[] },
): Promise<void> {
  await db.query("select queue.lock_targets($1, $2)", [tenantId, targetIds]);
}

/** Lets a trial through to a target at once. False: its circuit is not open. */
export async function tryCircuit(db: Queryable, { tenantId, targetId }: { tenantId: number; targetId: number }): Promise<boolean> {
  const { rows } = await db.query<{ isTried: boolean }>('select queue.try_circuit($1, $2, true) as "isTried"', [tenantId, targetId]);
  return rows[0]?.isTried ?? false;
}

const reserveSql = { name: "queue.reserve_rate", text: `select queue.reserve_rate($1, $2, $3) as "waitMs"` };

/** Takes `count` requests of a target's rate, which all processes share: milliseconds until they may be sent. */
export async function reserveRate(
  db: Queryable,
  { tenantId, targetId, count = 1 }: { tenantId: number; targetId: number; count?: number },
): Promise<number> {
  const { rows } = await db.query<{ waitMs: number }>({ ...reserveSql, values: [tenantId, targetId, count] });
  return rows[0]?.waitMs ?? 0;
}

export type Target = {
  targetId: number;
  concurrency: number;
  ratePerSecond: number | null;
  isPaused: boolean;
  circuit: Circuit;
};

/** `fault`: what opened it first since the last success, and how the target has failed last; null while it is closed. */
type Circuit = { state: CircuitState; openUntil: Date | null; fault: (TargetFault & { since: string }) | null };

type TargetRow = Omit<Target, "circuit"> & Circuit;

const targetsSql = `
  select id as "targetId", concurrency, rate_per_second as "ratePerSecond", is_paused as "isPaused",
    circuit as state, circuit_open_until as "openUntil", circuit_fault as fault
  from queue.target where tenant_id = $1 order by id`;

export async function targets(db: Queryable, { tenantId }: { tenantId: number }): Promise<Target[]> {
  const { rows } = await db.query<TargetRow>(targetsSql, [tenantId]);
  return rows.map(({ state, openUntil, fault, ...target }) => ({ ...target, circuit: { state, openUntil, fault } }));
}
