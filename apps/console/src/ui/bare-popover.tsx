import {
  cloneElement,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type ComponentProps,
  type ReactElement,
  type ReactNode,
} from "react";
import { createPortal } from "react-dom";

export type PopoverAlign = "start" | "end";

type BarePopoverProps = {
  label: string;
  /** The button that opens it. */
  trigger: ReactElement<ComponentProps<"button">>;
  /** Which of the button's ends it is flush with. */
  align: PopoverAlign;
  onOpen?: (() => void) | undefined;
  children: (close: () => void) => ReactNode;
};

const gapPx = 8;
const widthPx = 352;

/**
 * What a button opens: a card beside it, on a phone a sheet from the bottom. The browser's own popover closes on Escape and on a click
 * elsewhere, gives the focus back and weighs nothing, which counts as the sign-in and every list have one.
 */
export function BarePopover({ label, trigger, align, onOpen, children }: BarePopoverProps) {
  const id = useId();
  const [button, setButton] = useState<HTMLButtonElement | null>(null);
  const popover = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  // Out of what it stands in, whose ground may have colours of its own; but not out of a dialog, which hides from readers what is outside.
  const container = button && (button.closest("[role=dialog]") ?? document.body);
  const close = () => document.getElementById(id)?.hidePopover();

  // The button may say something else by now, and stand elsewhere.
  useLayoutEffect(() => {
    if (isOpen && button && popover.current) place(popover.current, button, align);
  });

  useEffect(() => {
    if (!isOpen || !button) return undefined;
    const follow = () => popover.current && place(popover.current, button, align);
    // A phone's keyboard resizes the window too, so that a field of the popover would close it.
    addEventListener("resize", follow);
    addEventListener("scroll", follow, { capture: true, passive: true });
    return () => {
      removeEventListener("resize", follow);
      removeEventListener("scroll", follow, { capture: true });
    };
  }, [isOpen, button, align]);

  return (
    <>
      {cloneElement(trigger, { ref: setButton, popoverTarget: id, "aria-haspopup": "dialog", "aria-expanded": isOpen })}
      {container &&
        createPortal(
          <div
            ref={popover}
            id={id}
            popover="auto"
            role="dialog"
            tabIndex={-1}
            aria-label={label}
            onBeforeToggle={(event) => {
              if (event.newState !== "open") return;
              setIsOpen(true);
              onOpen?.();
            }}
            // The content goes last: while it has the focus, the browser gives that back to the button.
            onToggle={(event) => event.newState === "closed" && setIsOpen(false)}
            className="fixed inset-auto top-(--top) bottom-(--bottom) left-(--left) max-h-[min(36rem,var(--room))] w-(--width) max-w-[calc(100vw-1rem)] overflow-y-auto overscroll-contain rounded-card border border-line bg-paper text-ink shadow-2xl backdrop:bg-transparent open:animate-appear max-sm:inset-x-0 max-sm:top-auto max-sm:bottom-0 max-sm:max-h-[80dvh] max-sm:w-full max-sm:max-w-none max-sm:rounded-t-2xl max-sm:rounded-b-none max-sm:pb-[env(safe-area-inset-bottom)] max-sm:backdrop:bg-backdrop"
          >
            {isOpen && children(close)}
          </div>,
          container,
        )}
    </>
  );
}

/** Below the button, or above it in the lower half of the window; flush with one of the button's ends, and within the window. */
function place(popover: HTMLElement, button: HTMLElement, align: PopoverAlign): void {
  const box = button.getBoundingClientRect();
  if (box.width === 0) return popover.hidePopover();
  const isFlushLeft = (document.documentElement.dir === "rtl") === (align === "end");
  const wanted = isFlushLeft ? box.left : box.right - widthPx;
  const left = Math.max(gapPx, Math.min(wanted, innerWidth - widthPx - gapPx));
  const isBelow = box.bottom < innerHeight / 2;
  popover.style.setProperty("--width", `${widthPx}px`);
  popover.style.setProperty("--left", `${left}px`);
  popover.style.setProperty("--top", isBelow ? `${box.bottom + gapPx}px` : "auto");
  popover.style.setProperty("--bottom", isBelow ? "auto" : `${innerHeight - box.top + gapPx}px`);
  popover.style.setProperty("--room", `${(isBelow ? innerHeight - box.bottom : box.top) - 2 * gapPx}px`);
}
