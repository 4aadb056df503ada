import type { Announcement, BodyOf, Routes } from "@crossdock/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "../api.ts";
import { announcementsQuery } from "../header/banner.tsx";
import { useText } from "../i18n/i18n.tsx";
import { noticeError, noticeSuccess } from "../ui/notice.tsx";

export type NewAnnouncement = BodyOf<Routes["createAnnouncement"]>;

const publish = (body: NewAnnouncement) => api<Routes["createAnnouncement"]>("POST", "/announcements", { body });

export function usePublish(onDone: () => void) {
  const t = useText();
  const client = useQueryClient();
  return useMutation({
    mutationFn: publish,
    onSuccess: async () => {
      noticeSuccess(t("announce.published"));
      await client.invalidateQueries({ queryKey: announcementsQuery.queryKey });
      onDone();
    },
  });
}

/** Ends an announcement; Undo publishes the same again, until the time that it had. */
export function useEnd() {
  const t = useText();
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: announcementsQuery.queryKey });
  const again = useMutation({
    mutationFn: publish,
    onSuccess: () => noticeSuccess(t("announce.published")),
    onError: (error) => noticeError(error.message),
    onSettled: refresh,
  });
  return useMutation({
    mutationFn: ({ id }: Announcement) =>
      api<Routes["endAnnouncement"]>("POST", "/announcements/:announcementId/end", { params: { announcementId: id } }),
    onSuccess: (_, { text, translations, link, isDismissible, endsAt }) =>
      noticeSuccess(t("announce.ended"), {
        label: t("action.undo"),
        run: () => again.mutate({ text, translations, link, isDismissible, endsAt }),
      }),
    onError: (error) => noticeError(error.message),
    onSettled: refresh,
  });
}
