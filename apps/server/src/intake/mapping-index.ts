import { compileMappings, type AppliedMapping, type CompiledMappings } from "@crossdock/connectors";
import type { Point } from "./directory.ts";

/** A mapping, and for which subtenant it is; null: for all. */
export type IndexedMapping = AppliedMapping & { subtenantId: number | null };

/** What must be said in other words on the way from a system to a target. */
export type MappingIndex = (source: string, target: Pick<Point, "subtenantId" | "connector">) => CompiledMappings;

/** Compiles each way once. The rows of a subtenant must come after those for all, so that the more specific one wins. */
export function indexMappings(rows: readonly IndexedMapping[]): MappingIndex {
  const compiled = new Map<string, CompiledMappings>();
  return (source, { subtenantId, connector }) => {
    const way = `${subtenantId} ${source} ${connector}`;
    const known = compiled.get(way);
    if (known) return known;
    const own = rows.filter((row) => row.subtenantId === null || row.subtenantId === subtenantId);
    const made = compileMappings(own, { source, target: connector });
    compiled.set(way, made);
    return made;
  };
}
