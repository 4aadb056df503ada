import { Link } from "@tanstack/react-router";
import { Settings } from "lucide-react";
import { JobsPopover } from "../header/jobs-popover.tsx";
import { LanguageSwitcher } from "../header/language-switcher.tsx";
import { MessagesPopover } from "../header/messages-popover.tsx";
import { NotificationsPopover } from "../header/notifications-popover.tsx";
import { SearchBox } from "../header/search-box.tsx";
import { UserMenu } from "../header/user-menu.tsx";
import { useText } from "../i18n/i18n.tsx";
import { IconButton } from "../ui/button.tsx";
import { Environment } from "./environment.tsx";
import { LogoMark } from "./logo.tsx";
import { TenantMark } from "./tenant-mark.tsx";
import { useTenantSign } from "./tenant-sign.ts";
import { Version } from "./version.tsx";

type RailProps = {
  /** The panel beside it is put away, so that it also shows who works where. */
  isAlone: boolean;
  onSearch: () => void;
  onCustomize: () => void;
};

/** The header's tools as a column of icons. */
export function Rail({ isAlone, onSearch, onCustomize }: RailProps) {
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
        <SearchBox onOpen={onSearch} />
      </div>
      <LanguageSwitcher />
      <JobsPopover />
      <MessagesPopover />
      <NotificationsPopover />
      <div className="mt-auto flex flex-col items-center gap-2">
        {isAlone && <Whereabouts />}
        <IconButton label={t("customizer.title")} aria-haspopup="dialog" onClick={onCustomize}>
          <Settings aria-hidden className="size-5" />
        </IconButton>
        {isAlone && <Version className="text-[0.6875rem]" />}
      </div>
    </header>
  );
}

/** In the width of an icon: the installation, whose data the screens show, and who is signed in. */
function Whereabouts() {
  const { name, colour } = useTenantSign();
  return (
    <>
      <Environment className="mx-0.5 rounded-lg px-0.5 py-px text-center text-[0.625rem] wrap-anywhere" />
      <Link to="/tenant-list" aria-label={name} title={name} className="grid size-11 place-items-center rounded-full hover:bg-hover">
        <TenantMark colour={colour} />
      </Link>
      <UserMenu />
    </>
  );
}
