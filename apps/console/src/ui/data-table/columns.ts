import type { ReactNode } from "react";

export type Column<Row> = {
  id: string;
  header: string;
  cell(row: Row): ReactNode;
  /** The least width in pixels, as long as there is room. */
  minWidth: number;
  /** Its share of the room that is left over. */
  grow: number;
  /** Pixels of table width from which the column is shown unless the operator says otherwise; without it, always. */
  showFrom?: number;
  isNumeric?: boolean;
  /** Names the row: it comes first, heads the card on a phone and can't be hidden. */
  isTitle?: boolean;
  /** The title is a sentence: it may take two lines, on a phone three. */
  isSentence?: boolean;
  /** A text: on a phone it has a line to itself at the card's end. */
  isWide?: boolean;
  /** Its value may take two lines, or is a button: on a card it has a higher one. */
  isTwoLined?: boolean;
  /** Its value is edited in place: the control has a padding of its own, and takes a higher line on a card. */
  isEdited?: boolean;
  sortKey?: string;
};

/** What the operator changed of a table, kept per browser. */
export type ColumnLayout = {
  /** Ids in their order; columns that are not named follow in the table's own. */
  order: string[];
  /** Columns shown or hidden by choice; for the others the width decides. */
  isShown: Record<string, boolean>;
  widths: Record<string, number>;
};

export const emptyLayout: ColumnLayout = { order: [], isShown: {}, widths: {} };

export const columnWidth = { min: 48, max: 900, step: 16 };

/** Room for what `Time` says in any language: "one minute ago" takes 96 px in Arabic, and the cell's padding 24. */
export const timeWidth = 120;

/** All columns in the operator's order; the title stays first. */
export function orderColumns<Row>(columns: Column<Row>[], order: string[]): Column<Row>[] {
  const place = (column: Column<Row>) => {
    const chosen = order.indexOf(column.id);
    return column.isTitle ? -1 : chosen === -1 ? order.length : chosen;
  };
  return columns.toSorted((one, other) => place(one) - place(other));
}

export function shownColumns<Row>(columns: Column<Row>[], layout: ColumnLayout, tableWidth: number): Column<Row>[] {
  return orderColumns(columns, layout.order).filter((column) => isColumnShown(column, layout, tableWidth));
}

export function isColumnShown<Row>(column: Column<Row>, { isShown }: ColumnLayout, tableWidth: number): boolean {
  return column.isTitle || (isShown[column.id] ?? (column.showFrom ?? 0) <= tableWidth);
}

/** Puts a column before or after its neighbour. The result names every column, so that columns added later don't shift the order. */
export function moveColumn<Row>(columns: Column<Row>[], order: string[], id: string, step: -1 | 1): string[] {
  const ids = orderColumns(columns, order).map((column) => column.id);
  const from = ids.indexOf(id);
  const to = from + step;
  const isTitle = (index: number) => columns.find((column) => column.id === ids[index])?.isTitle ?? false;
  if (from === -1 || to < 0 || to >= ids.length || isTitle(to) || isTitle(from)) return ids;
  return ids.with(from, ids[to] ?? id).with(to, id);
}

/** The grid's tracks. When even the narrowest columns are wider than the table, all shrink in proportion: nothing ever overflows. */
export function gridTracks<Row>(columns: Column<Row>[], widths: Record<string, number>, tableWidth: number): string {
  const least = columns.map((column) => widths[column.id] ?? column.minWidth);
  const wanted = least.reduce((sum, width) => sum + width, 0);
  const factor = wanted > tableWidth && tableWidth > 0 ? tableWidth / wanted : 1;
  return columns
    .map(
      (column, index) => `minmax(${Math.floor((least[index] ?? 0) * factor)}px, ${widths[column.id] === undefined ? column.grow : 0.01}fr)`,
    )
    .join(" ");
}

/** Reads a stored layout; what isn't one counts as none. */
export function parseLayout(text: string | null): ColumnLayout {
  const stored = record(parseJson(text ?? "null"));
  const order = stored["order"];
  return {
    order: Array.isArray(order) ? order.filter((id) => typeof id === "string") : [],
    isShown: Object.fromEntries(
      Object.entries(record(stored["isShown"])).filter((pair): pair is [string, boolean] => typeof pair[1] === "boolean"),
    ),
    widths: Object.fromEntries(
      Object.entries(record(stored["widths"])).filter((pair): pair is [string, number] => typeof pair[1] === "number" && pair[1] > 0),
    ),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}
