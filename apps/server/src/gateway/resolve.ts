import { connectorCatalogue, type ConnectorCode, type EntityType } from "@crossdock/contract";
import { ApiError } from "../errors.ts";
import type { Point, TenantDirectory } from "../intake/directory.ts";

/** Where a gateway path leads: a connector, its production or development side, and an entity type. */
export type Door = { connector: ConnectorCode; isDevelopment: boolean; entityType: EntityType };

type Wanted = { subtenant: string | undefined; integrationPoint: string | undefined; direction: "source" | "target" };

/** The one integration point that a request means. Throws an error that says what is missing, unknown or ambiguous. */
export function resolvePoint(directory: TenantDirectory, door: Door, wanted: Wanted): Point {
  if (wanted.subtenant === undefined) throw new ApiError("bad-request", { detail: "Name the subtenant: ?subtenant=CODE" });
  const subtenant = directory.subtenantByCode.get(wanted.subtenant);
  if (!subtenant) throw new ApiError("unknown-subtenant", { detail: `This tenant has no subtenant '${wanted.subtenant}'.` });
  if (!subtenant.isActive) throw new ApiError("conflict", { detail: `The subtenant '${subtenant.code}' is not active.` });
  if (wanted.direction === "source" && subtenant.isIncomingPaused) {
    throw new ApiError("unavailable", { detail: `Intake of the subtenant '${subtenant.code}' is paused.`, retryAfterSeconds: 60 });
  }

  const ofConnector = [...directory.points.values()].filter(
    (point) =>
      point.subtenantId === subtenant.id &&
      point.connector === door.connector &&
      point.isDevelopment === door.isDevelopment &&
      point.isActive &&
      (wanted.integrationPoint === undefined || point.code === wanted.integrationPoint),
  );
  const side = `${connectorCatalogue[door.connector].name} (${door.isDevelopment ? "development" : "production"})`;
  if (ofConnector.length === 0) {
    const named = wanted.integrationPoint === undefined ? "" : ` named '${wanted.integrationPoint}'`;
    throw new ApiError("not-found", { detail: `The subtenant '${subtenant.code}' has no active integration point${named} for ${side}.` });
  }
  const fitting = ofConnector.filter((point) => point.direction === "both" || point.direction === wanted.direction);
  const [point, another] = fitting;
  if (!point) throw new ApiError("conflict", { detail: `The integration point for ${side} is not a ${wanted.direction}.` });
  if (another) {
    const codes = fitting.map(({ code }) => code).join(", ");
    throw new ApiError("conflict", { detail: `Several integration points fit; name one: ?integrationPoint= one of ${codes}` });
  }
  if (!point.entityTypes.includes(door.entityType)) {
    throw new ApiError("unknown-entity-type", {
      detail: `The integration point '${point.code}' does not handle ${door.entityType} messages.`,
    });
  }
  return point;
}
