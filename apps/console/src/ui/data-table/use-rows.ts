import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type MouseEvent, type RefObject } from "react";
import { useScroller } from "../scroller.tsx";
import { choose, chooseRows, isChosen, type Selection } from "../selection.ts";
import type { List } from "../use-list.ts";
import { rangeOf, rowAfterKey } from "./keyboard.ts";
import { scrollToRow, useRowWindow, type RowRange } from "./use-row-window.ts";

type Rows<Row> = {
  list: List<Row>;
  selection: Selection | undefined;
  onSelect: ((selection: Selection) => void) | undefined;
  body: RefObject<HTMLElement | null>;
  rowHeight: number;
  scrollMargin: number;
};

/** Rows before the edge of what is in memory at which the next page is asked for. */
const loadAheadRows = 50;
/** When the start is further from the rows in memory than this, reading the list anew gets there sooner. */
const restartRows = 300;

/** The behaviour of a table's rows: they are read as they are scrolled to, take the focus one at a time, and can be chosen singly and in ranges. */
export function useRows<Row extends { id: string }>({ list, selection, onSelect, body, rowHeight, scrollMargin }: Rows<Row>) {
  const { rows, firstIndex } = list;
  const count = firstIndex + rows.length;
  const scroller = useScroller();
  const [active, setActive] = useState({ index: 0, isFocusWanted: false });
  const activeIndex = Math.min(Math.max(active.index, firstIndex), Math.max(count - 1, 0));
  /** The row at which a range begins, wherever it stands by now. */
  const anchor = useRef<string>(undefined);
  const inSight = useRowWindow({ rowHeight, scrollMargin });
  useLoading(list, inSight);

  useLayoutEffect(() => {
    if (active.isFocusWanted)
      body.current?.querySelector<HTMLElement>(`[data-row="${active.index}"]`)?.focus({ preventScroll: true, focusVisible: true });
  }, [active, body]);

  function chooseRange(to: number): void {
    const from = rows.findIndex(({ id }) => id === anchor.current);
    const range = rangeOf(from === -1 ? to : firstIndex + from, to).flatMap((index) => rows[index - firstIndex] ?? []);
    if (selection) onSelect?.(chooseRows(selection, range, true));
  }

  function toggle(index: number): void {
    const row = rows[index - firstIndex];
    anchor.current = row?.id;
    if (row && selection) onSelect?.(choose(selection, [row.id], !isChosen(selection, row.id)));
  }

  function goTo(index: number, isExtending: boolean): void {
    if (isExtending) chooseRange(index);
    else anchor.current = rows[index - firstIndex]?.id;
    const [frame, element] = [scroller.current, body.current];
    if (frame && element) scrollToRow(frame, element.previousElementSibling, { top: scrollMargin + index * rowHeight, height: rowHeight });
    setActive({ index, isFocusWanted: true });
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const index = indexOf(event.target);
    if (index === null || event.altKey) return;
    const isOnRow = event.target instanceof HTMLElement && event.target.dataset["row"] !== undefined;
    const perPage = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 2);
    const next = rowAfterKey(event.key, index, { first: firstIndex, last: count - 1, perPage });
    if (next !== null) {
      if (event.key === "Home" && firstIndex > 0) list.restart();
      goTo(next, event.shiftKey && selection !== undefined);
    } else if (event.key === " " && isOnRow && selection) {
      if (event.shiftKey) chooseRange(index);
      else toggle(index);
    } else if (event.key === "Enter" && isOnRow) openRow(event.currentTarget, index, event);
    else if (event.key === "a" && (event.ctrlKey || event.metaKey) && isOnRow && selection) onSelect?.(chooseRows(selection, rows, true));
    else return;
    event.preventDefault();
  }

  function onClick(event: MouseEvent<HTMLElement>): void {
    const index = indexOf(event.target);
    if (index === null || !(event.target instanceof Element)) return;
    if (event.target.closest("input[type=checkbox]")) {
      if (event.shiftKey) chooseRange(index);
      else toggle(index);
    } else if (!event.target.closest("a, button, input, label") && getSelection()?.isCollapsed !== false)
      openRow(event.currentTarget, index, event);
  }

  return {
    /** The rows to draw, by their places. */
    drawn: drawnRows(inSight, count, activeIndex),
    activeIndex,
    onKeyDown,
    onClick,
    /** The focus came to a row by a click or a link in it: the keys go on from there. */
    follow(target: EventTarget): void {
      const index = indexOf(target);
      if (index !== null && index !== active.index) setActive({ index, isFocusWanted: false });
    },
  };
}

/** The active row stays drawn wherever the page scrolls, so that the focus isn't lost. */
function drawnRows({ from, to }: RowRange, count: number, activeIndex: number): number[] {
  const indexes = Array.from({ length: Math.max(0, Math.min(to, count) - from) }, (_, offset) => from + offset);
  if (activeIndex >= count || (activeIndex >= from && activeIndex < to)) return indexes;
  return activeIndex < from ? [activeIndex, ...indexes] : [...indexes, activeIndex];
}

/** Reads what will soon come into sight. */
function useLoading<Row>(list: List<Row>, { from, to }: RowRange): void {
  const { firstIndex, rows, hasMore, isLoadingMore, isReading } = list;
  useEffect(() => {
    // Nothing is in sight before the table knows where it stands.
    if (isLoadingMore || isReading || to === 0) return;
    if (firstIndex - to > restartRows && from < loadAheadRows) list.restart();
    else if (firstIndex > 0 && from < firstIndex + loadAheadRows) list.loadPrevious();
    else if (hasMore && to >= firstIndex + rows.length - loadAheadRows) list.loadMore();
  });
}

function indexOf(target: EventTarget): number | null {
  const row = target instanceof Element ? target.closest<HTMLElement>("[data-row]") : null;
  return row ? Number(row.dataset["row"]) : null;
}

/** Follows the row's link as if it had been clicked, with the keys that open it elsewhere. */
function openRow(
  body: HTMLElement,
  index: number,
  { ctrlKey, metaKey, shiftKey }: { ctrlKey: boolean; metaKey: boolean; shiftKey: boolean },
): void {
  const link = body.querySelector(`[data-row="${index}"] [data-row-link]`);
  link?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }));
}
