import { AlertDialog } from "@base-ui/react/alert-dialog";
import { useText } from "../i18n/i18n.tsx";
import { Button, type ButtonLook } from "./button.tsx";

type ConfirmDialogProps = {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  text: string;
  actionLabel: string;
  look?: ButtonLook;
  isBusy: boolean;
  onConfirm: () => void;
};

/** Asks before an action on many things. Escape and Cancel leave everything as it is. */
export function ConfirmDialog({ isOpen, onClose, title, text, actionLabel, look = "primary", isBusy, onConfirm }: ConfirmDialogProps) {
  const t = useText();
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={(next) => !next && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="fixed inset-0 bg-backdrop" />
        <AlertDialog.Popup className="fixed inset-x-4 top-[20dvh] mx-auto max-w-md animate-appear rounded-card bg-paper p-6 text-ink shadow-2xl">
          <AlertDialog.Title className="text-lg font-semibold">{title}</AlertDialog.Title>
          <AlertDialog.Description className="mt-2 text-muted">{text}</AlertDialog.Description>
          <div className="mt-6 flex flex-wrap justify-end gap-2">
            <AlertDialog.Close render={<Button>{t("action.cancel")}</Button>} />
            <Button look={look} isBusy={isBusy} onClick={onConfirm}>
              {actionLabel}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
