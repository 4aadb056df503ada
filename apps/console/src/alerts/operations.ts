import type { BodyOf, Routes, SkippedAlert } from "@crossdock/contract";
import { pathOf, type Place } from "./alert-news.ts";
import { api } from "../api/api.ts";
import { inPortions, useBulkOperation } from "../bulk-operation.ts";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { useTellFirst } from "../skipped-text.ts";

/** What many alerts become: another state, or somebody's. */
export type AlertsChange = Omit<NonNullable<BodyOf<Routes["updateAlerts"]>>, "ids">;
type Update = { choose: () => Promise<readonly string[]>; change: AlertsChange };

async function updateAlerts(place: Place, { choose, change }: Update) {
  const params = { tenantCode: place.tenantCode };
  return inPortions((await choose()).map(Number), (ids) =>
    api<Routes["updateAlerts"]>("POST", pathOf(place, "/alerts/update"), { params, body: { ids, ...change } }),
  );
}

const skippedTexts: Record<NonNullable<SkippedAlert["state"]>, TextKey> = {
  firing: "alerts.skipped.firing",
  acknowledged: "alerts.skipped.acknowledged",
  snoozed: "alerts.skipped.snoozed",
  recovered: "alerts.skipped.recovered",
};

const doneText = ({ state }: AlertsChange): TextKey =>
  state === undefined ? "notice.alertsGiven" : state === "firing" ? "notice.alertsReopened" : "notice.alertsAcknowledged";

/** Changes many alerts. */
export function useUpdateAlerts(place: Place) {
  const t = useText();
  const tellFirst = useTellFirst();
  const reasonOf = ({ id, state }: SkippedAlert): string =>
    t(state === null ? "skipped.missing" : skippedTexts[state], { name: `${t("alerts.one")} ${id}` });
  const update = useBulkOperation(place.tenantCode, {
    run: (wanted: Update) => updateAlerts(place, wanted),
    done: ({ change }) => doneText(change),
    explain: (skipped) => tellFirst(skipped, reasonOf),
    // What was acknowledged had been firing; who had an alert before, or until when it was snoozed, differs from one to the next.
    undo: (ids, { change }): (() => void) | null =>
      change.state === "acknowledged" ? () => update.mutate({ choose: async () => ids.map(String), change: { state: "firing" } }) : null,
  });
  return update;
}
