import type pg from "pg";
import type { AlertChannel, AlertDelivery } from "@crossdock/contract";
import { notFound } from "../errors/errors.ts";
import { mayOpenSql } from "../access/tenant-people.ts";

const columns = `
  channel.id, channel.kind, channel.name, channel.is_active as "isActive", channel.user_ids as "userIds", channel.url,
  channel.interval_seconds as "intervalSeconds", coalesce(channel.before_until > now(), false) as "hasTwoSecrets",
  (select json_build_object('state', state, 'at', queue.iso(coalesce(finished_at, created_at)), 'failure', failure) from hub.alert_delivery delivery
   where delivery.tenant_id = channel.tenant_id and delivery.channel_id = channel.id and (state <> 'waiting' or failure is not null)
   order by delivery.id desc limit 1) as "lastDelivery",
  channel.version`;

const listSql = `select ${columns} from hub.alert_channel channel where tenant_id = $1 and removed_at is null order by name, id`;

export async function listChannels(client: pg.ClientBase, tenantId: number): Promise<AlertChannel[]> {
  return (await client.query<AlertChannel>(listSql, [tenantId])).rows;
}

const getSql = `select ${columns} from hub.alert_channel channel where tenant_id = $1 and id = $2 and removed_at is null`;

/** Throws not-found. */
export async function getChannel(client: pg.ClientBase, tenantId: number, id: number, lock?: "lock"): Promise<AlertChannel> {
  if (lock) await client.query("select from hub.alert_channel where tenant_id = $1 and id = $2 for update", [tenantId, id]);
  const [channel] = (await client.query<AlertChannel>(getSql, [tenantId, id])).rows;
  if (!channel) throw notFound();
  return channel;
}

// What happened before the channel was made is not told.
const insertSql = `
  insert into hub.alert_channel (tenant_id, id, kind, name, is_active, user_ids, url, secret, interval_seconds, told_to)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, (select coalesce(max(id), 0) from hub.alert_event where tenant_id = $1))`;
const updateSql = `
  update hub.alert_channel set name = $3, is_active = $4, user_ids = $5, url = $6, interval_seconds = $7, version = version + 1,
    told_to = case when is_active then told_to else (select coalesce(max(id), 0) from hub.alert_event where tenant_id = $1) end
  where tenant_id = $1 and id = $2`;

type ChannelFields = Pick<AlertChannel, "name" | "isActive" | "userIds" | "url" | "intervalSeconds">;
type NewChannel = ChannelFields & { id: number; kind: AlertChannel["kind"]; secret: Buffer | null };

export async function insertChannel(client: pg.ClientBase, tenantId: number, channel: NewChannel): Promise<void> {
  const { id, kind, name, isActive, userIds, url, secret, intervalSeconds } = channel;
  await client.query(insertSql, [tenantId, id, kind, name, isActive, userIds, url, secret, intervalSeconds]);
}

export async function writeChannel(client: pg.ClientBase, tenantId: number, id: number, fields: ChannelFields): Promise<void> {
  const { name, isActive, userIds, url, intervalSeconds } = fields;
  await client.query(updateSql, [tenantId, id, name, isActive, userIds, url, intervalSeconds]);
}

/** What still waits to be sent is dropped; the log stays. */
export async function removeChannel(client: pg.ClientBase, tenantId: number, id: number): Promise<void> {
  await client.query("update hub.alert_channel set removed_at = clock_timestamp(), is_active = false where tenant_id = $1 and id = $2", [
    tenantId,
    id,
  ]);
  await client.query(
    "update hub.alert_rule set channel_ids = array_remove(channel_ids, $2) where tenant_id = $1 and $2 = any (channel_ids)",
    [tenantId, id],
  );
  await client.query(
    `update hub.alert_delivery set state = 'failed', next_at = null, finished_at = clock_timestamp()
     where tenant_id = $1 and channel_id = $2 and state = 'waiting'`,
    [tenantId, id],
  );
}

const rotateSql = `
  update hub.alert_channel
  set secret_before = secret, before_until = clock_timestamp() + interval '24 hours', secret = $3, version = version + 1
  where tenant_id = $1 and id = $2`;

export async function rotateSecret(client: pg.ClientBase, tenantId: number, id: number, secret: Buffer): Promise<void> {
  await client.query(rotateSql, [tenantId, id, secret]);
}

const usersSql = `
  select count(*)::integer as count from hub."user" person where person.id = any ($2) and ${mayOpenSql}`;

/** Throws not-found for somebody who may not see the tenant. */
export async function requireUsers(client: pg.ClientBase, tenantId: number, userIds: number[]): Promise<void> {
  const wanted = new Set(userIds).size;
  const { rows } = await client.query<{ count: number }>(usersSql, [tenantId, userIds]);
  if (rows[0]?.count !== wanted) throw notFound();
}

const deliveryColumns = `
  id, is_test as "isTest", alert_ids as "alertIds", recipients, state, attempts, queue.iso(next_at) as "nextAt", status, failure,
  queue.iso(created_at) as "createdAt", queue.iso(finished_at) as "finishedAt"`;
const deliveriesSql = `
  select ${deliveryColumns} from hub.alert_delivery
  where tenant_id = $1 and channel_id = $2 and ($3::integer is null or id < $3) order by id desc limit $4`;

export async function listDeliveries(
  client: pg.ClientBase,
  tenantId: number,
  channelId: number,
  before: number | null,
  limit: number,
): Promise<AlertDelivery[]> {
  return (await client.query<AlertDelivery>(deliveriesSql, [tenantId, channelId, before, limit])).rows;
}

export async function getDelivery(client: pg.ClientBase, tenantId: number, id: number): Promise<AlertDelivery> {
  const { rows } = await client.query<AlertDelivery>(`select ${deliveryColumns} from hub.alert_delivery where tenant_id = $1 and id = $2`, [
    tenantId,
    id,
  ]);
  if (!rows[0]) throw notFound();
  return rows[0];
}
