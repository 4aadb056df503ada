import type { ExternalMessage } from "@crossdock/contract";
import { ArchiveRestore, Trash2 } from "lucide-react";
import { useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { useIsPermitted } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import type { PageReader } from "../ui/list-query.ts";
import { noticeError } from "../ui/notice.tsx";
import { countChosen, idsOf, type Selection } from "../ui/selection.ts";
import { useRemoveExternalMessages, useRestoreExternalMessages } from "./operations.ts";
import { removedState, type ExternalMessageSearch } from "./search.ts";

type ActionsProps = {
  tenantCode: string;
  search: ExternalMessageSearch;
  selection: Selection;
  matching: number | null;
  readPage: PageReader<ExternalMessage>;
  onDone: () => void;
};

/** What can be done with the chosen messages: those that were removed come back, the others are removed. */
export function ExternalMessageListActions({ tenantCode, search, selection, matching, readPage, onDone }: ActionsProps) {
  const t = useText();
  const disabledReason = useIsPermitted("operate") ? null : t("role.operatorOnly");
  const remove = useRemoveExternalMessages(tenantCode);
  const restore = useRestoreExternalMessages(tenantCode);
  const [isAsking, setIsAsking] = useState(false);
  const [reading, setReading] = useState<AbortController | null>(null);
  const count = countChosen(selection, matching);
  const close = () => (reading?.abort(), setReading(null), setIsAsking(false));

  /** The ids behind 'all but' are read when they are needed. */
  async function withIds(run: (ids: string[]) => void): Promise<void> {
    const stop = new AbortController();
    setReading(stop);
    try {
      run(await idsOf(selection, readPage, stop.signal));
    } catch (error) {
      if (!stop.signal.aborted) noticeError(error instanceof Error ? error.message : t("error.generic"));
    }
    setReading(null);
  }

  function removeChosen(): void {
    const after = { onSuccess: onDone, onSettled: () => setIsAsking(false) };
    if (selection.kind === "all-but" && selection.ids.size === 0) remove.mutate({ search }, after);
    else void withIds((ids) => remove.mutate({ ids, isAll: ids.length > 1 && count === matching }, after));
  }

  if (search.state === removedState) {
    return (
      <Button
        look="primary"
        disabledReason={disabledReason}
        isBusy={restore.isPending || reading !== null}
        onClick={() => void withIds((ids) => restore.mutate({ ids }, { onSuccess: onDone }))}
      >
        <ArchiveRestore aria-hidden className="size-4" />
        {t("action.restore")}
      </Button>
    );
  }
  return (
    <>
      <Button look="danger" disabledReason={disabledReason} onClick={() => setIsAsking(true)}>
        <Trash2 aria-hidden className="size-4" />
        {t("action.remove")}
      </Button>
      {isAsking && (
        <ConfirmDialog
          onClose={close}
          title={count === null ? t("external.confirmRemoveAll") : t("external.confirmRemove", { count })}
          text={t("external.removeText")}
          actionLabel={t("action.remove")}
          look="danger"
          isBusy={remove.isPending || reading !== null}
          typedWord={selection.kind === "all-but" ? tenantCode : null}
          onConfirm={removeChosen}
        />
      )}
    </>
  );
}
