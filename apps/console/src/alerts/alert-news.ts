import type { Alert, Routes } from "@crossdock/contract";
import { queryOptions } from "@tanstack/react-query";
import { api, toldFaults } from "../api/api.ts";

/** Whose alerts: those of a tenant, or the installation's own, which are looked at from whatever tenant is active. */
/** `tenantCode`: empty where none is active, which only the installation does without. */
export type Place = { tenantCode: string; isInstallation: boolean };

/** The installation's routes are those of a tenant under another address. */
export const pathOf = ({ isInstallation }: Place, path: string): string =>
  `${isInstallation ? "/installation" : "/tenants/:tenantCode"}${path}`;
export const keyOf = ({ tenantCode, isInstallation }: Place) => ["tenant", tenantCode, isInstallation ? "installation-alerts" : "alerts"];

/** The server counts no further. */
export const firingMax = 1_000;

/** How many alerts fire, whatever a list shows. */
export function firingQuery(tenantCode: string) {
  const place = { tenantCode, isInstallation: false };
  return queryOptions({
    queryKey: [...keyOf(place), "count"],
    queryFn: ({ signal }) =>
      api<Routes["listAlerts"]>("GET", pathOf(place, "/alerts"), { params: { tenantCode }, query: { limit: 1 }, signal }),
    select: ({ openCount }) => openCount,
  });
}

/** The alerts, each with the reason why a job failed in the reader's language. */
export function toldAlerts<Told extends Pick<Alert, "details">>(alerts: Told[]): Promise<Told[]> {
  return Promise.all(
    alerts.map(async (alert) => {
      const { failure } = alert.details;
      if (!failure) return alert;
      const [told = failure] = await toldFaults([failure]);
      return { ...alert, details: { ...alert.details, fault: told.message } };
    }),
  );
}

const newestLimit = 20;

export function notificationsQuery(place: Place) {
  return queryOptions({
    queryKey: [...keyOf(place), "notifications"],
    queryFn: async ({ signal }) => {
      const news = await api<Routes["listNotifications"]>("GET", pathOf(place, "/notifications"), {
        params: { tenantCode: place.tenantCode },
        query: { limit: newestLimit },
        signal,
      });
      const alerts = await toldAlerts(news.items.map(({ alert }) => alert));
      return { ...news, items: news.items.map((item, index) => ({ ...item, alert: alerts[index] ?? item.alert })) };
    },
  });
}

export function markNotificationsRead(place: Place, upTo: string) {
  const params = { tenantCode: place.tenantCode };
  return api<Routes["markNotificationsRead"]>("PUT", pathOf(place, "/notifications/read"), { params, body: { upTo } });
}
