import { useEffect, useState, type FocusEvent, type PointerEvent } from "react";

/**
 * Whether a part that is cut to its icons is shown whole: while the mouse is over it or the keyboard in it, until Escape
 * (https://www.w3.org/TR/WCAG22/#content-on-hover-or-focus). A finger goes straight to what it touches.
 */
export function usePeek() {
  const [isPeeking, setIsPeeking] = useState(false);
  useEffect(() => {
    if (!isPeeking) return undefined;
    // The mouse may be over the part while the focus is elsewhere.
    const closeOnEscape = ({ key }: KeyboardEvent) => key === "Escape" && setIsPeeking(false);
    addEventListener("keydown", closeOnEscape);
    return () => removeEventListener("keydown", closeOnEscape);
  }, [isPeeking]);
  const handlers = {
    onPointerEnter: (event: PointerEvent) => setIsPeeking(event.pointerType !== "touch"),
    onPointerLeave: () => setIsPeeking(false),
    onFocus: (event: FocusEvent) => {
      if (event.target.matches(":focus-visible")) setIsPeeking(true);
    },
    onBlur: (event: FocusEvent) => {
      if (!event.currentTarget.contains(event.relatedTarget) && !event.currentTarget.matches(":hover")) setIsPeeking(false);
    },
  };
  return { isPeeking, handlers };
}
