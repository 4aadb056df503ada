/**
 * One measured fact. Where `peer` is null, `value` is Crossdock's; otherwise it is the peer's, and `ratio` says how many
 * times better Crossdock did (more per second, or less waiting). `floor` bounds the ratio, or the value where there is no ratio.
 */
export type Row = {
  bench: string;
  row: string;
  value: number;
  unit: string;
  peer: string | null;
  ratio: number | null;
  floor: number | null;
  /** Null where nothing is promised: the row is for information. */
  ok: boolean | null;
};

type Promised = { atLeast?: number; atMost?: number };

/** A value of Crossdock's own, with what is promised about it, if anything. */
export function ownRow(bench: string, row: string, value: number, unit: string, promised: Promised = {}): Row {
  const { atLeast, atMost } = promised;
  const floor = atLeast ?? atMost ?? null;
  const isKept = (atLeast === undefined || value >= atLeast) && (atMost === undefined || value <= atMost);
  return { bench, row, value: round(value), unit, peer: null, ratio: null, floor, ok: floor === null ? null : isKept };
}

/** Units of which less is better; of the others, which are rates, more is. */
const costs = new Set(["ms", "kB", "%"]);

/** A peer's value beside Crossdock's. There is no ratio to nothing. */
export function peerRow(
  bench: string,
  row: string,
  own: number,
  peer: { name: string; value: number },
  unit: string,
  floor: number | null = null,
): Row {
  const [better, worse] = costs.has(unit) ? [peer.value, own] : [own, peer.value];
  const ratio = worse === 0 ? null : better / worse;
  return {
    bench,
    row,
    value: round(peer.value),
    unit,
    peer: peer.name,
    ratio: ratio === null ? null : round(ratio),
    floor,
    ok: floor === null ? null : ratio === null || ratio >= floor,
  };
}

/** Something measured is missing: said in the table, counted as a missed floor only when `isFailure`. */
export function missingRow(bench: string, row: string, peer: string | null, isFailure: boolean): Row {
  return { bench, row, value: 0, unit: "not measured", peer, ratio: null, floor: null, ok: isFailure ? false : null };
}

/** Aligned to the right: value, ratio, floor. */
const numberColumns = new Set([3, 5, 6]);

/** The rows as an aligned table. */
export function table(rows: readonly Row[]): string {
  const head = ["bench", "row", "who", "value", "unit", "ratio", "floor", ""];
  const lines = rows.map((row) => [
    row.bench,
    row.row,
    row.peer ?? "Crossdock",
    row.value.toLocaleString("en"),
    row.unit,
    row.ratio === null ? "" : `${row.ratio} ×`,
    row.floor === null ? "" : String(row.floor),
    row.ok === null ? "" : row.ok ? "ok" : "MISSED",
  ]);
  const widths = head.map((title, column) => Math.max(title.length, ...lines.map((line) => line[column]?.length ?? 0)));
  const format = (line: string[]): string =>
    line
      .map((cell, column) => (numberColumns.has(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join("  ")
      .trimEnd();
  return [format(head), format(widths.map((width) => "─".repeat(width))), ...lines.map(format)].join("\n");
}

/** The middle value; of an even number the lower of the two in the middle, so that it is one that was measured. */
export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** The value that `percent` of all values do not exceed (nearest rank); 0 of nothing. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? 0;
}

function round(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
