import type { BodyOf, Routes, SkippedAlert } from "@crossdock/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { pathOf, type Place } from "../alert-news.ts";
import { api } from "../api.ts";
import { useFailureNotice } from "../failure-notice.ts";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { useTellFirst } from "../skipped-text.ts";
import { noticeError, noticeSuccess } from "../ui/notice.tsx";

/** What many alerts become: another state, or somebody's. */
export type AlertsChange = Omit<NonNullable<BodyOf<Routes["updateAlerts"]>>, "ids">;
type Result = { ids: number[]; skipped: SkippedAlert[] };

/** The server takes up to this many alerts a call. */
const portion = 1000;

async function updateAlerts(place: Place, wanted: readonly string[], change: AlertsChange): Promise<Result> {
  const params = { tenantCode: place.tenantCode };
  const result: Result = { ids: [], skipped: [] };
  for (let start = 0; start < wanted.length; start += portion) {
    const body = { ids: wanted.slice(start, start + portion).map(Number), ...change };
    const { ids, skipped } = await api<Routes["updateAlerts"]>("POST", pathOf(place, "/alerts/update"), { params, body });
    result.ids.push(...ids);
    result.skipped.push(...skipped);
  }
  return result;
}

const skippedTexts: Record<NonNullable<SkippedAlert["state"]>, TextKey> = {
  firing: "alerts.skipped.firing",
  acknowledged: "alerts.skipped.acknowledged",
  snoozed: "alerts.skipped.snoozed",
  recovered: "alerts.skipped.recovered",
};

const doneText = ({ state }: AlertsChange): TextKey =>
  state === undefined ? "notice.alertsGiven" : state === "firing" ? "notice.alertsReopened" : "notice.alertsAcknowledged";

/** Changes many alerts. What was left as it is is told with the reason: mostly a colleague was faster. */
export function useUpdateAlerts(place: Place) {
  const t = useText();
  const client = useQueryClient();
  const tellFirst = useTellFirst();
  const reasonOf = ({ id, state }: SkippedAlert): string =>
    t(state === null ? "skipped.missing" : skippedTexts[state], { name: `${t("alerts.one")} ${id}` });
  const update = useMutation({
    mutationFn: async ({ choose, change }: { choose: () => Promise<readonly string[]>; change: AlertsChange }) =>
      updateAlerts(place, await choose(), change),
    onSuccess: ({ ids, skipped }, { change }) => {
      const undo = {
        label: t("action.undo"),
        run: () => update.mutate({ choose: async () => ids.map(String), change: { state: "firing" } }),
      };
      // What was acknowledged had been firing; who had an alert before, or until when it was snoozed, differs from one to the next.
      if (ids.length > 0) noticeSuccess(t(doneText(change), { count: ids.length }), change.state === "acknowledged" ? undo : undefined);
      if (skipped.length > 0) noticeError(tellFirst(skipped, reasonOf));
      return client.invalidateQueries({ queryKey: ["tenant", place.tenantCode] });
    },
    onError: useFailureNotice(),
  });
  return update;
}
