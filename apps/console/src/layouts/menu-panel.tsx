import { ChevronLeft } from "lucide-react";
import { useText } from "../i18n/i18n.tsx";
import { isMenuCollapsed } from "../settings.ts";
import { Environment } from "./environment.tsx";
import { SidebarContent } from "./sidebar.tsx";

/** The menu beside the rail of icons; the round button on its edge puts it away. */
export function MenuPanel({ isCollapsed }: { isCollapsed: boolean }) {
  const t = useText();
  const head = (
    <div className="flex min-w-0 px-5">
      <Environment />
    </div>
  );
  return (
    <div className={`relative z-30 shrink-0 transition-[width] duration-200 ${isCollapsed ? "w-0" : "w-(--sidebar-width)"}`}>
      {!isCollapsed && (
        <aside data-ground="sidebar" className="absolute inset-0 overflow-clip border-e border-line">
          <SidebarContent hasUser head={head} />
        </aside>
      )}
      <button
        type="button"
        aria-label={t(isCollapsed ? "sidebar.expand" : "sidebar.collapse")}
        title={t(isCollapsed ? "sidebar.expand" : "sidebar.collapse")}
        aria-expanded={!isCollapsed}
        onClick={() => isMenuCollapsed.set(!isCollapsed)}
        className="absolute top-[calc(var(--header-height)-14px)] -inset-e-3.5 grid size-7 place-items-center rounded-full border border-line bg-paper text-ink shadow-md hover:bg-primary-soft"
      >
        <ChevronLeft aria-hidden className={`size-4 ${isCollapsed ? "rotate-180 rtl:rotate-0" : "rtl:rotate-180"}`} />
      </button>
    </div>
  );
}
