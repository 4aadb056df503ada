import type { Layout } from "../layouts/layouts.ts";

export type Box = { x: number; y: number; width: number; height: number };

/** Sizes on a screen of 72 by 48. */
const header = 9;
const strip = 6;
const rail = 7;
const gap = 3;
const menuWidths: Record<Layout["menu"], number> = { sidebar: 19, mini: 7, toggled: 7, panel: 15, drawer: 0, strip: 0 };

type Regions = { header: Box | null; menu: Box | null; rail: Box | null; content: Box };

/** Where the parts of a layout are on a small screen. */
export function regionsOf(layout: Layout, { width, height }: { width: number; height: number }): Regions {
  const headerHeight = layout.header === "rail" ? 0 : header;
  const stripHeight = layout.menu === "strip" ? strip : 0;
  const railWidth = layout.header === "rail" ? rail : 0;
  const menuWidth = menuWidths[layout.menu];
  const left = railWidth + menuWidth;
  const top = headerHeight + stripHeight;
  const menuTop = layout.header === "above" ? headerHeight : 0;
  const headerLeft = layout.header === "above" ? 0 : left;
  const beside = { x: railWidth, y: menuTop, width: menuWidth, height: height - menuTop };
  return {
    header: headerHeight === 0 ? null : { x: headerLeft, y: 0, width: width - headerLeft, height: headerHeight },
    rail: railWidth === 0 ? null : { x: 0, y: 0, width: railWidth, height },
    menu: stripHeight > 0 ? { x: 0, y: headerHeight, width, height: strip } : menuWidth === 0 ? null : beside,
    content: { x: left + gap, y: top + gap, width: width - left - 2 * gap, height: height - top - 2 * gap },
  };
}
