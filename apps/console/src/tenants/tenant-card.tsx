import type { Tenant, TenantHealth } from "@crossdock/contract";
import { Link } from "@tanstack/react-router";
import { CircleCheck, Settings2 } from "lucide-react";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { Chip } from "../ui/chip.tsx";
import { Time } from "../ui/time.tsx";

type TenantCardProps = { tenant: Tenant; health: TenantHealth | undefined; isSelected: boolean; onActivate: () => void };

/** The whole card is the button that activates the tenant; 'Config' lies above it. */
export function TenantCard({ tenant, health, isSelected, onActivate }: TenantCardProps) {
  const t = useText();
  return (
    <li
      className={`relative grid grid-cols-1 gap-4 rounded-card border-2 bg-paper p-4 shadow-[0_1px_4px_#0000001a] transition-colors ${
        isSelected ? "border-primary-ink" : "border-transparent hover:border-line"
      }`}
    >
      <div className="flex items-start justify-between gap-2">
        <div className="min-w-0">
          <h2 className="text-base font-semibold">
            <button
              type="button"
              dir="auto"
              aria-pressed={isSelected}
              onClick={onActivate}
              className="block w-full truncate after:absolute after:inset-0 after:rounded-card"
            >
              {tenant.name}
            </button>
          </h2>
          <p className="flex items-center gap-1.5 font-mono text-xs text-muted">
            {tenant.colour !== null && <span aria-hidden className="size-3 shrink-0 rounded-full" style={{ background: tenant.colour }} />}
            <bdi className="truncate">{tenant.code}</bdi>
          </p>
        </div>
        {!tenant.isActive && <Chip tone="neutral">{t("tenants.inactive")}</Chip>}
      </div>
      <TenantFigures health={health} />
      <div className="flex min-h-9 items-center justify-between gap-2 border-t border-line pt-3">
        {isSelected ? (
          <span className="flex items-center gap-1.5 font-medium text-primary-ink">
            <CircleCheck aria-hidden className="size-4.5" />
            {t("tenants.selected")}
          </span>
        ) : (
          <span className="text-xs text-muted">{t("tenants.clickToActivate")}</span>
        )}
        <Link
          to="/tenant/$tenantCode"
          params={{ tenantCode: tenant.code }}
          aria-label={t("text.labelled", { label: t("tenants.config"), value: tenant.name })}
          className="relative z-1 flex shrink-0 items-center gap-1.5 rounded-button px-2 py-1 font-medium text-primary-ink hover:bg-hover"
        >
          <Settings2 aria-hidden className="size-4" />
          {t("tenants.config")}
        </Link>
      </div>
    </li>
  );
}

/** Dashes until the health is known. */
export function TenantFigures({ health }: { health: TenantHealth | undefined }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const count = (name: "waiting" | "dead" | "openCircuits" | "alerts") => (health ? formatNumber(health[name]) : "–");
  const oldest = health?.oldestWaitingAt;
  const figures = [
    { name: t("health.waiting"), value: count("waiting"), isBad: false },
    { name: t("health.dead"), value: count("dead"), isBad: health && health.dead > 0 },
    { name: t("health.openCircuits"), value: count("openCircuits"), isBad: health && health.openCircuits > 0 },
    { name: t("menu.alerts"), value: count("alerts"), isBad: health && health.alerts > 0 },
    { name: t("health.oldestWaiting"), value: oldest ? <Time at={oldest} /> : "–", isBad: false },
  ];
  return (
    <dl className="grid grid-cols-2 gap-x-4 gap-y-3">
      {figures.map(({ name, value, isBad }) => (
        <div key={name} className="min-w-0">
          <dt className="truncate text-xs text-muted">{name}</dt>
          <dd className={`truncate text-base font-semibold tabular-nums ${isBad ? "text-bad" : ""}`}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
