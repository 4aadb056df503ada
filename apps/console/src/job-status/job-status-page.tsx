import { useQuery } from "@tanstack/react-query";
import { Play, Upload } from "lucide-react";
import { Suspense, useState } from "react";
import { getRouteApi } from "@tanstack/react-router";
import { lazyPart } from "../lazy-screen.ts";
import { useText } from "../i18n/i18n.tsx";
import JobList from "../jobs/job-list.tsx";
import { WithTenant } from "../layouts/with-tenant.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { runOutcomes } from "../runs/run-labels.tsx";
import { Button } from "../ui/button.tsx";
import { activeFilters, FilterBar } from "../ui/filter-bar.tsx";
import { FilterSelect } from "../ui/filter-fields.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { Loading } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { ViewPicker } from "../saved-views/view-picker.tsx";
import { subtenantOptions, subtenantsQuery } from "../session/workspace.ts";
import { RunDrawer } from "./run-drawer.tsx";
import { Runs } from "./runs.tsx";
import { Schedules } from "./schedules.tsx";
import { parseJobStatusSearch, type JobStatusSearch } from "./search.ts";

const Differences = lazyPart(() => import("./differences.tsx"));
const JobDialog = lazyPart(() => import("./job-dialog.tsx"));
const ImportDialog = lazyPart(() => import("./import-dialog.tsx"));
const route = getRouteApi("/shell/jobstatus-list");

export function JobStatusPage() {
  return <WithTenant>{(tenantCode) => <JobStatus key={tenantCode} tenantCode={tenantCode} />}</WithTenant>;
}

const views = ["runs", "schedules", "bulk"] as const;

function JobStatus({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const view = views.find((known) => known === search.view) ?? "runs";
  const subtenant = search.subtenant ?? "";
  const show = (next: JobStatusSearch): void => void navigate({ search: next, replace: true });
  // The dialog that started it has typed fields and is not closed yet.
  const showTyped = (next: JobStatusSearch): void => void navigate({ search: next, replace: true, ignoreBlocker: true });
  const runId = /^\d{1,9}$/.test(search.run ?? "") ? Number(search.run) : null;
  const { run: _run, resync, again, schedule: _schedule, ...withoutRun } = search;
  const compared = /^\d{1,9}$/.test(search.differences ?? "") ? Number(search.differences) : null;
  if (compared !== null)
    return (
      <>
        <PageHeader title={t("menu.jobStatus")} hint={t("jobStatus.hint")} />
        <Suspense fallback={<Loading rows={8} />}>
          <Differences tenantCode={tenantCode} runId={compared} search={search} onChange={show} />
        </Suspense>
      </>
    );
  return (
    <>
      <PageHeader title={t("menu.jobStatus")} hint={t("jobStatus.hint")}>
        {view === "runs" && (
          <Start
            key={`${resync} ${again}`}
            tenantCode={tenantCode}
            resync={resync}
            again={again}
            onClose={() => showTyped(withoutRun)}
            onStarted={(id) => showTyped({ ...withoutRun, run: String(id) })}
          />
        )}
      </PageHeader>
      <Tabs
        label={t("jobStatus.tab")}
        value={view}
        onChange={(next) => show({ ...withoutRun, view: next === "runs" ? "" : next })}
        tabs={[
          {
            value: "runs",
            label: t("jobStatus.runs"),
            content: (
              <Card>
                <Filter tenantCode={tenantCode} search={search} onChange={show} isOfRuns />
                <Runs tenantCode={tenantCode} search={search} />
              </Card>
            ),
          },
          {
            value: "schedules",
            label: t("jobStatus.schedules"),
            content: (
              <div className="grid gap-4">
                <Card>
                  <Filter tenantCode={tenantCode} search={search} onChange={show} />
                </Card>
                <Schedules tenantCode={tenantCode} subtenant={subtenant} wanted={search.schedule} />
              </div>
            ),
          },
          {
            value: "bulk",
            label: t("jobStatus.bulk"),
            content: (
              <Card>
                <JobList tenantCode={tenantCode} onLeave={() => undefined} />
              </Card>
            ),
          },
        ]}
      />
      {runId !== null && (
        <RunDrawer
          tenantCode={tenantCode}
          runId={runId}
          onClose={() => show(withoutRun)}
          differences={{ ...withoutRun, differences: String(runId) }}
        />
      )}
    </>
  );
}

type StartProps = {
  tenantCode: string;
  resync: string | undefined;
  again: string | undefined;
  onClose: () => void;
  onStarted: (runId: number) => void;
};

function Start({ tenantCode, resync, again, onClose, onStarted }: StartProps) {
  const t = useText();
  const disabledReason = useRoleReason("operate");
  const [open, setOpen] = useState<"import" | "run" | null>(
    disabledReason !== null ? null : resync !== undefined ? "run" : again !== undefined ? "import" : null,
  );
  const close = (): void => {
    setOpen(null);
    if (resync !== undefined || again !== undefined) onClose();
  };
  return (
    <>
      <Button disabledReason={disabledReason} onClick={() => setOpen("run")}>
        <Play aria-hidden className="size-4 rtl:-scale-x-100" />
        {t("jobStatus.newRun")}
      </Button>
      <Button disabledReason={disabledReason} onClick={() => setOpen("import")}>
        <Upload aria-hidden className="size-4" />
        {t("jobStatus.import")}
      </Button>
      <Suspense fallback={null}>
        {open === "run" && <JobDialog tenantCode={tenantCode} isOnce resync={resync} onClose={close} onStarted={onStarted} />}
        {open === "import" && (
          <ImportDialog
            tenantCode={tenantCode}
            again={again}
            onClose={close}
            onStarted={(id) => {
              close();
              onStarted(id);
            }}
          />
        )}
      </Suspense>
    </>
  );
}

type FilterProps = {
  tenantCode: string;
  search: JobStatusSearch;
  onChange: (search: JobStatusSearch) => void;
  /** Runs have states, schedules don't. */
  isOfRuns?: boolean;
};

function Filter({ tenantCode, search, onChange, isOfRuns = false }: FilterProps) {
  const t = useText();
  const { data: subtenants = [] } = useQuery(subtenantsQuery(tenantCode));
  const states = Object.entries(runOutcomes).map(([value, { label }]) => ({ value, label: t(label) }));
  const choices = {
    subtenant: { name: t("filter.subtenant"), options: subtenantOptions(subtenants) },
    state: { name: t("jobStatus.state"), options: states },
  };
  const { subtenant = "", state = "" } = search;
  const filters = { subtenant, ...(isOfRuns && { state }) };
  const set = (change: JobStatusSearch) => onChange({ ...search, ...change });
  return (
    <FilterBar
      active={activeFilters(filters, choices, (id) => set({ [id]: "" }))}
      onClear={() => set({ subtenant: "", ...(isOfRuns && { state: "" }) })}
    >
      <FilterSelect
        label={choices.subtenant.name}
        value={subtenant}
        onChange={(value) => set({ subtenant: value })}
        options={choices.subtenant.options}
      />
      {isOfRuns && <FilterSelect label={choices.state.name} value={state} onChange={(value) => set({ state: value })} options={states} />}
      <div className="col-span-2 flex sm:self-end">
        <ViewPicker
          place={tenantCode}
          list="/jobstatus-list"
          search={filters}
          onApply={(query) => {
            const { subtenant = "", state = "" } = parseJobStatusSearch(query);
            set({ subtenant, state });
          }}
        />
      </div>
    </FilterBar>
  );
}
