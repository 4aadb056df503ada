import type { ToolboxRequest } from "@crossdock/contract";
import type pg from "pg";
import type { Principal } from "../access/access.ts";
import { actorSql, actorValues } from "../access/actor.ts";
import { ApiError, notFound } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import type { TenantDirectory } from "../intake/directory.ts";
import { keyRange } from "../key-range.ts";

type Request = Extract<ToolboxRequest, { operation: "rebuild-external-items" }>;

/** Objects counted beforehand at most: the progress has no end above it. */
const countMax = 1_000_000;

const insertSql = `
  insert into hub.run (tenant_id, kind, subtenant_id, integration_point_id, entity_type, actor_name, total)
  select $1, 'rebuild', point.subtenant_id, point.id, $5, ${actorSql("$1", "$2", "$3")}, nullif(counted.count, ${countMax + 1})
  from hub.integration_point point
  cross join lateral (
    select count(*)::integer as count from (
      select distinct business_key from hub.entity
      where tenant_id = $1 and subtenant_id = point.subtenant_id and entity_type = $5 and (point.environment = 'development' or not is_development)
        and ($6::text is null or business_key >= $6 and business_key < $7) limit ${countMax + 1}
    ) object
  ) counted
  where point.tenant_id = $1 and point.id = $4
  returning id`;

/** A run that looks at every object of the type; whoever works on runs takes it up. Throws not-found, and conflict for what is told nothing. */
export async function startRebuild(
  client: pg.ClientBase,
  tenantId: number,
  principal: Principal,
  directory: TenantDirectory,
  { integrationPointId, entityType, keyPrefix }: Request,
): Promise<number> {
  const point = directory.points.get(integrationPointId);
  if (!point) throw notFound();
  if (directory.queueOf(point.id, entityType) === undefined)
    throw new ApiError("conflict", because("point-no-target-of-type", { point: point.code }));
  const values = [tenantId, ...actorValues(principal), point.id, entityType, ...keyRange(keyPrefix)];
  const [run] = (await client.query<{ id: number }>(insertSql, values)).rows;
  if (!run) throw notFound();
  return run.id;
}
