import type pg from "pg";
import { MessageId, type FoundThings, type Message } from "@crossdock/contract";
import { findKeys, getMessage, listMessages, type MessageSummary } from "@crossdock/queue";
import { keysOfExternalId } from "../messages/filter.ts";
import { toMessage } from "../messages/rows.ts";
import { readSubtenantCodes } from "../subtenants/codes.ts";

/** Of each kind; whoever wants more opens the list that has filters. */
const kindMax = 5;

const isId = (text: string): boolean => MessageId.safeParse(text).success;

export async function findThings(client: pg.ClientBase, tenantId: number, text: string): Promise<FoundThings> {
  const named = await keysOfExternalId(client, tenantId, text);
  const begun = await findKeysOf(client, tenantId, text);
  const messages = await findMessages(client, tenantId, text, [...spellings(text).filter((key) => begun.includes(key)), ...named]);
  return {
    messages,
    keys: [...new Set([...named, ...begun])].slice(0, kindMax),
    externalMessage: await findExternalMessage(client, tenantId, text, messages.length === 0),
    subtenants: (await client.query<{ code: string; name: string }>(subtenantsSql, [tenantId, text, kindMax])).rows,
    integrationPoints: (await client.query<FoundThings["integrationPoints"][number]>(pointsSql, [tenantId, text, kindMax])).rows,
  };
}

/** As typed or in capitals, which most keys are written in: the index knows a key only as it is. */
const spellings = (text: string): string[] => [...new Set([text, text.toUpperCase()])];

async function findKeysOf(client: pg.ClientBase, tenantId: number, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const prefix of spellings(text)) found.push(...(await findKeys(client, { tenantId, prefix, limit: kindMax })));
  return [...new Set(found)].slice(0, kindMax);
}

/** The message of this id, and those of these keys. */
async function findMessages(client: pg.ClientBase, tenantId: number, text: string, keys: string[]): Promise<Message[]> {
  const byId = isId(text) ? await getMessage(client, { tenantId, messageId: text }) : null;
  const found: MessageSummary[] = byId ? [byId] : [];
  for (const key of new Set(keys.slice(0, kindMax))) {
    found.push(...(await listMessages(client, { tenantId, filter: { keys: [key] }, limit: kindMax })).items);
  }
  const codes = await readSubtenantCodes(client, tenantId);
  return found.slice(0, kindMax).map((message) => toMessage(message, codes));
}

const externalMessageSql = `
  select message.id, point.connector as source, message.entity_type as "entityType", message.business_key as key, message.state,
    queue.iso(message.received_at) as "receivedAt"
  from hub.external_message message
  join hub.integration_point point on point.tenant_id = message.tenant_id and point.id = message.integration_point_id
  where message.tenant_id = $1 and message.id = $2`;
const newestOfKeySql = `
  select id::text from hub.external_message
  where tenant_id = $1 and business_key = any($2::text[]) and removed_at is null order by external_message.id desc limit 1`;

/** The one of this id, or the newest that came in with this key. */
async function findExternalMessage(
  client: pg.ClientBase,
  tenantId: number,
  text: string,
  mayBeKey: boolean,
): Promise<FoundThings["externalMessage"]> {
  const byId = isId(text) ? await readExternalMessage(client, tenantId, text) : null;
  if (byId || !mayBeKey) return byId;
  const [newest] = (await client.query<{ id: string }>(newestOfKeySql, [tenantId, spellings(text)])).rows;
  return newest ? readExternalMessage(client, tenantId, newest.id) : null;
}

async function readExternalMessage(client: pg.ClientBase, tenantId: number, id: string): Promise<FoundThings["externalMessage"]> {
  const { rows } = await client.query<Omit<NonNullable<FoundThings["externalMessage"]>, "messageId">>(externalMessageSql, [tenantId, id]);
  if (!rows[0]) return null;
  const published = await listMessages(client, { tenantId, filter: { originId: id }, limit: 1 });
  return { ...rows[0], messageId: published.items[0]?.messageId ?? null };
}

// A tenant has tens of these, so parts of names are looked for without an index.
const subtenantsSql = `
  select code, name from hub.subtenant
  where tenant_id = $1 and position(lower($2) in lower(code || ' ' || name)) > 0
  order by name, code limit $3`;

const pointsSql = `
  select point.id, point.code, point.name, point.connector, subtenant.code as "subtenantCode"
  from hub.integration_point point join hub.subtenant on subtenant.tenant_id = point.tenant_id and subtenant.id = point.subtenant_id
  where point.tenant_id = $1 and position(lower($2) in lower(point.code || ' ' || point.name || ' ' || point.connector)) > 0
  order by point.name, point.code limit $3`;
