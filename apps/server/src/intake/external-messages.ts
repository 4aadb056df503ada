import { isUtf8 } from "node:buffer";
import type pg from "pg";
import { ExternalMessage, ExternalMessageDetails } from "@crossdock/contract";
import { z } from "zod";
import { pageAfter, readCursor } from "../cursors.ts";
import { notFound } from "../errors.ts";

export type ExternalMessageFilter = {
  subtenant?: string | undefined;
  integrationPointId?: number | undefined;
  state?: readonly ExternalMessage["state"][] | undefined;
  /** Business key of the first document found in it. */
  key?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  cursor?: string | undefined;
  limit: number;
};

const Cursor = z.object({ id: z.string().regex(/^\d{1,18}$/) });

const columns = `
  message.id, message.integration_point_id as "integrationPointId", message.subtenant_id as "subtenantId", message.entity_type as "entityType",
  message.business_key as key, message.state, message.signature, message.content_type as "contentType", length(message.body) as "sizeBytes",
  message.received_at as "receivedAt"`;

// Ids are days × 10^10 + n, so a time also bounds the ids, and other days are not read.
const conditions = `
  message.tenant_id = $1 and message.id < $2
  and ($3::text[] is null or message.state = any ($3))
  and ($4::text is null or message.business_key = $4)
  and message.received_at >= $5 and message.id >= (($5::timestamptz at time zone 'utc')::date - date '1970-01-01')::bigint * 10000000000
  and message.received_at <= $6 and message.id < (($6::timestamptz at time zone 'utc')::date - date '1970-01-01' + 1)::bigint * 10000000000`;

const newestOfTenant = `select ${columns} from hub.external_message message where ${conditions} order by message.id desc limit $7`;

// One short walk of the index for each integration point; a condition on many of them would read everything between.
const newestOfPoints = `
  select found.* from hub.integration_point point
  join hub.subtenant on subtenant.tenant_id = point.tenant_id and subtenant.id = point.subtenant_id
  cross join lateral (
    select ${columns} from hub.external_message message
    where message.integration_point_id = point.id and ${conditions} order by message.id desc limit $7
  ) found
  where point.tenant_id = $1 and ($8::text is null or subtenant.code = $8) and ($9::integer is null or point.id = $9)
  order by found.id desc limit $7`;

const withNames = (source: string): string => `
  select page.*, page.id::text, subtenant.code as "subtenantCode", point.code as source
  from (${source}) page
  left join hub.subtenant on subtenant.tenant_id = $1 and subtenant.id = page."subtenantId"
  left join hub.integration_point point on point.tenant_id = $1 and point.id = page."integrationPointId"
  order by page.id desc`;

const ofTenantSql = withNames(newestOfTenant);
const ofPointsSql = withNames(newestOfPoints);

/** A page of raw messages, newest first. `client` is in the tenant's transaction. */
export async function listExternalMessages(
  client: pg.ClientBase,
  tenantId: number,
  filter: ExternalMessageFilter,
): Promise<{ items: ExternalMessage[]; nextCursor: string | null }> {
  const { subtenant, integrationPointId, state, key, from, to, limit } = filter;
  const after = readCursor(Cursor, filter.cursor);
  const values = [
    tenantId,
    after?.id ?? "999999999999999999",
    state && state.length > 0 ? state : null,
    key ?? null,
    from ?? "1970-01-01T00:00:00Z",
    to ?? "9999-12-31T00:00:00Z",
    limit + 1,
  ];
  const isOfPoints = subtenant !== undefined || integrationPointId !== undefined;
  const { rows } = isOfPoints
    ? await client.query(ofPointsSql, [...values, subtenant ?? null, integrationPointId ?? null])
    : await client.query(ofTenantSql, values);
  const page = pageAfter(rows.map(toExternalMessage), limit, ({ id }) => ({ id }));
  return page;
}

const detailsSql = `
  select ${columns}, subtenant.code as "subtenantCode", point.code as source, message.id::text, message.headers, message.reasons, message.body,
    array(select id::text from queue.message published where published.tenant_id = $1 and published.origin_id = $2 order by published.id) as "messageIds"
  from hub.external_message message
  left join hub.subtenant on subtenant.tenant_id = $1 and subtenant.id = message.subtenant_id
  left join hub.integration_point point on point.tenant_id = $1 and point.id = message.integration_point_id
  where message.tenant_id = $1 and message.id = $2`;

/** One raw message with its bytes, and what was published from it. Throws not-found. */
export async function getExternalMessage(client: pg.ClientBase, tenantId: number, id: string): Promise<ExternalMessageDetails> {
  const { rows } = await client.query(detailsSql, [tenantId, id]);
  const [row] = rows;
  if (!row) throw notFound();
  const body = z.instanceof(Buffer).parse(row.body);
  const isText = isUtf8(body);
  return ExternalMessageDetails.parse({
    ...row,
    receivedAt: row.receivedAt.toISOString(),
    headers: JSON.parse(row.headers),
    reasons: row.reasons === null ? [] : JSON.parse(row.reasons),
    body: body.toString(isText ? "utf8" : "base64"),
    bodyEncoding: isText ? "utf-8" : "base64",
  });
}

function toExternalMessage(row: { receivedAt: Date }): ExternalMessage {
  return ExternalMessage.parse({ ...row, receivedAt: row.receivedAt.toISOString() });
}
