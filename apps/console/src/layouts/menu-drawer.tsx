import { Dialog } from "@base-ui/react/dialog";
import { Menu } from "lucide-react";
import { useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { IconButton } from "../ui/button.tsx";
import { SidebarLogo } from "./logo.tsx";
import { SidebarContent } from "./sidebar.tsx";

/** The hamburger and what it opens. */
export function MenuDrawer() {
  const t = useText();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Dialog.Root open={isOpen} onOpenChange={setIsOpen}>
      <Dialog.Trigger
        render={
          <IconButton label={t("header.openMenu")}>
            <Menu aria-hidden className="size-5" />
          </IconButton>
        }
      />
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 animate-appear bg-backdrop" />
        <Dialog.Popup
          aria-label={t("sidebar.menu")}
          data-ground="sidebar"
          className="fixed inset-y-0 start-0 z-40 w-[min(var(--sidebar-width),85vw)] shadow-2xl"
        >
          <SidebarContent hasUser head={<SidebarLogo />} onNavigate={() => setIsOpen(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
