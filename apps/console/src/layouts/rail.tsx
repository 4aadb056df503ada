import { Settings } from "lucide-react";
import { LanguageSwitcher } from "../header/language-switcher.tsx";
import { MessagesPopover } from "../header/messages-popover.tsx";
import { NotificationsPopover } from "../header/notifications-popover.tsx";
import { SearchBox } from "../header/search-box.tsx";
import { useText } from "../i18n/i18n.tsx";
import { IconButton } from "../ui/button.tsx";
import { LogoMark } from "./logo.tsx";

/** The header's tools as a column of icons. */
export function Rail({ onCustomize }: { onCustomize: () => void }) {
  const t = useText();
  return (
    <header
      data-ground="sidebar"
      className="flex w-(--mini-sidebar-width) shrink-0 flex-col items-center gap-2 overflow-y-auto border-e border-line pb-3"
    >
      <div className="grid h-(--header-height) shrink-0 place-items-center">
        <LogoMark />
      </div>
      <div className="flex w-9 shrink-0">
        <SearchBox />
      </div>
      <LanguageSwitcher />
      <MessagesPopover />
      <NotificationsPopover />
      <IconButton label={t("customizer.title")} aria-haspopup="dialog" onClick={onCustomize} className="mt-auto">
        <Settings aria-hidden className="size-5" />
      </IconButton>
    </header>
  );
}
