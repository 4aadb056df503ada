import { Link, useLocation } from "@tanstack/react-router";
import { Suspense } from "react";
import { firstPart } from "../lazy-screen.ts";
import { useText } from "../i18n/i18n.tsx";
import { useUser } from "../session/session.ts";
import type { Ground } from "./layouts.ts";
import { MenuBadge } from "./menu-badge.tsx";
import { isActiveAt, itemsOf, menu, visibleMenu, type MenuItem } from "./menu.ts";
import { useFitting } from "./use-fitting.ts";

/** Loaded where the line is cut: menu and positioning weigh 30 kB, which no other layout needs. */
const MenuMore = firstPart(() => import("./menu-more.tsx"));

/** The menu as one line; what doesn't fit on it waits behind 'More'. */
export function MenuStrip({ ground }: { ground: Ground }) {
  const t = useText();
  const user = useUser();
  const items = itemsOf(visibleMenu(menu, user?.role ?? []));
  const { line, fitting } = useFitting();
  const isCut = fitting < items.length;
  return (
    <nav aria-label={t("sidebar.menu")} data-ground={ground} className="sticky top-0 z-20 h-(--strip-height) shrink-0 border-b border-line">
      <div className="mx-auto flex h-full max-w-(--page-width) items-center gap-1 px-3 sm:px-5">
        <ul ref={line} className="flex h-10 min-w-0 flex-1 flex-wrap gap-x-1 overflow-hidden">
          {items.map((item, index) => (
            <li key={item.id} className={index < fitting ? "" : "invisible"}>
              <StripItem item={item} />
            </li>
          ))}
        </ul>
        {isCut && (
          <Suspense>
            <MenuMore items={items.slice(fitting)} />
          </Suspense>
        )}
      </div>
    </nav>
  );
}

function StripItem({ item }: { item: MenuItem }) {
  const t = useText();
  const isActive = useLocation({ select: ({ pathname }) => isActiveAt(pathname, item) });
  const Icon = item.icon;
  return (
    <Link
      to={item.url}
      aria-current={isActive ? "page" : undefined}
      className={`flex h-10 items-center gap-2 rounded-full px-4 whitespace-nowrap ${isActive ? "bg-active font-medium text-on-active" : "hover:bg-hover"}`}
    >
      <Icon aria-hidden className="size-4.5 shrink-0" strokeWidth={1.8} />
      {t(item.title)}
      {item.badge && <MenuBadge badge={item.badge} className="px-2 py-px text-xs" />}
    </Link>
  );
}
