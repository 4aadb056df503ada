import type { Routes, SkippedMessage } from "@crossdock/contract";
import { api } from "../api/api.ts";
import { inPortions, useBulkOperation } from "../bulk-operation.ts";
import type { TextKey } from "../i18n/i18n.tsx";
import { useShowMessages } from "./show-messages.ts";
import { useSkippedText } from "../skipped-text.ts";

/** What an operator may do to messages, wherever they are listed. */
type Result = { ids: string[]; skipped: SkippedMessage[] };

type Verb = "requeue" | "remove";

function changeDeadLetters(tenantCode: string, verb: Verb, wanted: readonly string[]): Promise<Result> {
  return inPortions(wanted, (ids) =>
    api<Routes[`${Verb}DeadLetters`]>("POST", `/tenants/:tenantCode/dead-letters/${verb}`, { params: { tenantCode }, body: { ids } }),
  );
}

export function useRequeue(tenantCode: string) {
  const show = useShowMessages();
  return useBulkOperation(tenantCode, {
    run: ({ ids }: { ids: string[] }) => changeDeadLetters(tenantCode, "requeue", ids),
    done: () => "notice.requeued",
    explain: useSkippedText(),
    show,
  });
}

export function useRemoveDeadLetters(tenantCode: string) {
  const restore = useRestore(tenantCode);
  return useBulkOperation(tenantCode, {
    run: ({ ids }: { ids: string[] }) => changeDeadLetters(tenantCode, "remove", ids),
    done: () => "notice.deadLettersRemoved",
    explain: useSkippedText(),
    undo: (ids) => () => restore.mutate({ ids }),
  });
}

type RemoveInput = { ids: string[]; doneText?: TextKey };

export function useRemove(tenantCode: string) {
  const restore = useRestore(tenantCode);
  return useBulkOperation(tenantCode, {
    run: ({ ids: wanted }: RemoveInput) =>
      inPortions(wanted, (ids) =>
        api<Routes["removeMessages"]>("POST", "/tenants/:tenantCode/messages/remove", { params: { tenantCode }, body: { ids } }),
      ),
    done: ({ doneText = "notice.removed" }) => doneText,
    explain: useSkippedText(),
    undo: (ids) => () => restore.mutate({ ids }),
  });
}

export function useRestore(tenantCode: string) {
  const show = useShowMessages();
  return useBulkOperation(tenantCode, {
    run: ({ ids: wanted }: { ids: string[] }) =>
      inPortions(wanted, (ids) =>
        api<Routes["restoreMessages"]>("POST", "/tenants/:tenantCode/messages/restore", { params: { tenantCode }, body: { ids } }),
      ),
    done: () => "notice.restored",
    explain: useSkippedText(),
    show,
  });
}

export function useRetryNow(tenantCode: string) {
  const show = useShowMessages();
  return useBulkOperation(tenantCode, {
    run: ({ ids: wanted }: { ids: string[] }) =>
      inPortions(wanted, (ids) =>
        api<Routes["retryNow"]>("POST", "/tenants/:tenantCode/retry-queue/retry-now", { params: { tenantCode }, body: { ids } }),
      ),
    done: () => "notice.retriedNow",
    explain: useSkippedText(),
    show,
  });
}
