import { storedValue, type StoredValue } from "../../stored-value.ts";
import { emptyLayout, parseLayout, type ColumnLayout } from "./columns.ts";

export const densities = ["comfortable", "compact"] as const;
export type Density = (typeof densities)[number];

/** One for all tables, as it depends on eyes and screen, not on the table. */
export const density = storedValue<Density>(
  "crossdock.density",
  (text) => densities.find((known) => known === text) ?? "comfortable",
  String,
);

const layouts = new Map<string, StoredValue<ColumnLayout>>();

/** The operator's columns of one table, by its name. */
export function layoutOf(table: string): StoredValue<ColumnLayout> {
  const known = layouts.get(table);
  if (known) return known;
  const made = storedValue(`crossdock.columns.${table}`, parseLayout, (layout) => (layout === emptyLayout ? null : JSON.stringify(layout)));
  layouts.set(table, made);
  return made;
}
