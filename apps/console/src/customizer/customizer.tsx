import { Dialog } from "@base-ui/react/dialog";
import { RotateCcw, X } from "lucide-react";
import { useText } from "../i18n/i18n.tsx";
import { resetLook } from "../settings.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { noticeSuccess } from "../ui/notice.tsx";
import { ColourSection } from "./colour-section.tsx";
import { FrameSection } from "./frame-section.tsx";
import { NavigationSection } from "./navigation-section.tsx";
import { ThemeSection } from "./theme-section.tsx";

/** Every setting of the look. What is chosen applies at once, and the page beside the panel stays usable to look at it. */
export function Customizer({ onClose }: { onClose: () => void }) {
  const t = useText();
  const reset = () => noticeSuccess(t("customizer.resetDone"), { label: t("action.undo"), run: resetLook() });
  return (
    <Dialog.Root open modal={false} disablePointerDismissal onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Popup
          data-screen-only
          className="fixed inset-y-0 end-0 z-40 flex w-[min(24rem,100vw)] animate-appear flex-col border-s border-line bg-paper text-ink shadow-2xl outline-none"
        >
          <div className="flex min-h-14 items-center justify-between gap-2 border-b border-line ps-5 pe-2">
            <Dialog.Title className="truncate text-lg font-semibold">{t("customizer.title")}</Dialog.Title>
            <Dialog.Close
              render={
                <IconButton label={t("action.close")}>
                  <X aria-hidden className="size-5" />
                </IconButton>
              }
            />
          </div>
          {/* A stop of its own, as in the drawer. */}
          <div
            tabIndex={0}
            role="group"
            aria-label={t("customizer.title")}
            className="grid min-h-0 flex-1 content-start gap-6 overflow-y-auto p-5 -outline-offset-2"
          >
            <ThemeSection />
            <ColourSection />
            <NavigationSection />
            <FrameSection />
          </div>
          <div className="border-t border-line p-3">
            <Button onClick={reset} className="w-full">
              <RotateCcw aria-hidden className="size-4" />
              {t("customizer.reset")}
            </Button>
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
