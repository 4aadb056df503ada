import { useEffect, useId, useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { createPortal } from "react-dom";

type HeaderPopoverProps = {
  label: string;
  trigger: ReactNode;
  triggerClass?: string;
  onOpen?: () => void;
  children: (close: () => void) => ReactNode;
};

const gapPx = 8;
const widthPx = 352;

/**
 * A button and what it opens: a card beside it, on a phone a sheet from the bottom. The browser's own popover closes on Escape and on a click
 * elsewhere, gives the focus back and weighs nothing, which counts as the sign-in has one too.
 */
export function HeaderPopover({ label, trigger, triggerClass = "size-9 rounded-full", onOpen, children }: HeaderPopoverProps) {
  const id = useId();
  const [button, setButton] = useState<HTMLButtonElement | null>(null);
  const popover = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  // Out of the header, whose ground may have colours of its own; but not out of a dialog, which hides from readers what is outside.
  const container = button && (button.closest("[role=dialog]") ?? document.body);
  const close = () => document.getElementById(id)?.hidePopover();

  useLayoutEffect(() => {
    if (isOpen && button && popover.current) place(popover.current, button.getBoundingClientRect());
  }, [isOpen, button]);

  useEffect(() => {
    if (!isOpen) return undefined;
    // Where it belongs has moved.
    const hide = () => document.getElementById(id)?.hidePopover();
    addEventListener("resize", hide);
    return () => removeEventListener("resize", hide);
  }, [isOpen, id]);

  return (
    <>
      <button
        ref={setButton}
        type="button"
        popoverTarget={id}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-label={label}
        title={label}
        className={`relative inline-grid shrink-0 place-items-center text-current hover:bg-hover ${triggerClass}`}
      >
        {trigger}
      </button>
      {container &&
        createPortal(
          <div
            ref={popover}
            id={id}
            popover="auto"
            role="dialog"
            aria-label={label}
            onBeforeToggle={(event) => {
              if (event.newState !== "open") return;
              setIsOpen(true);
              onOpen?.();
            }}
            // The content goes last: while it has the focus, the browser gives that back to the button.
            onToggle={(event) => event.newState === "closed" && setIsOpen(false)}
            className="fixed inset-auto top-(--top) bottom-(--bottom) left-(--left) max-h-[min(36rem,80dvh)] w-(--width) max-w-[calc(100vw-1rem)] overflow-y-auto overscroll-contain rounded-card border border-line bg-paper text-ink shadow-2xl backdrop:bg-transparent open:animate-appear max-sm:inset-x-0 max-sm:top-auto max-sm:bottom-0 max-sm:w-full max-sm:max-w-none max-sm:rounded-t-2xl max-sm:rounded-b-none max-sm:pb-[env(safe-area-inset-bottom)] max-sm:backdrop:bg-backdrop"
          >
            {isOpen && children(close)}
          </div>,
          container,
        )}
    </>
  );
}

/** Below the button, or above it in the lower half of the window; flush with the button's end, and within the window. */
function place(popover: HTMLElement, button: DOMRect): void {
  const isRtl = document.documentElement.dir === "rtl";
  const wanted = isRtl ? button.left : button.right - widthPx;
  const left = Math.max(gapPx, Math.min(wanted, innerWidth - widthPx - gapPx));
  const isBelow = button.bottom < innerHeight / 2;
  popover.style.setProperty("--width", `${widthPx}px`);
  popover.style.setProperty("--left", `${left}px`);
  popover.style.setProperty("--top", isBelow ? `${button.bottom + gapPx}px` : "auto");
  popover.style.setProperty("--bottom", isBelow ? "auto" : `${innerHeight - button.top + gapPx}px`);
}

/** The title line of a popover's card. */
export function PopoverTitle({ children }: { children: ReactNode }) {
  return <h2 className="border-b border-line px-4 py-3 font-semibold">{children}</h2>;
}

/** What a popover says when it has nothing to show. */
export function PopoverEmpty({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <div className="grid justify-items-center gap-2 px-6 py-10 text-center text-muted">
      {icon}
      <p>{children}</p>
    </div>
  );
}
