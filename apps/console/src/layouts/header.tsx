import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Banner } from "../header/banner.tsx";
import { JobsPopover } from "../header/jobs-popover.tsx";
import { LanguageSwitcher } from "../header/language-switcher.tsx";
import { MessagesPopover } from "../header/messages-popover.tsx";
import { NotificationsPopover } from "../header/notifications-popover.tsx";
import { SearchBox } from "../header/search-box.tsx";
import { UserMenu } from "../header/user-menu.tsx";
import { useText } from "../i18n/i18n.tsx";
import { Environment, Standstill } from "./environment.tsx";
import { widthOf, type Layout } from "./layouts.ts";
import { TenantMark } from "./tenant-mark.tsx";
import { useTenantSign } from "./tenant-sign.ts";

type HeaderProps = {
  layout: Layout;
  /** What the layout puts first: the logo, or what opens the menu. */
  start: ReactNode;
  onSearch: () => void;
};

export function Header({ layout, start, onSearch }: HeaderProps) {
  const isMenuInSight = layout.menu !== "drawer" && layout.menu !== "strip";
  return (
    <header data-ground={layout.headerGround} className="h-(--header-height) shrink-0 border-b border-line">
      <div className={`flex h-full items-center gap-2 px-3 sm:gap-3 sm:px-5 ${widthOf(layout.scrolls)}`}>
        {start}
        <div className="flex min-w-0 items-center gap-2">
          <div className={isMenuInSight ? "contents" : "hidden sm:contents"}>
            <Environment />
          </div>
          {!isMenuInSight && <ActiveTenant />}
        </div>
        <div className="ms-auto flex w-9 shrink-0 sm:w-auto sm:max-w-72 sm:flex-1 sm:shrink">
          <SearchBox onOpen={onSearch} />
        </div>
        <div className="flex shrink-0 items-center sm:gap-1">
          <LanguageSwitcher />
          <JobsPopover />
          <MessagesPopover />
          <NotificationsPopover />
          {layout.user === "header" && <UserMenu />}
        </div>
      </div>
    </header>
  );
}

/** What is amiss, and announcements, over the header where there is one. */
export function BannerSlot({ layout }: { layout: Layout }) {
  return (
    <div data-ground={layout.headerGround} className="shrink-0">
      <div className={widthOf(layout.scrolls)}>
        <Standstill />
        <Banner />
      </div>
    </div>
  );
}

/** Whose data the screens show, where no sidebar tells; the way to another one. A phone has room for nothing else: its menu tells the installation. */
function ActiveTenant() {
  const t = useText();
  const { name, colour } = useTenantSign();
  return (
    <Link
      to="/tenant-list"
      title={t("text.labelled", { label: t("sidebar.tenant"), value: name })}
      className="flex h-9 min-w-0 items-center gap-2.5 rounded-full px-1.5 font-medium hover:bg-hover sm:px-3"
    >
      <TenantMark colour={colour} />
      <bdi className="truncate">{name}</bdi>
    </Link>
  );
}
