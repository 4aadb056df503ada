import type pg from "pg";

/** A firing alert of the tenant's first rule, or of the installation's (0). */
export async function plantAlert(
  owner: pg.Pool | pg.Client,
  tenantId: number,
  subtenantCode: string | null = null,
): Promise<{ alertId: number; ruleId: number }> {
  const { rows } = await owner.query<{ alertId: number; ruleId: number }>(
    `insert into hub.alert (tenant_id, rule_id, kind, object, state, subtenant_id, value, details, since, fired_at)
     select tenant_id, alert_rule.id, kind, 'planted', 'firing', (select id from hub.subtenant where tenant_id = $1 and code = $2), 1, '{"name":"Planted"}', now(), now() from hub.alert_rule where tenant_id = $1 order by alert_rule.id limit 1
     returning id as "alertId", rule_id as "ruleId"`,
    [tenantId, subtenantCode],
  );
  if (!rows[0]) throw new Error(`tenant ${tenantId} has no rule`);
  return rows[0];
}
