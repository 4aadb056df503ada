import { compileMappings, type AppliedMapping, type CompiledMappings } from "@crossdock/connectors";
import type { Point } from "./directory.ts";

/** A mapping, and for which subtenant it is; null: for all. */
export type IndexedMapping = AppliedMapping & { subtenantId: number | null };

/** What must be said in other words on the way from a system to a target. */
export type MappingIndex = (source: string, target: Pick<Point, "subtenantId" | "connector">) => CompiledMappings;

/**
 * Compiles each way once, and what all subtenants say alike once for all of them: a table of 20,000 values is not kept for each. The rows of
 * a subtenant must come after those for all, so that the more specific one wins.
 */
export function indexMappings(rows: readonly IndexedMapping[]): MappingIndex {
  const compiled = new Map<string, CompiledMappings>();
  const rowsOf = Map.groupBy(rows, ({ subtenantId, target }) => `${subtenantId} ${target}`);

  const once = (way: string, compile: () => CompiledMappings): CompiledMappings => {
    const known = compiled.get(way);
    if (known) return known;
    const made = compile();
    compiled.set(way, made);
    return made;
  };

  return (source, { subtenantId, connector }) =>
    once(`${subtenantId} ${source} ${connector}`, () => {
      const route = { source, target: connector };
      const shared = rowsOf.get(`null ${connector}`) ?? [];
      const common = once(`all ${source} ${connector}`, () => compileMappings(shared, route));
      const own = (rowsOf.get(`${subtenantId} ${connector}`) ?? []).filter((row) => row.source === "*" || row.source === source);
      if (own.length === 0) return common;
      const ownFields = new Set(own.map(({ fieldName }) => fieldName));
      return compileMappings([...shared.filter(({ fieldName }) => ownFields.has(fieldName)), ...own], route, common);
    });
}
