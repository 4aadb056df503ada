import type { PointerEvent } from "react";

/** Shows under the pointer what is cut; a tooltip that an element has by itself stays. */
export function tellWhole({ target }: PointerEvent): void {
  const cut = target instanceof Element ? target.closest<HTMLElement>(".truncate") : null;
  if (!cut || cut.scrollWidth <= cut.clientWidth || (cut.title && cut.dataset["told"] === undefined)) return;
  cut.dataset["told"] = "";
  cut.title = cut.innerText;
}
