import { connectors } from "@crossdock/connectors";
import type { EntityType, ScheduleKind } from "@crossdock/contract";
import { ApiError, notFound } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import type { Point, TenantDirectory } from "../intake/directory.ts";
import { requireSource } from "./open-source.ts";

type What = {
  kind: ScheduleKind;
  integrationPointId?: number | null | undefined;
  subtenantCode?: string | undefined;
  entityType: EntityType;
  sourceIntegrationPointId?: number | null | undefined;
};

/** What a run or schedule stores of it. */
type Able = { integrationPointId: number | null; subtenantCode?: string | undefined; options: { sourcePointId?: number } };

/**
 * Whether this can be done at all. Throws unknown-subtenant, not-found for other things that the tenant does not have, and conflict for what a
 * connector can't do.
 */
export function requireAble(tenant: TenantDirectory, what: What): Able {
  if (what.kind === "export") {
    if (!tenant.subtenantByCode.has(what.subtenantCode ?? "")) throw new ApiError("unknown-subtenant");
    return { integrationPointId: null, subtenantCode: what.subtenantCode, options: {} };
  }
  const point = tenant.points.get(what.integrationPointId ?? 0);
  if (!point) throw notFound();
  if (what.kind === "poll" || what.kind === "deletions") requirePullable(point, what.entityType);
  else requireTarget(tenant, point, what.entityType);
  // Of other types nothing can say that its source deleted it.
  if (what.kind === "deletions" && what.entityType !== "item")
    throw new ApiError("conflict", because("system-not-asked", { entityType: what.entityType }));
  if (what.kind === "reconciliation") requireListed(point, what.entityType);
  const sourcePointId = what.sourceIntegrationPointId ?? null;
  if (what.kind !== "reconciliation" || sourcePointId === null) return { integrationPointId: point.id, options: {} };
  const source = tenant.points.get(sourcePointId);
  if (!source) throw notFound();
  if (source.subtenantId !== point.subtenantId || source.id === point.id) throw new ApiError("conflict", because("run-source"));
  requirePullable(source, what.entityType);
  return { integrationPointId: point.id, options: { sourcePointId } };
}

const servedBy = ({ connector, settings }: Point) => connectors[connector].servedBy?.(settings) ?? connectors[connector];

function requirePullable(point: Point, entityType: EntityType): void {
  requireSource(point, entityType);
  if (!servedBy(point).pull?.entityTypes.includes(entityType)) throw new ApiError("conflict", because("system-not-asked", { entityType }));
}

/** Throws conflict where nothing of the type goes to the integration point. */
export function requireTarget(tenant: TenantDirectory, point: Point, entityType: EntityType): void {
  if (!point.targetTypes.includes(entityType) || tenant.queueOf(point.id, entityType) === undefined)
    throw new ApiError("conflict", because("point-no-target-of-type", { point: point.code }));
}

/** Whether a system described by its settings has a listing: the settings say so. */
function requireListed(point: Point, entityType: EntityType): void {
  const { list } = servedBy(point);
  if (!list?.entityTypes.includes(entityType)) throw new ApiError("conflict", because("system-not-read", { entityType }));
  const first = list.next({ entityType, cursor: null, settings: point.settings, credentials: point.credentials ?? {} });
  if ("kind" in first) throw new ApiError("conflict", because("system-read-fault", { fault: first.error.message }));
}
