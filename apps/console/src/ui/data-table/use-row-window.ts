import { defaultRangeExtractor, useVirtualizer, type Range } from "@tanstack/react-virtual";
import { useCallback, useLayoutEffect, useState, type RefObject } from "react";
import { offsetIn, scrollerObservers, useScroller } from "../scroller.tsx";

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
    // What stands above the table changes its height when filters wrap or counts arrive.
    for (const child of frame.children) observer.observe(child);
    return () => observer.disconnect();
  }, [body, scroller]);
  return place;
}

type RowWindow = {
  count: number;
  rowHeight: number;
  headerHeight: number;
  /** Stays rendered wherever the page scrolls, so that the focus isn't lost. */
  activeIndex: number;
  scrollMargin: number;
  keyOf: (index: number) => string | number;
};

/** Virtualises against the page's own scrolling. */
export function useRowWindow({ count, rowHeight, headerHeight, activeIndex, scrollMargin, keyOf }: RowWindow) {
  const scroller = useScroller();
  const estimateSize = useCallback(() => rowHeight, [rowHeight]);
  const rangeExtractor = useCallback(
    (range: Range) => {
      const indexes = defaultRangeExtractor(range);
      if (activeIndex >= count || indexes.includes(activeIndex)) return indexes;
      return activeIndex < (indexes[0] ?? 0) ? [activeIndex, ...indexes] : [...indexes, activeIndex];
    },
    [activeIndex, count],
  );
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    ...scrollerObservers,
    estimateSize,
    getItemKey: keyOf,
    overscan: 4,
    scrollMargin,
    scrollPaddingStart: headerHeight,
    scrollPaddingEnd: rowHeight,
    rangeExtractor,
  });
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, rowHeight]);
  return virtualizer;
}
