import type { Routes, SkippedMessage } from "@crossdock/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "./api.ts";
import { useFailureNotice } from "./failure-notice.ts";
import { useText, type TextKey } from "./i18n/i18n.tsx";
import { useSkippedText } from "./skipped-text.ts";
import { noticeError, noticeSuccess } from "./ui/notice.tsx";

type Result = { ids: string[]; skipped: SkippedMessage[] };

/** What an operator may do to messages, wherever they are listed. What was left as it is is told with the reason: mostly a colleague was faster. */
function useOperation<Input>(
  tenantCode: string,
  run: (input: Input) => Promise<Result>,
  done: TextKey | ((input: Input) => TextKey),
  undo?: (ids: string[]) => void,
) {
  const t = useText();
  const client = useQueryClient();
  const explain = useSkippedText();
  return useMutation({
    mutationFn: run,
    onSuccess: ({ ids, skipped }, input) => {
      const text = typeof done === "function" ? done(input) : done;
      const canUndo = undo !== undefined && ids.length > 0;
      if (ids.length > 0 || skipped.length === 0) {
        noticeSuccess(t(text, { count: ids.length }), canUndo ? { label: t("action.undo"), run: () => undo(ids) } : undefined);
      }
      if (skipped.length > 0) noticeError(explain(skipped));
      return client.invalidateQueries({ queryKey: ["tenant", tenantCode] });
    },
    onError: useFailureNotice(),
  });
}

/** The server takes up to this many messages a call. */
const portion = 1000;

async function inPortions(ids: string[], change: (ids: string[]) => Promise<Result>): Promise<Result> {
  const result: Result = { ids: [], skipped: [] };
  for (let start = 0; start < ids.length; start += portion) add(result, await change(ids.slice(start, start + portion)));
  return result;
}

function add(result: Result, { ids, skipped }: Result): void {
  result.ids.push(...ids);
  result.skipped.push(...skipped);
}

/** Dead letters by their ids, or one error's whole group. */
export type DeadLetterSelection = { ids: string[] } | { fingerprint: string };

type DeadLetterVerb = "requeue" | "remove";

async function changeDeadLetters(tenantCode: string, verb: DeadLetterVerb, selection: DeadLetterSelection): Promise<Result> {
  const change = (body: DeadLetterSelection) =>
    api<Routes[`${DeadLetterVerb}DeadLetters`]>("POST", `/tenants/:tenantCode/dead-letters/${verb}`, { params: { tenantCode }, body });
  if ("ids" in selection) return inPortions(selection.ids, (ids) => change({ ids }));
  const result: Result = { ids: [], skipped: [] };
  for (;;) {
    const answer = await change(selection);
    add(result, answer);
    if (!answer.hasMore || answer.ids.length === 0) return result;
  }
}

export function useRequeue(tenantCode: string) {
  return useOperation(
    tenantCode,
    (selection: DeadLetterSelection) => changeDeadLetters(tenantCode, "requeue", selection),
    "notice.requeued",
  );
}

export function useRemoveDeadLetters(tenantCode: string) {
  const restore = useRestore(tenantCode);
  const run = (selection: DeadLetterSelection) => changeDeadLetters(tenantCode, "remove", selection);
  return useOperation(tenantCode, run, "notice.deadLettersRemoved", (ids) => restore.mutate({ ids }));
}

type RemoveInput = { ids: string[]; doneText?: TextKey };

export function useRemove(tenantCode: string) {
  const restore = useRestore(tenantCode);
  const run = ({ ids }: RemoveInput) =>
    inPortions(ids, (ids) =>
      api<Routes["removeMessages"]>("POST", "/tenants/:tenantCode/messages/remove", { params: { tenantCode }, body: { ids } }),
    );
  return useOperation(
    tenantCode,
    run,
    ({ doneText = "notice.removed" }) => doneText,
    (ids) => restore.mutate({ ids }),
  );
}

export function useRestore(tenantCode: string) {
  const run = ({ ids }: { ids: string[] }) =>
    inPortions(ids, (ids) =>
      api<Routes["restoreMessages"]>("POST", "/tenants/:tenantCode/messages/restore", { params: { tenantCode }, body: { ids } }),
    );
  return useOperation(tenantCode, run, "notice.restored");
}

export function useRetryNow(tenantCode: string) {
  const run = ({ ids }: { ids: string[] }) =>
    inPortions(ids, (ids) =>
      api<Routes["retryNow"]>("POST", "/tenants/:tenantCode/retry-queue/retry-now", { params: { tenantCode }, body: { ids } }),
    );
  return useOperation(tenantCode, run, "notice.retriedNow");
}
