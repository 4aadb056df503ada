import type { EntityType, IntegrationPoint, Queue } from "@crossdock/contract";

/** How an edge fares: what goes through, what is held up, what needs a person. */
export type Health = "ok" | "held" | "failing";

export type Edge = {
  id: string;
  /** Ids of integration points; null where an edge begins or ends at an entity type. */
  sourceId: number | null;
  entityType: EntityType;
  targetId: number | null;
  /** Of a target that has one. */
  queueId: number | null;
  waiting: number;
  dead: number;
  health: Health;
};

export type Flow = { sources: IntegrationPoint[]; entityTypes: EntityType[]; targets: IntegrationPoint[]; edges: Edge[] };

/** Sources → entities → targets of some integration points, with the depth of each queue. */
export function flowOf(points: readonly IntegrationPoint[], queues: readonly Queue[], order: readonly EntityType[]): Flow {
  const active = points.filter(({ isActive }) => isActive);
  const sources = active.filter(({ sourceTypes }) => sourceTypes.length > 0);
  const targets = active.filter(({ targetTypes }) => targetTypes.length > 0);
  const entityTypes = order.filter((type) =>
    active.some(({ sourceTypes, targetTypes }) => sourceTypes.includes(type) || targetTypes.includes(type)),
  );
  const incoming = sources.flatMap(({ id, sourceTypes }) =>
    sourceTypes.map((entityType): Edge => ({
      id: `${id} ${entityType}`,
      sourceId: id,
      entityType,
      targetId: null,
      queueId: null,
      waiting: 0,
      dead: 0,
      health: "ok",
    })),
  );
  const outgoing = targets.flatMap((target) =>
    target.targetTypes.map((entityType): Edge => {
      const queue = queues.find((one) => one.integrationPoint.id === target.id && one.entityType === entityType);
      const depth = queue?.depth ?? { ready: 0, inHand: 0, retrying: 0, parked: 0, dead: 0 };
      const waiting = depth.ready + depth.inHand + depth.retrying + depth.parked;
      const isHeld = target.isPaused || queue?.isPaused === true || depth.retrying > 0;
      const health = depth.dead > 0 || queue?.circuit === "open" ? "failing" : isHeld ? "held" : "ok";
      return {
        id: `${entityType} ${target.id}`,
        sourceId: null,
        entityType,
        targetId: target.id,
        queueId: queue?.id ?? null,
        waiting,
        dead: depth.dead,
        health,
      };
    }),
  );
  return { sources, entityTypes, targets, edges: [...incoming, ...outgoing] };
}
