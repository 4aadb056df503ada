import type { CurrentUser } from "@crossdock/contract";
import { LogOut } from "lucide-react";
import { useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { signOut } from "../session.ts";
import { IconButton } from "../ui/button.tsx";

export function UserBlock({ user }: { user: CurrentUser }) {
  const t = useText();
  const name = user.name || user.email;
  const [isLeaving, setIsLeaving] = useState(false);
  const leave = () => {
    setIsLeaving(true);
    void signOut();
  };
  return (
    <div className="flex shrink-0 items-center border-b border-line py-3 whitespace-nowrap">
      <span className="grid w-(--mini-sidebar-width) shrink-0 place-items-center">
        <span aria-hidden className="grid size-10 place-items-center rounded-full bg-primary text-lg font-semibold text-on-primary">
          {name.charAt(0).toUpperCase()}
        </span>
      </span>
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium" title={user.email}>
          {name}
        </p>
        <p className="truncate text-xs text-muted">{t("user.subtitle")}</p>
      </div>
      <IconButton
        label={t("user.logout")}
        aria-busy={isLeaving}
        disabled={isLeaving}
        onClick={leave}
        className={`me-3 ${isLeaving ? "animate-pulse" : ""}`}
      >
        <LogOut aria-hidden className="size-4.5 rtl:-scale-x-100" />
      </IconButton>
    </div>
  );
}
