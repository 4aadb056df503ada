import { ArchiveRestore, Trash2 } from "lucide-react";
import { useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import type { Selection } from "../ui/selection.ts";
import { needsJob } from "./queries.ts";

type ChosenActionProps = {
  selection: Selection;
  disabledReason: string | null;
  isBusy: boolean;
  /** Has many, or all that match, done by a job, which asks by itself. */
  onJob: () => void;
};

type RemoveChosenProps = ChosenActionProps & {
  /** What is asked before a few are removed at once. */
  question: { title: string; text: string };
  onRemove: (close: () => void) => void;
};

export function RemoveChosen({ selection, disabledReason, isBusy, onJob, question, onRemove }: RemoveChosenProps) {
  const t = useText();
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <Button look="danger" disabledReason={disabledReason} onClick={() => (needsJob(selection) ? onJob() : setIsAsking(true))}>
        <Trash2 aria-hidden className="size-4" />
        {t("action.remove")}
      </Button>
      {isAsking && (
        <ConfirmDialog
          onClose={() => setIsAsking(false)}
          {...question}
          actionLabel={t("action.remove")}
          look="danger"
          isBusy={isBusy}
          onConfirm={() => onRemove(() => setIsAsking(false))}
        />
      )}
    </>
  );
}

export function RestoreChosen({ selection, disabledReason, isBusy, onJob, onRestore }: ChosenActionProps & { onRestore: () => void }) {
  const t = useText();
  return (
    <Button look="primary" disabledReason={disabledReason} isBusy={isBusy} onClick={() => (needsJob(selection) ? onJob() : onRestore())}>
      <ArchiveRestore aria-hidden className="size-4" />
      {t("action.restore")}
    </Button>
  );
}
