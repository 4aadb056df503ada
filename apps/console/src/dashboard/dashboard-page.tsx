import type { DeathCause, Incident, Missing, Overview, TenantOverview } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Monitor, X } from "lucide-react";
import { Fragment } from "react";
import { createPortal } from "react-dom";
import { useIntl } from "react-intl";
import { useSaying } from "../alerts/alert-texts.ts";
import { useText } from "../i18n/i18n.tsx";
import { NoTenant } from "../layouts/with-tenant.tsx";
import { faultText } from "../messages/message-states.ts";
import { addressIn } from "../tenant-address.ts";
import { Button } from "../ui/button.tsx";
import { Calm } from "../ui/calm.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { EmptyState, ErrorState, Loading } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { overviewQuery } from "./queries.ts";
import { QueueTable } from "./queue-table.tsx";
import { TenantTable } from "./tenant-table.tsx";
import { Throughput } from "./throughput.tsx";

const route = getRouteApi("/shell/brightcom-dashboard");

export function DashboardPage() {
  const t = useText();
  const { view } = route.useSearch();
  const navigate = route.useNavigate();
  const isWallboard = view === "wallboard";
  const { data, error, refetch } = useQuery(overviewQuery);
  const toggle = () => void navigate({ search: isWallboard ? {} : { view: "wallboard" }, replace: true });
  const Icon = isWallboard ? X : Monitor;
  const screen = (
    <div className={isWallboard ? "fixed inset-0 z-30 overflow-y-auto bg-page p-6 text-lg 2xl:[zoom:1.25] min-[1900px]:[zoom:1.5]" : ""}>
      <PageHeader title={t("menu.dashboard")} hint={<Hint at={data?.at} />}>
        <Button onClick={toggle}>
          <Icon aria-hidden className="size-4" />
          {t(isWallboard ? "dashboard.leaveWallboard" : "dashboard.wallboard")}
        </Button>
      </PageHeader>
      {!data && (error ? <ErrorState detail={error.message} onRetry={() => void refetch()} /> : <Loading rows={10} />)}
      {data && (data.tenants.length === 0 ? <NoTenant hint={t("tenants.none")} /> : <Board overview={data} />)}
    </div>
  );
  // On the wall it is read from afar, and lies over everything else, menu and header included.
  return isWallboard ? createPortal(screen, document.body) : screen;
}

function Hint({ at }: { at: string | undefined }) {
  const t = useText();
  return (
    <>
      {t("dashboard.hint")}
      {at && (
        <>
          {" · "}
          <Time at={at} />
        </>
      )}
    </>
  );
}

function Board({ overview: { throughput, incidents, causes, missing, queues, tenants } }: { overview: Overview }) {
  const t = useText();
  return (
    <div className="grid grid-cols-1 gap-4">
      <Sums tenants={tenants} />
      <Card title={t("dashboard.incidents")}>
        {incidents.length === 0 ? (
          <Calm>{t("dashboard.noIncident")}</Calm>
        ) : (
          <ul className="divide-y divide-line">
            {incidents.map((incident) => (
              <IncidentItem key={incident.target} incident={incident} />
            ))}
          </ul>
        )}
      </Card>
      {missing.length > 0 && (
        <Card title={t("hub.delays")}>
          <ul className="divide-y divide-line">
            {missing.map((one) => (
              <MissingItem key={`${one.tenantCode} ${one.alertId}`} missing={one} />
            ))}
          </ul>
        </Card>
      )}
      <div className="grid grid-cols-1 gap-4 xl:grid-cols-2">
        <Throughput minutes={throughput} />
        <Card title={t("dashboard.worstQueues")}>
          {queues.length === 0 ? <Calm>{t("dashboard.noWorstQueue")}</Calm> : <QueueTable queues={queues} />}
        </Card>
      </div>
      <Card title={t("menu.tenants")}>
        <TenantTable tenants={tenants} />
      </Card>
      <Card title={t("dashboard.causes")}>
        {causes.length === 0 ? <EmptyState title={t("dashboard.noCause")} /> : <Causes causes={causes} />}
      </Card>
    </div>
  );
}

function Sums({ tenants }: { tenants: TenantOverview[] }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const sum = (key: "delivered" | "waiting" | "failed" | "dead" | "openCircuits") => tenants.reduce((all, tenant) => all + tenant[key], 0);
  const figures = [
    { name: t("dashboard.delivered"), value: sum("delivered"), isBad: false },
    { name: t("health.waiting"), value: sum("waiting"), isBad: false },
    { name: t("dashboard.failed"), value: sum("failed"), isBad: sum("failed") > 0 },
    { name: t("health.dead"), value: sum("dead"), isBad: sum("dead") > 0 },
    { name: t("health.openCircuits"), value: sum("openCircuits"), isBad: sum("openCircuits") > 0 },
  ];
  return (
    <dl className="grid grid-cols-[repeat(auto-fit,minmax(min(10rem,100%),1fr))] gap-4">
      {figures.map(({ name, value, isBad }) => (
        <div key={name} className="rounded-card bg-paper p-4 shadow-[0_1px_4px_#0000001a]">
          <dt className="text-xs text-muted">{name}</dt>
          <dd className={`text-2xl font-semibold tabular-nums ${isBad ? "text-bad" : ""}`}>{formatNumber(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function IncidentItem({ incident: { target, retryAt, waiting, points } }: { incident: Incident }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const tenants = Map.groupBy(points, ({ tenantCode }) => tenantCode);
  return (
    <li className="grid gap-1 border-s-4 border-bad px-4 py-3">
      <p className="font-semibold text-bad">
        <bdi className="break-all">{target}</bdi>
      </p>
      <p>{t("dashboard.touches", { tenants: tenants.size, points: points.length, waiting: formatNumber(waiting) })}</p>
      <ul className="grid grid-cols-1 gap-x-6 gap-y-1 sm:grid-cols-2 xl:grid-cols-3">
        {[...tenants].map(([tenantCode, theirs]) => (
          <li key={tenantCode} className="min-w-0 break-words text-muted">
            <a href={addressIn(tenantCode, "/queue?state=waiting")} className="text-primary-ink underline">
              {theirs[0]?.tenantName}
            </a>
            {": "}
            {theirs.map(({ code, name, waiting: held }, index) => (
              <Fragment key={code}>
                {index > 0 && ", "}
                <bdi>{name}</bdi> ({formatNumber(held)})
              </Fragment>
            ))}
          </li>
        ))}
      </ul>
      {retryAt !== null && (
        <p className="text-xs text-muted">
          {t("dashboard.retry")} <Time at={retryAt} />
        </p>
      )}
    </li>
  );
}

function MissingItem({ missing: { tenantCode, tenantName, alertId, kind, subtenantName, value, details } }: { missing: Missing }) {
  const words = useSaying()({ kind, value, details, subtenant: { name: subtenantName } });
  return (
    <li className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-3">
      <span className="min-w-0 flex-1 basis-60 break-words">
        <bdi>{words}</bdi>
      </span>
      <a href={addressIn(tenantCode, `/alerts?alert=${alertId}`)} className="text-primary-ink hover:underline">
        {tenantName}
      </a>
    </li>
  );
}

function Causes({ causes }: { causes: DeathCause[] }) {
  const t = useText();
  const { formatNumber } = useIntl();
  return (
    <ul className="divide-y divide-line">
      {causes.map(({ fingerprint, errorClass, errorMessage, count, tenants }) => (
        <li key={fingerprint} className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-3">
          <span className="w-16 shrink-0 text-end text-lg font-semibold tabular-nums">{formatNumber(count)}</span>
          <span className="min-w-0 flex-1 basis-60 break-words">
            <bdi className="font-medium">{errorClass}</bdi> <bdi className="text-muted">{errorMessage && faultText(t, errorMessage)}</bdi>
          </span>
          <span className="flex flex-wrap gap-2">
            {tenants.map((tenant) => (
              <a
                key={tenant.code}
                href={addressIn(tenant.code, `/deadletter-list?view=list&cause=${encodeURIComponent(fingerprint)}`)}
                className="text-primary-ink hover:underline"
              >
                {tenant.name} ({formatNumber(tenant.count)})
              </a>
            ))}
          </span>
        </li>
      ))}
    </ul>
  );
}
