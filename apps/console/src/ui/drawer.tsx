import { Dialog } from "@base-ui/react/dialog";
import { ChevronDown, ChevronUp, X } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useText } from "../i18n/i18n.tsx";
import { IconButton } from "./button.tsx";

type DrawerProps = {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  /** Null at the list's end; left out where there is no list to go through. */
  onPrevious?: (() => void) | null;
  onNext?: (() => void) | null;
  actions?: ReactNode;
  children: ReactNode;
};

/** One row of a list in full, beside the list, which stays usable. The screen keeps the open row in the address. */
export function Drawer({ isOpen, onClose, title, onPrevious, onNext, actions, children }: DrawerProps) {
  const t = useText();
  const [opener] = useState(() => document.activeElement);
  /** The row that it was of may have left the list: the keyboard goes on at the one in its place. */
  const goOn = () => opener?.isConnected || document.querySelector<HTMLElement>("[data-row][tabindex='0']") || true;
  const steps = [
    { label: t("drawer.previous"), Icon: ChevronUp, run: onPrevious },
    { label: t("drawer.next"), Icon: ChevronDown, run: onNext },
  ];
  return (
    <Dialog.Root open={isOpen} modal={false} disablePointerDismissal onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Popup
          data-drawer
          finalFocus={goOn}
          className="fixed inset-y-0 end-0 z-30 flex w-[min(44rem,100vw)] animate-appear flex-col border-s border-line bg-page text-ink shadow-2xl outline-none print:static print:block print:w-auto print:border-0 print:shadow-none"
        >
          <div className="flex items-center gap-1 border-b border-line bg-paper py-2 ps-4 pe-2">
            <Dialog.Title dir="auto" className="min-w-0 flex-1 truncate text-base font-semibold">
              {title}
            </Dialog.Title>
            <div data-screen-only className="flex items-center gap-1">
              {actions}
              {steps.map(
                ({ label, Icon, run }) =>
                  run !== undefined && (
                    <IconButton
                      key={label}
                      label={label}
                      aria-disabled={run === null}
                      className="aria-disabled:opacity-40"
                      onClick={() => run?.()}
                    >
                      <Icon aria-hidden className="size-5" />
                    </IconButton>
                  ),
              )}
              <Dialog.Close
                render={
                  <IconButton label={t("action.close")}>
                    <X aria-hidden className="size-5" />
                  </IconButton>
                }
              />
            </div>
          </div>
          {/* A stop of its own: browsers make one of what scrolls, but not one that the panel knows when the keyboard leaves it. */}
          <div tabIndex={0} role="group" aria-label={title} className="min-h-0 flex-1 overflow-y-auto p-3 -outline-offset-2 sm:p-4">
            {children}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
