import type pg from "pg";
import { installation } from "../api/change.ts";
import type { Deps } from "../deps.ts";
import { failureBecause } from "../errors/faults.ts";
import { writeMail } from "../mails/mail.ts";
import { mayOpenSql } from "../access/tenant-people.ts";
import { listByIds } from "./rows.ts";
import { mailOf, testMailOf, type Change, type Place, type Told } from "./texts.ts";

type Channel = { id: number; kind: "email" | "webhook"; userIds: number[]; toldTo: string };

/** `upTo`: the last event that was looked at, null when there was none. */
type Untold = { upTo: string | null; changes: { alertId: number; change: Change }[] };

// What was told later than now was told before the clock was set back.
const dueSql = `
  select id, kind, user_ids as "userIds", told_to::text as "toldTo" from hub.alert_channel
  where tenant_id = $1 and is_active and removed_at is null
    and (told_at <= $2::timestamptz - make_interval(secs => interval_seconds) or told_at > $2)
  order by id for update`;

/** How many events one notice tells; later ones come in the next. */
const eventsMax = 500;

// Only each alert's latest event: what fired and is over within one notice is told as over.
const untoldSql = `
  with untold as (
    select id, alert_id, kind from hub.alert_event where tenant_id = $1 and id > $2 order by id limit ${eventsMax}
  ), latest as (
    select distinct on (untold.alert_id) untold.alert_id as "alertId", untold.kind as change
    from untold
    join hub.alert on alert.tenant_id = $1 and alert.id = untold.alert_id
    join hub.alert_rule rule on rule.tenant_id = $1 and rule.id = alert.rule_id
    where untold.kind in ('fired', 'woken', 'recovered') and (rule.channel_ids is null or $3 = any (rule.channel_ids))
    order by untold.alert_id, untold.id desc
  )
  select (select max(id) from untold)::text as "upTo", (select coalesce(json_agg(latest), '[]') from latest) as changes`;

const toldSql = "update hub.alert_channel set told_to = $3, told_at = coalesce($4, told_at) where tenant_id = $1 and id = $2";
const deliverySql = `
  insert into hub.alert_delivery (tenant_id, channel_id, is_test, alert_ids, body, recipients, failure, state, next_at, finished_at)
  values ($1, $2, $3, $4, $5, $6, $7, case when $7::jsonb is not null then 'failed' when $5::text is null then 'sent' else 'waiting' end,
    -- A test is sent by whoever asked for it; only when that fails to happen by the scheduler.
    case when $5::text is not null then clock_timestamp() + case when $3 then interval '90 seconds' else interval '0' end end, case when $5::text is null then clock_timestamp() end)
  returning id`;

type Teller = { client: pg.ClientBase; tenantId: number; deps: Pick<Deps, "config" | "keys"> };

/**
 * Tells each channel what happened since it was told last: all of it in one notice, and not before the channel's interval has passed. In the
 * transaction of the round, so that an event is told once.
 */
export async function tellChannels(deps: Pick<Deps, "config" | "keys">, client: pg.ClientBase, tenantId: number, now: Date): Promise<void> {
  const { rows: channels } = await client.query<Channel>(dueSql, [tenantId, now]);
  if (channels.length === 0) return;
  for (const channel of channels) {
    const { rows } = await client.query<Untold>(untoldSql, [tenantId, channel.toldTo, channel.id]);
    const { upTo, changes } = rows[0] ?? { upTo: null, changes: [] };
    if (upTo === null) continue;
    await client.query(toldSql, [tenantId, channel.id, upTo, changes.length > 0 ? now : null]);
    if (changes.length === 0) continue;
    const alerts = await listByIds(
      client,
      tenantId,
      changes.map(({ alertId }) => alertId),
    );
    const told = alerts.map((alert) => ({ alert, change: changes.find(({ alertId }) => alertId === alert.id)?.change ?? "fired" }));
    await tell({ client, tenantId, deps }, channel, told);
  }
}

async function tell(to: Teller, channel: Channel, told: Told[]): Promise<number> {
  const { client, tenantId } = to;
  const place = await placeOf(client, tenantId);
  const ids = told.map(({ alert }) => alert.id);
  const isTest = told.length === 0;
  const { publicUrl } = to.deps.config;
  const link = publicUrl === null ? null : `${publicUrl}/alerts?${place.code === null ? "of=installation" : `active_tenant=${place.code}`}`;
  if (channel.kind === "webhook") return addDelivery(client, [tenantId, channel.id, isTest, ids, bodyOf(place, told, link), null, null]);
  const people = await readRecipients(client, tenantId, channel.userIds);
  for (const { email, locale } of people) {
    const mail = isTest ? testMailOf(locale, place) : mailOf(locale, place, told, link);
    await writeMail(client, to.deps.keys.mail, { recipient: email, locale, kind: "alert", ...mail });
  }
  const failure = people.length === 0 ? failureBecause("recipients-none") : null;
  return addDelivery(client, [tenantId, channel.id, isTest, ids, null, people.length, failure]);
}

/** Something that says that it is only a test, to one channel; the delivery's id. */
export async function tellTest(to: Teller, channelId: number): Promise<{ deliveryId: number; kind: Channel["kind"] } | null> {
  const sql = `
    select id, kind, user_ids as "userIds", told_to::text as "toldTo" from hub.alert_channel where tenant_id = $1 and id = $2 and removed_at is null`;
  const [channel] = (await to.client.query<Channel>(sql, [to.tenantId, channelId])).rows;
  return channel ? { deliveryId: await tell(to, channel, []), kind: channel.kind } : null;
}

async function addDelivery(client: pg.ClientBase, values: unknown[]): Promise<number> {
  const { rows } = await client.query<{ id: number }>(deliverySql, values);
  if (!rows[0]) throw new Error("the insert answered no delivery");
  return rows[0].id;
}

async function placeOf(client: pg.ClientBase, tenantId: number): Promise<Place> {
  if (tenantId === installation) return { code: null, name: "Crossdock" };
  const { rows } = await client.query<Place>("select code, name from hub.tenant where id = $1", [tenantId]);
  return rows[0] ?? { code: null, name: "" };
}

/** The body of a webhook: what happened, and each alert as the API answers it, with the way to it in the console. */
function bodyOf(tenant: Place, told: Told[], link: string | null): string {
  const timestamp = new Date().toISOString();
  if (told.length === 0) return JSON.stringify({ type: "test", timestamp, data: { tenant } });
  return JSON.stringify({
    type: "alerts.changed",
    timestamp,
    data: { tenant, alerts: told.map(({ change, alert }) => ({ change, link: link && `${link}&alert=${alert.id}`, ...alert })) },
  });
}

// Somebody whose right to the tenant has ended is told nothing.
const recipientsSql = `
  select person.email, coalesce(person.locale, 'en') as locale from hub."user" person
  where person.id = any ($2) and ${mayOpenSql}
  order by person.id`;

async function readRecipients(client: pg.ClientBase, tenantId: number, userIds: number[]): Promise<{ email: string; locale: string }[]> {
  return (await client.query<{ email: string; locale: string }>(recipientsSql, [tenantId, userIds])).rows;
}
