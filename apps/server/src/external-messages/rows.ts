import { isUtf8 } from "node:buffer";
import type pg from "pg";
import type { ExternalMessage, ExternalMessageDetails, Routes } from "@crossdock/contract";
import { z } from "zod";
import { pageAfter, readCursor } from "../cursors.ts";

type Query = z.output<NonNullable<Routes["listExternalMessages"]["query"]>>;
type Page = { items: ExternalMessage[]; nextCursor: string | null };

const columns = `
  message.id, message.integration_point_id as "integrationPointId", subtenant.code as "subtenantCode", point.connector as source,
  message.entity_type as "entityType", message.business_key as key, message.state, message.signature, message.content_type as "contentType",
  octet_length(message.body) as "sizeBytes", to_json(message.received_at)#>>'{}' as "receivedAt"`;

const source = `
  from hub.external_message message
  join hub.subtenant on subtenant.tenant_id = message.tenant_id and subtenant.id = message.subtenant_id
  join hub.integration_point point on point.tenant_id = message.tenant_id and point.id = message.integration_point_id
  where message.tenant_id = $1`;

// Ids begin with the day (see the migration), so a time span also bounds the ids and leaves whole partitions out.
const listSql = `
  select ${columns} ${source}
    and ($2::bigint is null or message.id < $2)
    and ($3::text is null or subtenant.code = $3)
    and ($4::integer is null or message.integration_point_id = $4)
    and ($5::text[] is null or message.state = any($5))
    and ($6::text is null or message.business_key = $6)
    and ($7::timestamptz is null or message.received_at >= $7 and message.id >= floor(extract(epoch from $7) / 86400)::bigint * 10000000000)
    and ($8::timestamptz is null or message.received_at < $8 and message.id < (floor(extract(epoch from $8) / 86400)::bigint + 1) * 10000000000)
  order by message.id desc
  limit $9`;

const getSql = `select ${columns}, message.headers, message.body, message.reasons ${source} and message.id = $2`;

const Cursor = z.object({ id: z.string().regex(/^\d{1,18}$/) });
const Headers = z.record(z.string(), z.union([z.string(), z.array(z.string())]));
const Reasons = z.array(z.object({ path: z.string(), message: z.string() }));

export async function listExternalMessages(client: pg.ClientBase, tenantId: number, query: Query): Promise<Page> {
  const { rows } = await client.query<ExternalMessage>(listSql, [
    tenantId,
    readCursor(Cursor, query.cursor)?.id ?? null,
    query.subtenant ?? null,
    query.integrationPointId ?? null,
    query.state ?? null,
    query.key ?? null,
    query.from ?? null,
    query.to ?? null,
    query.limit + 1,
  ]);
  return pageAfter(rows, query.limit, (last) => ({ id: last.id }));
}

/** Null when there is none of this id in the tenant. */
export async function getExternalMessage(
  client: pg.ClientBase,
  tenantId: number,
  id: string,
): Promise<Omit<ExternalMessageDetails, "messageIds"> | null> {
  const { rows } = await client.query<ExternalMessage & { headers: string; body: Buffer; reasons: string | null }>(getSql, [tenantId, id]);
  const [row] = rows;
  if (!row) return null;
  const { headers, body, reasons, ...message } = row;
  const isText = isUtf8(body);
  return {
    ...message,
    headers: Object.fromEntries(
      Object.entries(Headers.parse(JSON.parse(headers))).map(([name, value]) => [name, [value].flat().join(", ")]),
    ),
    body: body.toString(isText ? "utf8" : "base64"),
    bodyEncoding: isText ? "utf-8" : "base64",
    reasons: reasons === null ? [] : Reasons.parse(JSON.parse(reasons)),
  };
}
