import { ArrowUp } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { useText } from "../i18n/i18n.tsx";
import { useScroller } from "./scroller.tsx";
import type { List } from "./use-list.ts";

/** Scrolled further than this, the operator is reading older rows. */
const topZonePx = 40;

type LiveListProps = {
  list: List<unknown>;
  /** The operator is working with the rows shown, e.g. has chosen some. */
  isInUse?: boolean;
  children: ReactNode;
};

/**
 * Keeps a list live without moving what is under the pointer: while the pointer or the focus is in the rows, or the list is scrolled or in
 * use, news only show as a button. Its query is never stale of itself (see listQuery), so stale means that the server told of a change.
 */
export function LiveList({ list, isInUse = false, children }: LiveListProps) {
  const t = useText();
  const scroller = useScroller();
  const [isTouched, setIsTouched] = useState(false);
  const { isStale, isFetching, restart } = list;
  const isHeld = isTouched || isInUse;

  useEffect(() => {
    // Asking where the page stands makes the browser lay it out, so that comes last.
    if (isStale && !isHeld && !isFetching && (scroller.current?.scrollTop ?? 0) < topZonePx) restart();
  });

  function touch(): void {
    setIsTouched(true);
    list.hold();
  }

  function showNews(): void {
    scroller.current?.scrollTo({ top: 0 });
    restart();
  }

  return (
    <div
      className="relative"
      onPointerEnter={(event) => event.pointerType !== "touch" && touch()}
      onPointerLeave={() => setIsTouched(false)}
      onFocus={touch}
      onBlur={(event) => setIsTouched(event.currentTarget.contains(event.relatedTarget))}
    >
      {children}
      <div role="status" className="pointer-events-none sticky bottom-2 z-20 flex h-0 items-end justify-center">
        {isStale && !isFetching && (
          <button
            type="button"
            onClick={showNews}
            className="pointer-events-auto flex animate-appear items-center gap-2 rounded-full bg-primary px-4 py-2 text-sm font-medium text-on-primary shadow-lg"
          >
            <ArrowUp aria-hidden className="size-4" />
            {t("table.showNews")}
          </button>
        )}
      </div>
    </div>
  );
}
