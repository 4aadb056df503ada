import type { Routes } from "@crossdock/contract";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../api/api.ts";

export const announcementsQuery = queryOptions({
  queryKey: ["announcements"],
  queryFn: ({ signal }) => api<Routes["listAnnouncements"]>("GET", "/announcements", { signal }),
  staleTime: 300_000,
  refetchInterval: 300_000,
});
