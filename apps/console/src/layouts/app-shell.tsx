import { Dialog } from "@base-ui/react/dialog";
import { QueryClientProvider } from "@tanstack/react-query";
import { Outlet } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { useLiveUpdates } from "../live.ts";
import { queryClient } from "../query-client.ts";
import { activeTenantCode } from "../settings.ts";
import { NoticeProvider } from "../ui/notice.tsx";
import { Scroller } from "../ui/scroller.tsx";
import { Header } from "./header.tsx";
import { NavigationProgress } from "./navigation-progress.tsx";
import { Sidebar } from "./sidebar.tsx";
import "./layouts.css";

export function AppShell() {
  // What one user has read is not left for the next.
  useEffect(() => () => queryClient.clear(), []);
  return (
    <QueryClientProvider client={queryClient}>
      <NoticeProvider>
        <Frame />
      </NoticeProvider>
    </QueryClientProvider>
  );
}

/** The frame around every screen of a signed-in operator: full-height sidebar, header at its side, and the content, which alone scrolls. */
function Frame() {
  const t = useText();
  const [isMenuOpen, setIsMenuOpen] = useState(false);
  useLiveUpdates(activeTenantCode.use());
  return (
    <>
      <a
        href="#content"
        className="fixed start-2 top-2 z-50 -translate-y-16 rounded-button bg-primary px-4 py-2 text-on-primary focus:translate-y-0"
      >
        {t("header.skipToContent")}
      </a>
      <NavigationProgress />
      <div className="flex h-dvh">
        <div className="hidden w-(--sidebar-width) shrink-0 xl:block">
          <Sidebar />
        </div>
        <div className="flex min-w-0 flex-1 flex-col">
          <Header onOpenMenu={() => setIsMenuOpen(true)} />
          <Scroller scrolls="content" className="relative min-h-0 flex-1 overflow-y-auto">
            <main id="content" tabIndex={-1} className="p-3 outline-none sm:p-5">
              <Outlet />
            </main>
          </Scroller>
        </div>
      </div>
      <Dialog.Root open={isMenuOpen} onOpenChange={setIsMenuOpen}>
        <Dialog.Portal>
          <Dialog.Backdrop className="fixed inset-0 z-40 bg-backdrop" />
          <Dialog.Popup aria-label={t("sidebar.menu")} className="fixed inset-y-0 start-0 z-40 w-[min(19rem,85vw)] shadow-2xl">
            <Sidebar onNavigate={() => setIsMenuOpen(false)} />
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
    </>
  );
}
