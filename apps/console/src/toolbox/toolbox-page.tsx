import { getRouteApi } from "@tanstack/react-router";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import JobList from "../jobs/job-list.tsx";
import { WithTenant } from "../layouts/with-tenant.tsx";
import { SelectField } from "../ui/field.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { BulkOperation } from "./bulk-operation.tsx";
import { ResyncEntity } from "./resync-entity.tsx";
import { operations, operationOf, type Operation } from "./search.ts";

const route = getRouteApi("/shell/toolbox");

const texts: Record<Operation, { name: TextKey; hint: TextKey }> = {
  redrive: { name: "toolbox.redrive", hint: "toolbox.redriveHint" },
  "retry-now": { name: "toolbox.retryNow", hint: "toolbox.retryNowHint" },
  purge: { name: "toolbox.purge", hint: "toolbox.purgeHint" },
  restore: { name: "toolbox.restore", hint: "toolbox.restoreHint" },
  resync: { name: "toolbox.resync", hint: "toolbox.resyncHint" },
};

export function ToolboxPage() {
  const t = useText();
  return (
    <>
      <PageHeader title={t("menu.toolbox")} hint={t("toolbox.hint")} />
      <WithTenant>{(tenantCode) => <Toolbox key={tenantCode} tenantCode={tenantCode} />}</WithTenant>
    </>
  );
}

/** One operation at a time: its form, what it would do before it does it, and below what was run. */
function Toolbox({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const operation = operationOf(search);
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[3fr_2fr]">
      <Card>
        <div className="grid gap-4 p-4">
          <SelectField
            label={t("toolbox.operation")}
            value={operation}
            onChange={(value) => void navigate({ search: { ...search, operation: value }, replace: true })}
            options={operations.map((value) => ({ value, label: t(texts[value].name) }))}
          />
          <p className="text-muted">{t(texts[operation].hint)}</p>
          {operation === "resync" ? (
            <ResyncEntity tenantCode={tenantCode} />
          ) : (
            <BulkOperation key={operation} tenantCode={tenantCode} operation={operation} />
          )}
        </div>
      </Card>
      <Card title={t("toolbox.history")}>
        <JobList tenantCode={tenantCode} onLeave={stay} />
      </Card>
    </div>
  );
}

/** Nothing is over the screen that would have to close. */
function stay(): void {}
