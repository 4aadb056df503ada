import { useQuery } from "@tanstack/react-query";
import { useText } from "../i18n/i18n.tsx";
import { healthsQuery } from "../session/workspace.ts";
import { addressIn } from "../tenant-address.ts";

/** The tenants that have alerts which fire, each with their number. */
export function useFiringTenants() {
  const { data = [], ...query } = useQuery(healthsQuery);
  const tenants = data.flatMap(({ code, name, isActive, health }) =>
    isActive && health && health.alerts > 0 ? [{ code, name, alerts: health.alerts }] : [],
  );
  return { ...query, tenants };
}

/** The ways to their alerts. */
export function FiringTenants({ tenants }: Pick<ReturnType<typeof useFiringTenants>, "tenants">) {
  const t = useText();
  return (
    <ul className="divide-y divide-line">
      {tenants.map(({ code, name, alerts }) => (
        <li key={code}>
          <a href={addressIn(code, "/alerts")} className="flex gap-3 px-4 py-3 -outline-offset-2 hover:bg-hover">
            <span className="min-w-0 flex-1 font-medium break-words text-primary-ink">
              <bdi>{name}</bdi>
            </span>
            <span className="shrink-0 font-semibold text-bad">{t("alerts.openCount", { count: alerts })}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
