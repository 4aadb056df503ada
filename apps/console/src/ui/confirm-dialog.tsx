import { AlertDialog } from "@base-ui/react/alert-dialog";
import { useState, type FormEvent, type ReactNode } from "react";
import { useFailureText } from "../api/failure-notice.ts";
import { useText } from "../i18n/i18n.tsx";
import { Button, type ButtonLook } from "./button.tsx";
import { TextField } from "./field.tsx";
import { Refusal } from "./form-footer.tsx";
import { noticeError } from "./notice.tsx";

type ConfirmDialogProps = {
  onClose: () => void;
  title: string;
  text: string;
  actionLabel: string;
  look?: ButtonLook;
  /** A word to type first, where a click alone would do too much. */
  typedWord?: string | null;
  /** Fails when it was refused: the question stays and says why. What it asks for is on its way until then, and can't be called back. */
  onConfirm: () => Promise<unknown> | void;
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
  typedWord = null,
  onConfirm,
  children,
}: ConfirmDialogProps) {
  const t = useText();
  const failureText = useFailureText();
  const [typed, setTyped] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const isTyped = typedWord === null || typed.trim() === typedWord;

  async function confirm(event: FormEvent<HTMLFormElement>): Promise<void> {
    const form = event.currentTarget;
    event.preventDefault();
    // Of a form that this is asked about, it is not the answer: React's events go up from the dialog to what opened it.
    event.stopPropagation();
    if (!isTyped || isBusy) return;
    setIsBusy(true);
    setRefusal(null);
    try {
      await onConfirm();
    } catch (error) {
      const text = failureText(error instanceof Error ? error : new Error());
      // Its screen may have been left meanwhile.
      if (form.isConnected) setRefusal(text);
      else noticeError(text);
    }
    setIsBusy(false);
  }

  return (
    <AlertDialog.Root open onOpenChange={(isOpen) => !isOpen && !isBusy && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop forceRender className="fixed inset-0 z-40 bg-backdrop" />
        <AlertDialog.Popup className="fixed inset-x-4 top-[20dvh] z-40 mx-auto max-h-[75dvh] max-w-md animate-appear overflow-y-auto rounded-card bg-paper p-6 text-ink shadow-2xl">
          <AlertDialog.Title className="text-lg font-semibold">{title}</AlertDialog.Title>
          <AlertDialog.Description className="mt-2 text-muted">{text}</AlertDialog.Description>
          <form onSubmit={(event) => void confirm(event)}>
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
            {refusal !== null && <Refusal className="mt-4">{refusal}</Refusal>}
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
