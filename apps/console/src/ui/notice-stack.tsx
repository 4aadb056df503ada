import { X } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState, type FocusEvent } from "react";
import { createPortal } from "react-dom";
import { useText } from "../i18n/i18n.tsx";
import { showMs, type NoticeContent } from "./notice.tsx";

type Notice = NoticeContent & { id: number };

/** As many are seen at once; those before them come back into sight when one goes. */
const shownMax = 3;
/** The usual blue would not be seen on a notice's ground. */
const ring = { outlineColor: "currentColor" };
/** Leads to the newest notice and back: they are the last stop of Tab, too far for the time in which they stand. */
const wayKey = "F8";

/** What shows the notices is told once it can, and answers what ends that: screen readers announce only what comes into a region that they know. */
export default function NoticeStack({ onReady }: { onReady: (show: (notice: NoticeContent) => void) => () => void }) {
  const [notices, setNotices] = useState<Notice[]>([]);
  const [isHeld, setIsHeld] = useState(false);
  const stack = useRef<HTMLDivElement>(null);
  const before = useRef<Element | null>(null);

  useEffect(() => {
    let last = 0;
    return onReady((content) => {
      last += 1;
      const notice = { ...content, id: last };
      setNotices((known) => [notice, ...known]);
    });
  }, [onReady]);

  function close(id: number): void {
    setNotices((known) => known.filter((notice) => notice.id !== id));
    setIsHeld(false);
  }

  function goBack(): void {
    if (before.current instanceof HTMLElement) before.current.focus({ preventScroll: true });
  }

  /** The keyboard goes on where it was, as the button that was pressed is gone. */
  function dismiss(id: number): void {
    close(id);
    goBack();
  }

  const followKey = useEffectEvent((event: KeyboardEvent) => {
    const button = stack.current?.querySelector("button");
    if (event.key !== wayKey || !button) return;
    event.preventDefault();
    if (stack.current?.contains(document.activeElement)) goBack();
    else button.focus();
  });
  useEffect(() => {
    addEventListener("keydown", followKey);
    return () => removeEventListener("keydown", followKey);
  }, []);

  function holdFocus({ currentTarget, relatedTarget }: FocusEvent): void {
    setIsHeld(true);
    if (!currentTarget.contains(relatedTarget)) before.current = relatedTarget;
  }

  // Out of the screen, as dialogs lie over that.
  return createPortal(
    <div
      ref={stack}
      aria-live="polite"
      onPointerEnter={() => setIsHeld(true)}
      onPointerLeave={() => setIsHeld(false)}
      onFocus={holdFocus}
      onBlur={({ currentTarget, relatedTarget }) => setIsHeld(currentTarget.contains(relatedTarget))}
      className="fixed start-4 bottom-[calc(1rem+var(--status-height,0px))] z-50 grid w-[min(26rem,calc(100vw-2rem))] gap-2"
    >
      {notices.map((notice, place) => (
        <NoticeBar
          key={notice.id}
          notice={notice}
          isHeld={isHeld}
          isFirst={place === 0}
          isShown={place < shownMax}
          onTimeUp={() => close(notice.id)}
          onDismiss={() => dismiss(notice.id)}
        />
      ))}
    </div>,
    document.body,
  );
}

type NoticeBarProps = { notice: Notice; isHeld: boolean; isFirst: boolean; isShown: boolean; onTimeUp: () => void; onDismiss: () => void };

function NoticeBar({ notice: { kind, text, action }, isHeld, isFirst, isShown, onTimeUp, onDismiss }: NoticeBarProps) {
  const t = useText();
  const end = useRef(onTimeUp);
  useEffect(() => {
    end.current = onTimeUp;
  });
  // Whoever looks at it has the whole time again afterwards.
  useEffect(() => {
    if (isHeld) return undefined;
    const timer = setTimeout(() => end.current(), showMs);
    return () => clearTimeout(timer);
  }, [isHeld]);
  return (
    <div
      role={kind === "error" ? "alert" : undefined}
      className={`animate-appear items-center gap-3 rounded-card px-4 py-2 text-on-notice shadow-lg ${isShown ? "flex" : "hidden"} ${kind === "error" ? "bg-notice-bad" : "bg-notice-ok"}`}
    >
      <p data-type={kind} className="min-w-0 flex-1 break-words">
        {text}
      </p>
      {action && (
        <button
          type="button"
          aria-keyshortcuts={isFirst ? wayKey : undefined}
          onClick={() => {
            onDismiss();
            action.run();
          }}
          style={ring}
          className="rounded-button px-2 py-1 font-semibold underline"
        >
          {action.label}
        </button>
      )}
      {action && isFirst && <kbd className="text-xs max-sm:hidden">{wayKey}</kbd>}
      <button
        type="button"
        aria-label={t("action.close")}
        onClick={onDismiss}
        style={ring}
        className="grid size-8 shrink-0 place-items-center rounded-full hover:bg-on-notice/15"
      >
        <X aria-hidden className="size-4" />
      </button>
    </div>
  );
}
