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
