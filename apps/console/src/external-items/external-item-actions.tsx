import { ArchiveRestore, Trash2 } from "lucide-react";
import { useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { externalSelectionOf, needsJob, type ExternalJobRequest } from "../jobs/queries.ts";
import { useBulk } from "../jobs/use-bulk.tsx";
import { useIsPermitted } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import type { Selection } from "../ui/selection.ts";
import { useRemoveExternalItems, useRestoreExternalItems } from "./operations.ts";
import { externalItemFilterOf, removedState, type ExternalItemSearch } from "./search.ts";

type ActionsProps = { tenantCode: string; search: ExternalItemSearch; selection: Selection; matching: number | null; onDone: () => void };

/** What can be done with the chosen items: a few at once, many or all that match by a job. Those that were removed come back. */
export function ExternalItemActions({ tenantCode, search, selection, matching, onDone }: ActionsProps) {
  const t = useText();
  const disabledReason = useIsPermitted("operate") ? null : t("role.operatorOnly");
  const remove = useRemoveExternalItems(tenantCode);
  const restore = useRestoreExternalItems(tenantCode);
  const bulk = useBulk(tenantCode, onDone);
  const [isAsking, setIsAsking] = useState(false);
  const ids = [...selection.ids];

  function act(kind: "remove" | "restore", directly: () => void): void {
    if (!needsJob(selection)) return directly();
    const request = {
      subject: "external-items",
      kind,
      selection: externalSelectionOf(selection, externalItemFilterOf(search)),
    } satisfies ExternalJobRequest;
    bulk.ask(request, kind === "remove" && selection.kind === "all-but" ? t("notice.allExternalItemsRemoved") : undefined);
  }

  const isRemoved = search.state === removedState;
  return (
    <>
      {isRemoved ? (
        <Button
          look="primary"
          disabledReason={disabledReason}
          isBusy={restore.isPending}
          onClick={() => act("restore", () => restore.mutate(ids, { onSuccess: onDone }))}
        >
          <ArchiveRestore aria-hidden className="size-4" />
          {t("action.restore")}
        </Button>
      ) : (
        <Button look="danger" disabledReason={disabledReason} onClick={() => act("remove", () => setIsAsking(true))}>
          <Trash2 aria-hidden className="size-4" />
          {t("action.remove")}
        </Button>
      )}
      {bulk.dialog}
      {isAsking && (
        <ConfirmDialog
          onClose={() => setIsAsking(false)}
          title={t("externalItems.confirmRemove", { count: ids.length })}
          text={t("externalItems.removeText")}
          actionLabel={t("action.remove")}
          look="danger"
          isBusy={remove.isPending}
          onConfirm={() =>
            remove.mutate(
              { ids, isAll: ids.length > 1 && ids.length === matching },
              { onSuccess: onDone, onSettled: () => setIsAsking(false) },
            )
          }
        />
      )}
    </>
  );
}
