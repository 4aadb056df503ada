import type { Routes, SkippedMessage } from "@crossdock/contract";
import { api } from "../api/api.ts";
import { addResult, inPortions, useBulkOperation } from "../bulk-operation.ts";
import type { TextKey } from "../i18n/i18n.tsx";
import { useShowMessages } from "./show-messages.ts";
import { useSkippedText } from "../skipped-text.ts";

/** What an operator may do to messages, wherever they are listed. */
type Result = { ids: string[]; skipped: SkippedMessage[] };

/** Dead letters by their ids, or one error's whole group. */
type DeadLetterSelection = { ids: string[] } | { fingerprint: string };

type DeadLetterVerb = "requeue" | "remove";

async function changeDeadLetters(tenantCode: string, verb: DeadLetterVerb, selection: DeadLetterSelection): Promise<Result> {
  const change = (body: DeadLetterSelection) =>
    api<Routes[`${DeadLetterVerb}DeadLetters`]>("POST", `/tenants/:tenantCode/dead-letters/${verb}`, { params: { tenantCode }, body });
  if ("ids" in selection) return inPortions(selection.ids, (ids) => change({ ids }));
  const result: Result = { ids: [], skipped: [] };
  for (;;) {
    const answer = await change(selection);
    addResult(result, answer);
    if (!answer.hasMore || answer.ids.length === 0) return result;
  }
}

export function useRequeue(tenantCode: string) {
  const show = useShowMessages();
  return useBulkOperation(tenantCode, {
    run: (selection: DeadLetterSelection) => changeDeadLetters(tenantCode, "requeue", selection),
    done: () => "notice.requeued",
    explain: useSkippedText(),
    show,
  });
}

export function useRemoveDeadLetters(tenantCode: string) {
  const restore = useRestore(tenantCode);
  return useBulkOperation(tenantCode, {
    run: (selection: DeadLetterSelection) => changeDeadLetters(tenantCode, "remove", selection),
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
