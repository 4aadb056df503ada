import { isUtf8 } from "node:buffer";
import type pg from "pg";
import { Fault, type ExternalMessage, type ExternalMessageDetails } from "@crossdock/contract";
import { z } from "zod";
import { withName } from "../errors/arrival-faults.ts";
import { IdCursor, pageAfter, readCursor, writeCursor } from "../api/cursors.ts";
import { idRangeOf, matchingSql, withinSql, type Filter, type Matching } from "./matching.ts";
import { readHeaders } from "./replay.ts";
import type { ScanPlace, ScanStep } from "../api/scanning.ts";

type Query = Filter & { cursor?: string | undefined; limit: number };
type Page = { items: ExternalMessage[]; nextCursor: string | null };

const columns = `
  message.id::text, message.integration_point_id as "integrationPointId", point.name as "integrationPointName", subtenant.code as "subtenantCode",
  point.connector as source, message.channel, message.entity_type as "entityType", message.business_key as key, message.state, message.signature,
  message.content_type as "contentType", octet_length(message.body) as "sizeBytes", queue.iso(message.received_at) as "receivedAt",
  message.replay_of::text as "replayOf", queue.iso(message.removed_at) as "removedAt", message.removed_by as "removedBy",
  case when message.state in ('rejected', 'ignored') then message.reasons::json->0 end as reason`;

const joined = `
  join hub.subtenant on subtenant.tenant_id = message.tenant_id and subtenant.id = message.subtenant_id
  join hub.integration_point point on point.tenant_id = message.tenant_id and point.id = message.integration_point_id`;

/** The newest that match, a page of them. */
export async function listExternalMessages(client: pg.ClientBase, tenantId: number, { cursor, limit, ...filter }: Query): Promise<Page> {
  const before = readCursor(IdCursor, cursor)?.id ?? null;
  const rows = await readRows(client, await matchingSql(client, tenantId, filter, { before, limit: limit + 1 }));
  return pageAfter(rows, limit, ({ id }) => ({ id }));
}

async function readRows(client: pg.ClientBase, { sql, values }: Matching): Promise<ExternalMessage[]> {
  const { rows } = await client.query<ExternalMessage>(
    `with found as materialized (${sql})
     select ${columns}
     from found
     cross join lateral (select * from hub.external_message own where own.tenant_id = $1 and own.id = found.id offset 0) message ${joined}
     order by message.id desc`,
    values,
  );
  return rows.map((row) => ({ ...row, reason: row.reason && withName(row.reason) }));
}

const newestSql = `
  select id::text, queue.iso(received_at) as "receivedAt" from hub.external_message
  where tenant_id = $1 and id >= coalesce($2::bigint, 0) and id < $3::bigint order by external_message.id desc limit 1`;
const afterAllIds = "999999999999999999";

/**
 * What matches of the messages with the next `size` ids, newest first. Ids of other tenants and of the engine lie between, and those of the
 * days before after a gap: each step begins at the newest message. A text search, which an index answers, is a page of the list.
 */
export async function lookAtExternalMessages(
  client: pg.ClientBase,
  tenantId: number,
  { search, ...filter }: Filter,
  { cursor, size, limit }: ScanPlace,
): Promise<ScanStep<ExternalMessage>> {
  if (search !== undefined) {
    const { items, nextCursor } = await listExternalMessages(client, tenantId, { ...filter, search, cursor, limit });
    return { items, cursor: nextCursor, searchedTo: nextCursor === null ? null : (items.at(-1)?.receivedAt ?? null) };
  }
  const range = idRangeOf(filter);
  const newestBelow = async (id: string) => {
    const { rows } = await client.query<{ id: string; receivedAt: string }>(newestSql, [tenantId, range.from, id]);
    return rows[0];
  };
  const newest = await newestBelow(readCursor(IdCursor, cursor)?.id ?? range.before ?? afterAllIds);
  if (!newest) return { items: [], cursor: null, searchedTo: null };
  const from = String(BigInt(newest.id) - BigInt(size));
  const within = { from, before: String(BigInt(newest.id) + 1n), limit };
  const items = await readRows(client, await withinSql(client, tenantId, filter, within));
  const reached = items.length === limit ? (items.at(-1)?.id ?? from) : from;
  const next = await newestBelow(reached);
  return { items, cursor: next ? writeCursor({ id: reached }) : null, searchedTo: next?.receivedAt ?? null };
}

/** Exact up to `cap`. */
export async function countExternalMessages(client: pg.ClientBase, tenantId: number, filter: Filter, cap: number): Promise<number> {
  const { sql, values } = await matchingSql(client, tenantId, filter, { before: null, limit: cap, isAny: true });
  const { rows } = await client.query<{ count: number }>(`select count(*)::integer as count from (${sql}) found`, values);
  return rows[0]?.count ?? 0;
}

const getSql = `
  select ${columns}, message.headers, message.body, message.reasons from hub.external_message message ${joined}
  where message.tenant_id = $1 and message.id = $2`;

const replaysSql = `
  select id::text, state, queue.iso(received_at) as "receivedAt" from hub.external_message
  where tenant_id = $1 and replay_of = $2 order by external_message.id desc limit 100`;

const Reasons = z.array(Fault);

/** Null when there is none of this id in the tenant. */
export async function getExternalMessage(
  client: pg.ClientBase,
  tenantId: number,
  id: string,
): Promise<Omit<ExternalMessageDetails, "messages"> | null> {
  const { rows } = await client.query<ExternalMessage & { headers: string; body: Buffer; reasons: string | null }>(getSql, [tenantId, id]);
  const [row] = rows;
  if (!row) return null;
  const { headers, body, reasons, ...message } = row;
  const isText = isUtf8(body);
  return {
    ...message,
    headers: readHeaders(headers),
    body: body.toString(isText ? "utf8" : "base64"),
    bodyEncoding: isText ? "utf-8" : "base64",
    reasons: reasons === null ? [] : Reasons.parse(JSON.parse(reasons)).map(withName),
    replays: (await client.query<ExternalMessageDetails["replays"][number]>(replaysSql, [tenantId, id])).rows,
  };
}

const bodiesSql = `
  select message.id::text, message.body from unnest($2::bigint[]) wanted (id)
  cross join lateral (select id, body from hub.external_message own where own.tenant_id = $1 and own.id = wanted.id offset 0) message`;

/** What came in, by the messages' ids: as text when it is valid UTF-8, otherwise the bytes. */
export async function readBodies(
  client: pg.ClientBase,
  tenantId: number,
  messages: readonly { id: string }[],
): Promise<Map<string, string | Buffer>> {
  const ids = messages.map(({ id }) => id);
  const { rows } = await client.query<{ id: string; body: Buffer }>(bodiesSql, [tenantId, ids]);
  return new Map(rows.map(({ id, body }) => [id, isUtf8(body) ? body.toString("utf8") : body]));
}
