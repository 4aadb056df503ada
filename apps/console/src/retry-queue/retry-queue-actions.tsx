import type { RetryQueueItem } from "@crossdock/contract";
import { RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { useRemove, useRetryNow } from "../message-operations.ts";
import { useIsPermitted } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import type { PageReader } from "../ui/list-query.ts";
import { noticeError } from "../ui/notice.tsx";
import { countChosen, idsOf, type Selection } from "../ui/selection.ts";

type RetryQueueActionsProps = {
  tenantCode: string;
  selection: Selection;
  matching: number | null;
  readPage: PageReader<RetryQueueItem>;
  onDone: () => void;
};

/** What can be done with the chosen items. The ids behind 'all that match' are read when it is done. */
export function RetryQueueActions({ tenantCode, selection, matching, readPage, onDone }: RetryQueueActionsProps) {
  const t = useText();
  const disabledReason = useIsPermitted("operate") ? null : t("role.operatorOnly");
  const retryNow = useRetryNow(tenantCode);
  const remove = useRemove(tenantCode, "notice.retryItemsRemoved");
  const [isAsking, setIsAsking] = useState(false);
  const [reading, setReading] = useState<AbortController | null>(null);
  const count = countChosen(selection, matching);

  async function run(operation: typeof remove): Promise<void> {
    const stop = new AbortController();
    setReading(stop);
    try {
      operation.mutate({ ids: await idsOf(selection, readPage, stop.signal) }, { onSuccess: onDone, onSettled: () => setIsAsking(false) });
    } catch (error) {
      if (!stop.signal.aborted) noticeError(error instanceof Error ? error.message : t("error.generic"));
      setIsAsking(false);
    }
    setReading(null);
  }

  return (
    <>
      <Button
        look="primary"
        disabledReason={disabledReason}
        isBusy={retryNow.isPending || (reading !== null && !isAsking)}
        onClick={() => void run(retryNow)}
      >
        <RotateCcw aria-hidden className="size-4" />
        {t("action.retryNow")}
      </Button>
      <Button look="danger" disabledReason={disabledReason} onClick={() => setIsAsking(true)}>
        <Trash2 aria-hidden className="size-4" />
        {t("action.remove")}
      </Button>
      {isAsking && (
        <ConfirmDialog
          onClose={() => {
            reading?.abort();
            setIsAsking(false);
          }}
          title={count === null ? t("retryQueue.confirmRemoveAll") : t("retryQueue.confirmRemove", { count })}
          text={t("retryQueue.removeText")}
          actionLabel={t("action.remove")}
          look="danger"
          isBusy={remove.isPending || reading !== null}
          typedWord={selection.kind === "all-but" ? tenantCode : null}
          onConfirm={() => void run(remove)}
        />
      )}
    </>
  );
}
