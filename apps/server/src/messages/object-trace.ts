import type pg from "pg";
import type { ObjectTrace } from "@crossdock/contract";
import { listAttemptNotes, listMessages, type AttemptNote } from "@crossdock/queue";
import { readActions } from "./actions.ts";
import { toMessage } from "./rows.ts";
import { readSubtenantCodes } from "../subtenants/codes.ts";

/** Of each kind that one answer holds at most, the newest ones. */
const partsMax = 50;

// An object of development integration points and one of production may share a key.
const versionsSql = `
  select version.version, queue.iso(version.created_at) as "createdAt", version.external_message_id as "externalMessageId",
    version.version = entity.version as "isCurrent", version.document
  from hub.entity_version version
  join hub.entity using (tenant_id, subtenant_id, entity_type, business_key, is_development)
  where version.tenant_id = $1 and version.subtenant_id = $2 and version.entity_type = $3 and version.business_key = $4
    and version.is_development = $5
  order by version.version desc limit ${partsMax + 1}`;

const externalMessagesSql = `
  select message.id, point.connector as source, message.state, queue.iso(message.received_at) as "receivedAt", message.replay_of as "replayOf",
    (select max(version.version) from hub.integration_point_version version
     where version.tenant_id = message.tenant_id and version.integration_point_id = message.integration_point_id
       and version.made_at <= message.received_at) as "configurationVersion"
  from hub.external_message message
  join hub.integration_point point on point.tenant_id = message.tenant_id and point.id = message.integration_point_id
  where message.tenant_id = $1 and message.id = any ($2::bigint[])
  order by message.id desc`;

const externalItemsSql = `
  select item.integration_point_id as "integrationPointId", point.name as "integrationPointName", item.external_id as "externalId",
    queue.iso(item.delivered_at) as "deliveredAt", item.message_id as "messageId"
  from hub.external_item item
  join hub.integration_point point on point.tenant_id = item.tenant_id and point.id = item.integration_point_id
  where item.tenant_id = $1 and item.subtenant_id = $2 and item.entity_type = $3 and item.business_key = $4
  order by point.name`;

const pointNamesSql = "select id, name from hub.integration_point where tenant_id = $1 and id = any ($2::int[])";

type Part<Name extends keyof ObjectTrace> = ObjectTrace[Name] extends (infer Item)[] ? Item : never;

/** An object, and external messages that belong to its way whether or not it has versions of them. */
export type Traced = { object: TracedObject | null; externalMessageIds: readonly string[] };
export type TracedObject = { subtenantId: number; entityType: string; key: string; isDevelopment: boolean };

type Way = Omit<ObjectTrace, "related">;

/** Everything with the object's key in its subtenant; without an object, the external messages alone. */
export async function readObjectTrace(client: pg.ClientBase, tenantId: number, { object, externalMessageIds }: Traced): Promise<Way> {
  if (object) return readWay(client, tenantId, object, externalMessageIds);
  const externalMessages = (await client.query<Part<"externalMessages">>(externalMessagesSql, [tenantId, externalMessageIds])).rows;
  return {
    entityType: null,
    key: null,
    subtenantCode: null,
    isDevelopment: false,
    externalMessages,
    versions: [],
    messages: [],
    externalItems: [],
    hasMore: false,
  };
}

async function readWay(
  client: pg.ClientBase,
  tenantId: number,
  { subtenantId, entityType, key, isDevelopment }: TracedObject,
  externalMessageIds: readonly string[],
): Promise<Way> {
  const codes = await readSubtenantCodes(client, tenantId);
  const object = [tenantId, subtenantId, entityType, key];
  const found = (await client.query<Part<"versions">>(versionsSql, [...object, isDevelopment])).rows;
  const versions = found.slice(0, partsMax);
  const page = await listMessages(client, { tenantId, filter: { subtenantId, entityType, keys: [key] }, limit: partsMax });
  const messageIds = page.items.map(({ messageId }) => messageId);
  const names = await readPointNames(
    client,
    tenantId,
    page.items.map(({ targetId }) => targetId),
  );
  const notes = await readNotes(client, tenantId, messageIds);
  const actions = await readActions(client, tenantId, messageIds);
  const origins = [
    ...externalMessageIds,
    ...versions.map(({ externalMessageId }) => externalMessageId),
    ...page.items.map(({ originId }) => originId),
  ];
  return {
    entityType,
    key,
    subtenantCode: codes.get(subtenantId) ?? null,
    isDevelopment,
    externalMessages: (await client.query<Part<"externalMessages">>(externalMessagesSql, [tenantId, origins])).rows,
    versions,
    messages: page.items.map((item) => ({
      ...toMessage(item, codes),
      integrationPointName: names.get(item.targetId) ?? "",
      externalMessageId: item.originId,
      entityVersion: item.entityVersion,
      successorId: item.successorId,
      attemptNotes: notes.get(item.messageId) ?? [],
      actions: actions.get(item.messageId) ?? [],
    })),
    externalItems: (await client.query<Part<"externalItems">>(externalItemsSql, object)).rows,
    hasMore: found.length > partsMax || page.nextCursor !== null,
  };
}

async function readPointNames(client: pg.ClientBase, tenantId: number, ids: number[]): Promise<Map<number, string>> {
  const { rows } = await client.query<{ id: number; name: string }>(pointNamesSql, [tenantId, ids]);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

type Note = Part<"messages">["attemptNotes"][number];

async function readNotes(client: pg.ClientBase, tenantId: number, messageIds: string[]): Promise<Map<string, Note[]>> {
  const notes = Map.groupBy(await listAttemptNotes(client, { tenantId, messageIds }), ({ messageId }) => messageId);
  return new Map([...notes].map(([messageId, ofMessage]) => [messageId, ofMessage.map(toNote)]));
}

const toNote = ({ number, startedAt, durationMs, status, errorClass, versions }: AttemptNote): Note => ({
  number,
  startedAt: startedAt.toISOString(),
  durationMs,
  status,
  errorClass,
  versions,
});
