import { RotateCcw } from "lucide-react";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { RemoveChosen, RestoreChosen } from "../jobs/chosen-actions.tsx";
import { externalSelectionOf, type ExternalJobRequest } from "../jobs/queries.ts";
import { useBulk } from "../jobs/use-bulk.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { Button } from "../ui/button.tsx";
import type { Selection } from "../ui/selection.ts";
import { useRemoveExternalMessages, useRestoreExternalMessages } from "./operations.ts";
import { externalMessageFilterOf, removedState, type ExternalMessageSearch } from "./search.ts";

type ActionsProps = {
  tenantCode: string;
  search: ExternalMessageSearch;
  selection: Selection;
  matching: number | null;
  onDone: () => void;
};

/** What can be done with the chosen messages: a few at once, many or all that match by a job. Those that were removed come back. */
export function ExternalMessageListActions({ tenantCode, search, selection, matching, onDone }: ActionsProps) {
  const t = useText();
  const disabledReason = useRoleReason("operate");
  const remove = useRemoveExternalMessages(tenantCode);
  const restore = useRestoreExternalMessages(tenantCode);
  const bulk = useBulk(tenantCode, onDone);
  const ids = [...selection.ids];

  function askJob(kind: "remove" | "restore" | "replay", doneText?: TextKey): void {
    const request = {
      subject: "external-messages",
      kind,
      selection: externalSelectionOf(selection, externalMessageFilterOf(search, new Date())),
    } satisfies ExternalJobRequest;
    bulk.ask(request, { doneText });
  }

  if (search.state === removedState)
    return (
      <>
        <RestoreChosen
          selection={selection}
          disabledReason={disabledReason}
          isBusy={restore.isPending}
          onJob={() => askJob("restore")}
          onRestore={() => restore.mutate({ ids }, { onSuccess: onDone })}
        />
        {bulk.dialog}
      </>
    );
  return (
    <>
      <Button disabledReason={disabledReason} onClick={() => askJob("replay")}>
        <RotateCcw aria-hidden className="size-4" />
        {t("external.replay")}
      </Button>
      <RemoveChosen
        selection={selection}
        disabledReason={disabledReason}
        filters={{ ...search, view: "" }}
        matching={matching}
        texts={{ all: "notice.allExternalMessagesRemoved", counted: "notice.externalMessagesRemoved" }}
        onJob={(doneText) => askJob("remove", doneText)}
        question={{ title: t("external.confirmRemove", { count: ids.length }), text: t("external.removeText") }}
        tenantCode={tenantCode}
        onRemove={(doneText) => remove.mutateAsync({ ids, doneText }).then(onDone)}
      />
      {bulk.dialog}
    </>
  );
}
