import { memo } from "react";
import { useText } from "../../i18n/i18n.tsx";
import type { Column } from "./columns.ts";

type TableRowProps = {
  row: unknown;
  index: number;
  top: number;
  height: number;
  columns: Column<unknown>[];
  isCard: boolean;
  /** Null where rows can't be chosen. */
  isChosen: boolean | null;
  /** The one row that the Tab key reaches. */
  isActive: boolean;
  isOpen: boolean;
  /** It has left the list and stays until the list is read again. */
  isGone: boolean;
  label: string;
};

/** The body of the table listens for all rows, so that a row renders again only when it changes. */
export const TableRow = memo(function TableRow({
  row,
  index,
  top,
  height,
  columns,
  isCard,
  isChosen,
  isActive,
  isOpen,
  isGone,
  label,
}: TableRowProps) {
  const t = useText();
  const ground = isChosen ? "bg-primary-soft" : isOpen ? "bg-hover" : "hover:bg-hover";
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isChosen ?? undefined}
      aria-current={isOpen || undefined}
      data-row={index}
      tabIndex={isActive ? 0 : -1}
      style={{ height, transform: `translateY(${top}px)` }}
      className={`absolute inset-x-0 top-0 border-b border-line contain-content focus-visible:outline-offset-[-2px] ${ground} ${isGone ? "line-through grayscale" : ""} ${
        isCard
          ? `grid grid-cols-2 content-center gap-x-3 gap-y-1.5 pe-3 ${isChosen === null ? "ps-3" : "ps-11"}`
          : "grid grid-cols-(--tracks) items-center"
      }`}
    >
      {isChosen !== null && (
        <div role="gridcell" className={`grid place-items-center ${isCard ? "absolute start-0 top-0 size-11" : ""}`}>
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={t("table.select", { row: label })}
            className="size-4 accent-primary-ink"
            checked={isChosen}
            onChange={handledByTable}
          />
        </div>
      )}
      {columns.map((column) => (
        <div
          key={column.id}
          role="gridcell"
          dir={isCard ? undefined : "auto"}
          className={
            isCard
              ? `min-w-0 ${cardCell(column)}`
              : `truncate overflow-clip ${column.isEdited ? "px-0 sm:px-[3px]" : "px-2 sm:px-3"} ${column.isSentence ? sentenceCell : ""} ${alignOf(column)}`
          }
        >
          {isCard && !column.isTitle ? (
            <>
              <span aria-hidden className="block truncate text-xs text-muted">
                {column.header}
              </span>
              <span dir="auto" className={`block truncate overflow-clip rtl:text-right ${column.isEdited ? editedOnCard : ""}`}>
                {column.cell(row)}
              </span>
            </>
          ) : (
            column.cell(row)
          )}
        </div>
      ))}
    </div>
  );
});

/** Two lines, as many as a compact row has room for, with what is below the last one. */
const sentenceCell = "[&_a]:line-clamp-2 [&_a]:pb-0.5 [&_a]:leading-4 [&_a]:whitespace-normal";

/** As far as the control's padding and edge reach, so that its text begins where the rest of the card does. */
const editedOnCard = "-mx-[9px]";

function cardCell({
  isTitle,
  isSentence,
  isWide,
  isEdited,
}: Pick<Column<never>, "isTitle" | "isSentence" | "isWide" | "isEdited">): string {
  if (isSentence) return "col-span-2 [&_a]:line-clamp-3 [&_a]:whitespace-normal";
  if (isTitle) return `col-span-2 truncate overflow-clip ${isEdited ? editedOnCard : ""}`;
  return isWide ? "order-1 col-span-2 leading-tight" : "leading-tight";
}

/** A controlled checkbox needs a listener of its own; the real one is on the table's body. */
function handledByTable(): void {}

/** Takes the place of a row that is being read. */
export function PendingRow({ index, top, height }: { index: number; top: number; height: number }) {
  const t = useText();
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      style={{ height, transform: `translateY(${top}px)` }}
      className="absolute inset-x-0 top-0 flex items-center border-b border-line px-4"
    >
      <div role="gridcell" aria-label={t("state.loading")} className="h-4 w-2/3 animate-pulse rounded-card bg-line" />
    </div>
  );
}

/** Physical sides, because a cell takes its direction from its text: a Latin name is cut at its end in an Arabic table too. */
export function alignOf({ isNumeric = false }: { isNumeric?: boolean }): string {
  return isNumeric ? "text-right tabular-nums rtl:text-left" : "text-left rtl:text-right";
}
