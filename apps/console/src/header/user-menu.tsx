import { Link } from "@tanstack/react-router";
import { CircleUser, LogOut } from "lucide-react";
import { useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { RoleChip } from "../session/role-chip.tsx";
import { signOut, useUser } from "../session/session.ts";
import { Avatar, displayName } from "./avatar.tsx";
import { HeaderPopover } from "./header-popover.tsx";

export function UserMenu() {
  const t = useText();
  const user = useUser();
  const [isLeaving, setIsLeaving] = useState(false);
  if (!user) return null;
  const name = displayName(user);
  const leave = () => {
    setIsLeaving(true);
    void signOut();
  };
  return (
    <HeaderPopover label={t("user.menu", { name })} trigger={<Avatar name={name} photo={user.avatar} />}>
      {(close) => (
        <>
          <div className="flex items-center gap-3 border-b border-line p-4">
            <Avatar name={name} photo={user.avatar} className="size-11 text-lg" />
            <div className="min-w-0">
              <p dir="auto" className="truncate font-medium" title={user.email}>
                {name}
              </p>
              <p className="truncate text-muted">{t("user.subtitle")}</p>
            </div>
            <RoleChip className="ms-auto shrink-0" />
          </div>
          <div className="p-2">
            <Link
              to="/account"
              onClick={close}
              className="flex min-h-11 w-full items-center gap-3 rounded-button px-3 text-start hover:bg-hover"
            >
              <CircleUser aria-hidden className="size-4.5" />
              {t("account.title")}
            </Link>
            <button
              type="button"
              aria-disabled={isLeaving || undefined}
              aria-busy={isLeaving || undefined}
              onClick={isLeaving ? undefined : leave}
              className={`flex min-h-11 w-full items-center gap-3 rounded-button px-3 text-start hover:bg-hover ${isLeaving ? "animate-pulse" : ""}`}
            >
              <LogOut aria-hidden className="size-4.5 rtl:-scale-x-100" />
              {t("user.logout")}
            </button>
          </div>
        </>
      )}
    </HeaderPopover>
  );
}
