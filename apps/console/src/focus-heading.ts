/** The keyboard goes on at the screen's heading; what has taken the focus on purpose (a field, a dialog) keeps it. */
export function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>("h1") ?? document.querySelector<HTMLElement>("main");
  const holder = document.activeElement;
  if (!heading || holder?.closest("main, [role=dialog], [role=alertdialog]")) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}
