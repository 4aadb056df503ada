import type { Routes } from "@crossdock/contract";
import { useMutation } from "@tanstack/react-query";
import { api, toldFaults } from "../api/api.ts";
import { useBulkOperation } from "../bulk-operation.ts";
import type { TextKey } from "../i18n/i18n.tsx";
import { useSkippedRowText } from "../skipped-row-text.ts";
import { useRefresh } from "../live/use-refresh.ts";

/** Up to 1,000 by their ids, and what is said when it is done. */
type RemoveInput = { ids: string[]; doneText?: TextKey };

function removeSome(tenantCode: string, ids: string[]) {
  const path = "/tenants/:tenantCode/external-messages/remove";
  return api<Routes["removeExternalMessages"]>("POST", path, { params: { tenantCode }, body: { ids } });
}

function restoreSome(tenantCode: string, ids: string[]) {
  const path = "/tenants/:tenantCode/external-messages/restore";
  return api<Routes["restoreExternalMessages"]>("POST", path, { params: { tenantCode }, body: { ids } });
}

export function useRestoreExternalMessages(tenantCode: string) {
  return useBulkOperation(tenantCode, {
    run: ({ ids }: { ids: string[] }) => restoreSome(tenantCode, ids),
    done: () => "notice.externalMessagesRestored",
    explain: useSkippedRowText(),
  });
}

export function useRemoveExternalMessages(tenantCode: string) {
  const restore = useRestoreExternalMessages(tenantCode);
  return useBulkOperation(tenantCode, {
    run: ({ ids }: RemoveInput) => removeSome(tenantCode, ids),
    done: ({ doneText = "notice.externalMessagesRemoved" }) => doneText,
    explain: useSkippedRowText(),
    undo: (ids) => () => restore.mutate({ ids }),
  });
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
  const refresh = useRefresh(tenantCode);
  return useMutation({
    mutationFn: ({ externalMessageId, ...body }: Correction) =>
      api<Routes["replayExternalMessage"]>("POST", "/tenants/:tenantCode/external-messages/:externalMessageId/replay", {
        params: { tenantCode, externalMessageId },
        body,
      }),
    onSuccess: refresh,
  });
}
