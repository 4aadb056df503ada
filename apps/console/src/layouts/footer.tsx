import { footerType, isFooterShown } from "../settings.ts";

const year = new Date().getFullYear();

/** The line under the screen: after its end, or always in sight. */
export function Footer({ width }: { width: string }) {
  const isShown = isFooterShown.use();
  const isFixed = footerType.use() === "fixed";
  if (!isShown) return null;
  return (
    <footer data-ground="paper" className={`shrink-0 border-t border-line ${isFixed ? "sticky bottom-0 z-10" : ""}`}>
      <div className={`flex min-h-12 flex-wrap items-center justify-between gap-x-4 gap-y-1 px-3 py-1.5 sm:px-5 ${width}`}>
        <p className="text-xs text-muted">© {year} Crossdock</p>
      </div>
    </footer>
  );
}
