import type { BodyOf, Routes } from "@crossdock/contract";
import { queryOptions, useMutation } from "@tanstack/react-query";
import { api, toldFaults } from "../api/api.ts";
import { useText } from "../i18n/i18n.tsx";
import { noticeSuccess } from "../ui/notice.tsx";
import { useRefresh } from "../live/use-refresh.ts";

/** What is to stand in a message's place. */
export type Wish = { document?: string; queueId?: number };

export function checkQuery(tenantCode: string, messageId: string, wish: Wish) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "message", messageId, "replacement-check", wish],
    queryFn: async ({ signal }) => {
      const input = { params: { tenantCode, messageId }, body: wish, signal };
      const { errors } = await api<Routes["checkReplacement"]>("POST", "/tenants/:tenantCode/messages/:messageId/replacement-check", input);
      return toldFaults(errors);
    },
    staleTime: Infinity,
  });
}

/** Sends the copy. Whatever comes of it, the message is read again: a refusal says that it has changed. */
export function useReplace(tenantCode: string, messageId: string) {
  const t = useText();
  const refresh = useRefresh(tenantCode);
  return useMutation({
    mutationFn: (body: BodyOf<Routes["replaceMessage"]>) =>
      api<Routes["replaceMessage"]>("POST", "/tenants/:tenantCode/messages/:messageId/replacement", {
        params: { tenantCode, messageId },
        body,
      }),
    onSuccess: () => noticeSuccess(t("replace.done")),
    onSettled: () => void refresh(),
  });
}
