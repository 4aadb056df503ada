import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { alertKindTexts, AlertStateChip } from "../alerts/alert-labels.tsx";
import { useSaying } from "../alerts/alert-texts.ts";
import { useText } from "../i18n/i18n.tsx";
import { Time } from "../ui/time.tsx";
import { openAlertsQuery } from "./queries.ts";
import { WatchCard } from "./watch-card.tsx";

/** The alerts of the subtenant that need a person. */
export function OpenAlerts({ tenantCode, subtenantCode }: { tenantCode: string; subtenantCode: string }) {
  const t = useText();
  const say = useSaying();
  const query = useQuery(openAlertsQuery(tenantCode, subtenantCode));
  const { data: alerts = [] } = query;
  return (
    <WatchCard
      title={t("menu.alerts")}
      link={
        <Link to="/alerts" search={{ subtenant: subtenantCode }} className="text-primary-ink hover:underline">
          {t("notifications.all")}
        </Link>
      }
      query={query}
      calm={t("hub.noAlert")}
    >
      {alerts.map((alert) => (
        <li key={alert.id} className="px-4 py-2.5">
          <div className="flex items-start justify-between gap-3">
            <Link
              to="/alerts"
              search={{ subtenant: subtenantCode, alert: String(alert.id) }}
              className="min-w-0 font-medium break-words text-primary-ink hover:underline"
            >
              <bdi>{say(alert)}</bdi>
            </Link>
            <span className="shrink-0">
              <AlertStateChip state={alert.state} />
            </span>
          </div>
          <p className="flex flex-wrap gap-x-4 text-xs text-muted">
            <span>{t(alertKindTexts[alert.kind])}</span>
            <Time at={alert.since} />
            <bdi>{alert.owner?.name ?? t("triage.nobody")}</bdi>
          </p>
        </li>
      ))}
    </WatchCard>
  );
}
