import type pg from "pg";
import { pulledChannel } from "./intake/store.ts";

const pulledSql = `select pg_notify($3, id::text) from queue.queue where tenant_id = $1 and id = $2 and delivery = 'pull'`;

/** Outside workers that wait for the queue's next message ask again; the engine's own are told by the engine. */
export async function tellPullers(client: pg.ClientBase, tenantId: number, queueId: number): Promise<void> {
  await client.query(pulledSql, [tenantId, queueId, pulledChannel]);
}
