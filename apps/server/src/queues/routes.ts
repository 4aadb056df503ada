import type { FastifyInstance } from "fastify";
import type pg from "pg";
import { routes, type Queue } from "@crossdock/contract";
import { queueDepths, targets, type QueueDepth, type Target } from "@crossdock/queue";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { pauseOfPointSql } from "../pause-of-point.ts";
import { addRoute } from "../api/route.ts";

type Point = Queue["integrationPoint"] & Pick<Queue, "subtenantCode" | "pause">;

const pointsSql = `
  select point.id, point.code, point.name, subtenant.code as "subtenantCode", ${pauseOfPointSql("point")} as pause
  from hub.integration_point point join hub.subtenant on subtenant.tenant_id = point.tenant_id and subtenant.id = point.subtenant_id
  where point.tenant_id = $1 and ($2::text is null or subtenant.code = $2)`;

export function registerQueues(app: FastifyInstance, { pools }: Deps): void {
  addRoute(app, routes.listQueues, ({ tenant: { tenantId }, query }) =>
    inTenant(pools.readOnly, tenantId, async (client) => ({ items: await listQueues(client, tenantId, query.subtenant ?? null) })),
  );
}

async function listQueues(client: pg.ClientBase, tenantId: number, subtenantCode: string | null): Promise<Queue[]> {
  const points = await client.query<Point>(pointsSql, [tenantId, subtenantCode]);
  const pointById = new Map(points.rows.map((point) => [point.id, point]));
  const targetById = new Map((await targets(client, { tenantId })).map((target) => [target.targetId, target]));
  const depths = await queueDepths(client, { tenantId, targetIds: subtenantCode === null ? null : [...pointById.keys()] });
  return depths.flatMap((depth) => {
    const point = pointById.get(depth.targetId);
    const target = targetById.get(depth.targetId);
    return point && target ? [toQueue(depth, point, target)] : [];
  });
}

function toQueue(depth: QueueDepth, { subtenantCode, pause, ...integrationPoint }: Point, target: Target): Queue {
  const { ready, inHand, retrying, dead, parked } = depth;
  return {
    id: depth.queueId,
    name: depth.name,
    integrationPoint,
    subtenantCode,
    entityType: depth.name.replace(/^.*\./, ""),
    delivery: depth.delivery,
    isPaused: depth.isPaused || target.isPaused,
    pause,
    circuit: target.circuit.state,
    circuitOpenUntil: target.circuit.openUntil?.toISOString() ?? null,
    circuitFault: target.circuit.fault,
    depth: { ready, inHand, retrying, dead, parked },
    oldestWaitingAt: depth.oldestWaitingAt?.toISOString() ?? null,
  };
}
