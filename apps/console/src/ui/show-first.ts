/** As the ref of what an address names among others: brings it into view, once and not with every change. */
export function showFirst(item: HTMLElement | null): void {
  item?.scrollIntoView({ block: "center" });
}
