import type pg from "pg";
import { RetryPolicy } from "@crossdock/contract";
import { lockTargets, saveQueue, saveTarget } from "@crossdock/queue";
import { inOrder } from "./db.ts";

type Selection = { tenantId: number; subtenantId?: number; integrationPointId?: number };

/** Objects whose newest state is all that matters: a newer message replaces the waiting one. The others keep every message in order. */
const latestWins = new Set(["item", "price", "stock"]);
export const isLatestWins = (entityType: string): boolean => latestWins.has(entityType);

const targetsSql = `
  select
    point.id, point.connector, point.delivery_mode as "deliveryMode", point.retry,
    array(
      select point.connector || '.' || type from unnest(point.target_types) type
      union select queue.name from queue.queue where queue.tenant_id = $1 and queue.target_id = point.id
    ) as "queueNames",
    point.rate_per_second as "ratePerSecond", point.concurrency,
    point.is_paused or subtenant.outgoing_paused or point.target_types = '{}'
      or not (point.is_active and subtenant.is_active and tenant.is_active) as "isPaused"
  from hub.integration_point point
  join hub.subtenant on subtenant.tenant_id = point.tenant_id and subtenant.id = point.subtenant_id
  join hub.tenant on tenant.id = point.tenant_id
  where point.tenant_id = $1
    and (point.target_types <> '{}' or exists (select from queue.target where target.tenant_id = $1 and target.id = point.id))
    and ($2::integer is null or point.subtenant_id = $2) and ($3::integer is null or point.id = $3)`;

// Of two changes of one tenant the second waits here: each would else write what the other had not decided yet when it was read.
const lockSql = "select from hub.tenant where id = $1 for no key update";

/**
 * Tells the engine what the hub's configuration means for it: a target for each integration point that receives, a queue for each of its
 * entity types. What it received before keeps its queues, which go by what holds now: something may wait in them. Call in the transaction that
 * changed the configuration, for all that the change touches.
 */
export async function syncTargets(client: pg.ClientBase, { tenantId, subtenantId, integrationPointId }: Selection): Promise<void> {
  await client.query(lockSql, [tenantId]);
  const { rows } = await client.query(targetsSql, [tenantId, subtenantId ?? null, integrationPointId ?? null]);
  await lockTargets(client, { tenantId, targetIds: rows.map(({ id }) => id) });
  for (const row of rows) {
    const { id, connector, deliveryMode, queueNames, retry, ratePerSecond, concurrency, isPaused } = row;
    const policy = RetryPolicy.parse(retry);
    const save = (name: string): Promise<number> =>
      saveQueue(client, {
        tenantId,
        targetId: id,
        name,
        mode: isLatestWins(name.slice(connector.length + 1)) ? "latest" : "fifo",
        delivery: deliveryMode,
        retry: policy,
      });
    // All at once, not one after the other's answer: deliveries that ask for the target's rate wait until this is committed.
    await inOrder([saveTarget(client, { tenantId, targetId: id, concurrency, ratePerSecond, isPaused }), ...queueNames.map(save)]);
  }
}

/** What a target that doesn't answer is called: the system's address, as points with different paths of one system fail together. */
export function targetName({ url, name, code }: { url: string | null; name: string; code: string }): string {
  return url !== null && URL.canParse(url) ? new URL(url).origin : `${name} (${code})`;
}
