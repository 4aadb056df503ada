import type { TenantOverview } from "@crossdock/contract";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { addressIn } from "../tenant-address.ts";
import { Time } from "../ui/time.tsx";
import { FiguresTable } from "./figures-table.tsx";

/** `isBad`: more than none needs somebody. */
const figures = [
  { key: "added", isBad: false },
  { key: "delivered", isBad: false },
  { key: "failed", isBad: true },
  { key: "waiting", isBad: false },
  { key: "dead", isBad: true },
  { key: "openCircuits", isBad: true },
  { key: "alerts", isBad: true },
  { key: "failingJobs", isBad: true },
] as const;

/** Every tenant in one line, the worst first, as the server puts them. */
export function TenantTable({ tenants }: { tenants: TenantOverview[] }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const heads = [
    t("dashboard.added"),
    t("dashboard.delivered"),
    t("dashboard.failed"),
    t("health.waiting"),
    t("health.dead"),
    t("health.openCircuits"),
    t("menu.alerts"),
    t("dashboard.failingJobs"),
    t("health.oldestWaiting"),
  ];
  const rows = tenants.map((tenant) => ({
    key: tenant.code,
    name: (
      <a href={addressIn(tenant.code, "/queue")} className="block font-medium break-words text-primary-ink hover:underline sm:max-w-48">
        {tenant.name}
      </a>
    ),
    figures: [
      ...figures.map(({ key, isBad }) => ({ value: formatNumber(tenant[key]), isBad: isBad && tenant[key] > 0 })),
      { value: tenant.oldestWaitingAt === null ? "–" : <Time at={tenant.oldestWaitingAt} /> },
    ],
  }));
  return <FiguresTable label={t("menu.tenants")} firstHead={t("sidebar.tenant")} heads={heads} rows={rows} />;
}
