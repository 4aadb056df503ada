import type { FastifyInstance, FastifyRequest } from "fastify";
import type pg from "pg";
import { routes, type SavedView, type savedViewRoutesAt } from "@crossdock/contract";
import { mayCaller, type Principal } from "../access/access.ts";
import { personNameSql } from "../access/actor.ts";
import { change } from "../api/change.ts";
import { inTenant, oneByOne } from "../db.ts";
import type { Deps } from "../deps.ts";
import { ApiError, notFound } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import { createOnce } from "../api/idempotency.ts";
import { addRoute } from "../api/route.ts";
import { scopeOfInstallation, scopeOfTenant, type Scope } from "../api/scopes.ts";
import { checkVersion } from "../api/versions.ts";

/** Views are a person's; whoever has more than these no longer finds any. */
const viewsMax = 200;

export function registerSavedViews(app: FastifyInstance, deps: Deps): void {
  registerAt(app, deps, scopeOfTenant, {
    list: routes.listSavedViews,
    create: routes.createSavedView,
    update: routes.updateSavedView,
    remove: routes.removeSavedView,
  });
  registerAt(app, deps, scopeOfInstallation, {
    list: routes.listInstallationSavedViews,
    create: routes.createInstallationSavedView,
    update: routes.updateInstallationSavedView,
    remove: routes.removeInstallationSavedView,
  });
}

function registerAt(app: FastifyInstance, { pools }: Deps, scopeOf: Scope, at: ReturnType<typeof savedViewRoutesAt>): void {
  addRoute(app, at.list, (context) => {
    const tenantId = scopeOf(context);
    const { principal } = context;
    return inTenant(pools.readOnly, tenantId, async (client) => ({
      items: await readViews(client, tenantId, personOf(principal), null),
    }));
  });

  addRoute(app, at.create, (context) => {
    const tenantId = scopeOf(context);
    const { principal, body } = context;
    const userId = personOf(principal);
    if (body.isShared) requireOperator(principal);
    return createOnce(pools.app, tenantId, context, async (client) => {
      await requireRoom(client, tenantId, userId);
      const values = [tenantId, userId, body.isShared, body.list, body.name, body.query];
      const { rows } = await client.query<{ id: number }>(createSql, values);
      if (!rows[0]) throw new Error("the insert answered no view");
      return readView(client, tenantId, userId, rows[0].id);
    });
  });

  addRoute(app, at.update, (context) => {
    const tenantId = scopeOf(context);
    const { principal, body, request } = context;
    const { viewId } = context.params;
    return change(pools.app, request, async (client, trail) => {
      const userId = personOf(principal);
      const { isDefault, ...next } = body;
      await client.query(lockSql, [tenantId, viewId]);
      const view = await readView(client, tenantId, userId, viewId);
      trail.before = view;
      if (Object.values(next).some((value) => value !== undefined)) {
        if (view.isShared || next.isShared) requireOperator(principal);
        refuseStale(request, view);
        const { name = view.name, query = view.query, isShared = view.isShared } = next;
        // What was shared and no longer is belongs to whoever took it back.
        if (!isShared && !view.isOwn) await requireRoom(client, tenantId, userId);
        await client.query(updateSql, [tenantId, viewId, name, query, isShared, userId]);
      }
      if (isDefault !== undefined) await client.query(isDefault ? setDefaultSql : unsetDefaultSql, [tenantId, userId, viewId]);
      return readView(client, tenantId, userId, viewId);
    });
  });

  addRoute(app, at.remove, (context) => {
    const tenantId = scopeOf(context);
    const { principal, request } = context;
    const { viewId } = context.params;
    return change(pools.app, request, async (client, trail) => {
      await client.query(lockSql, [tenantId, viewId]);
      const view = await readView(client, tenantId, personOf(principal), viewId);
      trail.before = view;
      if (view.isShared) requireOperator(principal);
      refuseStale(request, view);
      await client.query("delete from hub.saved_view where tenant_id = $1 and id = $2", [tenantId, viewId]);
      return undefined;
    });
  });
}

const countSql = "select count(*)::integer as count from hub.saved_view where tenant_id = $1 and user_id = $2";
const createSql = `
  insert into hub.saved_view (tenant_id, user_id, is_shared, list, name, query) values ($1, $2, $3, $4, $5, $6) returning id`;
// Of two changes at once the second reads what the first one wrote.
const lockSql = "select from hub.saved_view where tenant_id = $1 and id = $2 for update";
const updateSql = `
  update hub.saved_view set name = $3, query = $4, is_shared = $5, user_id = case when is_shared and not $5 then $6 else user_id end, updated_at = now(),
    version = version + 1, changed_by = $6
  where tenant_id = $1 and id = $2`;
const setDefaultSql = `
  insert into hub.default_view (tenant_id, user_id, list, view_id) select $1, $2, list, id from hub.saved_view where tenant_id = $1 and id = $3
  on conflict (tenant_id, user_id, list) do update set view_id = excluded.view_id`;
const unsetDefaultSql = "delete from hub.default_view where tenant_id = $1 and user_id = $2 and view_id = $3";

const viewsSql = `
  select view.id, view.list, view.name, view.query, view.is_shared as "isShared", view.user_id is not distinct from $2 as "isOwn",
    preferred.view_id is not null as "isDefault", ${personNameSql("owner")} as "ownerName", view.version, ${personNameSql("changer")} as "changedByName"
  from hub.saved_view view
  left join hub.default_view preferred on preferred.tenant_id = view.tenant_id and preferred.user_id = $2 and preferred.view_id = view.id
  left join hub."user" owner on owner.id = view.user_id
  left join hub."user" changer on changer.id = view.changed_by
  where view.tenant_id = $1 and (view.is_shared or view.user_id = $2) and ($3::integer is null or view.id = $3)
  order by lower(view.name), view.id`;

async function readViews(client: pg.ClientBase, tenantId: number, userId: number, viewId: number | null): Promise<SavedView[]> {
  return (await client.query<SavedView>(viewsSql, [tenantId, userId, viewId])).rows;
}

/** Who was faster is named, and what the view is now. */
function refuseStale(request: FastifyRequest, view: SavedView): void {
  checkVersion(request, view, { ...because("view-changed", { name: view.changedByName ?? "Somebody" }), current: view });
}

/** Another person's own view is as good as none. */
async function readView(client: pg.ClientBase, tenantId: number, userId: number, viewId: number): Promise<SavedView> {
  const [view] = await readViews(client, tenantId, userId, viewId);
  if (!view) throw notFound();
  return view;
}

/** Throws conflict where a person has as many views as there may be. */
async function requireRoom(client: pg.ClientBase, tenantId: number, userId: number): Promise<void> {
  await oneByOne(client, `views of ${userId} in ${tenantId}`);
  const { rows } = await client.query<{ count: number }>(countSql, [tenantId, userId]);
  if ((rows[0]?.count ?? 0) >= viewsMax) throw new ApiError("conflict", because("views-max", { max: viewsMax }));
}

function personOf(principal: Principal): number {
  if (principal.kind === "api-key") throw new ApiError("permission-missing", { detail: "An API key has no views" });
  return principal.userId;
}

function requireOperator(principal: Principal): void {
  if (!mayCaller(principal, "operate")) throw new ApiError("permission-missing", because("views-shared"));
}
