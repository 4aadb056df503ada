import { useCallback, useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type MouseEvent, type RefObject } from "react";
import { choose, isChosen, nothing, type Selection } from "../selection.ts";
import type { List } from "../use-list.ts";
import { rangeOf, rowAfterKey } from "./keyboard.ts";
import { useRowWindow } from "./use-row-window.ts";

type Rows<Row> = {
  list: List<Row>;
  selection: Selection | undefined;
  onSelect: ((selection: Selection) => void) | undefined;
  body: RefObject<HTMLElement | null>;
  rowHeight: number;
  headerHeight: number;
  scrollMargin: number;
};

/** Rows before the edge of what is in memory at which the next page is asked for. */
const loadAheadRows = 30;
/** Further from the rows in memory than this, the start is reached sooner by reading the list anew. */
const restartRows = 300;

/** What the rows of a table do: they come as they are scrolled to, take the focus one at a time, and can be chosen singly and in ranges. */
export function useRows<Row extends { id: string }>({ list, selection, onSelect, body, ...sizes }: Rows<Row>) {
  const { rows, firstIndex } = list;
  const count = firstIndex + rows.length;
  const [active, setActive] = useState({ index: 0, isFocusWanted: false });
  const activeIndex = Math.min(Math.max(active.index, firstIndex), Math.max(count - 1, 0));
  const anchor = useRef(0);
  // The same function for the same rows: another one makes the virtualizer lay out all of them again.
  const keyOf = useCallback((index: number) => rows[index - firstIndex]?.id ?? index, [rows, firstIndex]);
  const virtualizer = useRowWindow({ ...sizes, count, activeIndex, keyOf });
  const visible = virtualizer.getVirtualItems();
  useLoading(
    list,
    visible.filter(({ index }) => index !== activeIndex).map(({ index }) => index),
  );

  useLayoutEffect(() => {
    if (active.isFocusWanted) body.current?.querySelector<HTMLElement>(`[data-row="${active.index}"]`)?.focus({ preventScroll: true });
  }, [active, body]);

  function chooseRows(wanted: Row[], areWanted: boolean): void {
    const ids = wanted.map((row) => row.id);
    if (selection) onSelect?.(choose(selection.kind === "all-but" || areWanted ? selection : nothing, ids, areWanted));
  }

  function chooseRange(to: number): void {
    const range = rangeOf(anchor.current, to).flatMap((index) => rows[index - firstIndex] ?? []);
    chooseRows(range, true);
  }

  function toggle(index: number): void {
    const row = rows[index - firstIndex];
    anchor.current = index;
    if (row && selection) onSelect?.(choose(selection, [row.id], !isChosen(selection, row.id)));
  }

  function goTo(index: number, isExtending: boolean): void {
    if (isExtending) chooseRange(index);
    else anchor.current = index;
    virtualizer.scrollToIndex(index);
    setActive({ index, isFocusWanted: true });
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
    const index = indexOf(event.target);
    if (index === null || event.altKey) return;
    const isOnRow = event.target instanceof HTMLElement && event.target.dataset["row"] !== undefined;
    const perPage = Math.max(1, visible.length - 8);
    const next = rowAfterKey(event.key, index, { first: firstIndex, last: count - 1, perPage });
    if (next !== null) {
      if (event.key === "Home" && firstIndex > 0) list.restart();
      goTo(next, event.shiftKey && selection !== undefined);
    } else if (event.key === " " && isOnRow && selection) {
      if (event.shiftKey) chooseRange(index);
      else toggle(index);
    } else if (event.key === "Enter" && isOnRow) openRow(event.currentTarget, index, event);
    else if (event.key === "a" && (event.ctrlKey || event.metaKey) && isOnRow && selection) chooseRows(rows, true);
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
    count,
    visible,
    totalHeight: virtualizer.getTotalSize(),
    activeIndex,
    chooseRows,
    onKeyDown,
    onClick,
    /** The focus came to a row otherwise, by a click or a link in it: the keys go on from there. */
    follow(target: EventTarget): void {
      const index = indexOf(target);
      if (index !== null && index !== active.index) setActive({ index, isFocusWanted: false });
    },
  };
}

/** Asks for what comes into sight soon. */
function useLoading<Row>(list: List<Row>, visible: number[]): void {
  const [first = 0, last = 0] = [visible[0], visible.at(-1)];
  const { firstIndex, rows, hasMore, isLoadingMore, isFetching } = list;
  useEffect(() => {
    if (isLoadingMore || isFetching) return;
    if (firstIndex - last > restartRows && first < loadAheadRows) list.restart();
    else if (firstIndex > 0 && first < firstIndex + loadAheadRows) list.loadPrevious();
    else if (hasMore && last >= firstIndex + rows.length - loadAheadRows) list.loadMore();
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
