import { Dialog } from "@base-ui/react/dialog";
import type { RefObject } from "react";
import { useText } from "../i18n/i18n.tsx";
import { Environment } from "./environment.tsx";
import { SidebarLogo } from "./logo.tsx";
import { SidebarContent } from "./sidebar.tsx";

type MenuDrawerPanelProps = { opener: RefObject<HTMLElement | null>; onClose: () => void };

/** The whole menu over the page. The focus goes back to what opened it. */
export default function MenuDrawerPanel({ opener, onClose }: MenuDrawerPanelProps) {
  const t = useText();
  const head = (
    <>
      <SidebarLogo />
      {/* A phone's header has no room for it. */}
      <div className="ms-auto me-4 min-w-0 sm:hidden">
        <Environment />
      </div>
    </>
  );
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 animate-appear bg-backdrop" />
        <Dialog.Popup
          finalFocus={opener}
          aria-label={t("sidebar.menu")}
          data-ground="sidebar"
          className="fixed inset-y-0 start-0 z-40 w-[min(var(--sidebar-width),85vw)] shadow-2xl"
        >
          <SidebarContent hasUser head={head} onNavigate={onClose} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
