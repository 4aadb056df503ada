import { connectorCatalogue, type ConnectorCode, type EntityType } from "@crossdock/contract";
import { ApiError } from "../errors/errors.ts";
import type { Point, Subtenant, TenantDirectory } from "../intake/directory.ts";

/** Where a gateway path leads: a connector, its production or development side, and an entity type. */
export type Door = { connector: ConnectorCode; isDevelopment: boolean; entityType: EntityType };

type Named = { subtenant: string | undefined; integrationPoint: string | undefined };
type Wanted = Named & { direction: "source" | "target" };

function resolveSubtenant(directory: TenantDirectory, code: string | undefined): Subtenant {
  if (code === undefined) throw new ApiError("bad-request", { detail: "Name the subtenant: ?subtenant=CODE" });
  const subtenant = directory.subtenantByCode.get(code);
  if (!subtenant) throw new ApiError("unknown-subtenant", { detail: `This tenant has no subtenant '${code}'.` });
  return subtenant;
}

/**
 * Tells the integration points that a request can mean by what of them never changes: whoever holds a lease settles it, also when its point was
 * switched off, receives other types or is no longer the only one. Throws an error that says what is missing or unknown.
 */
export function recognise(directory: TenantDirectory, door: Door, { subtenant, integrationPoint }: Named): (point: Point) => boolean {
  const { id } = resolveSubtenant(directory, subtenant);
  return (point) =>
    point.subtenantId === id &&
    point.connector === door.connector &&
    point.isDevelopment === door.isDevelopment &&
    (integrationPoint === undefined || point.code === integrationPoint);
}

/** The one integration point that a request means. Throws an error that says what is missing, unknown or ambiguous. */
export function resolvePoint(directory: TenantDirectory, door: Door, wanted: Wanted): Point {
  const subtenant = resolveSubtenant(directory, wanted.subtenant);
  if (!subtenant.isActive) throw new ApiError("conflict", { detail: `The subtenant '${subtenant.code}' is not active.` });
  if (wanted.direction === "source" && subtenant.isIncomingPaused) {
    throw new ApiError("unavailable", { detail: `Intake of the subtenant '${subtenant.code}' is paused.`, retryAfterSeconds: 60 });
  }

  const isMeant = recognise(directory, door, wanted);
  const ofConnector = [...directory.points.values()].filter((point) => point.isActive && isMeant(point));
  const side = `${connectorCatalogue[door.connector].name} (${door.isDevelopment ? "development" : "production"})`;
  if (ofConnector.length === 0) {
    const named = wanted.integrationPoint === undefined ? "" : ` named '${wanted.integrationPoint}'`;
    throw new ApiError("not-found", { detail: `The subtenant '${subtenant.code}' has no active integration point${named} for ${side}.` });
  }
  const typesOf = ({ sourceTypes, targetTypes }: Point) => (wanted.direction === "source" ? sourceTypes : targetTypes);
  const fitting = ofConnector.filter((point) => typesOf(point).length > 0);
  const [point, another] = fitting;
  if (!point) throw new ApiError("conflict", { detail: `The integration point for ${side} is not a ${wanted.direction}.` });
  if (another) {
    const codes = fitting.map(({ code }) => code).join(", ");
    throw new ApiError("conflict", { detail: `Several integration points fit; name one: ?integrationPoint= one of ${codes}` });
  }
  if (!typesOf(point).includes(door.entityType)) {
    throw new ApiError("unknown-entity-type", {
      detail: `The integration point '${point.code}' does not handle ${door.entityType} messages.`,
    });
  }
  return point;
}
