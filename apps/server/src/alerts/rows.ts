import type pg from "pg";
import type { Alert, AlertEvent, AlertKind, AlertState, Notification } from "@crossdock/contract";
import { personNameSql } from "../access/actor.ts";
import { notFound } from "../errors/errors.ts";

const alertColumns = `
  alert.id, alert.rule_id as "ruleId", alert.kind, alert.state, alert.quiet_since is not null and alert.state <> 'recovered' as "isQuiet",
  case when subtenant.id is not null then json_build_object('code', subtenant.code, 'name', subtenant.name) end as subtenant,
  alert.queue_id as "queueId", alert.value, rule.threshold, alert.details, queue.iso(alert.since) as since,
  queue.iso(alert.fired_at) as "firedAt", queue.iso(alert.recovered_at) as "recoveredAt",
  queue.iso(alert.snoozed_until) as "snoozedUntil",
  case when person.id is not null then json_build_object('id', person.id, 'name', ${personNameSql("person")}) end as owner,
  alert.version`;
const alertTables = `
  hub.alert
  join hub.alert_rule rule on rule.tenant_id = alert.tenant_id and rule.id = alert.rule_id
  left join hub.subtenant on subtenant.tenant_id = alert.tenant_id and subtenant.id = alert.subtenant_id
  left join hub."user" person on person.id = alert.owner_id`;

const listSql = `
  select ${alertColumns} from ${alertTables}
  where alert.tenant_id = $1 and alert.state <> 'pending' and ($2::text[] is null or alert.state = any ($2)) and ($3::text is null or alert.kind = $3)
    and ($4::text is null or subtenant.code = $4) and ($5::integer is null or alert.owner_id = $5)
    and ($6::timestamptz is null or alert.fired_at >= $6) and ($7::timestamptz is null or alert.fired_at < $7)
    and ($8::integer is null or alert.id < $8)
  order by alert.id desc limit $9`;

type AlertFilter = {
  state?: AlertState[] | undefined;
  kind?: AlertKind | undefined;
  subtenant?: string | undefined;
  owner?: number | undefined;
  from?: string | undefined;
  to?: string | undefined;
};

export async function listAlerts(
  client: pg.ClientBase,
  tenantId: number,
  { state, kind, subtenant, owner, from, to }: AlertFilter,
  before: number | null,
  limit: number,
): Promise<Alert[]> {
  const values = [tenantId, state ?? null, kind ?? null, subtenant ?? null, owner ?? null, from ?? null, to ?? null, before, limit];
  return (await client.query<Alert>(listSql, values)).rows;
}

const openSql = `
  select count(*)::integer as count from (select from hub.alert where tenant_id = $1 and state = 'firing' limit 1000) firing`;

export async function countFiring(client: pg.ClientBase, tenantId: number): Promise<number> {
  return (await client.query<{ count: number }>(openSql, [tenantId])).rows[0]?.count ?? 0;
}

const getSql = `select ${alertColumns} from ${alertTables} where alert.tenant_id = $1 and alert.id = $2 and alert.state <> 'pending'`;
const lockSql = "select from hub.alert where tenant_id = $1 and id = $2 for update";

/** Throws not-found. */
export async function getAlert(client: pg.ClientBase, tenantId: number, id: number, lock?: "lock"): Promise<Alert> {
  if (lock) await client.query(lockSql, [tenantId, id]);
  const [alert] = (await client.query<Alert>(getSql, [tenantId, id])).rows;
  if (!alert) throw notFound();
  return alert;
}

const eventsSql = `
  select id, queue.iso(at) as at, kind, actor_name as "actorName", detail from hub.alert_event
  where tenant_id = $1 and alert_id = $2 order by id desc limit 200`;

export async function listEvents(client: pg.ClientBase, tenantId: number, alertId: number): Promise<AlertEvent[]> {
  return (await client.query<AlertEvent>(eventsSql, [tenantId, alertId])).rows;
}

const updateSql = `
  update hub.alert set state = coalesce($3, state), snoozed_until = case when $3::text is null then snoozed_until else $4::timestamptz end,
    owner_id = case when $5 then $6 when $3 = 'acknowledged' then coalesce(owner_id, $7) when $3 = 'firing' and is_taken then null else owner_id end,
    is_taken = not $5 and case $3 when 'acknowledged' then is_taken or owner_id is null when 'firing' then false else is_taken end,
    version = version + 1
  where tenant_id = $1 and id = any ($2)`;

/** What is left out stays as it is, but that nobody's alert becomes that of the person who acknowledges it, until it is reopened. */
export type AlertChange = {
  state?: Exclude<AlertState, "recovered"> | undefined;
  snoozedUntil?: string | undefined;
  ownerId?: number | null | undefined;
};

export async function writeAlerts(
  client: pg.ClientBase,
  tenantId: number,
  ids: number[],
  change: AlertChange & { userId: number | null },
): Promise<void> {
  const { state = null, snoozedUntil = null, ownerId, userId } = change;
  await client.query(updateSql, [tenantId, ids, state, snoozedUntil, ownerId !== undefined, ownerId ?? null, userId]);
}

const addEventsSql =
  "insert into hub.alert_event (tenant_id, alert_id, kind, actor_name, detail) select $1, id, $3, $4, $5 from unnest($2::integer[]) id";

type NewEvent = { kind: AlertEvent["kind"]; actorName: string; detail: string | null };

/** The same event of each of these alerts. */
export async function addEvents(client: pg.ClientBase, tenantId: number, alertIds: number[], event: NewEvent): Promise<void> {
  await client.query(addEventsSql, [tenantId, alertIds, event.kind, event.actorName, event.detail]);
}

type EventRow = Alert & { eventId: string; eventAt: string; eventKind: Notification["kind"] };

const newestSql = `
  select event.id::text as "eventId", queue.iso(event.at) as "eventAt", event.kind as "eventKind", ${alertColumns}
  from hub.alert_event event
  join (${alertTables}) on alert.tenant_id = event.tenant_id and alert.id = event.alert_id
  where event.tenant_id = $1 and event.kind in ('fired', 'woken', 'recovered') order by event.id desc limit $2`;

export async function listNewestNotifications(client: pg.ClientBase, tenantId: number, limit: number): Promise<Notification[]> {
  const { rows } = await client.query<EventRow>(newestSql, [tenantId, limit]);
  return rows.map(({ eventId, eventAt, eventKind, ...alert }) => ({ id: eventId, at: eventAt, kind: eventKind, alert }));
}

const unreadSql = `
  with reader as (select coalesce((select up_to from hub.alert_read where tenant_id = $1 and user_id = $2), 0) as up_to)
  select up_to::text as "readUpTo", (
    select count(*) from (
      select from hub.alert_event where tenant_id = $1 and kind in ('fired', 'woken', 'recovered') and id > reader.up_to limit 100) unread
  )::integer as "unreadCount"
  from reader`;

type Unread = { readUpTo: string; unreadCount: number };

export async function readUnread(client: pg.ClientBase, tenantId: number, userId: number): Promise<Unread> {
  return (await client.query<Unread>(unreadSql, [tenantId, userId])).rows[0] ?? { readUpTo: "0", unreadCount: 0 };
}

// Never ahead of the newest, and never back.
const markReadSql = `
  insert into hub.alert_read (tenant_id, user_id, up_to)
  select $1, $2, least($3::bigint, coalesce((select max(id) from hub.alert_event where tenant_id = $1), 0))
  on conflict (tenant_id, user_id) do update set up_to = greatest(alert_read.up_to, excluded.up_to)`;

export async function markRead(client: pg.ClientBase, tenantId: number, userId: number, upTo: string): Promise<void> {
  await client.query(markReadSql, [tenantId, userId, upTo]);
}

const byIdsSql = `
  select ${alertColumns} from ${alertTables} where alert.tenant_id = $1 and alert.id = any ($2) and alert.state <> 'pending' order by alert.id`;
// In one order, so that two callers never wait for each other.
const lockManySql = "select from hub.alert where tenant_id = $1 and id = any ($2) order by id for update";

export async function listByIds(client: pg.ClientBase, tenantId: number, ids: number[], lock?: "lock"): Promise<Alert[]> {
  if (lock) await client.query(lockManySql, [tenantId, ids]);
  return (await client.query<Alert>(byIdsSql, [tenantId, ids])).rows;
}
