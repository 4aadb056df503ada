import { type Directory, type Point, closedBecause } from "../intake/directory.ts";
import { type ClaimedRun, RunRests } from "./runs.ts";

/** Between two looks whether something may come in again. */
const restSeconds = 5;

/**
 * The integration point that a run takes something in from, as it is now; undefined when it is gone. Throws RunRests while nothing may come in
 * from it: the run goes on when that is over.
 */
export async function openSource(directory: Directory, { tenantId, pointId }: ClaimedRun): Promise<Point | undefined> {
  const tenant = await directory.of(tenantId);
  const point = tenant.points.get(pointId ?? 0);
  if (point && closedBecause(tenant, point) !== null) throw new RunRests(restSeconds);
  return point;
}
