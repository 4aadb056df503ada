import type { FastifyInstance } from "fastify";
import { routes, type alertRuleRoutesAt } from "@crossdock/contract";
import { change } from "../api/change.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { createOnce } from "../api/idempotency.ts";
import { addRoute } from "../api/route.ts";
import { checkVersion, tagVersion } from "../api/versions.ts";
import { scopeOfInstallation, scopeOfTenant, type Scope } from "../api/scopes.ts";
import { getRule, insertRule, listRules, presetOf, removeRule, withChanges, writeRule } from "./rule-rows.ts";

export function registerAlertRules(app: FastifyInstance, deps: Deps): void {
  const { pools } = deps;
  registerAt(app, deps, scopeOfTenant, { list: routes.listAlertRules, update: routes.updateAlertRule });
  registerAt(app, deps, scopeOfInstallation, { list: routes.listInstallationAlertRules, update: routes.updateInstallationAlertRule });

  addRoute(app, routes.createAlertRule, (context) => {
    const { tenant, body } = context;
    const { tenantId } = tenant;
    const { kind, ...changes } = body;
    return createOnce(pools.app, tenantId, context, async (client) => {
      const fields = withChanges({ ...presetOf(kind), threshold: body.threshold }, changes);
      return getRule(client, tenantId, await insertRule(client, tenantId, kind, fields));
    });
  });

  addRoute(app, routes.removeAlertRule, ({ tenant: { tenantId }, params: { ruleId }, request }) =>
    change(pools.app, request, async (client, trail) => {
      trail.before = await getRule(client, tenantId, ruleId, "lock");
      await removeRule(client, tenantId, ruleId);
      return undefined;
    }),
  );
}

function registerAt(app: FastifyInstance, { pools }: Deps, scopeOf: Scope, at: ReturnType<typeof alertRuleRoutesAt>): void {
  addRoute(app, at.list, (context) => {
    const tenantId = scopeOf(context);
    return inTenant(pools.readOnly, tenantId, async (client) => ({ items: await listRules(client, tenantId) }));
  });

  addRoute(app, at.update, (context) => {
    const tenantId = scopeOf(context);
    const { ruleId } = context.params;
    const { body, request, reply } = context;
    return change(pools.app, request, async (client, trail) => {
      const stored = await getRule(client, tenantId, ruleId, "lock");
      checkVersion(request, stored);
      trail.before = stored;
      trail.target = { kind: "alert-rules", id: String(ruleId) };
      await writeRule(client, tenantId, stored, withChanges(stored, body));
      return tagVersion(reply, await getRule(client, tenantId, ruleId));
    });
  });
}
