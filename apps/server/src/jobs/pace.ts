import type { MessagePlace } from "@crossdock/queue";
import type pg from "pg";

/** How much work a requeue or redirect keeps waiting for a target with a rate limit: enough to use the rate, and little that new messages have to wait behind. */
const waitingSeconds = 2;
/** Pause between two portions. */
export const portionSeconds = 0.5;

type Budget = { queueId: number; targetId: number; ratePerSecond: number; free: number };

// What waits is counted up to what may wait at most.
const budgetsSql = `
  select queue.id as "queueId", target.id as "targetId", target.rate_per_second as "ratePerSecond",
    greatest(0, ceil(target.rate_per_second * ${waitingSeconds}) - (
      select count(*) from (
        select from queue.queue sibling
        join queue.ready on ready.tenant_id = sibling.tenant_id and ready.queue_id = sibling.id
        where sibling.tenant_id = target.tenant_id and sibling.target_id = target.id
        limit ceil(target.rate_per_second * ${waitingSeconds})::bigint
      ) waiting
    ))::integer as free
  from queue.queue join queue.target on target.tenant_id = queue.tenant_id and target.id = queue.target_id
  where queue.tenant_id = $1 and queue.id = any($2::integer[]) and target.rate_per_second is not null`;

async function readBudgets(client: pg.ClientBase, tenantId: number, queueIds: readonly number[]): Promise<Map<number, Budget>> {
  const { rows } = await client.query<Budget>(budgetsSql, [tenantId, queueIds]);
  return new Map(rows.map((budget) => [budget.queueId, budget]));
}

/**
 * The first of `items`, as many as their targets' live budgets permit now: a target that is slow, paused or out of order takes
 * nothing, so nothing more is queued for it. `isPaced` is false where no target has a rate limit.
 */
export async function cutToPace<Item extends MessagePlace>(
  client: pg.ClientBase,
  tenantId: number,
  items: readonly Item[],
): Promise<{ portion: readonly Item[]; isPaced: boolean }> {
  const budgets = await readBudgets(client, tenantId, [...new Set(items.map(({ queueId }) => queueId))]);
  const freeOf = new Map([...budgets.values()].map(({ targetId, free }) => [targetId, free]));
  const end = items.findIndex(({ queueId }) => {
    const targetId = budgets.get(queueId)?.targetId;
    if (targetId === undefined) return false;
    const free = freeOf.get(targetId) ?? 0;
    freeOf.set(targetId, free - 1);
    return free <= 0;
  });
  return { portion: end < 0 ? items : items.slice(0, end), isPaced: budgets.size > 0 };
}

/** How many items a second a requeue or redirect of so many to each queue can be expected to do; null where no target has a rate limit. */
export async function estimatePace(client: pg.ClientBase, tenantId: number, counts: ReadonlyMap<number, number>): Promise<number | null> {
  const budgets = await readBudgets(client, tenantId, [...counts.keys()]);
  const secondsOf = new Map<number, number>();
  let total = 0;
  for (const [queueId, count] of counts) {
    total += count;
    const budget = budgets.get(queueId);
    if (budget) secondsOf.set(budget.targetId, (secondsOf.get(budget.targetId) ?? 0) + count / budget.ratePerSecond);
  }
  const seconds = Math.max(0, ...secondsOf.values());
  return seconds > 0 ? total / seconds : null;
}
