import { RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { jobSelectionOf, needsJob, type JobRequest } from "../jobs/queries.ts";
import { useBulk } from "../jobs/use-bulk.tsx";
import { useRemove, useRetryNow } from "../message-operations.ts";
import { useIsPermitted } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import type { Selection } from "../ui/selection.ts";
import { retryQueueFilterOf, type RetryQueueSearch } from "./search.ts";

type RetryQueueActionsProps = { tenantCode: string; search: RetryQueueSearch; selection: Selection; onDone: () => void };

/** What can be done with the chosen items: a few at once, many or all that match by a job. */
export function RetryQueueActions({ tenantCode, search, selection, onDone }: RetryQueueActionsProps) {
  const t = useText();
  const disabledReason = useIsPermitted("operate") ? null : t("role.operatorOnly");
  const retryNow = useRetryNow(tenantCode);
  const remove = useRemove(tenantCode, "notice.retryItemsRemoved");
  const bulk = useBulk(tenantCode, onDone);
  const [isAsking, setIsAsking] = useState(false);
  const ids = [...selection.ids];

  function act(kind: JobRequest["kind"], directly: () => void): void {
    if (!needsJob(selection)) return directly();
    const request = {
      kind,
      selection: jobSelectionOf(selection, { ...retryQueueFilterOf(search, new Date()), state: ["retrying"] }),
    } satisfies JobRequest;
    bulk.ask(request, kind === "remove" && selection.kind === "all-but" ? t("notice.allRetryItemsRemoved") : undefined);
  }

  return (
    <>
      <Button
        look="primary"
        disabledReason={disabledReason}
        isBusy={retryNow.isPending}
        onClick={() => act("retry-now", () => retryNow.mutate({ ids }, { onSuccess: onDone }))}
      >
        <RotateCcw aria-hidden className="size-4" />
        {t("action.retryNow")}
      </Button>
      <Button look="danger" disabledReason={disabledReason} onClick={() => act("remove", () => setIsAsking(true))}>
        <Trash2 aria-hidden className="size-4" />
        {t("action.remove")}
      </Button>
      {bulk.dialog}
      {isAsking && (
        <ConfirmDialog
          onClose={() => setIsAsking(false)}
          title={t("retryQueue.confirmRemove", { count: ids.length })}
          text={t("retryQueue.removeText")}
          actionLabel={t("action.remove")}
          look="danger"
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate({ ids }, { onSuccess: onDone, onSettled: () => setIsAsking(false) })}
        />
      )}
    </>
  );
}
