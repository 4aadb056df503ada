import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode, type RefObject } from "react";
import { useText } from "../i18n/i18n.tsx";
import { offsetIn, scrollerObservers, useScroller } from "./scroller.tsx";

export type Column<Row> = {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** Grid track, e.g. `minmax(8rem, 2fr)`. */
  width: string;
  /** Pixels of table width from which the column is shown; columns without it always are. */
  showFrom?: number;
  isNumeric?: boolean;
};

/** Which rows are chosen; the screen keeps it, so that it survives filtering and paging. */
export type RowSelection<Row> = {
  ids: ReadonlySet<string>;
  onChange: (ids: ReadonlySet<string>) => void;
  labelOf: (row: Row) => string;
};

type DataTableProps<Row extends { id: string }> = {
  label: string;
  rows: Row[];
  columns: Column<Row>[];
  selection?: RowSelection<Row>;
  hasMore: boolean;
  isLoadingMore: boolean;
  onLoadMore: () => void;
};

const rowHeight = 44;
/** Rows before the last one at which the next page is asked for. */
const loadAheadRows = 30;

/** A long list of which only the visible rows are rendered. It scrolls with the page; its header sticks to the top. */
export function DataTable<Row extends { id: string }>(props: DataTableProps<Row>) {
  const { rows, columns, selection, hasMore, isLoadingMore, onLoadMore } = props;
  const t = useText();
  const body = useRef<HTMLDivElement>(null);
  const { virtualizer, scrollMargin, width } = usePageVirtualizer(rows, body);
  const visible = virtualizer.getVirtualItems();
  const lastIndex = visible.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && !isLoadingMore && lastIndex >= rows.length - loadAheadRows) onLoadMore();
  }, [hasMore, isLoadingMore, lastIndex, rows.length, onLoadMore]);

  const shown = columns.filter((column) => (column.showFrom ?? 0) <= width);
  const gridTemplateColumns = [...(selection ? ["2.75rem"] : []), ...shown.map((column) => column.width)].join(" ");

  return (
    <div role="table" aria-label={props.label} aria-rowcount={hasMore ? -1 : rows.length + 1}>
      <div role="rowgroup" className="sticky top-(--sticky-top) z-10">
        <div role="row" aria-rowindex={1} style={{ gridTemplateColumns }} className="grid border-b border-line bg-paper">
          {selection && <SelectAllCell rows={rows} selection={selection} />}
          {shown.map((column) => (
            <div
              key={column.id}
              role="columnheader"
              className={`truncate px-2 py-3 text-xs font-semibold sm:px-3 text-muted ${alignOf(column)}`}
            >
              {column.header}
            </div>
          ))}
        </div>
      </div>
      <div
        ref={body}
        role="rowgroup"
        className="relative"
        style={{ height: virtualizer.getTotalSize() }}
        onKeyDown={(event) => moveBetweenRows(event, virtualizer.scrollToIndex)}
      >
        {visible.map(({ index, start }) => {
          const row = rows[index];
          if (!row) return null;
          return (
            <div
              key={row.id}
              role="row"
              aria-rowindex={index + 2}
              data-row={index}
              style={{ gridTemplateColumns, height: rowHeight, transform: `translateY(${start - scrollMargin}px)` }}
              className={`absolute inset-x-0 top-0 grid items-center border-b border-line ${
                selection?.ids.has(row.id) ? "bg-primary-soft" : "hover:bg-hover"
              }`}
            >
              {selection && <SelectCell row={row} selection={selection} />}
              {shown.map((column) => (
                <div key={column.id} role="cell" dir="auto" className={`truncate px-2 sm:px-3 ${alignOf(column)}`}>
                  {column.cell(row)}
                </div>
              ))}
            </div>
          );
        })}
      </div>
      {isLoadingMore && (
        <p role="status" className="px-3 py-3 text-muted">
          {t("state.loading")}
        </p>
      )}
    </div>
  );
}

/** Virtualises against the page's own scrolling: `scrollMargin` is the height of what stands above the rows, `width` that of the table. */
function usePageVirtualizer(rows: { id: string }[], body: RefObject<HTMLDivElement | null>) {
  const scroller = useScroller();
  const [{ scrollMargin, width }, setPlace] = useState({ scrollMargin: 0, width: 0 });

  useLayoutEffect(() => {
    const [element, frame] = [body.current, scroller.current];
    if (!element || !frame) return undefined;
    const measure = () => {
      const rect = element.getBoundingClientRect();
      const margin = Math.round(offsetIn(frame, element));
      setPlace((place) =>
        place.scrollMargin === margin && place.width === rect.width ? place : { scrollMargin: margin, width: rect.width },
      );
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    // What stands above the table changes its height when filters wrap or counts arrive.
    for (const child of frame.children) observer.observe(child);
    return () => observer.disconnect();
  }, [body, scroller]);

  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    ...scrollerObservers,
    estimateSize: () => rowHeight,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 4,
    scrollMargin,
  });
  return { virtualizer, scrollMargin, width };
}

/** Physical sides, because a cell takes its direction from its text: a Latin name is cut at its end in an Arabic table too. */
function alignOf({ isNumeric = false }: { isNumeric?: boolean }): string {
  return isNumeric ? "text-right tabular-nums rtl:text-left" : "text-left rtl:text-right";
}

/** Arrow keys go from the link of one row to the next one's. */
function moveBetweenRows(event: KeyboardEvent<HTMLDivElement>, scrollToIndex: (index: number) => void): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const row = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>("[data-row]") : null;
  if (step === undefined || !row || event.target instanceof HTMLInputElement) return;
  event.preventDefault();
  const index = Number(row.dataset["row"]) + step;
  scrollToIndex(index);
  const body = event.currentTarget;
  const linkOfRow = () => body.querySelector<HTMLElement>(`[data-row="${index}"] a`);
  const link = linkOfRow();
  if (link) link.focus();
  // A key held down outruns the rendering of rows by a frame.
  else requestAnimationFrame(() => linkOfRow()?.focus());
}

function SelectAllCell<Row extends { id: string }>({ rows, selection }: { rows: Row[]; selection: RowSelection<Row> }) {
  const t = useText();
  const chosen = rows.filter((row) => selection.ids.has(row.id)).length;
  return (
    <div role="columnheader" className="grid place-items-center">
      <input
        type="checkbox"
        aria-label={t("table.selectLoaded")}
        title={t("table.selectLoaded")}
        className="size-4 accent-primary"
        checked={chosen > 0 && chosen === rows.length}
        ref={(box) => {
          if (box) box.indeterminate = chosen > 0 && chosen < rows.length;
        }}
        onChange={(event) => selection.onChange(new Set(event.target.checked ? rows.map((row) => row.id) : []))}
      />
    </div>
  );
}

function SelectCell<Row extends { id: string }>({ row, selection }: { row: Row; selection: RowSelection<Row> }) {
  const t = useText();
  function toggle(isChosen: boolean): void {
    const ids = new Set(selection.ids);
    if (isChosen) ids.add(row.id);
    else ids.delete(row.id);
    selection.onChange(ids);
  }
  return (
    <div role="cell" className="grid place-items-center">
      <input
        type="checkbox"
        aria-label={t("table.select", { row: selection.labelOf(row) })}
        className="size-4 accent-primary"
        checked={selection.ids.has(row.id)}
        onChange={(event) => toggle(event.target.checked)}
      />
    </div>
  );
}
