import { observeElementOffset, observeElementRect, type Virtualizer } from "@tanstack/react-virtual";
import { createContext, use, useMemo, useState, type ReactNode } from "react";

type ScrollerRef = { readonly current: HTMLElement | null };

const ScrollerContext = createContext<ScrollerRef>({ current: null });

/** What moves when an operator scrolls: this part of the layout alone, or the whole page. */
export type Scrolls = "content" | "page";

/** The part of the layout that holds the screen. Long lists render only the rows that are visible in what scrolls. */
export function Scroller({ scrolls, children, className }: { scrolls: Scrolls; children: ReactNode; className: string }) {
  // State instead of a ref: lists hear of another scroller, and of the first one when they were mounted before it.
  const [own, setOwn] = useState<HTMLElement | null>(null);
  const scroller = useMemo(() => ({ current: scrolls === "page" ? document.documentElement : own }), [scrolls, own]);
  return (
    <div ref={setOwn} className={className} data-scroll-restoration-id="content">
      <ScrollerContext value={scroller}>{children}</ScrollerContext>
    </div>
  );
}

export function useScroller(): ScrollerRef {
  return use(ScrollerContext);
}

/** How far below the start of what `scroller` scrolls `element` stands, in pixels. */
export function offsetIn(scroller: HTMLElement, element: HTMLElement): number {
  // The box of the document moves as it is scrolled, the box of any other scroller stays.
  const start = scroller === document.documentElement ? 0 : scroller.getBoundingClientRect().top;
  return element.getBoundingClientRect().top - start + scroller.scrollTop;
}

/** Tells of every step of the scrolling; of the page's own, the document is told. Answers the way to stop. */
export function onScroll(scroller: HTMLElement, listener: () => void): () => void {
  const teller = scroller === document.documentElement ? document : scroller;
  teller.addEventListener("scroll", listener, { passive: true });
  return () => teller.removeEventListener("scroll", listener);
}

type Listening = Virtualizer<HTMLElement, HTMLElement>;

/** How a virtualised list watches its scroller, whichever it is: scrolling and resizing the page is told to the document and the window. */
export const scrollerObservers = {
  observeElementRect(list: Listening, report: (rect: { width: number; height: number }) => void) {
    const page = list.scrollElement;
    if (page !== document.documentElement) return observeElementRect(list, report);
    const tell = () => report({ width: page.clientWidth, height: page.clientHeight });
    tell();
    addEventListener("resize", tell);
    return () => removeEventListener("resize", tell);
  },
  observeElementOffset(list: Listening, report: (offset: number, isScrolling: boolean) => void) {
    const page = list.scrollElement;
    if (page !== document.documentElement) return observeElementOffset(list, report);
    const move = () => report(page.scrollTop, true);
    const rest = () => report(page.scrollTop, false);
    document.addEventListener("scroll", move, { passive: true });
    document.addEventListener("scrollend", rest);
    return () => {
      document.removeEventListener("scroll", move);
      document.removeEventListener("scrollend", rest);
    };
  },
};
