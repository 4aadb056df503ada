import { ArrowUp } from "lucide-react";
import { useEffect, useState, type FocusEvent, type PointerEvent, type ReactNode } from "react";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import type { ListNews } from "./list-news.ts";
import { useScroller } from "./scroller.tsx";
import type { List } from "./use-list.ts";

/** An operator who has scrolled further than this is reading older rows. */
const topZonePx = 40;
/** After a refresh that failed. One that was refused, as beyond a limit, is not repeated by the query itself. */
const failurePauseMs = 10_000;

type LiveListProps = {
  list: List<unknown>;
  /** The operator is working with the rows shown, e.g. has chosen some. */
  isInUse?: boolean;
  children: ReactNode;
};

/**
 * Keeps a list live without moving what is under the pointer: while the pointer or the focus is in the rows, or the list is scrolled or in
 * use, rows change in place, and a button above them says how many have come. A list that is followed ignores the pointer.
 * Its query never becomes stale by itself (see listQuery), so stale means that the server has announced a change.
 */
export function LiveList({ list, isInUse = false, children }: LiveListProps) {
  const scroller = useScroller();
  const [isPointedAt, setIsPointedAt] = useState(false);
  /** What the keyboard is at, or is typed into. What a click leaves the focus on holds nothing once the pointer has gone. */
  const [holder, setHolder] = useState<Element | null>(null);
  const { news, isStale, isReading, failedAt, isFollowing, restart, peek } = list;
  const isBehind = isStale || news.count > 0 || news.goneIds.size > 0;

  useEffect(() => {
    if (!isBehind || isReading) return undefined;
    const refresh = (): void => {
      // What had the focus may be gone, of which nobody tells.
      const isTouched = isPointedAt || (holder !== null && holder === document.activeElement);
      const isHeld = (isTouched && !isFollowing) || isInUse;
      // Reading the scroll position makes the browser lay out the page, so that comes last.
      if (!isHeld && (scroller.current?.scrollTop ?? 0) < topZonePx) restart();
      else if (isStale) peek();
    };
    const waitMs = failedAt + failurePauseMs - Date.now();
    if (waitMs > 0) {
      const timer = setTimeout(refresh, waitMs);
      return () => clearTimeout(timer);
    }
    refresh();
    return undefined;
  });

  function hold(): void {
    if (!isFollowing) list.hold();
  }

  function point(event: PointerEvent): void {
    if (event.pointerType === "touch") return;
    setIsPointedAt(true);
    hold();
  }

  function focus({ target }: FocusEvent): void {
    const isHolding = target.matches(":focus-visible");
    setHolder(isHolding ? target : null);
    if (isHolding) hold();
  }

  function showNews(): void {
    scroller.current?.scrollTo({ top: 0 });
    restart();
  }

  return (
    <div
      className="relative flex flex-col"
      onPointerEnter={point}
      onPointerLeave={() => setIsPointedAt(false)}
      onFocus={focus}
      onBlur={({ currentTarget, relatedTarget }) => !currentTarget.contains(relatedTarget) && setHolder(null)}
    >
      {/* Below the toolbar (which comes first, see there) and the table's header: over rows, never over what can be pressed. */}
      <div role="status" className="pointer-events-none sticky top-(--sticky-top) z-20 flex h-0 justify-center">
        {isBehind && !isReading && <NewsButton news={news} onShow={showNews} />}
      </div>
      {children}
    </div>
  );
}

function NewsButton({ news: { count, isMore, goneIds }, onShow }: { news: ListNews; onShow: () => void }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const parts = [
    count > 0 && t("table.newRows", { count, shown: `${formatNumber(count)}${isMore ? "+" : ""}` }),
    goneIds.size > 0 && t("table.goneRows", { count: goneIds.size, shown: formatNumber(goneIds.size) }),
    t("table.showNews"),
  ];
  return (
    <button
      type="button"
      onClick={onShow}
      className="pointer-events-auto mt-12 flex h-9 animate-appear items-center gap-2 rounded-full bg-secondary px-4 text-sm font-medium whitespace-nowrap text-on-secondary shadow-lg"
    >
      <ArrowUp aria-hidden className="size-4" />
      {parts.filter(Boolean).join(" · ")}
    </button>
  );
}
