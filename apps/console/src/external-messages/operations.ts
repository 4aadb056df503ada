import type { Routes } from "@crossdock/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api, ApiError } from "../api.ts";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { noticeError, noticeSuccess } from "../ui/notice.tsx";
import { externalMessageFilterOf, type ExternalMessageSearch } from "./search.ts";

/** Some by their ids, or all that match the list's filter. `isAll`: the ids are all that match, too. */
export type RemoveInput = { ids: string[]; isAll?: boolean } | { search: ExternalMessageSearch };

/** The server takes up to this many messages a call. */
const portion = 1000;

async function removeAll(tenantCode: string, input: RemoveInput): Promise<string[]> {
  const remove = (body: { ids: string[] } | { filter: object }) =>
    api<Routes["removeExternalMessages"]>("POST", "/tenants/:tenantCode/external-messages/remove", { params: { tenantCode }, body });
  const removed: string[] = [];
  if ("ids" in input) {
    for (let start = 0; start < input.ids.length; start += portion)
      removed.push(...(await remove({ ids: input.ids.slice(start, start + portion) })).ids);
    return removed;
  }
  // What comes in from now on was on nobody's screen.
  const now = new Date();
  const filter = { ...externalMessageFilterOf(input.search, now), to: now.toISOString() };
  for (;;) {
    const { ids, hasMore } = await remove({ filter });
    removed.push(...ids);
    if (!hasMore || ids.length === 0) return removed;
  }
}

async function restoreAll(tenantCode: string, ids: string[]): Promise<string[]> {
  const restored: string[] = [];
  for (let start = 0; start < ids.length; start += portion) {
    const answer = await api<Routes["restoreExternalMessages"]>("POST", "/tenants/:tenantCode/external-messages/restore", {
      params: { tenantCode },
      body: { ids: ids.slice(start, start + portion) },
    });
    restored.push(...answer.ids);
  }
  return restored;
}

function useChange<Input>(
  tenantCode: string,
  run: (input: Input) => Promise<string[]>,
  done: (input: Input) => TextKey,
  undo?: (ids: string[]) => void,
) {
  const t = useText();
  const client = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSuccess: (ids, input) => {
      const way = undo && ids.length > 0 ? { label: t("action.undo"), run: () => undo(ids) } : undefined;
      noticeSuccess(t(done(input), { count: ids.length }), way);
      return client.invalidateQueries({ queryKey: ["tenant", tenantCode] });
    },
    onError: (error) => noticeError(error instanceof ApiError && error.problem.status > 0 ? error.message : t("error.generic")),
  });
}

export function useRestoreExternalMessages(tenantCode: string) {
  return useChange(
    tenantCode,
    ({ ids }: { ids: string[] }) => restoreAll(tenantCode, ids),
    () => "notice.externalMessagesRestored",
  );
}

export function useRemoveExternalMessages(tenantCode: string) {
  const restore = useRestoreExternalMessages(tenantCode);
  return useChange(
    tenantCode,
    (input: RemoveInput) => removeAll(tenantCode, input),
    (input) => ("ids" in input && !input.isAll ? "notice.externalMessagesRemoved" : "notice.allExternalMessagesRemoved"),
    (ids) => restore.mutate({ ids }),
  );
}

type Correction = { externalMessageId: string; body?: string };

export function useCheckExternalMessage(tenantCode: string) {
  return useMutation({
    mutationFn: ({ externalMessageId, ...body }: Correction) =>
      api<Routes["checkExternalMessage"]>("POST", "/tenants/:tenantCode/external-messages/:externalMessageId/check", {
        params: { tenantCode, externalMessageId },
        body,
      }),
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
