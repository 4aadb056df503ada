import { useText } from "../i18n/i18n.tsx";
import { useRemoveDeadLetters, useRequeue } from "../messages/message-operations.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";

/** What the operator is asked to confirm: something with a few dead letters, or with all when there are no more. */
export type Question = { verb: "requeue" | "remove"; ids: string[]; isAll: boolean };

type ConfirmationProps = { tenantCode: string; question: Question; onClose: () => void; onDone: () => void };

export function Confirmation({ tenantCode, question: { verb, ids, isAll }, onClose, onDone }: ConfirmationProps) {
  const t = useText();
  const requeue = useRequeue(tenantCode);
  const remove = useRemoveDeadLetters(tenantCode);
  const isRemoval = verb === "remove";
  const operation = isRemoval ? remove : requeue;
  return (
    <ConfirmDialog
      onClose={onClose}
      title={t(isRemoval ? "deadLetters.confirmRemove" : "deadLetters.confirmRequeue", { count: ids.length })}
      text={isRemoval ? t("deadLetters.removeText") : t("deadLetters.requeueText")}
      actionLabel={isRemoval ? t("action.remove") : t("action.requeue")}
      look={isRemoval ? "danger" : "primary"}
      typedWord={isRemoval && isAll ? tenantCode : null}
      onConfirm={() => operation.mutateAsync({ ids }).then(onDone)}
    />
  );
}
