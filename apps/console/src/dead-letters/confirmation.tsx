import { useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { useRemoveDeadLetters, useRequeue, type DeadLetterSelection } from "../message-operations.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { noticeError } from "../ui/notice.tsx";

/** What the operator is asked to confirm. */
export type Question = {
  verb: "requeue" | "remove";
  /** Null when nobody knows how many it will be. */
  count: number | null;
  /** It also covers rows that were never on the screen. */
  reachesUnseen: boolean;
  read: (signal: AbortSignal) => Promise<DeadLetterSelection>;
};

type ConfirmationProps = { tenantCode: string; question: Question; onClose: () => void; onDone: () => void };

/** Closing the question while the list is still being walked through leaves everything as it is. */
export function Confirmation({ tenantCode, question: { verb, count, reachesUnseen, read }, onClose, onDone }: ConfirmationProps) {
  const t = useText();
  const requeue = useRequeue(tenantCode);
  const remove = useRemoveDeadLetters(tenantCode);
  const [reading, setReading] = useState<AbortController | null>(null);
  const isRemoval = verb === "remove";
  const operation = isRemoval ? remove : requeue;
  const title = isRemoval ? "deadLetters.confirmRemove" : "deadLetters.confirmRequeue";

  async function confirm(): Promise<void> {
    const stop = new AbortController();
    setReading(stop);
    try {
      operation.mutate(await read(stop.signal), { onSuccess: onDone, onError: onClose });
    } catch (error) {
      if (stop.signal.aborted) return;
      noticeError(error instanceof Error ? error.message : t("error.generic"));
      onClose();
    }
  }

  return (
    <ConfirmDialog
      onClose={() => {
        reading?.abort();
        onClose();
      }}
      title={count === null ? t(isRemoval ? "deadLetters.confirmRemoveAll" : "deadLetters.confirmRequeueAll") : t(title, { count })}
      text={isRemoval ? t("deadLetters.removeText") : t("deadLetters.requeueText")}
      actionLabel={isRemoval ? t("action.remove") : t("action.requeue")}
      look={isRemoval ? "danger" : "primary"}
      isBusy={reading !== null}
      typedWord={isRemoval && reachesUnseen ? tenantCode : null}
      onConfirm={() => void confirm()}
    />
  );
}
