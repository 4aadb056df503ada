import { Dialog } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import { useText } from "../i18n/i18n.tsx";
import { Button } from "./button.tsx";

type FormFooterProps = {
  /** What the button that sends the form says. */
  action: string;
  isBusy: boolean;
  /** Why the form can't be sent yet. */
  disabledReason?: string | null | undefined;
  /** Why it was refused. */
  refusal: ReactNode;
  /** What else can be done with the form. */
  children?: ReactNode;
};

/** The end of a dialog's form: what went wrong, the way out, and the button that sends it. */
export function FormFooter({ action, isBusy, disabledReason, refusal, children }: FormFooterProps) {
  return (
    <>
      {refusal && <Refusal>{refusal}</Refusal>}
      <div className="flex flex-wrap justify-end gap-2">
        <CancelButton />
        {children}
        <Button type="submit" look="primary" isBusy={isBusy} disabledReason={disabledReason}>
          {action}
        </Button>
      </div>
    </>
  );
}

/** Why what was asked for was not done. */
export function Refusal({ className = "", children }: { className?: string; children: ReactNode }) {
  return (
    <p role="alert" className={`rounded-card bg-bad-soft px-3 py-2 break-words text-bad ${className}`}>
      {children}
    </p>
  );
}

/** Closes the dialog as Escape does. */
export function CancelButton({ label = "action.cancel" }: { label?: "action.cancel" | "action.close" }) {
  const t = useText();
  return <Dialog.Close render={<Button>{t(label)}</Button>} />;
}

/** The end of a dialog in which there is nothing to send: a finger has no Escape. */
export function CloseFooter({ onClose }: { onClose: () => void }) {
  const t = useText();
  return (
    <div className="mt-6 flex justify-end">
      <Button onClick={onClose}>{t("action.close")}</Button>
    </div>
  );
}
