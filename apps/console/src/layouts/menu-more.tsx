import { Menu } from "@base-ui/react/menu";
import { Link, useLocation } from "@tanstack/react-router";
import { ChevronDown } from "lucide-react";
import { useText } from "../i18n/i18n.tsx";
import { MenuBadge } from "./menu-badge.tsx";
import { isActiveAt, type MenuItem } from "./menu.ts";

/** The entries that found no room on the strip. */
export default function MenuMore({ items }: { items: MenuItem[] }) {
  const t = useText();
  const path = useLocation({ select: ({ pathname }) => pathname });
  const isActive = items.some((item) => isActiveAt(path, item));
  return (
    <Menu.Root>
      <Menu.Trigger
        className={`flex h-10 shrink-0 items-center gap-2 rounded-full px-4 ${isActive ? "bg-active font-medium text-on-active" : "hover:bg-hover"}`}
      >
        {t("menu.more")}
        <ChevronDown aria-hidden className="size-4" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align="end" sideOffset={6} className="z-40">
          <Menu.Popup data-ground="paper" className="min-w-56 rounded-card border border-line py-2 shadow-xl outline-none">
            {items.map((item) => (
              <Menu.Item
                key={item.id}
                render={<Link to={item.url} aria-current={isActiveAt(path, item) ? "page" : undefined} />}
                className="flex h-10 items-center gap-3 px-4 aria-[current=page]:bg-active aria-[current=page]:text-on-active data-highlighted:bg-hover"
              >
                <item.icon aria-hidden className="size-4.5 shrink-0" strokeWidth={1.8} />
                <span className="flex-1">{t(item.title)}</span>
                {item.badge && <MenuBadge badge={item.badge} className="px-2 py-px text-xs" />}
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
