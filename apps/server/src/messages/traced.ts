import type { Routes } from "@crossdock/contract";
import type { MessageDetail } from "@crossdock/queue";
import type pg from "pg";
import type { z } from "zod";
import { notFound } from "../errors/errors.ts";
import type { Traced, TracedObject } from "./object-trace.ts";

/** How many corrections and repetitions of one message are looked at. */
const replaysMax = 100;

// A test system gets real objects, too: of a real and a test object with the same key it has the one that changed last.
const isTestSql = `
  select point.environment = 'development' and coalesce((
    select entity.is_development from hub.entity
    where entity.tenant_id = $1 and entity.subtenant_id = point.subtenant_id and entity.entity_type = $3 and entity.business_key = $4
    order by entity.changed_at desc, entity.is_development desc limit 1), true) as "isDevelopment"
  from hub.integration_point point where point.tenant_id = $1 and point.id = $2`;

/** Whether what a target has under this name is test data. */
async function isTestObject(client: pg.ClientBase, tenantId: number, pointId: number, entityType: string, key: string): Promise<boolean> {
  const { rows } = await client.query<{ isDevelopment: boolean }>(isTestSql, [tenantId, pointId, entityType, key]);
  return rows[0]?.isDevelopment ?? false;
}

/** The object that a message carries. */
export async function objectOf(client: pg.ClientBase, tenantId: number, message: MessageDetail): Promise<Traced> {
  const { subtenantId, entityType, key, targetId } = message;
  const isDevelopment = await isTestObject(client, tenantId, targetId, entityType, key);
  return { object: { subtenantId, entityType, key, isDevelopment }, externalMessageIds: [] };
}

type Query = z.output<NonNullable<Routes["traceObject"]["query"]>>;

/** The object behind any name other than a message's id. Throws not-found where nothing has the name. */
export async function findTraced(client: pg.ClientBase, tenantId: number, query: Query): Promise<Traced> {
  if (query.externalMessageId !== undefined) return tracedOfExternal(client, tenantId, query.externalMessageId);
  const object = await findObject(client, tenantId, query);
  if (!object) throw notFound();
  return { object, externalMessageIds: [] };
}

// A target may know an object of which nothing else is kept: such an item was imported.
const objectSql = `
  select subtenant.id as "subtenantId" from hub.subtenant
  where subtenant.tenant_id = $1 and subtenant.code = $2 and (
    exists (
      select from hub.entity
      where entity.tenant_id = $1 and entity.subtenant_id = subtenant.id and entity.entity_type = $3 and entity.business_key = $4
        and entity.is_development = $5
    ) or exists (
      select from hub.integration_point point
      join hub.external_item item on item.tenant_id = $1 and item.integration_point_id = point.id and item.entity_type = $3 and item.business_key = $4
      where point.tenant_id = $1 and point.subtenant_id = subtenant.id
    ))`;

async function findObject(client: pg.ClientBase, tenantId: number, query: Query): Promise<TracedObject | null> {
  const { subtenant, entityType = "", key = "", integrationPointId } = query;
  const isDevelopment =
    integrationPointId === undefined ? query.isDevelopment : await isTestObject(client, tenantId, integrationPointId, entityType, key);
  const { rows } = await client.query<{ subtenantId: number }>(objectSql, [tenantId, subtenant, entityType, key, isDevelopment]);
  return rows[0] ? { ...rows[0], entityType, key, isDevelopment } : null;
}

// Up to what was corrected or repeated first, and down to all that came of it. The first of them that was made into an object names it; of
// one that was made into several, that is the oldest version, as the message itself names none.
const chainSql = `
  with recursive up as (
    select id, replay_of from hub.external_message where tenant_id = $1 and id = $2
    union select message.id, message.replay_of from up join hub.external_message message on message.tenant_id = $1 and message.id = up.replay_of
  ), down as (
    select id from up union select message.id from down join hub.external_message message on message.tenant_id = $1 and message.replay_of = down.id
  )
  select message.id::text, message.subtenant_id as "subtenantId", message.entity_type as "entityType", message.business_key as key,
    point.environment = 'development' as "isDevelopment"
  from (select id from down order by id desc limit ${replaysMax}) chain
  cross join lateral (select * from hub.external_message own where own.tenant_id = $1 and own.id = chain.id offset 0) message
  join hub.integration_point point on point.tenant_id = $1 and point.id = message.integration_point_id
  order by (message.id = $2) desc, message.id desc`;

type Link = { id: string; subtenantId: number; entityType: string | null; key: string | null; isDevelopment: boolean };

async function tracedOfExternal(client: pg.ClientBase, tenantId: number, externalMessageId: string): Promise<Traced> {
  const { rows } = await client.query<Link>(chainSql, [tenantId, externalMessageId]);
  if (rows.length === 0) throw notFound();
  const externalMessageIds = rows.map(({ id }) => id);
  const [object = null] = rows.flatMap(({ entityType, key, subtenantId, isDevelopment }) =>
    entityType === null || key === null ? [] : [{ subtenantId, entityType, key, isDevelopment }],
  );
  return { object, externalMessageIds };
}
