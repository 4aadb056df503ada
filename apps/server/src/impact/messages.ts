import { parseHeaders } from "@crossdock/queue";
import type pg from "pg";

/** A message as a preview puts it through a configuration. */
export type PreviewMessage = {
  messageId: string;
  key: string;
  entityType: string;
  queueName: string;
  targetId: number;
  subtenantId: number;
  document: string;
  headers: Record<string, string>;
};

type Row = Omit<PreviewMessage, "headers"> & { headers: string | null };

/** Documents are read until they have this many bytes, as a whole page of large ones may take more memory than the process has. */
const bytesMax = 8 * 1024 * 1024;

/** The messages of a page of queue_id and id, the newest first, fewer of large ones. */
const messagesOf = (page: string): string => `
  select message.id::text as "messageId", message.key, message.entity_type as "entityType", queue.name as "queueName",
    queue.target_id as "targetId", message.subtenant_id as "subtenantId", message.document, message.headers
  from (
    select message.*, sum(octet_length(message.document)) over (order by message.id desc) - octet_length(message.document) as bytes_before
    from (${page}) page
    join queue.message on message.tenant_id = $1 and message.queue_id = page.queue_id and message.id = page.id
  ) message
  join queue.queue on queue.tenant_id = $1 and queue.id = message.queue_id
  where bytes_before < ${bytesMax}
  order by message.id desc`;

// Each queue's newest come from its index; the newest of those are the page.
const lastSql = messagesOf(`
  select newest.queue_id, newest.id from queue.queue
  cross join lateral (
    select queue_id, id from queue.message where tenant_id = $1 and queue_id = queue.id order by id desc limit $3
  ) newest
  where queue.tenant_id = $1 and queue.target_id = any($2::integer[])
  order by newest.id desc limit $3`);

/** The last messages to the given targets, whatever became of them, the newest first: up to `size`, fewer of large ones. */
export async function readLastMessages(
  client: pg.ClientBase,
  tenantId: number,
  { targetIds, size }: { targetIds: readonly number[]; size: number },
): Promise<PreviewMessage[]> {
  return (await client.query<Row>(lastSql, [tenantId, targetIds, size])).rows.map(toMessage);
}

const deadSql = messagesOf(`
  select queue_id, id from queue.dead where tenant_id = $1 and error_class = $2 and ($3::bigint is null or id < $3) order by id desc limit $4`);

/** Dead letters of one class of error, the newest first: up to `limit`, fewer of large ones, none behind the last. */
export async function readDeadMessages(
  client: pg.ClientBase,
  tenantId: number,
  { errorClass, before, limit }: { errorClass: string; before: string | null; limit: number },
): Promise<PreviewMessage[]> {
  return (await client.query<Row>(deadSql, [tenantId, errorClass, before, limit])).rows.map(toMessage);
}

const toMessage = ({ headers, ...row }: Row): PreviewMessage => ({ ...row, headers: parseHeaders(headers) });
