import { useText, type TextKey } from "../i18n/i18n.tsx";
import { RemoveChosen, RestoreChosen } from "../jobs/chosen-actions.tsx";
import { externalSelectionOf, type ExternalJobRequest } from "../jobs/queries.ts";
import { useBulk } from "../jobs/use-bulk.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import type { Selection } from "../ui/selection.ts";
import { useRemoveExternalItems, useRestoreExternalItems } from "./operations.ts";
import { externalItemFilterOf, removedState, type ExternalItemSearch } from "./search.ts";

type ActionsProps = { tenantCode: string; search: ExternalItemSearch; selection: Selection; matching: number | null; onDone: () => void };

/** What can be done with the chosen items: a few at once, many or all that match by a job. Those that were removed come back. */
export function ExternalItemActions({ tenantCode, search, selection, matching, onDone }: ActionsProps) {
  const t = useText();
  const disabledReason = useRoleReason("operate");
  const remove = useRemoveExternalItems(tenantCode);
  const restore = useRestoreExternalItems(tenantCode);
  const bulk = useBulk(tenantCode, onDone);
  const ids = [...selection.ids];

  function askJob(kind: "remove" | "restore", doneText?: TextKey): void {
    const request = {
      subject: "external-items",
      kind,
      selection: externalSelectionOf(selection, externalItemFilterOf(search)),
    } satisfies ExternalJobRequest;
    bulk.ask(request, { doneText });
  }

  return (
    <>
      {search.state === removedState ? (
        <RestoreChosen
          selection={selection}
          disabledReason={disabledReason}
          isBusy={restore.isPending}
          onJob={() => askJob("restore")}
          onRestore={() => restore.mutate(ids, { onSuccess: onDone })}
        />
      ) : (
        <RemoveChosen
          selection={selection}
          disabledReason={disabledReason}
          filters={search}
          matching={matching}
          texts={{ all: "notice.allExternalItemsRemoved", counted: "notice.externalItemsRemoved" }}
          onJob={(doneText) => askJob("remove", doneText)}
          question={{ title: t("externalItems.confirmRemove", { count: ids.length }), text: t("externalItems.removeText") }}
          tenantCode={tenantCode}
          onRemove={(doneText) => remove.mutateAsync({ ids, doneText }).then(onDone)}
        />
      )}
      {bulk.dialog}
    </>
  );
}
