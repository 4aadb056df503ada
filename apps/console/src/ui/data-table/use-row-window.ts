import { useLayoutEffect, useState, type RefObject } from "react";
import { flushSync } from "react-dom";
import { offsetIn, onScroll, useScroller } from "../scroller.tsx";

type Place = { scrollMargin: number; width: number };

/** Where the table's body stands in the page that scrolls, and how wide it is. */
export function useTablePlace(body: RefObject<HTMLElement | null>): Place {
  const scroller = useScroller();
  const [place, setPlace] = useState<Place>({ scrollMargin: 0, width: 0 });
  useLayoutEffect(() => {
    const [element, frame] = [body.current, scroller.current];
    if (!element || !frame) return undefined;
    const measure = () => {
      const { width } = element.getBoundingClientRect();
      const scrollMargin = Math.round(offsetIn(frame, element));
      setPlace((last) => (last.scrollMargin === scrollMargin && last.width === width ? last : { scrollMargin, width }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    // What is above the table changes its height when filters wrap or counts arrive.
    for (const child of frame.children) observer.observe(child);
    return () => observer.disconnect();
  }, [body, scroller]);
  return place;
}

/** Rows from `from` up to, but not including, `to`. */
export type RowRange = { from: number; to: number };

/** Rows drawn beyond those in sight, on either side. */
const spareRows = 4;

export function rangeInSight(sight: { top: number; height: number }, rowHeight: number): RowRange {
  const from = Math.max(0, Math.floor(sight.top / rowHeight) - spareRows);
  return { from, to: Math.max(from, Math.ceil((sight.top + sight.height) / rowHeight) + spareRows) };
}

/**
 * The rows to draw, whether or not the list reaches that far. Rows are of one height, so where each stands is a product: nothing is kept per
 * row, and a list of a hundred thousand costs what a list of thirty does.
 */
export function useRowWindow({ rowHeight, scrollMargin }: { rowHeight: number; scrollMargin: number }): RowRange {
  const scroller = useScroller();
  const [range, setRange] = useState<RowRange>({ from: 0, to: 0 });
  useLayoutEffect(() => {
    const frame = scroller.current;
    if (!frame) return undefined;
    const look = (last: RowRange) => {
      const next = rangeInSight({ top: frame.scrollTop - scrollMargin, height: frame.clientHeight }, rowHeight);
      return next.from === last.from && next.to === last.to ? last : next;
    };
    const update = () => setRange(look);
    // The browser reports scrolling right before it paints: rows that come later would leave a gap.
    const stop = onScroll(frame, () => flushSync(update));
    update();
    const observer = new ResizeObserver(update);
    observer.observe(frame);
    addEventListener("resize", update);
    return () => {
      stop();
      observer.disconnect();
      removeEventListener("resize", update);
    };
  }, [scroller, rowHeight, scrollMargin]);
  return range;
}

/** Scrolls as little as is needed to see a row whole, below the table's header that sticks to the top and with a row of room at the bottom. */
export function scrollToRow(frame: HTMLElement, header: Element | null, row: { top: number; height: number }): void {
  const head = header instanceof HTMLElement ? Number.parseFloat(getComputedStyle(header).top) + header.offsetHeight : 0;
  const lowest = row.top - head;
  const highest = row.top + 2 * row.height - frame.clientHeight;
  if (frame.scrollTop > lowest) frame.scrollTo({ top: lowest });
  else if (frame.scrollTop < highest) frame.scrollTo({ top: highest });
}
