import type { MouseEvent } from "react";

/**
 * Gives a button that is clicked the focus, as most browsers do by themselves: in Safari, and in Firefox on a Mac, what it stands in has it
 * then, so that what it opens would give it back to the first control there.
 */
export function focusClicked({ target, isTrusted }: MouseEvent): void {
  const button = isTrusted && target instanceof Element && target.closest("button");
  const holder = document.activeElement;
  // It may have gone on already, as into a menu.
  if (button && button !== holder && holder?.contains(button)) button.focus({ focusVisible: false });
}
