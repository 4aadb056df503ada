import type { Attempt } from "@crossdock/contract";
import type pg from "pg";

type Debug = NonNullable<Attempt["debug"]>;

// Pruning may come late; the promise is 24 hours.
const debugSql = `
  select attempt, exchanges::json as exchanges from hub.debug_exchange
  where tenant_id = $1 and message_id = $2 and made_at > now() - interval '24 hours' order by id`;

/** What debug mode kept of a message's attempts, by their number; of one that was made twice, the last. */
export async function readDebug(client: pg.ClientBase, tenantId: number, messageId: string): Promise<ReadonlyMap<number, Debug>> {
  const { rows } = await client.query<{ attempt: number; exchanges: Debug }>(debugSql, [tenantId, messageId]);
  return new Map(rows.map(({ attempt, exchanges }) => [attempt, exchanges]));
}
