import { useQuery } from "@tanstack/react-query";
import { Upload } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { getRouteApi } from "@tanstack/react-router";
import { useText } from "../i18n/i18n.tsx";
import JobList from "../jobs/job-list.tsx";
import { WithTenant } from "../layouts/with-tenant.tsx";
import { useIsPermitted } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { SelectField } from "../ui/field.tsx";
import { activeFilters, FilterBar } from "../ui/filter-bar.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { subtenantOptions, subtenantsQuery } from "../workspace.ts";
import { RunDrawer } from "./run-drawer.tsx";
import { Runs } from "./runs.tsx";
import { Schedules } from "./schedules.tsx";
import type { JobStatusSearch } from "./search.ts";

const ImportDialog = lazy(() => import("./import-dialog.tsx"));
const route = getRouteApi("/shell/jobstatus-list");

export function JobStatusPage() {
  const t = useText();
  return (
    <>
      <PageHeader title={t("menu.jobStatus")} hint={t("jobStatus.hint")} />
      <WithTenant>{(tenantCode) => <JobStatus key={tenantCode} tenantCode={tenantCode} />}</WithTenant>
    </>
  );
}

const views = ["runs", "schedules", "bulk"] as const;

function JobStatus({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const view = views.find((known) => known === search.view) ?? "runs";
  const subtenant = search.subtenant ?? "";
  const show = (next: JobStatusSearch): void => void navigate({ search: next, replace: true });
  const runId = /^\d{1,9}$/.test(search.run ?? "") ? Number(search.run) : null;
  const { run: _, ...withoutRun } = search;
  return (
    <>
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
                <Filter tenantCode={tenantCode} search={search} onChange={show} />
                <Import tenantCode={tenantCode} onStarted={(id) => show({ ...search, run: String(id) })} />
                <Runs tenantCode={tenantCode} subtenant={subtenant} />
              </Card>
            ),
          },
          {
            value: "schedules",
            label: t("jobStatus.schedules"),
            content: (
              <div className="grid gap-4">
                <Filter tenantCode={tenantCode} search={search} onChange={show} />
                <Schedules tenantCode={tenantCode} subtenant={subtenant} />
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
      {runId !== null && <RunDrawer tenantCode={tenantCode} runId={runId} onClose={() => show(withoutRun)} />}
    </>
  );
}

function Import({ tenantCode, onStarted }: { tenantCode: string; onStarted: (runId: number) => void }) {
  const t = useText();
  const disabledReason = useIsPermitted("operate") ? null : t("role.operatorOnly");
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="px-4 pb-3">
      <Button disabledReason={disabledReason} onClick={() => setIsOpen(true)}>
        <Upload aria-hidden className="size-4" />
        {t("jobStatus.import")}
      </Button>
      <Suspense fallback={null}>
        {isOpen && (
          <ImportDialog
            tenantCode={tenantCode}
            onClose={() => setIsOpen(false)}
            onStarted={(id) => {
              setIsOpen(false);
              onStarted(id);
            }}
          />
        )}
      </Suspense>
    </div>
  );
}

type FilterProps = { tenantCode: string; search: JobStatusSearch; onChange: (search: JobStatusSearch) => void };

function Filter({ tenantCode, search, onChange }: FilterProps) {
  const t = useText();
  const { data: subtenants = [] } = useQuery(subtenantsQuery(tenantCode));
  const choices = { subtenant: { name: t("filter.subtenant"), options: subtenantOptions(subtenants) } };
  const set = (subtenant: string) => onChange({ ...search, subtenant });
  return (
    <FilterBar active={activeFilters({ subtenant: search.subtenant }, choices, () => set(""))} onClear={() => set("")}>
      <SelectField
        label={choices.subtenant.name}
        value={search.subtenant ?? ""}
        onChange={set}
        options={[{ value: "", label: t("filter.any") }, ...choices.subtenant.options]}
      />
    </FilterBar>
  );
}
