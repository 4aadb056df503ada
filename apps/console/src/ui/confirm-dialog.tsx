import { AlertDialog } from "@base-ui/react/alert-dialog";
import { useState, type ReactNode } from "react";
import { useText } from "../i18n/i18n.tsx";
import { Button, type ButtonLook } from "./button.tsx";
import { TextField } from "./field.tsx";

type ConfirmDialogProps = {
  onClose: () => void;
  title: string;
  text: string;
  actionLabel: string;
  look?: ButtonLook;
  isBusy: boolean;
  /** What can be read this once is on its way: it stays open until that is there. */
  isHeld?: boolean;
  /** A word to type first, where a click alone would do too much. */
  typedWord?: string | null;
  onConfirm: () => void;
  /** Fields that may be filled in. */
  children?: ReactNode;
};

/** Asks before an action on many things. Escape and Cancel leave everything as it is. */
export function ConfirmDialog({
  onClose,
  title,
  text,
  actionLabel,
  look = "primary",
  isBusy,
  isHeld = false,
  typedWord = null,
  onConfirm,
  children,
}: ConfirmDialogProps) {
  const t = useText();
  const [typed, setTyped] = useState("");
  const isTyped = typedWord === null || typed.trim() === typedWord;
  return (
    <AlertDialog.Root open onOpenChange={(isOpen) => !isOpen && !isHeld && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop forceRender className="fixed inset-0 z-40 bg-backdrop" />
        <AlertDialog.Popup className="fixed inset-x-4 top-[20dvh] z-40 mx-auto max-h-[75dvh] max-w-md animate-appear overflow-y-auto rounded-card bg-paper p-6 text-ink shadow-2xl">
          <AlertDialog.Title className="text-lg font-semibold">{title}</AlertDialog.Title>
          <AlertDialog.Description className="mt-2 text-muted">{text}</AlertDialog.Description>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              // Of a form that this is asked about, it is not the answer: React's events go up from the dialog to what opened it.
              event.stopPropagation();
              if (isTyped && !isBusy) onConfirm();
            }}
          >
            {children}
            {typedWord !== null && (
              <TextField
                id="confirm-word"
                className="mt-4"
                label={t("confirm.type", { word: typedWord })}
                value={typed}
                autoComplete="off"
                spellCheck={false}
                onChange={(event) => setTyped(event.target.value)}
              />
            )}
            <div className="mt-6 flex flex-wrap justify-end gap-2">
              <AlertDialog.Close render={<Button>{t("action.cancel")}</Button>} />
              <Button type="submit" look={look} isBusy={isBusy} disabledReason={isTyped ? null : t("confirm.typeFirst")}>
                {actionLabel}
              </Button>
            </div>
          </form>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
