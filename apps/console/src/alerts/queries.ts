import type { Alert, AlertChannel, AlertDelivery, BodyOf, QueryOf, Routes } from "@crossdock/contract";
import { queryOptions } from "@tanstack/react-query";
import { api, toldFaults } from "../api/api.ts";
import { keyOf, pathOf, toldAlerts, type Place } from "./alert-news.ts";
import { exportOf } from "../exporting.ts";
import { listQuery, type PageReader } from "../ui/list-query.ts";
import { alertFilterOf, type AlertSearch } from "./search.ts";

/** Rows of lists have ids in text. */
export type AlertRow = Omit<Alert, "id"> & { id: string };

export function alertPages(place: Place, search: AlertSearch): PageReader<AlertRow> {
  const { tenantCode } = place;
  return async (cursor, limit, signal) => {
    const query = { ...alertFilterOf(search), ...(cursor && { cursor }), limit };
    const page = await api<Routes["listAlerts"]>("GET", pathOf(place, "/alerts"), { params: { tenantCode }, query, signal });
    const alerts = await toldAlerts(page.items);
    return { items: alerts.map((alert) => ({ ...alert, id: String(alert.id) })), nextCursor: page.nextCursor };
  };
}

export function alertExport(place: Place, search: AlertSearch) {
  const { tenantCode } = place;
  return exportOf<Routes["exportAlerts"]>(pathOf(place, "/alerts/export"), { params: { tenantCode }, query: alertFilterOf(search) });
}

export function alertsQuery(place: Place, search: AlertSearch) {
  return listQuery([...keyOf(place), alertFilterOf(search)], alertPages(place, search));
}

export function alertQuery(place: Place, alertId: number) {
  return queryOptions({
    queryKey: [...keyOf(place), "one", alertId],
    queryFn: async ({ signal }) => {
      const params = { tenantCode: place.tenantCode, alertId };
      const found = await api<Routes["getAlert"]>("GET", pathOf(place, "/alerts/:alertId"), { params, signal });
      const [alert = found] = await toldAlerts([found]);
      return alert;
    },
  });
}

export function updateAlert(place: Place, alertId: number, body: NonNullable<BodyOf<Routes["updateAlert"]>>): Promise<Alert> {
  const params = { tenantCode: place.tenantCode, alertId };
  return api<Routes["updateAlert"]>("PATCH", pathOf(place, "/alerts/:alertId"), { params, body });
}

type RuleDraft = NonNullable<BodyOf<Routes["updateAlertRule"]>>;
type NewRule = NonNullable<BodyOf<Routes["createAlertRule"]>>;

/** Without a version a change holds whatever others have changed meanwhile. */
export function updateRule(place: Place, ruleId: number, body: RuleDraft, ifVersion?: number) {
  const params = { tenantCode: place.tenantCode, ruleId };
  return api<Routes["updateAlertRule"]>("PATCH", pathOf(place, "/alert-rules/:ruleId"), {
    params,
    body,
    ...(ifVersion !== undefined && { ifVersion }),
  });
}

export function createRule(tenantCode: string, body: NewRule) {
  return api<Routes["createAlertRule"]>("POST", "/tenants/:tenantCode/alert-rules", { params: { tenantCode }, body });
}

export function removeRule(tenantCode: string, ruleId: number) {
  return api<Routes["removeAlertRule"]>("DELETE", "/tenants/:tenantCode/alert-rules/:ruleId", { params: { tenantCode, ruleId } });
}

/** Why it failed, in the reader's language. */
async function toldFailure<Told extends Pick<AlertDelivery, "failure">>(told: Told): Promise<Told> {
  if (told.failure === null) return told;
  const [failure = told.failure] = await toldFaults([told.failure]);
  return { ...told, failure };
}

export function channelsQuery(place: Place) {
  return queryOptions({
    queryKey: [...keyOf(place), "channels"],
    queryFn: async ({ signal }) => {
      const params = { tenantCode: place.tenantCode };
      const { items } = await api<Routes["listAlertChannels"]>("GET", pathOf(place, "/alert-channels"), { params, signal });
      return Promise.all(
        items.map(async (channel) => ({ ...channel, lastDelivery: channel.lastDelivery && (await toldFailure(channel.lastDelivery)) })),
      );
    },
  });
}

type NewChannel = NonNullable<BodyOf<Routes["createAlertChannel"]>>;
type ChannelDraft = NonNullable<BodyOf<Routes["updateAlertChannel"]>>;

export function createChannel(place: Place, body: NewChannel) {
  const params = { tenantCode: place.tenantCode };
  return api<Routes["createAlertChannel"]>("POST", pathOf(place, "/alert-channels"), { params, body });
}

const ofChannel = (place: Place, channelId: number) => ({ params: { tenantCode: place.tenantCode, channelId } });

export function updateChannel(place: Place, channelId: number, body: ChannelDraft, ifVersion?: number): Promise<AlertChannel> {
  return api<Routes["updateAlertChannel"]>("PATCH", pathOf(place, "/alert-channels/:channelId"), {
    ...ofChannel(place, channelId),
    body,
    ...(ifVersion !== undefined && { ifVersion }),
  });
}

export function removeChannel(place: Place, channelId: number) {
  return api<Routes["removeAlertChannel"]>("DELETE", pathOf(place, "/alert-channels/:channelId"), ofChannel(place, channelId));
}

export function rotateChannel(place: Place, channelId: number) {
  return api<Routes["rotateAlertChannel"]>("POST", pathOf(place, "/alert-channels/:channelId/rotate"), ofChannel(place, channelId));
}

export async function testChannel(place: Place, channelId: number) {
  return toldFailure(
    await api<Routes["testAlertChannel"]>("POST", pathOf(place, "/alert-channels/:channelId/test"), ofChannel(place, channelId)),
  );
}

export function deliveriesQuery(place: Place, channelId: number) {
  return queryOptions({
    queryKey: [...keyOf(place), "deliveries", channelId],
    queryFn: async ({ signal }) => {
      const { items } = await api<Routes["listAlertDeliveries"]>("GET", pathOf(place, "/alert-channels/:channelId/deliveries"), {
        ...ofChannel(place, channelId),
        query: { limit: 50 },
        signal,
      });
      return Promise.all(items.map(toldFailure));
    },
  });
}

/** People who may own an alert: those who work in the tenant; for the installation its admins. */
export function peopleQuery({ tenantCode, isInstallation }: Place, query: NonNullable<QueryOf<Routes["listOperators"]>> = {}) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, isInstallation ? "admins" : "operators", query],
    queryFn: async ({ signal }): Promise<{ items: { id: number; name: string }[] }> => {
      if (!isInstallation) {
        return api<Routes["listOperators"]>("GET", "/tenants/:tenantCode/operators", { params: { tenantCode }, query, signal });
      }
      const admins = await api<Routes["listUsers"]>("GET", "/users", { query: { role: "admin", limit: 200 }, signal });
      return { items: admins.items.map(({ id, name, email }) => ({ id, name: name === "" ? email : name })) };
    },
    select: ({ items }) => items,
  });
}

/** People who may be written to of an alert: of a tenant also those who may only look. */
export const recipientsQuery = (place: Place) => peopleQuery(place, { readers: "true" });
