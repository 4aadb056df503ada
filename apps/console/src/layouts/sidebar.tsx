import type { CurrentUser, Queue, Role } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { LogOut } from "lucide-react";
import { useState } from "react";
import { useIntl } from "react-intl";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { signOut, useUser } from "../session.ts";
import { IconButton } from "../ui/button.tsx";
import { queuesQuery, useActiveTenant } from "../workspace.ts";
import { Logo } from "./logo.tsx";
import { menu, type Badge, type MenuItem } from "./menu.ts";

const roleLabels: Record<Role, TextKey> = { admin: "role.admin", user: "role.user", viewer: "role.viewer", gateway: "role.viewer" };
/** Strongest first: the sidebar shows one role. */
const roleOrder: Role[] = ["admin", "user", "viewer"];

const versionLabel = "v. 0.9.45β";

export function Sidebar({ onNavigate }: { onNavigate?: () => void }) {
  const t = useText();
  const user = useUser();
  const tenant = useActiveTenant();
  return (
    <aside className="flex h-full flex-col border-e border-sidebar-line bg-sidebar text-sidebar-ink">
      <div className="flex h-(--header-height) shrink-0 items-center border-b border-sidebar-line px-5">
        <Logo />
      </div>
      {user && <UserBlock user={user} />}
      <div className="border-b border-sidebar-line px-5 py-3">
        <p className="text-xs text-sidebar-muted">{t("sidebar.tenant")}</p>
        <p className="truncate font-medium">{tenant ? tenant.name || tenant.code : t("sidebar.noTenant")}</p>
      </div>
      <nav aria-label={t("sidebar.menu")} className="min-h-0 flex-1 overflow-y-auto py-3 pe-4">
        <ul className="grid gap-1">
          {menu.map((item) => (
            <MenuLink key={item.url} item={item} tenantCode={tenant?.code ?? null} onNavigate={onNavigate} />
          ))}
        </ul>
      </nav>
      <p className="shrink-0 border-t border-sidebar-line px-5 py-3 text-xs text-sidebar-muted" title={`Crossdock ${BUILD_VERSION}`}>
        {versionLabel}
      </p>
    </aside>
  );
}

function UserBlock({ user }: { user: CurrentUser }) {
  const t = useText();
  const name = user.name || user.email;
  const [isLeaving, setIsLeaving] = useState(false);
  const leave = () => {
    setIsLeaving(true);
    void signOut();
  };
  const role = roleOrder.find((candidate) => user.role.includes(candidate)) ?? "viewer";
  return (
    <div className="flex items-center gap-3 border-b border-sidebar-line py-3 ps-5 pe-3">
      {user.avatar ? (
        <img src={user.avatar} alt="" className="size-10 rounded-full object-cover" />
      ) : (
        <span
          aria-hidden
          className="grid size-10 shrink-0 place-items-center rounded-full bg-primary text-lg font-semibold text-on-primary"
        >
          {name.charAt(0).toUpperCase()}
        </span>
      )}
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium" title={user.email}>
          {name}
        </p>
        <p className="truncate text-xs text-sidebar-muted">
          {t("user.subtitle")} · {t(roleLabels[role])}
        </p>
      </div>
      <IconButton
        label={t("user.logout")}
        aria-busy={isLeaving}
        disabled={isLeaving}
        onClick={leave}
        className={isLeaving ? "animate-pulse" : ""}
      >
        <LogOut aria-hidden className="size-4.5 rtl:-scale-x-100" />
      </IconButton>
    </div>
  );
}

type MenuLinkProps = { item: MenuItem; tenantCode: string | null; onNavigate: (() => void) | undefined };

function MenuLink({ item, tenantCode, onNavigate }: MenuLinkProps) {
  const t = useText();
  const path = useLocation({ select: (location) => location.pathname });
  const isActive = path === item.url || item.alsoUnder.some((prefix) => path.startsWith(prefix));
  const Icon = item.icon;
  return (
    <li>
      <Link
        to={item.url}
        onClick={onNavigate}
        aria-current={isActive ? "page" : undefined}
        className={`flex h-10 items-center gap-3.5 rounded-e-full ps-5 pe-3 ${
          isActive ? "bg-primary font-medium text-on-primary" : "text-sidebar-ink hover:bg-hover"
        }`}
      >
        <Icon aria-hidden className="size-4.5 shrink-0" strokeWidth={1.8} />
        <span className="min-w-0 flex-1 truncate">{t(item.title)}</span>
        {item.badge && tenantCode !== null && <MenuBadge badge={item.badge} tenantCode={tenantCode} title={t(item.title)} />}
      </Link>
    </li>
  );
}

function MenuBadge({ badge, tenantCode, title }: { badge: Badge; tenantCode: string; title: string }) {
  const { formatNumber } = useIntl();
  const { data: count = 0 } = useQuery({ ...queuesQuery(tenantCode), select: ({ items }) => sumOf(items, badge) });
  if (count === 0) return null;
  return (
    <span
      aria-label={`${title}: ${formatNumber(count)}`}
      className={`rounded-full px-2 py-px text-xs font-semibold ${badge === "dead" ? "bg-bad-soft text-bad" : "bg-warn-soft text-warn"}`}
    >
      {formatNumber(count, { notation: "compact" })}
    </span>
  );
}

function sumOf(queues: Queue[], badge: Badge): number {
  return queues.reduce((sum, queue) => sum + queue.depth[badge], 0);
}
