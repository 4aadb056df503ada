import type pg from "pg";
import type { Finding, Rule } from "./rule.ts";

type Open = {
  id: number;
  ruleId: number;
  object: string;
  state: "pending" | "firing" | "acknowledged" | "snoozed";
  since: Date;
  quietSince: Date | null;
  snoozedUntil: Date | null;
  flaps: number;
};

// In the order of their ids, as whoever changes many of them does, so that none waits for the other in a circle.
const openSql = `
  select id, rule_id as "ruleId", object, state, since, quiet_since as "quietSince", snoozed_until as "snoozedUntil", flaps
  from hub.alert where tenant_id = $1 and state <> 'recovered' and rule_id = any ($2) order by id for update`;

/** An alert that comes back within this time is flapping. */
const addSql = `
  insert into hub.alert (tenant_id, rule_id, kind, object, state, subtenant_id, queue_id, value, details, since, owner_id, flaps)
  values ($1, $2, $3, $4, 'pending', $5, $6, $7, $8, $9, $10, coalesce((
    select least(flaps + 1, 5) from hub.alert
    where tenant_id = $1 and rule_id = $2 and object = $4 and state = 'recovered' and recovered_at > $9::timestamptz - interval '1 hour'
    order by recovered_at desc limit 1), 0))
  returning id, rule_id as "ruleId", object, state, since, quiet_since as "quietSince", snoozed_until as "snoozedUntil", flaps`;
const seenSql = `
  update hub.alert set value = $3, details = $4, subtenant_id = $5, queue_id = $6, quiet_since = null where tenant_id = $1 and id = $2`;
const fireSql = `
  update hub.alert set state = 'firing', fired_at = coalesce(fired_at, $3), snoozed_until = null, version = version + 1 where tenant_id = $1 and id = $2`;
const quietSql = "update hub.alert set quiet_since = $3 where tenant_id = $1 and id = $2";
const recoverSql = `
  update hub.alert set state = 'recovered', recovered_at = $3, snoozed_until = null, quiet_since = coalesce(quiet_since, $3), version = version + 1
  where tenant_id = $1 and id = $2`;
const forgetSql = "delete from hub.alert where tenant_id = $1 and id = $2";
const eventSql = "insert into hub.alert_event (tenant_id, alert_id, at, kind) values ($1, $2, $3, $4)";

/**
 * Brings the open alerts of the rules into line with what was found: one per rule and object, which fires once the condition has held for long
 * enough and recovers once it has been over for long enough. The caller holds the tenant's watch, so nobody else does the same.
 */
export async function evaluate(
  client: pg.ClientBase,
  tenantId: number,
  now: Date,
  found: ReadonlyMap<Rule, readonly Finding[]>,
): Promise<void> {
  const rules = [...found.keys()];
  const { rows } = await client.query<Open>(openSql, [tenantId, rules.map(({ id }) => id)]);
  const open = new Map(rows.map((alert) => [`${alert.ruleId} ${alert.object}`, alert]));
  for (const [rule, findings] of found) {
    for (const finding of findings) {
      const place = `${rule.id} ${finding.object}`;
      const known = open.get(place);
      open.delete(place);
      const { value, subtenantId, queueId, object } = finding;
      const details = JSON.stringify(finding.details);
      if (known) await client.query(seenSql, [tenantId, known.id, value, details, subtenantId, queueId]);
      const alert =
        known ??
        (await client.query<Open>(addSql, [tenantId, rule.id, rule.kind, object, subtenantId, queueId, value, details, now, rule.ownerId]))
          .rows[0];
      if (alert) await holds(client, tenantId, now, rule, alert);
    }
  }
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  for (const alert of open.values()) await isOver(client, tenantId, now, byId.get(alert.ruleId), alert);
}

const secondsSince = (now: Date, at: Date): number => (now.getTime() - at.getTime()) / 1000;

async function holds(client: pg.ClientBase, tenantId: number, now: Date, rule: Rule, alert: Open): Promise<void> {
  const isDue = alert.state === "pending" && secondsSince(now, alert.since) >= rule.forSeconds;
  const isAwake = alert.state === "snoozed" && alert.snoozedUntil !== null && alert.snoozedUntil <= now;
  if (!isDue && !isAwake) return;
  await client.query(fireSql, [tenantId, alert.id, now]);
  await client.query(eventSql, [tenantId, alert.id, now, isDue ? "fired" : "woken"]);
}

async function isOver(client: pg.ClientBase, tenantId: number, now: Date, rule: Rule | undefined, alert: Open): Promise<void> {
  // A condition that never became an alert ends without a word.
  if (alert.state === "pending") return void (await client.query(forgetSql, [tenantId, alert.id]));
  const quietSince = alert.quietSince ?? now;
  // An hour at most, however often it came back.
  const calmSeconds = Math.max(rule?.recoverSeconds ?? 0, Math.min((rule?.recoverSeconds ?? 0) * 2 ** alert.flaps, 3_600));
  if (secondsSince(now, quietSince) >= calmSeconds) await recover(client, tenantId, now, alert.id);
  else if (alert.quietSince === null) await client.query(quietSql, [tenantId, alert.id, now]);
}

async function recover(client: pg.ClientBase, tenantId: number, now: Date, alertId: number): Promise<void> {
  await client.query(recoverSql, [tenantId, alertId, now]);
  await client.query(eventSql, [tenantId, alertId, now, "recovered"]);
}

const orphansSql = `
  select alert.id, alert.state from hub.alert join hub.alert_rule rule on rule.tenant_id = alert.tenant_id and rule.id = alert.rule_id
  where alert.tenant_id = $1 and alert.state <> 'recovered' and (not rule.is_active or rule.removed_at is not null)
  order by alert.id for update of alert`;

/** Ends alerts whose rule is gone or no longer watches their object. */
export async function recoverOrphans(client: pg.ClientBase, tenantId: number, now: Date): Promise<void> {
  const { rows } = await client.query<{ id: number; state: string }>(orphansSql, [tenantId]);
  for (const { id, state } of rows) {
    if (state === "pending") await client.query(forgetSql, [tenantId, id]);
    else await recover(client, tenantId, now, id);
  }
}
