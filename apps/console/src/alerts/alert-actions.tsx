import type { AlertState } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { Check, RotateCcw, UserRound } from "lucide-react";
import { useState } from "react";
import type { Place } from "./alert-news.ts";
import { useText } from "../i18n/i18n.tsx";
import { needsJob } from "../jobs/queries.ts";
import { isNarrowed } from "../message-filters/search.ts";
import { useRoleReason } from "../session/role-texts.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { Menu } from "../ui/menu.tsx";
import { countChosen, idsOf, type Selection } from "../ui/selection.ts";
import { useUpdateAlerts, type AlertsChange } from "./operations.ts";
import { alertPages, peopleQuery } from "./queries.ts";
import { alertFilterOf, type AlertSearch } from "./search.ts";

type AlertActionsProps = {
  place: Place;
  search: AlertSearch;
  selection: Selection;
  /** How many match, when that is known. */
  matching: number | null;
  onDone: () => void;
};

/** What can be done with the chosen alerts, of those states that the filter lets through: a few at once, many or all that match after a question. */
export default function AlertActions({ place, search, selection, matching, onDone }: AlertActionsProps) {
  const t = useText();
  const disabledReason = useRoleReason(place.isInstallation ? "administer" : "operate");
  const { data: people = [] } = useQuery(peopleQuery(place));
  const update = useUpdateAlerts(place);
  const [asked, setAsked] = useState<AlertsChange | null>(null);
  const count = countChosen(selection, matching);
  const { state: wanted } = alertFilterOf(search);
  const isListed = (state: AlertState): boolean => wanted?.includes(state) ?? true;
  const choose = () => idsOf(selection, alertPages(place, search), new AbortController().signal);

  const act = (change: AlertsChange): void =>
    needsJob(selection) ? setAsked(change) : update.mutate({ choose, change }, { onSuccess: onDone });
  const give = (ownerId: number | null) => () => act({ ownerId });
  const owner = (
    <Button disabledReason={disabledReason}>
      <UserRound aria-hidden className="size-4" />
      {t("triage.owner")}
    </Button>
  );

  if (search.state === "recovered") return <p className="text-muted">{t("alerts.overStays")}</p>;
  return (
    <>
      {isListed("firing") && (
        <Button look="primary" isBusy={update.isPending} disabledReason={disabledReason} onClick={() => act({ state: "acknowledged" })}>
          <Check aria-hidden className="size-4" />
          {t("alerts.acknowledge")}
        </Button>
      )}
      {(isListed("acknowledged") || isListed("snoozed")) && (
        <Button isBusy={update.isPending} disabledReason={disabledReason} onClick={() => act({ state: "firing" })}>
          <RotateCcw aria-hidden className="size-4" />
          {t("alerts.reopen")}
        </Button>
      )}
      {disabledReason === null ? (
        <Menu
          trigger={owner}
          actions={[...people.map(({ id, name }) => ({ label: name, run: give(id) })), { label: t("triage.nobody"), run: give(null) }]}
        />
      ) : (
        owner
      )}
      {asked && (
        <ConfirmDialog
          onClose={() => setAsked(null)}
          title={count === null ? t("alerts.confirmAll") : t("alerts.confirmSome", { count })}
          text={t("alerts.confirmText")}
          actionLabel={t(asked.state === undefined ? "triage.owner" : asked.state === "firing" ? "alerts.reopen" : "alerts.acknowledge")}
          // A state is no filter: it leaves none of those out that this is about.
          typedWord={isNarrowed({ ...search, state: "" }) ? null : place.isInstallation ? "installation" : place.tenantCode}
          onConfirm={async () => {
            await update.mutateAsync({ choose, change: asked });
            setAsked(null);
            onDone();
          }}
        />
      )}
    </>
  );
}
