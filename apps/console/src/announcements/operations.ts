import type { Announcement, BodyOf, Routes } from "@crossdock/contract";
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "../api/api.ts";
import { useFailureNotice } from "../api/failure-notice.ts";
import { announcementsQuery } from "../header/announcements.ts";
import { useText } from "../i18n/i18n.tsx";
import { noticeSuccess } from "../ui/notice.tsx";

export type NewAnnouncement = BodyOf<Routes["createAnnouncement"]>;

/** Those yet to begin, which only admins may see. */
export const scheduledQuery = queryOptions({
  queryKey: [...announcementsQuery.queryKey, "scheduled"],
  queryFn: ({ signal }) => api<Routes["listScheduledAnnouncements"]>("GET", "/announcements/scheduled", { signal }),
});

export const isToCome = ({ startsAt }: { startsAt?: string | undefined }): boolean =>
  startsAt !== undefined && Date.parse(startsAt) > Date.now();

const publish = (body: NewAnnouncement) => api<Routes["createAnnouncement"]>("POST", "/announcements", { body });

export function usePublish() {
  const t = useText();
  const client = useQueryClient();
  return useMutation({
    mutationFn: publish,
    onSuccess: (announcement) => {
      noticeSuccess(t(isToCome(announcement) ? "announce.isScheduled" : "announce.published"));
      return client.invalidateQueries({ queryKey: announcementsQuery.queryKey });
    },
  });
}

/** Ends an announcement, or calls it off before it begins; Undo publishes the same again, for what is left of its time. */
export function useEnd() {
  const t = useText();
  const client = useQueryClient();
  const onError = useFailureNotice();
  const refresh = () => client.invalidateQueries({ queryKey: announcementsQuery.queryKey });
  const again = useMutation({
    mutationFn: publish,
    onSuccess: (announcement) => noticeSuccess(t(isToCome(announcement) ? "announce.isScheduled" : "announce.published")),
    onError,
    onSettled: refresh,
  });
  return useMutation({
    mutationFn: ({ id }: Announcement) =>
      api<Routes["endAnnouncement"]>("POST", "/announcements/:announcementId/end", { params: { announcementId: id } }),
    onSuccess: (_, { text, translations, link, isDismissible, startsAt, endsAt }) =>
      noticeSuccess(t(isToCome({ startsAt }) ? "announce.calledOff" : "announce.ended"), {
        label: t("action.undo"),
        run: () => again.mutate({ text, translations, link, isDismissible, endsAt, ...(isToCome({ startsAt }) && { startsAt }) }),
      }),
    onError,
    onSettled: refresh,
  });
}
