import { createContext, use, useRef, type ReactNode, type RefObject } from "react";

const ScrollerContext = createContext<RefObject<HTMLElement | null>>({ current: null });

/** The one part of the layout that scrolls. Long lists render only the rows that are visible in it. */
export function Scroller({ children, className }: { children: ReactNode; className: string }) {
  const ref = useRef<HTMLElement>(null);
  return (
    <main ref={ref} id="content" tabIndex={-1} className={className} data-scroll-restoration-id="content">
      <ScrollerContext value={ref}>{children}</ScrollerContext>
    </main>
  );
}

export function useScroller(): RefObject<HTMLElement | null> {
  return use(ScrollerContext);
}
