import type { AlertState, Routes } from "@crossdock/contract";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { keyOf, pathOf, toldAlerts } from "../alerts/alert-news.ts";
import { api } from "../api/api.ts";
import type { Axis } from "./points.ts";

/** Between two looks at a range that goes on. */
export const liveEveryMs = 15_000;

type Asked = { subtenant: string; queueId: number | null; axis: Axis; isLive: boolean };

/** Rows as long as the axis' points: most are hours, of which there are a quarter as many as of the quarters that a week has by itself. */
function grainOf({ stepMs }: Axis): "1" | "15" | "60" {
  if (stepMs >= 3_600_000) return "60";
  return stepMs >= 900_000 ? "15" : "1";
}

/** What happened along an axis, with a row for each queue. */
export function metricsQuery(tenantCode: string, { subtenant, queueId, axis, isLive }: Asked) {
  const range = { from: new Date(axis.from).toISOString(), to: new Date(axis.to).toISOString(), grain: grainOf(axis) };
  return queryOptions({
    queryKey: ["tenant", tenantCode, "metrics", subtenant, queueId, range],
    queryFn: ({ signal }) =>
      api<Routes["listMetrics"]>("GET", "/tenants/:tenantCode/metrics", {
        params: { tenantCode },
        query: { ...range, subtenant, by: "queue", ...(queueId !== null && { queueId }) },
        signal,
      }),
    placeholderData: keepPreviousData,
    refetchInterval: isLive ? liveEveryMs : false,
  });
}

/** How long what usually comes is away. */
export function delaysQuery(tenantCode: string, subtenant: string) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "delays", subtenant],
    queryFn: ({ signal }) =>
      api<Routes["getDelays"]>("GET", "/tenants/:tenantCode/delays", { params: { tenantCode }, query: { subtenant }, signal }),
  });
}

/** Not those that are put off: somebody knows, and wants to hear of them later. */
const openStates: AlertState[] = ["firing", "acknowledged"];
const alertsMax = 20;

/** The newest alerts of a subtenant that are open. */
export function openAlertsQuery(tenantCode: string, subtenant: string) {
  const place = { tenantCode, isInstallation: false };
  return queryOptions({
    queryKey: [...keyOf(place), "open", subtenant],
    queryFn: async ({ signal }) => {
      const query = { subtenant, state: openStates, limit: alertsMax };
      const { items } = await api<Routes["listAlerts"]>("GET", pathOf(place, "/alerts"), { params: { tenantCode }, query, signal });
      return toldAlerts(items);
    },
  });
}

const runsMax = { running: 20, failed: 5 };

/** The newest runs of a subtenant that are in a state. */
export function runsInQuery(tenantCode: string, subtenant: string, state: keyof typeof runsMax) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "runs", subtenant, state],
    queryFn: ({ signal }) =>
      api<Routes["listRuns"]>("GET", "/tenants/:tenantCode/runs", {
        params: { tenantCode },
        query: { subtenant, state, limit: runsMax[state] },
        signal,
      }),
    select: ({ items }) => items,
  });
}
