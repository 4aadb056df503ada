import { focusHeading } from "./focus-heading.ts";

const isLost = (): boolean => document.activeElement === document.body;

/**
 * What had the focus may go with what was done by it, such as the button of a message that is dealt with, or a form that is saved. The keyboard
 * goes on in the dialog or drawer that is left, else at the heading. Ends when the returned function is called.
 */
export function keepFocus(): () => void {
  let holder: Element | null = null;
  const note = ({ target }: FocusEvent): void => {
    holder = target instanceof Element ? target : null;
  };
  const observer = new MutationObserver(() => {
    if (holder === null || holder.isConnected || !isLost()) return;
    holder = null;
    // Whoever took it away may know a better place.
    requestAnimationFrame(() => {
      if (!isLost()) return;
      const dialog = [...document.querySelectorAll<HTMLElement>("[role=dialog][tabindex], [role=alertdialog][tabindex]")].at(-1);
      if (dialog) dialog.focus({ preventScroll: true });
      else focusHeading();
    });
  });
  document.addEventListener("focusin", note);
  observer.observe(document.body, { childList: true, subtree: true });
  return () => {
    document.removeEventListener("focusin", note);
    observer.disconnect();
  };
}
