import { useMutation, type MutateOptions } from "@tanstack/react-query";
import { useFailureNotice } from "./api/failure-notice.ts";
import { useText, type TextKey } from "./i18n/i18n.tsx";
import { noticeError, noticeSuccess, type NoticeAction } from "./ui/notice.tsx";
import { useRefresh } from "./live/use-refresh.ts";

/** What an operation has changed, and of what it left as it was the first ones, with the reason. `failure` ended it before it was through. */
type Result<Id, Skipped> = { ids: Id[]; skipped: Skipped[]; failure?: Error };

/** The server takes up to this many a call. */
const portion = 1000;

/** A failure takes nothing from what was changed before it. */
export async function inPortions<Id, Skipped>(wanted: readonly Id[], change: (ids: Id[]) => Promise<Result<Id, Skipped>>) {
  const result: Result<Id, Skipped> = { ids: [], skipped: [] };
  try {
    for (let start = 0; start < wanted.length; start += portion) {
      const { ids, skipped } = await change(wanted.slice(start, start + portion));
      result.ids.push(...ids);
      result.skipped.push(...skipped);
    }
  } catch (error) {
    if (result.ids.length === 0 || !(error instanceof Error)) throw error;
    result.failure = error;
  }
  return result;
}

type BulkOperation<Input, Id, Skipped> = {
  run: (input: Input) => Promise<Result<Id, Skipped>>;
  /** Tells how many were changed. */
  done: (input: Input) => TextKey;
  /** Tells why some were left as they were: mostly a colleague was faster. */
  explain: (skipped: readonly Skipped[]) => string;
  /** What takes the change back; null where that can't be. */
  undo?: (ids: Id[], input: Input) => (() => void) | null;
  /** What leads to them, where nothing takes it back. */
  show?: (ids: Id[]) => NoticeAction | undefined;
  /** In the place of what any failure is told by. */
  onError?: (error: Error) => void;
};

/**
 * A change of many at once. Its outcome is told, with the way back or to what was changed. A failure is, too, but not that of `mutateAsync`: whoever
 * awaits it, as a question does, tells it.
 */
export function useBulkOperation<Input, Id, Skipped>(
  tenantCode: string,
  { run, done, explain, undo, show, onError }: BulkOperation<Input, Id, Skipped>,
) {
  const t = useText();
  const refresh = useRefresh(tenantCode);
  const noticeFailure = useFailureNotice();
  const tellFailure = onError ?? noticeFailure;
  const operation = useMutation({
    mutationFn: run,
    onSuccess: ({ ids, skipped, failure }, input) => {
      const takeBack = ids.length > 0 ? undo?.(ids, input) : null;
      if (ids.length > 0 || skipped.length === 0)
        noticeSuccess(t(done(input), { count: ids.length }), takeBack ? { label: t("action.undo"), run: takeBack } : show?.(ids));
      if (skipped.length > 0) noticeError(explain(skipped));
      if (failure) tellFailure(failure);
      return refresh();
    },
  });
  const mutate = (input: Input, options: MutateOptions<Result<Id, Skipped>, Error, Input> = {}): void =>
    void operation.mutateAsync(input, options).catch(tellFailure);
  return { ...operation, mutate };
}
