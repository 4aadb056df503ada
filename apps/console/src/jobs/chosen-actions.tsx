import { ArchiveRestore, Trash2 } from "lucide-react";
import { useState } from "react";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { isEverything } from "../message-filters/everything.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import type { Selection } from "../ui/selection.ts";
import { needsJob } from "./queries.ts";

type ChosenActionProps = {
  selection: Selection;
  disabledReason: string | null;
};

type RemoveChosenProps = ChosenActionProps & {
  filters: Record<string, string | undefined>;
  /** How many match, when that is known. */
  matching: number | null;
  /** What is said when all that the list has is gone, and else with the count. */
  texts: { all: TextKey; counted: TextKey };
  /** Has many, or all that match, removed by a job, which asks by itself. */
  onJob: (doneText: TextKey) => void;
  /** What is asked before a few are removed at once. */
  question: { title: string; text: string };
  /** What is typed first where all that the list has would be removed. */
  tenantCode: string;
  onRemove: (doneText: TextKey) => Promise<unknown>;
};

export function RemoveChosen(props: RemoveChosenProps) {
  const { selection, filters, matching, texts, disabledReason, onJob, question, tenantCode, onRemove } = props;
  const t = useText();
  // How many match may change while the question stands.
  const [asked, setAsked] = useState<{ isAll: boolean; doneText: TextKey } | null>(null);
  const isAll = isEverything(selection, filters, matching);
  const doneText = isAll ? texts.all : texts.counted;
  return (
    <>
      <Button
        look="danger"
        disabledReason={disabledReason}
        onClick={() => (needsJob(selection) ? onJob(doneText) : setAsked({ isAll, doneText }))}
      >
        <Trash2 aria-hidden className="size-4" />
        {t("action.remove")}
      </Button>
      {asked && (
        <ConfirmDialog
          onClose={() => setAsked(null)}
          {...question}
          actionLabel={t("action.remove")}
          look="danger"
          typedWord={asked.isAll ? tenantCode : null}
          onConfirm={() => onRemove(asked.doneText).then(() => setAsked(null))}
        />
      )}
    </>
  );
}

type RestoreChosenProps = ChosenActionProps & {
  isBusy: boolean;
  /** Has many, or all that match, restored by a job, which asks by itself. */
  onJob: () => void;
  onRestore: () => void;
};

export function RestoreChosen({ selection, disabledReason, isBusy, onJob, onRestore }: RestoreChosenProps) {
  const t = useText();
  return (
    <Button look="primary" disabledReason={disabledReason} isBusy={isBusy} onClick={() => (needsJob(selection) ? onJob() : onRestore())}>
      <ArchiveRestore aria-hidden className="size-4" />
      {t("action.restore")}
    </Button>
  );
}
