import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Suspense } from "react";
import { CappedNumber } from "../capped-number.tsx";
import { useText } from "../i18n/i18n.tsx";
import { lazyPart } from "../lazy-screen.ts";
import { WithTenant } from "../layouts/with-tenant.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { Loading } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { MappingAdditions, MappingList } from "./mapping-list.tsx";
import { MissingMappings } from "./missing-mappings.tsx";
import { mappingCountQuery } from "./queries.ts";
import { viewOf, type MappingSearch, type View } from "./search.ts";

const MappingVersions = lazyPart(() => import("./mapping-versions.tsx"));
const route = getRouteApi("/shell/mapping-list");

export function MappingListPage() {
  return <WithTenant>{(tenantCode) => <Mappings key={tenantCode} tenantCode={tenantCode} />}</WithTenant>;
}

function Mappings({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { data: count } = useQuery(mappingCountQuery(tenantCode, search));
  const show = (next: MappingSearch) => void navigate({ search: next, replace: true });
  return (
    <>
      <PageHeader title={t("menu.mappings")} hint={count && <CappedNumber count={count} text="mappings.count" />}>
        {viewOf(search) === "list" && <MappingAdditions tenantCode={tenantCode} />}
      </PageHeader>
      <Card>
        <Tabs<View>
          label={t("menu.mappings")}
          value={viewOf(search)}
          onChange={(view) => show({ ...search, view: view === "list" ? "" : view })}
          tabs={[
            {
              value: "list",
              label: t("menu.mappings"),
              content: <MappingList tenantCode={tenantCode} search={search} onFilter={show} />,
            },
            { value: "missing", label: t("missing.title"), content: <MissingMappings tenantCode={tenantCode} /> },
            {
              value: "versions",
              label: t("version.all"),
              content: (
                <Suspense fallback={<Loading />}>
                  <MappingVersions tenantCode={tenantCode} />
                </Suspense>
              ),
            },
          ]}
        />
      </Card>
    </>
  );
}
