import type { ExternalItem } from "@crossdock/contract";
import { ArchiveRestore, Trash2 } from "lucide-react";
import { useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { useIsPermitted } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { walkPages, type PageReader } from "../ui/list-query.ts";
import { noticeError } from "../ui/notice.tsx";
import { countChosen, isChosen, type Selection } from "../ui/selection.ts";
import { useRemoveExternalItems, useRestoreExternalItems } from "./operations.ts";
import { removedState, type ExternalItemSearch } from "./search.ts";

type ActionsProps = {
  tenantCode: string;
  search: ExternalItemSearch;
  selection: Selection;
  matching: number | null;
  readPage: PageReader<ExternalItem>;
  onDone: () => void;
};

/** What can be done with the chosen items: those that were removed come back, the others are removed. */
export function ExternalItemActions({ tenantCode, search, selection, matching, readPage, onDone }: ActionsProps) {
  const t = useText();
  const disabledReason = useIsPermitted("operate") ? null : t("role.operatorOnly");
  const remove = useRemoveExternalItems(tenantCode);
  const restore = useRestoreExternalItems(tenantCode);
  const [isAsking, setIsAsking] = useState(false);
  const [reading, setReading] = useState<AbortController | null>(null);
  const count = countChosen(selection, matching);

  /** The rows behind a selection: an item's name takes more than its id. */
  async function withItems(run: (items: ExternalItem[]) => void): Promise<void> {
    const stop = new AbortController();
    setReading(stop);
    try {
      const chosen: ExternalItem[] = [];
      for await (const rows of walkPages(readPage, stop.signal)) {
        chosen.push(...rows.filter(({ id }) => isChosen(selection, id)));
        if (selection.kind === "some" && chosen.length === selection.ids.size) break;
      }
      run(chosen);
    } catch (error) {
      if (!stop.signal.aborted) noticeError(error instanceof Error ? error.message : t("error.generic"));
    }
    setReading(null);
  }

  function removeChosen(): void {
    const after = { onSuccess: onDone, onSettled: () => setIsAsking(false) };
    if (selection.kind === "all-but" && selection.ids.size === 0) remove.mutate({ search }, after);
    else void withItems((items) => remove.mutate({ items, isAll: items.length > 1 && count === matching }, after));
  }

  if (search.state === removedState) {
    return (
      <Button
        look="primary"
        disabledReason={disabledReason}
        isBusy={restore.isPending || reading !== null}
        onClick={() =>
          void withItems((items) =>
            restore.mutate(
              items.map(({ id }) => id),
              { onSuccess: onDone },
            ),
          )
        }
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
          onClose={() => {
            reading?.abort();
            setIsAsking(false);
          }}
          title={count === null ? t("externalItems.confirmRemoveAll") : t("externalItems.confirmRemove", { count })}
          text={t("externalItems.removeText")}
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
