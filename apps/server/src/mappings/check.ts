import type pg from "pg";
import { ApiError } from "../errors/errors.ts";
import { findCycle, type Cycle } from "./cycles.ts";
import { readAllMappings } from "./rows.ts";

/** Throws mapping-cycle when the mappings of one of the fields, as they stand in the transaction, turn a value into another and back. */
export async function refuseCycles(client: pg.ClientBase, tenantId: number, fieldNames: readonly string[]): Promise<void> {
  const wanted = new Set(fieldNames);
  const cycle = findCycle((await readAllMappings(client, tenantId)).filter(({ fieldName }) => wanted.has(fieldName)));
  if (cycle) throw new ApiError("mapping-cycle", { detail: describeCycle(cycle) });
}

export function describeCycle({ fieldName, stations }: Cycle): string {
  return `${fieldName}: ${stations.map(({ system, value }) => `${system} '${value}'`).join(" → ")}`;
}
