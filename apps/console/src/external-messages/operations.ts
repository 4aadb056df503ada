import type { Routes, SkippedRow } from "@crossdock/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, toldFaults } from "../api.ts";
import { useFailureNotice } from "../failure-notice.ts";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { useSkippedRowText } from "../skipped-row-text.ts";
import { noticeError, noticeSuccess } from "../ui/notice.tsx";

/** Up to 1,000 by their ids, and what is said when it is done. */
type RemoveInput = { ids: string[]; doneText?: TextKey };

type Result = { ids: string[]; skipped: SkippedRow[] };

function removeSome(tenantCode: string, ids: string[]): Promise<Result> {
  const path = "/tenants/:tenantCode/external-messages/remove";
  return api<Routes["removeExternalMessages"]>("POST", path, { params: { tenantCode }, body: { ids } });
}

function restoreSome(tenantCode: string, ids: string[]): Promise<Result> {
  const path = "/tenants/:tenantCode/external-messages/restore";
  return api<Routes["restoreExternalMessages"]>("POST", path, { params: { tenantCode }, body: { ids } });
}

function useChange<Input>(
  tenantCode: string,
  run: (input: Input) => Promise<Result>,
  done: (input: Input) => TextKey,
  undo?: (ids: string[]) => void,
) {
  const t = useText();
  const client = useQueryClient();
  const explain = useSkippedRowText();
  return useMutation({
    mutationFn: run,
    onSuccess: ({ ids, skipped }, input) => {
      const way = undo && ids.length > 0 ? { label: t("action.undo"), run: () => undo(ids) } : undefined;
      if (ids.length > 0) noticeSuccess(t(done(input), { count: ids.length }), way);
      if (skipped.length > 0) noticeError(explain(skipped));
      return client.invalidateQueries({ queryKey: ["tenant", tenantCode] });
    },
    onError: useFailureNotice(),
  });
}

export function useRestoreExternalMessages(tenantCode: string) {
  return useChange(
    tenantCode,
    ({ ids }: { ids: string[] }) => restoreSome(tenantCode, ids),
    () => "notice.externalMessagesRestored",
  );
}

export function useRemoveExternalMessages(tenantCode: string) {
  const restore = useRestoreExternalMessages(tenantCode);
  return useChange(
    tenantCode,
    ({ ids }: RemoveInput) => removeSome(tenantCode, ids),
    ({ doneText = "notice.externalMessagesRemoved" }) => doneText,
    (ids) => restore.mutate({ ids }),
  );
}

type Correction = { externalMessageId: string; body?: string };

export function useCheckExternalMessage(tenantCode: string) {
  return useMutation({
    mutationFn: async ({ externalMessageId, ...body }: Correction) => {
      const check = await api<Routes["checkExternalMessage"]>("POST", "/tenants/:tenantCode/external-messages/:externalMessageId/check", {
        params: { tenantCode, externalMessageId },
        body,
      });
      return { ...check, reasons: await toldFaults(check.reasons) };
    },
  });
}

export function useReplayExternalMessage(tenantCode: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ externalMessageId, ...body }: Correction) =>
      api<Routes["replayExternalMessage"]>("POST", "/tenants/:tenantCode/external-messages/:externalMessageId/replay", {
        params: { tenantCode, externalMessageId },
        body,
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["tenant", tenantCode] }),
  });
}
