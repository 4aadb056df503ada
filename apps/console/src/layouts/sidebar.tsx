import type { ReactNode } from "react";
import { useText } from "../i18n/i18n.tsx";
import { RoleChip } from "../session/role-chip.tsx";
import { useUser } from "../session/session.ts";
import { MenuList } from "./menu-list.tsx";
import { menu, visibleMenu } from "./menu.ts";
import { TenantMark } from "./tenant-mark.tsx";
import { useTenantSign } from "./tenant-sign.ts";
import { usePeek } from "./use-peek.ts";
import { UserBlock } from "./user-block.tsx";
import { Version } from "./version.tsx";

type SidebarProps = {
  /** Icons only; the whole sidebar shows over the content while the pointer or the keyboard is in it. */
  isMini: boolean;
  isInset: boolean;
  hasUser: boolean;
  /** What stands on top, as high as the header: the logo, where the header doesn't show it. */
  head?: ReactNode;
};

/** The sidebar that has a place of its own in the frame. */
export function Sidebar({ isMini, isInset, ...content }: SidebarProps) {
  const { isPeeking, handlers } = usePeek();
  const isCut = isMini && !isPeeking;
  return (
    <div
      className={`relative z-30 shrink-0 transition-[width] duration-200 ${isMini ? "w-(--mini-sidebar-width)" : "w-(--sidebar-width)"} ${
        isInset ? "my-[30px] ms-[30px]" : ""
      }`}
    >
      <aside
        data-ground="sidebar"
        {...handlers}
        className={`absolute inset-y-0 start-0 overflow-clip transition-[width] duration-200 ${isInset ? "rounded-[30px]" : "border-e border-line"} ${
          isCut ? "w-(--mini-sidebar-width)" : "w-(--sidebar-width)"
        } ${isMini && isPeeking ? "shadow-2xl" : ""}`}
      >
        <SidebarContent isCut={isCut} {...content} />
      </aside>
    </div>
  );
}

type SidebarContentProps = Pick<SidebarProps, "hasUser" | "head"> & { isCut?: boolean; onNavigate?: () => void };

export function SidebarContent({ hasUser, head, isCut = false, onNavigate }: SidebarContentProps) {
  const t = useText();
  const user = useUser();
  return (
    <div className="flex h-full flex-col">
      {head && <div className="flex h-(--header-height) shrink-0 items-center border-b border-line">{head}</div>}
      {user && hasUser && <UserBlock user={user} />}
      <TenantBlock />
      <nav aria-label={t("sidebar.menu")} className="min-h-0 flex-1 overflow-x-hidden scroll-py-3 overflow-y-auto py-3">
        <MenuList nodes={visibleMenu(menu, user?.role ?? [])} isMini={isCut} onNavigate={onNavigate} />
      </nav>
      <Version
        className={`shrink-0 border-t border-line py-3 whitespace-nowrap ${isCut ? "text-center text-[0.6875rem]" : "px-5 text-xs"}`}
      />
    </div>
  );
}

/** Whose data the screens show, and what one may do there. */
function TenantBlock() {
  const t = useText();
  const { name, colour } = useTenantSign();
  return (
    <div className="flex shrink-0 items-center border-b border-line py-3" title={name}>
      <TenantMark colour={colour} className="mx-[calc((var(--mini-sidebar-width)-1.125rem)/2)]" />
      {/* As wide in a cut sidebar as in the whole one, so that the name has as many lines in both and the menu stays where it is. */}
      <div className="w-[calc(min(var(--sidebar-width),85vw)-var(--mini-sidebar-width))] shrink-0 pe-4">
        <div className="flex items-center justify-between gap-3">
          <p className="truncate text-xs text-muted">{t("sidebar.tenant")}</p>
          <RoleChip className="shrink-0" />
        </div>
        <p className="line-clamp-2 font-medium break-words">{name}</p>
      </div>
    </div>
  );
}
