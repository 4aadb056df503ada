import { useMemo, useRef, type CSSProperties, type RefObject } from "react";
import { useText } from "../../i18n/i18n.tsx";
import { chooseRows, isChosen, isNothing, type Selection } from "../selection.ts";
import type { List } from "../use-list.ts";
import { gridTracks, shownColumns, type Column } from "./columns.ts";
import { density, layoutOf, type Density } from "./layout-store.ts";
import { TableHeader, type Sort } from "./table-header.tsx";
import { PendingRow, TableRow } from "./table-row.tsx";
import { useTablePlace } from "./use-row-window.ts";
import { useRows } from "./use-rows.ts";

export type DataTableProps<Row extends { id: string }> = {
  /** The name under which the operator's columns are kept. */
  name: string;
  label: string;
  list: List<Row>;
  columns: Column<Row>[];
  labelOf: (row: Row) => string;
  selection?: Selection;
  onSelect?: (selection: Selection) => void;
  sort?: Sort;
  /** The row that is open beside the list. */
  openId?: string | undefined;
};

const rowHeights: Record<Density, number> = { comfortable: 40, compact: 34 };
const selectColumnWidth = 44;
/** Narrower than this, rows become cards: among others in a window of 1280 pixels at 200 %, which leaves a table 600. */
const cardsBelow = 620;
/** A card: its title, the other values in two columns, each below its name, and at its end those that need a line each. */
const card = { padding: 20, titleHeight: 24, sentenceHeight: 66, lineHeight: 44, extraHeight: 12 };

/** A long list of which only the visible rows are rendered. It scrolls with the page; its header sticks to the top. */
export function DataTable<Row extends { id: string }>(props: DataTableProps<Row>) {
  const { list, selection, onSelect } = props;
  const body = useRef<HTMLDivElement>(null);
  const place = useTablePlace(body);
  const layoutStore = layoutOf(props.name);
  const layout = layoutStore.use();
  const rowDensity = density.use();
  const isCard = place.width < cardsBelow;
  const columns = useMemo(
    () => shownColumns(props.columns, layout, Math.max(place.width, cardsBelow)),
    [props.columns, layout, place.width],
  );
  const room = place.width - (selection ? selectColumnWidth : 0);
  const style: CSSProperties & Record<"--tracks", string> = {
    "--tracks": `${selection ? `${selectColumnWidth}px ` : ""}${gridTracks(columns, layout.widths, room)}`,
  };
  const t = useText();

  return (
    <div
      role="grid"
      aria-label={props.label}
      aria-rowcount={list.hasMore ? -1 : list.firstIndex + list.rows.length + 1}
      aria-multiselectable={selection ? true : undefined}
      style={style}
    >
      <TableHeader
        columns={columns}
        isCard={isCard}
        areAllChosen={selection && areAllChosen(selection, list.rows)}
        onChooseAll={(areWanted) => selection && onSelect?.(chooseRows(selection, list.rows, areWanted))}
        sort={props.sort}
        onResize={(id, width) => layoutStore.set({ ...layout, widths: { ...layout.widths, [id]: width } })}
      />
      <TableBody
        {...props}
        body={body}
        columns={columns}
        isCard={isCard}
        rowHeight={isCard ? cardHeight(columns) : rowHeights[rowDensity]}
        scrollMargin={place.scrollMargin}
      />
      {list.isLoadingMore && (
        <p role="status" className="px-3 py-3 text-muted">
          {t("state.loading")}
        </p>
      )}
    </div>
  );
}

type TableBodyProps<Row extends { id: string }> = DataTableProps<Row> & {
  body: RefObject<HTMLDivElement | null>;
  isCard: boolean;
  rowHeight: number;
  scrollMargin: number;
};

/** The only part that is drawn again while one scrolls. */
function TableBody<Row extends { id: string }>({
  list,
  columns,
  body,
  isCard,
  rowHeight,
  scrollMargin,
  selection,
  onSelect,
  openId,
  labelOf,
}: TableBodyProps<Row>) {
  const rows = useRows({ list, selection, onSelect, body, rowHeight, scrollMargin });
  return (
    <div
      ref={body}
      role="rowgroup"
      className="relative"
      style={{ height: (list.firstIndex + list.rows.length) * rowHeight }}
      onKeyDown={rows.onKeyDown}
      onClick={rows.onClick}
      onFocus={(event) => rows.follow(event.target)}
    >
      {rows.drawn.map((index) => {
        const row = list.rows[index - list.firstIndex];
        const at = { index, top: index * rowHeight, height: rowHeight };
        if (!row) return <PendingRow key={index} {...at} />;
        return (
          <TableRow
            key={row.id}
            {...at}
            row={row}
            columns={columns}
            isCard={isCard}
            isChosen={selection ? isChosen(selection, row.id) : null}
            isActive={index === rows.activeIndex}
            isOpen={row.id === openId}
            isGone={list.news.goneIds.has(row.id)}
            label={labelOf(row)}
          />
        );
      })}
    </div>
  );
}

function cardHeight(columns: Pick<Column<never>, "isTitle" | "isSentence" | "isWide" | "isTwoLined" | "isEdited">[]): number {
  const wide = columns.filter(({ isTitle, isWide }) => isWide && !isTitle).length;
  const lines = Math.ceil((columns.length - 1 - wide) / 2) + wide;
  const higherLines = Math.min(columns.filter(({ isEdited, isTwoLined }) => isEdited || isTwoLined).length, lines + 1);
  const titleHeight = columns.some(({ isSentence }) => isSentence) ? card.sentenceHeight : card.titleHeight;
  return card.padding + titleHeight + lines * card.lineHeight + higherLines * card.extraHeight;
}

/** True and false for all and none of the rows in memory, null for some. */
function areAllChosen(selection: Selection, rows: { id: string }[]): boolean | null {
  if (isNothing(selection)) return false;
  const chosen = rows.filter((row) => isChosen(selection, row.id)).length;
  return chosen === 0 ? false : chosen === rows.length || null;
}
