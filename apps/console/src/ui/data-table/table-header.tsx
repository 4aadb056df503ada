import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";
import { useState, type PointerEvent } from "react";
import { useText } from "../../i18n/i18n.tsx";
import { columnWidth, type Column } from "./columns.ts";
import { alignOf } from "./table-row.tsx";

export type Sort = { key: string; isDescending: boolean; onChange: (key: string, isDescending: boolean) => void };

type TableHeaderProps<Row> = {
  columns: Column<Row>[];
  isCard: boolean;
  /** Undefined where rows can't be chosen; null when some are. */
  areAllChosen: boolean | null | undefined;
  onChooseAll: (areWanted: boolean) => void;
  sort: Sort | undefined;
  onResize: (id: string, width: number) => void;
};

/** On a phone the cards show the names; here they stay for screen readers. */
export function TableHeader<Row>({ columns, isCard, areAllChosen, onChooseAll, sort, onResize }: TableHeaderProps<Row>) {
  const t = useText();
  return (
    <div role="rowgroup" className="sticky top-(--sticky-top) z-10">
      <div
        role="row"
        aria-rowindex={1}
        className={`border-b border-line bg-paper ${isCard ? (areAllChosen === undefined ? "sr-only" : "flex items-center") : "grid min-h-10 grid-cols-(--tracks) items-center"}`}
      >
        {areAllChosen !== undefined && (
          <div role="columnheader" className="grid h-10 w-11 place-items-center">
            <input
              type="checkbox"
              aria-label={t("table.selectLoaded")}
              title={t("table.selectLoaded")}
              className="size-4 accent-primary-ink"
              checked={areAllChosen === true}
              ref={(box) => {
                if (box) box.indeterminate = areAllChosen === null;
              }}
              onChange={(event) => onChooseAll(event.target.checked)}
            />
          </div>
        )}
        {isCard && areAllChosen !== undefined && (
          <span aria-hidden className="text-xs text-muted">
            {t("table.selectLoaded")}
          </span>
        )}
        {columns.map((column) => (
          <HeaderCell key={column.id} column={column} isCard={isCard} sort={sort} onResize={(width) => onResize(column.id, width)} />
        ))}
      </div>
    </div>
  );
}

type HeaderCellProps<Row> = { column: Column<Row>; isCard: boolean; sort: Sort | undefined; onResize: (width: number) => void };

function HeaderCell<Row>({ column, isCard, sort, onResize }: HeaderCellProps<Row>) {
  const { sortKey, header } = column;
  const direction = sortKey !== undefined && sort?.key === sortKey ? (sort.isDescending ? "descending" : "ascending") : undefined;
  const Icon = direction === undefined ? ChevronsUpDown : direction === "descending" ? ArrowDown : ArrowUp;
  return (
    <div
      role="columnheader"
      aria-sort={direction ?? (sortKey === undefined || !sort ? undefined : "none")}
      className={
        isCard ? "sr-only" : `relative min-w-0 px-2 py-1.5 text-xs leading-tight font-semibold text-muted sm:px-3 ${alignOf(column)}`
      }
    >
      {sortKey !== undefined && sort ? (
        <button
          type="button"
          onClick={() => sort.onChange(sortKey, direction === "ascending")}
          className="inline-flex max-w-full items-center gap-1 align-bottom [text-align:inherit] hover:text-ink"
        >
          <span className="line-clamp-2">{header}</span>
          <Icon aria-hidden className="size-3.5 shrink-0" />
        </button>
      ) : (
        <span className="line-clamp-2" title={header}>
          {header}
        </span>
      )}
      {!isCard && <ResizeHandle onResize={onResize} />}
    </div>
  );
}

/** For the pointer; with the keyboard, widths are changed in the view panel. */
function ResizeHandle({ onResize }: { onResize: (width: number) => void }) {
  const [start, setStart] = useState<{ x: number; width: number } | null>(null);

  function begin(event: PointerEvent<HTMLElement>): void {
    const cell = event.currentTarget.parentElement;
    if (!cell) return;
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    setStart({ x: event.clientX, width: cell.getBoundingClientRect().width });
  }

  function drag(event: PointerEvent<HTMLElement>): void {
    if (!start) return;
    const sign = getComputedStyle(event.currentTarget).direction === "rtl" ? -1 : 1;
    const width = start.width + sign * (event.clientX - start.x);
    onResize(Math.round(Math.min(columnWidth.max, Math.max(columnWidth.min, width))));
  }

  return (
    <span
      aria-hidden
      data-resize
      onPointerDown={begin}
      onPointerMove={drag}
      onPointerUp={() => setStart(null)}
      onPointerCancel={() => setStart(null)}
      className="absolute inset-y-1 end-0 w-2 cursor-col-resize touch-none border-e-2 border-transparent hover:border-line active:border-primary-ink"
    />
  );
}
