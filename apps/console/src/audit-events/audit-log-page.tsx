import { getRouteApi } from "@tanstack/react-router";
import { Suspense } from "react";
import { lazyPart } from "../lazy-screen.ts";
import { useText } from "../i18n/i18n.tsx";
import { DataList } from "../ui/data-list.tsx";
import { DataTable } from "../ui/data-table/data-table.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { EmptyState } from "../ui/states.tsx";
import { TableToolbar } from "../ui/table-toolbar.tsx";
import { useList } from "../ui/use-list.ts";
import { actionText } from "./action-texts.ts";
import { useAuditColumns } from "./audit-columns.tsx";
import { AuditFilters } from "./audit-filters.tsx";
import { auditEventsQuery, auditExport } from "./queries.ts";
import type { AuditSearch } from "./search.ts";

const AuditDrawer = lazyPart(() => import("./audit-drawer.tsx"));
const route = getRouteApi("/shell/audit-log");

/** Who changed what, and who was refused, in every tenant. */
export function AuditLogPage() {
  const t = useText();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const list = useList(auditEventsQuery(search));
  const columns = useAuditColumns(search);
  const show = (next: AuditSearch) => void navigate({ search: next, replace: true });
  return (
    <>
      <PageHeader title={t("menu.auditLog")} hint={t("audit.hint")} />
      <Card>
        <AuditFilters search={search} onChange={show} />
        <DataList
          list={list}
          isInUse={search.event !== undefined}
          empty={<EmptyState title={t("state.noRecord")} hint={t("audit.emptyHint")} />}
        >
          <TableToolbar name="audit-log" label={t("menu.auditLog")} columns={columns} exported={auditExport(search)} />
          <DataTable
            name="audit-log"
            label={t("menu.auditLog")}
            list={list}
            columns={columns}
            labelOf={({ action }) => actionText(action, t)}
            openId={search.event}
          />
        </DataList>
      </Card>
      <Suspense fallback={null}>
        {search.event !== undefined && (
          <AuditDrawer list={list} openId={search.event} onOpen={(event) => show({ ...search, event: event ?? "" })} />
        )}
      </Suspense>
    </>
  );
}
