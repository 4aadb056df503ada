import { Forward, RotateCcw } from "lucide-react";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { RemoveChosen } from "../jobs/chosen-actions.tsx";
import { jobSelectionOf, needsJob, type JobRequest } from "../jobs/queries.ts";
import { useBulk } from "../jobs/use-bulk.tsx";
import { RedirectDialog, useTrial } from "../jobs/use-trial.tsx";
import { useRemove, useRetryNow } from "../messages/message-operations.ts";
import { useRoleReason } from "../session/role-texts.ts";
import { Button } from "../ui/button.tsx";
import type { Selection } from "../ui/selection.ts";
import { filtersOf, retryQueueFilterOf, type RetryQueueSearch } from "./search.ts";

type RetryQueueActionsProps = {
  tenantCode: string;
  search: RetryQueueSearch;
  selection: Selection;
  matching: number | null;
  onDone: () => void;
};

/** What can be done with the chosen items: a few at once, many or all that match by a job. */
export function RetryQueueActions({ tenantCode, search, selection, matching, onDone }: RetryQueueActionsProps) {
  const t = useText();
  const disabledReason = useRoleReason("operate");
  const retryNow = useRetryNow(tenantCode);
  const remove = useRemove(tenantCode);
  const bulk = useBulk(tenantCode, onDone);
  const redirecting = useTrial(RedirectDialog, tenantCode, onDone);
  const ids = [...selection.ids];
  const chosen = () => jobSelectionOf(selection, { ...retryQueueFilterOf(search, new Date()), state: ["retrying"] });

  function askJob(kind: "retry-now" | "remove", doneText?: TextKey): void {
    const request = { kind, selection: chosen() } satisfies JobRequest;
    bulk.ask(request, { doneText });
  }

  return (
    <>
      <Button
        look="primary"
        disabledReason={disabledReason}
        isBusy={retryNow.isPending}
        onClick={() => (needsJob(selection) ? askJob("retry-now") : retryNow.mutate({ ids }, { onSuccess: onDone }))}
      >
        <RotateCcw aria-hidden className="size-4" />
        {t("action.retryNow")}
      </Button>
      <Button disabledReason={disabledReason} onClick={() => redirecting.ask(chosen())}>
        <Forward aria-hidden className="size-4 rtl:-scale-x-100" />
        {t("action.redirect")}
      </Button>
      <RemoveChosen
        selection={selection}
        disabledReason={disabledReason}
        filters={filtersOf(search)}
        matching={matching}
        texts={{ all: "notice.allRetryItemsRemoved", counted: "notice.retryItemsRemoved" }}
        onJob={(doneText) => askJob("remove", doneText)}
        question={{ title: t("retryQueue.confirmRemove", { count: ids.length }), text: t("retryQueue.removeText") }}
        tenantCode={tenantCode}
        onRemove={(doneText) => remove.mutateAsync({ ids, doneText }).then(onDone)}
      />
      {bulk.dialog}
      {redirecting.dialog}
    </>
  );
}
