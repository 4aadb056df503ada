import type pg from "pg";
import type { AlertKind, AlertRule, RuleChanges } from "@crossdock/contract";
import { notFound } from "../errors/errors.ts";
import { findSubtenantId } from "../subtenants/codes.ts";
import { requireOperator } from "../access/tenant-people.ts";

const columns = `
  rule.id, rule.kind, rule.threshold, rule.window_seconds as "windowSeconds", rule.for_seconds as "forSeconds", rule.recover_seconds as "recoverSeconds",
  subtenant.code as "subtenantCode", rule.queue_id as "queueId", rule.entity_type as "entityType", rule.owner_id as "ownerId",
  rule.channel_ids as "channelIds", rule.is_active as "isActive", rule.version,
  (select count(*)::integer from hub.alert where alert.tenant_id = rule.tenant_id and alert.rule_id = rule.id
    and alert.state in ('firing', 'acknowledged', 'snoozed')) as "openCount"`;
const tables = `
  hub.alert_rule rule left join hub.subtenant on subtenant.tenant_id = rule.tenant_id and subtenant.id = rule.subtenant_id`;

export async function listRules(client: pg.ClientBase, tenantId: number): Promise<AlertRule[]> {
  const sql = `select ${columns} from ${tables} where rule.tenant_id = $1 and rule.removed_at is null order by rule.id`;
  return (await client.query<AlertRule>(sql, [tenantId])).rows;
}

/** Throws not-found. */
export async function getRule(client: pg.ClientBase, tenantId: number, id: number, lock?: "lock"): Promise<AlertRule> {
  if (lock) await client.query("select from hub.alert_rule where tenant_id = $1 and id = $2 for update", [tenantId, id]);
  const sql = `select ${columns} from ${tables} where rule.tenant_id = $1 and rule.id = $2 and rule.removed_at is null`;
  const [rule] = (await client.query<AlertRule>(sql, [tenantId, id])).rows;
  if (!rule) throw notFound();
  return rule;
}

/** How long each kind has to hold, and to be over, unless somebody says otherwise. */
const presets: Record<AlertKind, { forSeconds: number; recoverSeconds: number }> = {
  "dead-letters": { forSeconds: 60, recoverSeconds: 300 },
  "dead-letters-rising": { forSeconds: 0, recoverSeconds: 900 },
  "queue-age": { forSeconds: 120, recoverSeconds: 300 },
  "circuit-open": { forSeconds: 60, recoverSeconds: 120 },
  "job-failed": { forSeconds: 0, recoverSeconds: 0 },
  silence: { forSeconds: 0, recoverSeconds: 60 },
  "order-unshipped": { forSeconds: 0, recoverSeconds: 60 },
  "stock-stale": { forSeconds: 0, recoverSeconds: 60 },
  outage: { forSeconds: 60, recoverSeconds: 120 },
};

type Fields = Pick<
  AlertRule,
  | "threshold"
  | "windowSeconds"
  | "forSeconds"
  | "recoverSeconds"
  | "subtenantCode"
  | "queueId"
  | "entityType"
  | "ownerId"
  | "channelIds"
  | "isActive"
>;

/** The given fields over the stored or preset ones. */
export function withChanges(stored: Fields, changes: RuleChanges): Fields {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  return { ...stored, ...given };
}

export function presetOf(kind: AlertKind): Omit<Fields, "threshold"> {
  const whole = { subtenantCode: null, queueId: null, entityType: null, ownerId: null, channelIds: null, isActive: true };
  return { ...whole, windowSeconds: 900, ...presets[kind] };
}

const valuesOf = (fields: Fields, subtenantId: number | null): unknown[] => [
  fields.threshold,
  fields.windowSeconds,
  fields.forSeconds,
  fields.recoverSeconds,
  subtenantId,
  fields.queueId,
  fields.entityType,
  fields.ownerId,
  fields.channelIds,
  fields.isActive,
];

const insertSql = `
  insert into hub.alert_rule (tenant_id, kind, threshold, window_seconds, for_seconds, recover_seconds, subtenant_id, queue_id, entity_type, owner_id,
    channel_ids, is_active)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) returning id`;
const updateSql = `
  update hub.alert_rule
  set threshold = $3, window_seconds = $4, for_seconds = $5, recover_seconds = $6, subtenant_id = $7, queue_id = $8, entity_type = $9, owner_id = $10,
    channel_ids = $11, is_active = $12, version = version + 1
  where tenant_id = $1 and id = $2`;

/** Throws unknown-subtenant, and not-found for a queue, channel or owner that the tenant does not have. */
export async function insertRule(client: pg.ClientBase, tenantId: number, kind: AlertKind, fields: Fields): Promise<number> {
  const subtenantId = await checkPlaces(client, tenantId, fields);
  const { rows } = await client.query<{ id: number }>(insertSql, [tenantId, kind, ...valuesOf(fields, subtenantId)]);
  if (!rows[0]) throw new Error("the insert answered no rule");
  return rows[0].id;
}

/** The same, except for what stays as it was: an owner may have left since. */
export async function writeRule(client: pg.ClientBase, tenantId: number, stored: AlertRule, fields: Fields): Promise<void> {
  const { id } = stored;
  const ownerId = fields.ownerId === stored.ownerId ? null : fields.ownerId;
  const channelIds = fields.channelIds?.filter((channelId) => !stored.channelIds?.includes(channelId)) ?? null;
  const subtenantId = await checkPlaces(client, tenantId, { ...fields, ownerId, channelIds });
  await client.query(updateSql, [tenantId, id, ...valuesOf(fields, subtenantId)]);
}

export async function removeRule(client: pg.ClientBase, tenantId: number, id: number): Promise<void> {
  await client.query("update hub.alert_rule set removed_at = clock_timestamp(), is_active = false where tenant_id = $1 and id = $2", [
    tenantId,
    id,
  ]);
}

const placesSql = `
  select $2::integer is null or exists (select from queue.queue where tenant_id = $1 and id = $2) as "hasQueue",
    not exists (
      select from unnest($3::integer[]) wanted
      where wanted not in (select id from hub.alert_channel where tenant_id = $1 and removed_at is null)) as "hasChannels"`;

type Places = { hasQueue: boolean; hasChannels: boolean };

async function checkPlaces(client: pg.ClientBase, tenantId: number, fields: Fields): Promise<number | null> {
  const { subtenantCode, queueId, ownerId, channelIds } = fields;
  const subtenantId = subtenantCode === null ? null : await findSubtenantId(client, tenantId, subtenantCode);
  const [places] = (await client.query<Places>(placesSql, [tenantId, queueId, channelIds])).rows;
  if (!places?.hasQueue || !places.hasChannels) throw notFound();
  if (ownerId !== null) await requireOperator(client, tenantId, ownerId);
  return subtenantId;
}
