import type { FastifyInstance } from "fastify";
import { routes, type AuditEvent } from "@crossdock/contract";
import type { Principal } from "../access/access.ts";
import { installation } from "../api/change.ts";
import { IdCursor, pageAfter, readCursor } from "../api/cursors.ts";
import { inTenant, inTenantUntil } from "../db.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../errors/errors.ts";
import { addListRoute } from "../api/list-route.ts";
import { addRoute } from "../api/route.ts";

const columns = `
  event.id::text, queue.iso(event.at) as at, tenant.tenant_code as "tenantCode", event.outcome, event.action, event.code,
  event.target_kind as "targetKind", event.target_id as "targetId",
  case when event.user_id is not null then 'user' when event.api_key_id is not null then 'api-key' else 'anonymous' end as "actorKind",
  event.actor_name as "actorName", event.address, event.user_agent as "userAgent", event.request_id as "requestId", event.reason,
  event.before, event.after`;

// $1: the admin who asks, since row-level security lets the installation read the tenants' events, but not the tenants themselves.
const source = `from hub.audit_event event left join hub.tenants_of_user($1) tenant on tenant.tenant_id = event.tenant_id`;

const listSql = `
  select ${columns} ${source}
  where ($2::bigint is null or event.id < $2)
    and ($3::text is null or event.tenant_id = (select named.tenant_id from hub.tenants_of_user($1) named where named.tenant_code = $3))
    and ($4::text is null or event.outcome = $4) and ($5::text is null or event.action = any(string_to_array($5, ',')))
    and ($6::text is null or position(lower($6) in lower(event.actor_name)) > 0)
    and ($7::text is null or event.target_id = $7 or event.target_kind = $7)
    and ($8::uuid is null or event.request_id = $8)
    and ($9::timestamptz is null or event.at >= $9) and ($10::timestamptz is null or event.at < $10)
  order by event.id desc
  limit $11`;

const getSql = `select ${columns} ${source} where event.id = $2`;

/** For admins alone, who reach every tenant: the list goes across them. */
export function registerAuditEvents(app: FastifyInstance, deps: Deps): void {
  const { pools } = deps;
  addListRoute(app, deps, { list: routes.listAuditEvents, exported: routes.exportAuditEvents }, ({ principal, query }, signal) =>
    inTenantUntil(signal, pools.readOnly, installation, async (client) => {
      const { tenant, outcome, action, actor, target, requestId, from, to, limit } = query;
      const after = readCursor(IdCursor, query.cursor)?.id ?? null;
      const filters = [tenant, outcome, action, actor, target, requestId, from, to].map((value) => value ?? null);
      const { rows } = await client.query<AuditEvent>(listSql, [adminOf(principal), after, ...filters, limit + 1]);
      return pageAfter(rows, limit, ({ id }) => ({ id }));
    }),
  );

  addRoute(app, routes.getAuditEvent, ({ principal, params }) =>
    inTenant(pools.readOnly, installation, async (client) => {
      const [event] = (await client.query<AuditEvent>(getSql, [adminOf(principal), params.auditEventId])).rows;
      if (!event) throw notFound();
      return event;
    }),
  );
}

/** What is administered is closed to keys. */
const adminOf = (principal: Principal): number | null => (principal.kind === "user" ? principal.userId : null);
