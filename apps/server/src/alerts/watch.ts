import type pg from "pg";
import { installation } from "../api/change.ts";
import { databaseNow } from "../clocks.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { allTenants, eachTenant, tenantsToWatch } from "../each-tenant.ts";
import { findAll, slowKinds } from "./conditions.ts";
import { takeOrderNews } from "./delays.ts";
import { evaluate, recoverOrphans } from "./evaluate.ts";
import type { Finding, Rule } from "./rule.ts";

const everySeconds = 15;
const slowEverySeconds = 60;
/** If nobody has looked for this long, the hub was down. */
const awaySeconds = 300;

// As hub.tenants_to_watch has it: a round that is further ahead was due by a clock that has been set back since.
const dueSql = (column: string): string => `(${column} <= $2 or ${column} > $2::timestamptz + interval '1 minute')`;
// Whoever holds the row has the round; others find it locked or done.
const claimSql = `
  select ${dueSql("slow_next_at")} as "isSlowDue" from hub.alert_watch where tenant_id = $1 and ${dueSql("next_at")} for update skip locked`;
const moveSql = `
  update hub.alert_watch
  set next_at = $2::timestamptz + make_interval(secs => $3), slow_next_at = case when $4 then $2::timestamptz + make_interval(secs => $5) else slow_next_at end,
    (away_from, away_to) = (select case when was_away then next_at else away_from end, case when was_away then $2 else away_to end
      from (select next_at > '-infinity' and next_at < $2::timestamptz - make_interval(secs => $6) as was_away) looked)
  where tenant_id = $1`;
const rulesSql = `
  select id, kind, threshold, window_seconds as "windowSeconds", for_seconds as "forSeconds", recover_seconds as "recoverSeconds",
    subtenant_id as "subtenantId", queue_id as "queueId", entity_type as "entityType", owner_id as "ownerId"
  from hub.alert_rule where tenant_id = $1 and is_active and removed_at is null order by id`;

/** Called in the round's transaction, once the alerts are as they are. */
type AfterRound = (client: pg.PoolClient, tenantId: number, now: Date) => Promise<void>;

type Pools = Pick<Deps["pools"], "app" | "worker">;

/** One round for a tenant or the installation. False: it is not due, or another process has it. `at` replaces the database's clock in tests. */
export function watchTenant(pools: Pools, tenantId: number, after: AfterRound, at?: Date): Promise<boolean> {
  return inTenant(pools.app, tenantId, async (client) => {
    const now = at ?? (await databaseNow(client));
    const [claimed] = (await client.query<{ isSlowDue: boolean }>(claimSql, [tenantId, now])).rows;
    if (!claimed) return false;
    const { isSlowDue } = claimed;
    await client.query(moveSql, [tenantId, now, everySeconds, isSlowDue, slowEverySeconds, awaySeconds]);
    if (isSlowDue && tenantId !== installation) await takeOrderNews(client, tenantId, now);
    await recoverOrphans(client, tenantId, now);
    const { rows: rules } = await client.query<Rule>(rulesSql, [tenantId]);
    const found = new Map<Rule, readonly Finding[]>();
    for (const rule of rules) {
      if (slowKinds.has(rule.kind) && !isSlowDue) continue;
      const findings = await findAll({ client, worker: pools.worker, tenantId, rule, now });
      if (findings) found.set(rule, findings);
    }
    await evaluate(client, tenantId, now, found);
    await after(client, tenantId, now);
    return true;
  });
}

/** A round for every tenant that is due. */
export async function watchAll(pools: Pools, after: AfterRound, signal: AbortSignal): Promise<void> {
  await eachTenant(await tenantsToWatch(pools.worker), (id) => watchTenant(pools, id, after), signal);
}

// Their events go with them.
const pruneSql = "delete from hub.alert where tenant_id = $1 and state = 'recovered' and recovered_at < now() - interval '180 days'";
const pruneLogSql =
  "delete from hub.alert_delivery where tenant_id = $1 and state <> 'waiting' and finished_at < now() - interval '90 days'";

/** Alerts that are over are kept for 180 days, the log of channels for 90. */
export async function pruneAlerts({ app, worker }: Pools): Promise<void> {
  await eachTenant([installation, ...(await allTenants(worker))], (id) =>
    inTenant(app, id, async (client) => {
      await client.query(pruneSql, [id]);
      await client.query(pruneLogSql, [id]);
    }),
  );
}
