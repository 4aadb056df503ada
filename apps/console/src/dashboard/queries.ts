import type { Routes } from "@crossdock/contract";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../api/api.ts";

const everyMs = 5_000;

export const overviewQuery = queryOptions({
  queryKey: ["overview"],
  queryFn: ({ signal }) => api<Routes["getOverview"]>("GET", "/overview", { signal }),
  refetchInterval: everyMs,
});
