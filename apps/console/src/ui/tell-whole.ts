import type { PointerEvent } from "react";

/** Shows under the pointer what is cut; a tooltip that an element has by itself stays. */
export function tellWhole({ target }: PointerEvent): void {
  const cut = target instanceof Element ? target.closest<HTMLElement>(".truncate, .line-clamp-2") : null;
  if (!cut || !isCut(cut) || (cut.title && cut.dataset["told"] === undefined)) return;
  cut.dataset["told"] = "";
  cut.title = cut.innerText;
}

/** Descenders reach below the last line that is shown, though by less than half a line. */
function isCut({ scrollWidth, clientWidth, scrollHeight, clientHeight, classList }: HTMLElement): boolean {
  return scrollWidth > clientWidth || (classList.contains("line-clamp-2") && scrollHeight > clientHeight + 8);
}
