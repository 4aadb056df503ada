import type { SubtenantWithActivity } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { WithTenant } from "../layouts/with-tenant.tsx";
import { DataTable } from "../ui/data-table/data-table.tsx";
import { Findable } from "../ui/findable.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { EmptyState, ErrorState, LoadingRows } from "../ui/states.tsx";
import { TableToolbar } from "../ui/table-toolbar.tsx";
import { wholeList } from "../ui/use-list.ts";
import { subtenantsQuery } from "../session/workspace.ts";
import { subtenantExport } from "./queries.ts";
import { CreateSubtenant } from "./create-subtenant.tsx";
import { sortRows, useSubtenantColumns } from "./subtenant-columns.tsx";

const route = getRouteApi("/shell/subtenant-list");

/** Messages come and go all the time; their counts are asked for at this pace. */
const trafficMs = 10_000;

export function SubtenantListPage() {
  return <WithTenant>{(tenantCode) => <Subtenants key={tenantCode} tenantCode={tenantCode} />}</WithTenant>;
}

function Subtenants({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const { formatList } = useIntl();
  const { data: subtenants, error, refetch } = useQuery({ ...subtenantsQuery(tenantCode), refetchInterval: trafficMs });
  const { search = "" } = route.useSearch();
  const navigate = route.useNavigate();
  const debugged = subtenants?.filter(({ debugMode }) => debugMode) ?? [];
  return (
    <>
      <PageHeader title={t("menu.subtenants")} hint={t("subtenants.hint")}>
        <CreateSubtenant tenantCode={tenantCode} />
      </PageHeader>
      <Card>
        {debugged.length > 0 && (
          <p role="status" className="m-4 rounded-card bg-warn-soft p-3 text-warn">
            {t("subtenants.debugWarning", { names: formatList(debugged.map(({ name }) => name)) })}
          </p>
        )}
        {error && !subtenants && <ErrorState detail={error.message} onRetry={() => void refetch()} />}
        {!error && !subtenants && <LoadingRows rows={4} />}
        {subtenants?.length === 0 && <EmptyState title={t("state.noRecord")} hint={t("subtenants.none")} />}
        {subtenants && subtenants.length > 0 && (
          <Findable
            items={subtenants}
            textOf={({ code, name }) => `${code} ${name}`}
            typed={search}
            onType={(typed) => void navigate({ search: { search: typed }, replace: true })}
            className="px-4 pt-4"
          >
            {(found) => <SubtenantTable tenantCode={tenantCode} subtenants={found} />}
          </Findable>
        )}
      </Card>
    </>
  );
}

function SubtenantTable({ tenantCode, subtenants }: { tenantCode: string; subtenants: SubtenantWithActivity[] }) {
  const t = useText();
  const columns = useSubtenantColumns(tenantCode);
  const [sort, setSort] = useState({ key: "code", isDescending: false });
  const rows = useMemo(() => sortRows(subtenants, sort), [subtenants, sort]);
  const table = { name: "subtenants", label: t("menu.subtenants"), columns };
  return (
    <>
      <TableToolbar {...table} exported={subtenantExport(tenantCode)} />
      <DataTable
        {...table}
        list={wholeList(rows)}
        labelOf={(row) => row.code}
        sort={{ ...sort, onChange: (key, isDescending) => setSort({ key, isDescending }) }}
      />
    </>
  );
}
