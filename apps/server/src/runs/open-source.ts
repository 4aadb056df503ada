import { ApiError } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import { type Directory, type Point, closedBecause } from "../intake/directory.ts";
import { type ClaimedRun, RunRests } from "./runs.ts";

/** Between two looks whether something may come in again. */
const restSeconds = 5;

/**
 * The integration point that a run takes something in from, as it is now; undefined when it is gone. Throws RunRests while nothing may come in
 * from it: the run goes on when that is over. Throws conflict when it is no source of the run's type any more.
 */
export async function openSource(directory: Directory, { tenantId, pointId, entityType }: ClaimedRun): Promise<Point | undefined> {
  const tenant = await directory.of(tenantId);
  const point = tenant.points.get(pointId ?? 0);
  if (!point) return undefined;
  requireSource(point, entityType);
  if (closedBecause(tenant, point) !== null) throw new RunRests(restSeconds);
  return point;
}

/** Throws conflict where nothing of the type comes from the integration point. */
export function requireSource({ sourceTypes, code }: Point, entityType: string): void {
  if (!sourceTypes.some((type) => type === entityType)) throw new ApiError("conflict", because("point-no-source-of-type", { point: code }));
}
