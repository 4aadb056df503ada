import type { Routes } from "@crossdock/contract";
import { queryOptions } from "@tanstack/react-query";
import { keyOf, pathOf, type Place } from "./alert-news.ts";
import { api } from "../api/api.ts";

export function rulesQuery(place: Place) {
  return queryOptions({
    queryKey: [...keyOf(place), "rules"],
    queryFn: ({ signal }) =>
      api<Routes["listAlertRules"]>("GET", pathOf(place, "/alert-rules"), { params: { tenantCode: place.tenantCode }, signal }),
    select: ({ items }) => items,
  });
}
