import { Dialog } from "@base-ui/react/dialog";
import type { ReactNode } from "react";

type ModalProps = { title: string; description?: string; onClose: () => void; isWide?: boolean; children: ReactNode };

/** A dialog in the middle of the screen that holds the focus until it is closed. A click beside it closes nothing that was typed, or is shown this once. */
export function Modal({ title, description, onClose, isWide = false, children }: ModalProps) {
  return (
    <Dialog.Root open disablePointerDismissal onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-backdrop" />
        <Dialog.Popup
          className={`${isWide ? "top-[4dvh] max-h-[92dvh] max-w-4xl" : "top-[12dvh] max-h-[80dvh] max-w-md"} fixed inset-x-4 z-40 mx-auto animate-appear overflow-y-auto rounded-card bg-paper p-6 text-ink shadow-2xl`}
        >
          <Dialog.Title className="text-lg font-semibold">{title}</Dialog.Title>
          {description && <Dialog.Description className="mt-2 text-muted">{description}</Dialog.Description>}
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
