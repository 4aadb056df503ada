import { getRouteApi } from "@tanstack/react-router";
import { Suspense } from "react";
import { lazyPart } from "../lazy-screen.ts";
import { useText } from "../i18n/i18n.tsx";
import { BackLink } from "../ui/back-link.tsx";
import { DataList } from "../ui/data-list.tsx";
import { DataTable } from "../ui/data-table/data-table.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { EmptyState } from "../ui/states.tsx";
import { TableToolbar } from "../ui/table-toolbar.tsx";
import { useList } from "../ui/use-list.ts";
import { useMailColumns } from "./mail-columns.tsx";
import { mailExport, mailsQuery } from "./queries.ts";

const MailDrawer = lazyPart(() => import("./mail-drawer.tsx"));
const route = getRouteApi("/shell/outbox");

/** What the installation wrote to people; where no mail server is set up, an admin passes it on from here. */
export function MailListPage() {
  const t = useText();
  const { mail: openId } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useList(mailsQuery);
  const columns = useMailColumns();
  const open = (mail: string) => void navigate({ search: { mail }, replace: true });
  return (
    <>
      <PageHeader title={t("mails.title")} hint={t("mails.hint")}>
        <BackLink to="/users" label={t("menu.users")} />
      </PageHeader>
      <Card>
        <DataList list={list} isInUse={openId !== undefined} empty={<EmptyState title={t("state.noRecord")} hint={t("mails.emptyHint")} />}>
          <TableToolbar name="mails" label={t("mails.title")} columns={columns} exported={mailExport} />
          <DataTable
            name="mails"
            label={t("mails.title")}
            list={list}
            columns={columns}
            labelOf={({ subject }) => subject}
            openId={openId}
          />
        </DataList>
      </Card>
      <Suspense fallback={null}>{openId !== undefined && <MailDrawer rows={list.rows} openId={openId} onOpen={open} />}</Suspense>
    </>
  );
}
