import type { EntityType, IntegrationPoint } from "@crossdock/contract";
import { useState, type ReactNode } from "react";
import { EntityTypeField } from "../entity-type-field.tsx";
import { entityTypes } from "../entity-types.ts";
import { useText } from "../i18n/i18n.tsx";
import { PointField } from "./point-field.tsx";

type Target = {
  /** What is chosen, or null while no target is. */
  chosen: { integrationPointId: number; entityType: EntityType } | null;
  fields: ReactNode;
};

/** One of the points that take something, and a type among those that `typesOf` says it does. `onChange` is told of every other choice. */
export function useTarget(
  points: readonly IntegrationPoint[],
  typesOf: (point: IntegrationPoint) => readonly EntityType[],
  onChange: () => void,
): Target {
  const t = useText();
  const [pointId, setPointId] = useState("");
  const [wanted, setWanted] = useState<EntityType>("item");
  const targets = points.filter((point) => typesOf(point).length > 0);
  const point = targets.find(({ id }) => String(id) === pointId);
  const types = point ? entityTypes.filter((type) => typesOf(point).includes(type)) : entityTypes;
  const entityType = types.includes(wanted) ? wanted : types[0];
  return {
    chosen: point && entityType ? { integrationPointId: point.id, entityType } : null,
    fields: (
      <>
        <PointField
          label={t("external.integrationPoint")}
          points={targets}
          value={pointId}
          onChange={(value) => {
            setPointId(value);
            onChange();
          }}
        />
        <EntityTypeField
          types={types}
          value={entityType}
          onChange={(type) => {
            setWanted(type);
            onChange();
          }}
        />
      </>
    ),
  };
}
