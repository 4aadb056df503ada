import type { Queue } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useRouter } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { useIntl } from "react-intl";
import { ChartCard } from "../charts/chart-card.tsx";
import type { Series } from "../charts/series.ts";
import { useText } from "../i18n/i18n.tsx";
import { WithTenant } from "../layouts/with-tenant.tsx";
import { MissingInTenant } from "../api/not-there.tsx";
import { writeTextSearch } from "../text-search.ts";
import { useIsPermitted } from "../session/session.ts";
import { buttonClass } from "../ui/button.tsx";
import { PausedChips } from "../targets/paused-chips.tsx";
import TargetsHeldUp from "../targets/targets-held-up.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { EmptyState, ErrorState, Loading } from "../ui/states.tsx";
import { queuesQuery, subtenantsQuery } from "../session/workspace.ts";
import { aggregateTexts } from "./aggregate-texts.ts";
import { CurrentRuns } from "./current-runs.tsx";
import { Delays } from "./delays.tsx";
import { HubControls } from "./hub-controls.tsx";
import { OpenAlerts } from "./open-alerts.tsx";
import { axisOf, byPointAWeekLater, timesOf, weekBefore, weekEarlier, type Axis, type Metrics } from "./points.ts";
import { liveEveryMs, metricsQuery } from "./queries.ts";
import { viewOf, type HubSearch, type HubView } from "./search.ts";
import { asWeekBefore, attemptShare, latencySeries, namedQueues, queueSeries, sumSeries, together } from "./series.ts";
import { Totals } from "./totals.tsx";

const route = getRouteApi("/shell/subtenant/$subtenantCode/dashboard");

export function SubtenantHubPage() {
  const { subtenantCode } = route.useParams();
  return (
    <WithTenant>
      {(tenantCode) => <Hub key={`${tenantCode} ${subtenantCode}`} tenantCode={tenantCode} subtenantCode={subtenantCode} />}
    </WithTenant>
  );
}

const noQueues: Queue[] = [];

type HubProps = { tenantCode: string; subtenantCode: string };

function Hub({ tenantCode, subtenantCode }: HubProps) {
  const t = useText();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const mayConfigure = useIsPermitted("configure");
  const { data: subtenants } = useQuery(subtenantsQuery(tenantCode));
  const { data: queues, isError: isNameless } = useQuery(queuesQuery(tenantCode, subtenantCode));
  const subtenant = subtenants?.find(({ code }) => code === subtenantCode);
  const name = subtenant ? `${subtenant.name} · ${subtenant.code}` : subtenantCode;
  // While another screen is on its way, the address has no subtenant any more.
  const set = (change: HubSearch) => void navigate({ params: { subtenantCode }, search: { ...search, ...change }, replace: true });
  return (
    <>
      <PageHeader title={t("subtenantHub.title")} hint={name}>
        <PausedChips subtenant={subtenant} />
      </PageHeader>
      <TargetsHeldUp tenantCode={tenantCode} queues={queues ?? noQueues} />
      {subtenants && !subtenant ? (
        <Card>
          <MissingInTenant hint={t("state.notThere")} />
        </Card>
      ) : subtenant?.integrationPoints === 0 ? (
        <Card>
          <EmptyState
            title={t("hub.noPoints")}
            hint={t("configuration.none")}
            action={
              mayConfigure && (
                <Link to="/configuration" search={{ subtenant: subtenantCode, point: "new" }} className={buttonClass("primary")}>
                  {t("configuration.add")}
                </Link>
              )
            }
          />
        </Card>
      ) : (
        <div className="grid gap-4">
          <HubControls search={search} queues={queues ?? noQueues} onChange={set} />
          <Charts
            tenantCode={tenantCode}
            subtenantCode={subtenantCode}
            name={name}
            queues={isNameless ? noQueues : queues}
            search={search}
            onChange={set}
          />
          <Delays tenantCode={tenantCode} subtenantCode={subtenantCode} />
        </div>
      )}
    </>
  );
}

type ChartsProps = HubProps & { name: string; queues: Queue[] | undefined; search: HubSearch; onChange: (change: HubSearch) => void };

function Charts({ tenantCode, subtenantCode, name, queues, search, onChange }: ChartsProps) {
  const view = useMemo(() => viewOf(search), [search]);
  const now = useNow(view.zoom === null);
  const { from, to, stepMs } = axisOf(view.range, view.zoom, now);
  // Another one only when another point has begun, so that the charts stay as they are in between.
  const axis = useMemo(() => ({ from, to, stepMs }), [from, to, stepMs]);
  const asked = { subtenant: subtenantCode, queueId: view.queueId };
  const { data, error, refetch } = useQuery(metricsQuery(tenantCode, { ...asked, axis, isLive: view.zoom === null }));
  const { data: before } = useQuery({
    ...metricsQuery(tenantCode, { ...asked, axis: weekBefore(axis), isLive: false }),
    enabled: view.isCompared,
  });
  if (error && !data) {
    return (
      <>
        <ErrorState detail={error.message} onRetry={() => void refetch()} />
        <Watched tenantCode={tenantCode} subtenantCode={subtenantCode} />
      </>
    );
  }
  // Without the queues' names there would be charts without lines first.
  if (!data || !queues) return <Loading rows={14} />;
  const shown = view.queueId === null ? queues : queues.filter(({ id }) => id === view.queueId);
  const place = { tenantCode, subtenantCode, name, view, axis, isRunning: axis.to > now, onChange };
  return <Drawn {...place} queues={shown} data={data} before={view.isCompared ? before : undefined} />;
}

type DrawnProps = HubProps & {
  /** Of the subtenant. */
  name: string;
  view: HubView;
  axis: Axis;
  /** The axis ends with an interval that has not. */
  isRunning: boolean;
  queues: Queue[];
  data: Metrics;
  before: Metrics | undefined;
  onChange: (change: HubSearch) => void;
};

function Drawn({ tenantCode, subtenantCode, name, view, axis, isRunning, queues, data, before, onChange }: DrawnProps) {
  const t = useText();
  const { formatDateTimeRange } = useIntl();
  const router = useRouter();
  const times = useMemo(() => timesOf(axis), [axis]);
  const charts = useMemo(() => {
    const weekBeforeOf = (lines: (known: Metrics) => Series[]) =>
      before ? asWeekBefore(lines(before), (line) => t("hub.weekBeforeOf", { line })) : [];
    const named = namedQueues(queues);
    const byQueue = (measure: "depth" | "added") => {
      const shown = { measure, aggregate: view.aggregate, isStacked: view.isStacked };
      const earlier = (known: Metrics) => queueSeries(known, named, axis, { ...shown, isStacked: false }, byPointAWeekLater);
      const today = queueSeries(data, named, axis, shown);
      // Beside a stack only the whole can be compared.
      return [...today, ...(before && view.isStacked ? together(earlier(before), t("hub.weekBefore")) : weekBeforeOf(earlier))];
    };
    const outcomes = [
      { key: "delivered" as const, label: t("hub.delivered"), state: "delivered" as const },
      { key: "failed" as const, label: t("hub.failed") },
      { key: "dead" as const, label: t("hub.dead"), state: "dead" as const },
    ];
    const aggregate = t(aggregateTexts[view.aggregate]);
    const attempts = t("hub.attemptShare", { share: `p${attemptShare * 100}` });
    return [
      { title: t("hub.depth"), note: aggregate, atRest: "latest" as const, series: byQueue("depth") },
      {
        title: t("hub.added"),
        note: aggregate,
        atRest: view.aggregate === "sum" ? ("total" as const) : ("latest" as const),
        series: byQueue("added"),
      },
      {
        title: t("hub.outcomes"),
        atRest: "total" as const,
        series: [...sumSeries(data, axis, outcomes), ...weekBeforeOf((known) => sumSeries(known, axis, outcomes, byPointAWeekLater))],
      },
      {
        title: t("hub.latency"),
        atRest: "latest" as const,
        series: [
          ...latencySeries(data, axis, attempts),
          ...weekBeforeOf((known) => latencySeries(known, axis, attempts, byPointAWeekLater)),
        ],
      },
    ];
  }, [t, view, axis, queues, data, before]);
  // What waits now says nothing of what waited then: the list shows what came at that time.
  const open = (at: number, line: Series | undefined) => {
    const start = line?.isWeekBefore ? weekEarlier(at) : at;
    const [from, to] = [new Date(start).toISOString(), new Date(start + axis.stepMs).toISOString()];
    const queueId = line?.queueId ?? view.queueId;
    const filters = { subtenant: subtenantCode, queue: queueId === null ? "" : String(queueId), state: line?.state ?? "", from, to };
    void router.navigate({ href: `/queue${writeTextSearch(filters)}` });
  };
  const range = formatDateTimeRange(axis.from, axis.to, { dateStyle: "medium", timeStyle: "short" });
  const span = `${range} · ${new Intl.DateTimeFormat().resolvedOptions().timeZone}`;
  const zoom = (from: number, to: number) => onChange({ from: new Date(from).toISOString(), to: new Date(to).toISOString() });
  return (
    <>
      <Totals data={data} queues={queues} paceEnd={isRunning && axis.stepMs === 60_000 ? axis.to - axis.stepMs : null} />
      <Watched tenantCode={tenantCode} subtenantCode={subtenantCode} />
      <div className="grid grid-cols-1 gap-4 xl:grid-cols-2">
        {charts.map(({ note, ...chart }) => (
          <ChartCard
            key={chart.title}
            {...chart}
            caption={[note === undefined ? name : `${name} · ${note}`, span]}
            times={times}
            isRunning={isRunning}
            onZoom={zoom}
            onPick={open}
          />
        ))}
      </div>
    </>
  );
}

/** What needs somebody, before all that only tells. */
function Watched(place: HubProps) {
  return (
    <div className="grid grid-cols-1 gap-4 xl:grid-cols-2">
      <OpenAlerts {...place} />
      <CurrentRuns {...place} />
    </div>
  );
}

/** The present, moving on in steps while the range does. */
function useNow(isLive: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isLive) return undefined;
    const timer = setInterval(() => setNow(Date.now()), liveEveryMs);
    return () => clearInterval(timer);
  }, [isLive]);
  return now;
}
