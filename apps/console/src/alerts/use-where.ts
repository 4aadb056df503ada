import type { AlertRule } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { useText } from "../i18n/i18n.tsx";
import { queueOptions, queuesQuery, subtenantLabel, subtenantsQuery } from "../session/workspace.ts";
import type { Place } from "./alert-news.ts";

/** What a rule is confined to, in words. */
export function useWhere(place: Place): (rule: Pick<AlertRule, "subtenantCode" | "queueId">) => string {
  const t = useText();
  const { data: subtenants } = useQuery({ ...subtenantsQuery(place.tenantCode), enabled: !place.isInstallation });
  const { data: queues = [] } = useQuery({ ...queuesQuery(place.tenantCode), enabled: !place.isInstallation });
  return ({ subtenantCode, queueId }) => {
    const queue = queueOptions(queues).find(({ value }) => value === String(queueId))?.label;
    const named = [subtenantCode === null ? null : subtenantLabel(subtenants, subtenantCode), queue ?? null].filter(
      (name) => name !== null,
    );
    return named.length > 0 ? named.join(", ") : t(place.isInstallation ? "alerts.ofInstallation" : "alerts.everywhere");
  };
}
