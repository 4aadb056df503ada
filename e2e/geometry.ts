/* oxlint-disable unicorn/consistent-function-scoping -- What runs in the page can't reach out of it. */
import type { Page } from "playwright-core";

/** What of the screen nobody can bring into sight: a page that is too wide, parts beyond the window's sides, cells beyond their rows. */
export function inspectWidth(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    /** Edges lie between pixels. */
    const tolerancePx = 1;
    const complaints: string[] = [];
    const excess = document.documentElement.scrollWidth - innerWidth;
    if (excess > 0) complaints.push(`the page is ${excess} px too wide`);

    const isCutOffOnPurpose = (element: Element) => {
      for (let around = element.parentElement; around?.matches("main *"); around = around.parentElement) {
        if (getComputedStyle(around).overflowX !== "visible") return true;
      }
      return false;
    };
    const beyond = [...document.querySelectorAll("main *")].find((element) => {
      const { left, right, width } = element.getBoundingClientRect();
      return width > 0 && (left < -tolerancePx || right > innerWidth + tolerancePx) && !isCutOffOnPurpose(element);
    });
    if (beyond) complaints.push(`beyond the window's side: ${beyond.outerHTML.slice(0, 120)}`);

    const tooHigh = [...document.querySelectorAll("[role=gridcell]")].find((cell) => {
      const row = cell.closest("[role=row]")?.getBoundingClientRect();
      const { top, bottom, height } = cell.getBoundingClientRect();
      return row && height > 0 && (top < row.top - tolerancePx || bottom > row.bottom + tolerancePx);
    });
    if (tooHigh) complaints.push(`beyond its row: ${tooHigh.outerHTML.slice(0, 120)}`);
    return complaints;
  });
}

/** Returns what tells the parts that have moved since it was asked last; what moves within half a second of a click or a key counts not. */
export async function watchShifts(page: Page): Promise<() => Promise<string[]>> {
  await page.evaluate(() => {
    const shifts: string[] = [];
    Object.assign(window, { takeShifts: () => shifts.splice(0) });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, sources } = entry as PerformanceEntry & { value: number; sources: { node: Node | null }[] };
        // As large as the one that web.dev calls good for a whole visit.
        if (value > 0.1)
          shifts.push(
            `${value} ${sources.map(({ node }) => (node instanceof Element ? node.outerHTML : (node?.textContent ?? "")).slice(0, 120)).join(", ")}`,
          );
      }
    }).observe({ type: "layout-shift" });
  });
  return () => page.evaluate("takeShifts()");
}

/** What is wrong with where the page's parts are: too wide a page, controls outside of the window, controls over each other. */
export function inspectGeometry(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    type Box = { left: number; top: number; right: number; bottom: number };
    /** Parts may touch, and their edges lie between pixels. */
    const tolerancePx = 1;

    /** What of the element is in sight: its box within those of all around it that cut off what overflows them. */
    function seenBox(element: Element): Box {
      const { left, top, right, bottom } = element.getBoundingClientRect();
      const box = { left, top, right, bottom };
      for (let around = element.parentElement; around && around !== document.body; around = around.parentElement) {
        const { overflowX, overflowY } = getComputedStyle(around);
        const edge = around.getBoundingClientRect();
        if (overflowX !== "visible") {
          box.left = Math.max(box.left, edge.left);
          box.right = Math.min(box.right, edge.right);
        }
        if (overflowY !== "visible") {
          box.top = Math.max(box.top, edge.top);
          box.bottom = Math.min(box.bottom, edge.bottom);
        }
      }
      return box;
    }

    /** What floats over the page may lie over anything but another part that floats. */
    function layerOf(element: Element): Element {
      for (let around: Element | null = element; around; around = around.parentElement) {
        if (getComputedStyle(around).position === "fixed") return around.matches("[data-screen-only]") ? document.head : around;
      }
      return document.body;
    }

    const nameOf = (element: Element) =>
      `${element.tagName.toLowerCase()} "${(element.getAttribute("aria-label") ?? element.textContent ?? "").trim().slice(0, 30)}"`;
    const complaints: string[] = [];
    const excess = document.documentElement.scrollWidth - innerWidth;
    if (excess > 0) complaints.push(`the page is ${excess} px too wide`);

    const controls = [...document.querySelectorAll("a[href], button, input, select, textarea, summary")]
      .filter((element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
      .filter((element) => getComputedStyle(element).clipPath === "none" || !element.matches(".sr-only"))
      .map((element) => ({ element, box: seenBox(element), layer: layerOf(element) }))
      .filter(({ box }) => box.right - box.left > tolerancePx && box.bottom - box.top > tolerancePx);
    if (controls.length === 0) complaints.push("no control is in sight");

    for (const [index, { element, box, layer }] of controls.entries()) {
      if (box.left < -tolerancePx || box.right > innerWidth + tolerancePx) complaints.push(`${nameOf(element)} is outside of the window`);
      for (const other of controls.slice(index + 1)) {
        if (layer !== other.layer || element.contains(other.element) || other.element.contains(element)) continue;
        const width = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
        const height = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
        if (width > tolerancePx && height > tolerancePx) {
          complaints.push(`${nameOf(element)} and ${nameOf(other.element)} share ${Math.round(width)} × ${Math.round(height)} px`);
        }
      }
    }
    return complaints;
  });
}
