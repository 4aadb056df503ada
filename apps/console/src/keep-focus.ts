import { focusHeading } from "./focus-heading.ts";

const dialogs = "[role=dialog][tabindex]:not([popover]), [role=alertdialog][tabindex], :popover-open";

const isLost = (): boolean => document.activeElement === document.body;

/**
 * What had the focus may go with what was done by it, such as the button of a message that is dealt with, or a form that is saved. The keyboard
 * goes on in the dialog, drawer or popover that is left, else at the heading. A dialog that is just being opened is about to take it by itself,
 * to where it is wanted there. Ends when the returned function is called.
 */
export function keepFocus(): () => void {
  let holder: Element | null = null;
  const entered = new WeakSet<Element>();
  const note = ({ target }: FocusEvent): void => {
    holder = target instanceof Element ? target : null;
    const dialog = holder?.closest(dialogs);
    if (dialog) entered.add(dialog);
  };
  const observer = new MutationObserver(() => {
    if (holder === null || holder.isConnected || !isLost()) return;
    holder = null;
    // Whoever took it away may know a better place.
    requestAnimationFrame(() => {
      if (!isLost()) return;
      const dialog = [...document.querySelectorAll<HTMLElement>(dialogs)].at(-1);
      if (!dialog) focusHeading();
      else if (entered.has(dialog)) dialog.focus({ preventScroll: true });
    });
  });
  document.addEventListener("focusin", note);
  observer.observe(document.body, { childList: true, subtree: true });
  return () => {
    document.removeEventListener("focusin", note);
    observer.disconnect();
  };
}
