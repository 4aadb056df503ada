/** Rows whose fate is told; a caller who was wrong about more has seen enough. */
const explainedMax = 100;

/** The first of those that a call named and left as they were, each once: of these its caller is told why. */
export function leftOf<Row>(wanted: readonly Row[], changed: readonly Row[], idOf: (row: Row) => unknown = (row) => row): Row[] {
  const left = new Map(wanted.map((row) => [idOf(row), row]));
  for (const row of changed) left.delete(idOf(row));
  return [...left.values()].slice(0, explainedMax);
}
