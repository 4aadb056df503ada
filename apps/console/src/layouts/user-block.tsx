import type { CurrentUser } from "@crossdock/contract";
import { displayName } from "../header/avatar.tsx";
import { UserMenu } from "../header/user-menu.tsx";
import { useText } from "../i18n/i18n.tsx";

/** Who is signed in, on top of the menu; the avatar opens the user's own menu. */
export function UserBlock({ user }: { user: CurrentUser }) {
  const t = useText();
  return (
    <div className="flex shrink-0 items-center border-b border-line py-3 whitespace-nowrap">
      <span className="grid w-(--mini-sidebar-width) shrink-0 place-items-center">
        <UserMenu />
      </span>
      <div className="min-w-0 flex-1 pe-4">
        <p dir="auto" className="truncate font-medium" title={user.email}>
          {displayName(user)}
        </p>
        <p className="truncate text-xs text-muted">{t("user.subtitle")}</p>
      </div>
    </div>
  );
}
