type Shipped = { lineNumber?: string | null | undefined; sku: string | null };

/**
 * The order's line of each shipped one; undefined where it has none. A line is known by its number, and only without one by its sku: an
 * order may have a sku twice, as a gift or at another price. Lines with the same sku are given to different ones as long as they last.
 */
export function linesOfOrder<Line extends object>(
  shipped: readonly Shipped[],
  lines: readonly Line[],
  of: (line: Line) => { lineNumber: string; sku: string | null | undefined },
): (Line | undefined)[] {
  // The first of a number.
  const byNumber = new Map(lines.toReversed().map((line) => [of(line).lineNumber, line]));
  const bySku = Map.groupBy(lines, (line) => of(line).sku);
  const numbered = shipped.map(({ lineNumber }) => (lineNumber == null ? undefined : byNumber.get(lineNumber)));
  const taken = new Set(numbered);
  return shipped.map(({ sku }, index) => {
    const alike = sku === null ? [] : (bySku.get(sku) ?? []);
    const line = numbered[index] ?? alike.find((each) => !taken.has(each)) ?? alike[0];
    taken.add(line);
    return line;
  });
}
