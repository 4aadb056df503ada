import { useSyncExternalStore } from "react";
import { headerType, navStyle, themeStyle, type HeaderType, type NavStyle } from "../settings.ts";
import type { Scrolls } from "../ui/scroller.tsx";

/** A coloured area; theme.css names the colours on it. */
export type Ground = "paper" | "sidebar" | "deep" | "bright";

/** What one navigation style is made of. The frame reads it; nothing else tells the styles apart. */
export type Layout = {
  scrolls: Scrolls;
  /** The header stands above menu and content, beside the menu, or its tools are in a rail of icons. */
  header: "above" | "beside" | "rail";
  /**
   * sidebar: always whole. mini: icons, whole over the content while in use. toggled: one or the other, as the operator likes.
   * panel: whole or gone. drawer: over the content when called. strip: a line of its own under the header.
   */
  menu: "sidebar" | "mini" | "toggled" | "panel" | "drawer" | "strip";
  /** Where the user's block is. */
  user: "menu" | "header";
  headerGround: Ground;
  menuGround: Ground;
  /** In the modern theme style the sidebar floats, with room around it. */
  isInsetInModern?: boolean;
};

const vertical = { scrolls: "content", headerGround: "paper", menuGround: "sidebar" } as const;
const horizontal = { scrolls: "page", header: "above", menu: "strip", user: "header" } as const;

const layouts: Record<NavStyle, Layout> = {
  standard: { ...vertical, header: "beside", menu: "sidebar", user: "menu" },
  default: { ...vertical, header: "above", menu: "sidebar", user: "menu", isInsetInModern: true },
  "mini-sidebar-toggle": { ...vertical, header: "beside", menu: "toggled", user: "menu" },
  "user-header": { ...vertical, header: "above", menu: "sidebar", user: "header" },
  "user-mini-header": { ...vertical, header: "above", menu: "mini", user: "header" },
  mini: { ...vertical, header: "beside", menu: "mini", user: "menu" },
  drawer: { ...vertical, header: "above", menu: "drawer", user: "menu" },
  "bit-bucket": { ...vertical, header: "rail", menu: "panel", user: "menu" },
  "h-default": { ...horizontal, headerGround: "paper", menuGround: "bright" },
  "hor-light-nav": { ...horizontal, headerGround: "bright", menuGround: "paper" },
  "hor-dark-layout": { ...horizontal, headerGround: "bright", menuGround: "bright" },
};

/** How a style looks where there is room for it, and where there is not: then all are a hamburger and a drawer. */
export function layoutOf(style: NavStyle, isWide: boolean, header: HeaderType): Layout {
  const layout = layouts[style];
  const headerGround = layout.headerGround === "paper" && header === "dark" ? "deep" : layout.headerGround;
  return isWide ? { ...layout, headerGround } : { ...layouts.drawer, headerGround };
}

const wide = matchMedia("(width >= 1280px)");

function subscribeToWidth(listener: () => void): () => void {
  wide.addEventListener("change", listener);
  return () => wide.removeEventListener("change", listener);
}

export function useLayout(): Layout {
  const isWide = useSyncExternalStore(subscribeToWidth, () => wide.matches);
  return layoutOf(navStyle.use(), isWide, headerType.use());
}

export function useIsInset({ isInsetInModern = false }: Layout): boolean {
  return themeStyle.use() === "modern" && isInsetInModern;
}

/** A page that scrolls as a whole keeps its lines readable on a wide screen. */
export function widthOf(scrolls: Scrolls): string {
  return scrolls === "page" ? "mx-auto w-full max-w-(--page-width)" : "w-full";
}
