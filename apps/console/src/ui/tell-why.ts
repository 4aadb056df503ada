/**
 * Says beside a control that can't be used why not, once it has the focus or is pressed: fingers and the keyboard come to no tooltip. Screen
 * readers know it by that already. What it stands over is pressed through it. Ends when the returned function is called.
 */
export function tellWhy(): () => void {
  const bubble = document.createElement("p");
  bubble.popover = "manual";
  bubble.role = "tooltip";
  bubble.className =
    "pointer-events-none m-auto max-w-[min(20rem,calc(100vw-1rem))] rounded-card bg-ink px-3 py-2 text-sm text-paper shadow-lg [position-try-fallbacks:flip-block] supports-[position-area:bottom]:m-1 supports-[position-area:bottom]:[position-area:bottom] print:hidden";
  document.body.append(bubble);
  const listening = new AbortController();
  const { signal } = listening;

  function show({ target }: Event): void {
    const control = target instanceof Element ? target.closest<HTMLElement>("[aria-disabled=true][title]") : null;
    bubble.hidePopover();
    // A tooltip that only names it, as of an icon, is no reason.
    if (control === null || control.title === control.getAttribute("aria-label")) return;
    bubble.textContent = control.title;
    bubble.showPopover({ source: control });
  }

  document.addEventListener("focusin", show, { signal });
  document.addEventListener("click", show, { signal });
  document.addEventListener("focusout", () => bubble.hidePopover(), { signal });
  document.addEventListener("keydown", ({ key }) => key === "Escape" && bubble.hidePopover(), { signal, capture: true });
  return () => {
    listening.abort();
    bubble.remove();
  };
}
