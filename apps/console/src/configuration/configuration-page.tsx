import type { Connector, IntegrationPoint, Queue } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useLocation } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useEffect } from "react";
import { useText } from "../i18n/i18n.tsx";
import { WithTenant } from "../layouts/with-tenant.tsx";
import { MissingInTenant } from "../api/not-there.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { useIsPermitted } from "../session/session.ts";
import { BackLink } from "../ui/back-link.tsx";
import { PausedChips } from "../targets/paused-chips.tsx";
import { Button, buttonClass } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { FilterSelect } from "../ui/filter-fields.tsx";
import { Findable } from "../ui/findable.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { EmptyState, ErrorState, Loading } from "../ui/states.tsx";
import { TargetHeldUp } from "../targets/target-failure.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { connectorsQuery, integrationPointsQuery, queuesQuery, subtenantOptions, subtenantsQuery } from "../session/workspace.ts";
import { FlowPicture } from "./flow-picture.tsx";
import { PointForm } from "./point-form.tsx";
import { PointList, QueueList } from "./point-list.tsx";
import { PausedChip, PointSwitch } from "./point-switch.tsx";
import { PointVersions } from "./point-versions.tsx";
import { newPoint, type ConfigurationSearch } from "./search.ts";

const route = getRouteApi("/shell/configuration");

export function ConfigurationPage() {
  return <WithTenant>{(tenantCode) => <Configuration key={tenantCode} tenantCode={tenantCode} />}</WithTenant>;
}

function Configuration({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const search = route.useSearch();
  const { data: points, error, refetch } = useQuery(integrationPointsQuery(tenantCode));
  const { data: connectors } = useQuery(connectorsQuery);
  const { data: queues = [], isPending: areQueuesToCome } = useQuery(queuesQuery(tenantCode));
  if (!points || !connectors || areQueuesToCome) {
    return (
      <>
        <PageHeader title={t("menu.configuration")} />
        <Card>{error ? <ErrorState detail={error.message} onRetry={() => void refetch()} /> : <Loading />}</Card>
      </>
    );
  }
  const props = { tenantCode, search, points, connectors, queues };
  return search.point === undefined ? <Overview {...props} /> : <OnePoint {...props} />;
}

type PartProps = {
  tenantCode: string;
  search: ConfigurationSearch;
  points: IntegrationPoint[];
  connectors: Connector[];
  queues: Queue[];
};

function Overview({ tenantCode, search, points, connectors, queues }: PartProps) {
  const t = useText();
  const navigate = route.useNavigate();
  const { data: subtenants } = useQuery(subtenantsQuery(tenantCode));
  const isWithout = subtenants?.length === 0;
  const disabledReason = useRoleReason("configure") ?? (isWithout ? t("configuration.subtenantFirst") : null);
  const show = (next: ConfigurationSearch) => void navigate({ search: next, replace: true });
  const shown = points.filter(({ subtenantCode }) => !search.subtenant || subtenantCode === search.subtenant);
  return (
    <>
      <PageHeader title={t("menu.configuration")} hint={t("configuration.hint")}>
        <Button look="primary" disabledReason={disabledReason} onClick={() => void navigate({ search: { ...search, point: newPoint } })}>
          <Plus aria-hidden className="size-4" />
          {t("configuration.add")}
        </Button>
      </PageHeader>
      <Card>
        <div className="max-w-xs p-4">
          <FilterSelect
            label={t("filter.subtenant")}
            value={search.subtenant ?? ""}
            onChange={(subtenant) => show({ ...search, subtenant })}
            options={subtenantOptions(subtenants ?? [])}
          />
        </div>
        <Tabs
          label={t("menu.configuration")}
          value={search.view === "flow" ? "flow" : "list"}
          onChange={(view) => show({ ...search, view: view === "flow" ? view : "" })}
          tabs={[
            {
              value: "list",
              label: t("configuration.points"),
              content:
                shown.length === 0 ? (
                  <EmptyState
                    title={t("state.noRecord")}
                    hint={t(isWithout ? "configuration.subtenantFirst" : "configuration.none")}
                    action={
                      isWithout && (
                        <Link to="/subtenant-list" className={buttonClass()}>
                          {t("menu.subtenants")}
                        </Link>
                      )
                    }
                  />
                ) : (
                  <Findable
                    items={shown}
                    textOf={({ code, name, connector }) =>
                      `${code} ${name} ${connectors.find((one) => one.code === connector)?.name ?? connector}`
                    }
                    typed={search.search ?? ""}
                    onType={(typed) => show({ ...search, search: typed })}
                    className="px-4 pt-4"
                  >
                    {(found) => (
                      <PointList tenantCode={tenantCode} points={found} connectors={connectors} subtenants={subtenants} queues={queues} />
                    )}
                  </Findable>
                ),
            },
            {
              value: "flow",
              label: t("flow.title"),
              content: <FlowPicture points={shown} queues={queues} isOfSubtenant={Boolean(search.subtenant)} />,
            },
          ]}
        />
      </Card>
    </>
  );
}

function OnePoint({ tenantCode, search, points, connectors, queues }: PartProps) {
  const t = useText();
  const navigate = route.useNavigate();
  const { data: subtenants } = useQuery(subtenantsQuery(tenantCode));
  const point = points.find(({ id }) => String(id) === search.point) ?? null;
  const isNew = search.point === newPoint;
  useCardOfLink();
  const connectorName = connectors.find(({ code }) => code === point?.connector)?.name;
  const ownQueues = queues.filter(({ integrationPoint }) => integrationPoint.id === point?.id);
  return (
    <>
      <PageHeader
        title={isNew ? t("configuration.add") : (point?.name ?? t("menu.configuration"))}
        hint={point ? `${connectorName ?? point.connector} · ${point.subtenantCode} · ${point.code}` : undefined}
      >
        <PausedChips subtenant={subtenants?.find(({ code }) => code === point?.subtenantCode)} />
        {point?.isPaused && <PausedChip pause={point.pause} />}
        {point && point.targetTypes.length > 0 && <PointSwitch tenantCode={tenantCode} point={point} />}
        <BackLink to="/configuration" label={t("menu.configuration")} />
      </PageHeader>
      {isNew || point ? (
        <div className="grid gap-4">
          {ownQueues[0] && <TargetHeldUp tenantCode={tenantCode} queue={ownQueues[0]} />}
          {ownQueues.length > 0 && (
            <Card title={t("menu.queue")}>
              <div className="px-4 py-3">
                <QueueList queues={ownQueues} />
              </div>
            </Card>
          )}
          <PointForm
            key={point ? point.id : newPoint}
            tenantCode={tenantCode}
            subtenantCode={search.subtenant ?? ""}
            point={point}
            connectors={connectors}
            onDone={(id) => void navigate({ search: { point: String(id) }, replace: true, ignoreBlocker: true })}
          />
          {point && <Hook point={point} />}
          {point && <PointVersions tenantCode={tenantCode} point={point} />}
        </div>
      ) : (
        <Card>
          <MissingInTenant hint={t("state.notThere")} />
        </Card>
      )}
    </>
  );
}

/** Where a link led to one of these cards, which stand far down, it is what is seen first and typed into. */
function useCardOfLink(): void {
  const hash = useLocation({ select: (location) => location.hash });
  useEffect(() => {
    if (!["settings", "credentials", "versions"].includes(hash)) return;
    const card = document.getElementById(hash);
    card?.scrollIntoView({ block: card.clientHeight > innerHeight / 2 ? "start" : "center" });
    card?.querySelector<HTMLElement>("input:not([type=checkbox]):enabled, textarea:enabled")?.focus({ preventScroll: true });
  }, [hash]);
}

function Hook({ point: { sourceTypes, hookId } }: { point: IntegrationPoint }) {
  const t = useText();
  const maySee = useIsPermitted("configure");
  if (sourceTypes.length === 0) return null;
  const address = `${location.origin}/hooks/${hookId}`;
  return (
    <Card title={t("configuration.webhooks")}>
      {maySee ? (
        <div className="flex items-center gap-2 px-4 py-2">
          <p dir="ltr" className="min-w-0 font-mono text-xs break-all rtl:text-right">
            POST {address}
          </p>
          <CopyButton text={address} />
        </div>
      ) : (
        <p className="px-4 py-2 text-muted">{t("configuration.hookHidden")}</p>
      )}
    </Card>
  );
}
