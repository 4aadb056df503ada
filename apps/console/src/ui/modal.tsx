import { Dialog } from "@base-ui/react/dialog";
import { useState, type ReactNode, type RefObject } from "react";
import { LeaveGuard, LeaveQuestion } from "./leave-guard.tsx";
import { useTyped } from "./use-typed.ts";

type ModalProps = {
  title: string;
  description?: string;
  onClose: () => void;
  isWide?: boolean;
  /** What an earlier step took would be lost as well. */
  isUnsaved?: boolean;
  /** False: nobody misses what was chosen here, so it closes at once. */
  isDraft?: boolean;
  /** What is on its way is shown this once, or can't be called back: it stays open until that is there. */
  isHeld?: boolean;
  /** Where somebody begins who has opened it; its first control when left out. */
  initialFocus?: RefObject<HTMLElement | null>;
  children: ReactNode;
};

/**
 * A dialog in the middle of the screen that holds the focus until it is closed. However somebody leaves it, it asks first when something was
 * typed in it, and else closes at once. A click beside it closes nothing: what stands there may be shown this once.
 */
export function Modal({
  title,
  description,
  onClose,
  isWide = false,
  isUnsaved = false,
  isDraft = true,
  isHeld = false,
  initialFocus,
  children,
}: ModalProps) {
  const { watch, isTyped, look } = useTyped();
  const [isAsking, setIsAsking] = useState(false);
  const leave = (): void => {
    if (isHeld) return;
    if (isUnsaved || (isDraft && look())) setIsAsking(true);
    else onClose();
  };
  return (
    <Dialog.Root open disablePointerDismissal onOpenChange={(isOpen) => !isOpen && leave()}>
      <Dialog.Portal>
        <Dialog.Backdrop forceRender className="fixed inset-0 z-40 bg-backdrop" />
        <Dialog.Popup
          {...watch}
          initialFocus={initialFocus}
          className={`${isWide ? "top-[4dvh] max-h-[92dvh] max-w-4xl" : "top-[4dvh] max-h-[92dvh] max-w-md sm:top-[12dvh] sm:max-h-[80dvh]"} fixed inset-x-4 z-40 mx-auto animate-appear overflow-y-auto rounded-card bg-paper p-6 text-ink shadow-2xl`}
        >
          <Dialog.Title className="text-lg font-semibold">{title}</Dialog.Title>
          {description && <Dialog.Description className="mt-2 text-muted">{description}</Dialog.Description>}
          {children}
          {((isDraft && isTyped) || isUnsaved) && <LeaveGuard />}
          {isAsking && <LeaveQuestion onLeave={onClose} onStay={() => setIsAsking(false)} />}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
