import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { AnnouncementButton } from "../announcement-button.tsx";
import { useText } from "../i18n/i18n.tsx";
import { useIsPermitted } from "../session/session.ts";
import { activeTenantCode } from "../settings.ts";
import { Findable } from "../ui/findable.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { EmptyState, ErrorState, Loading } from "../ui/states.tsx";
import { healthsQuery, tenantsQuery } from "../session/workspace.ts";
import { CreateTenant } from "./create-tenant.tsx";
import { healthQuery } from "./queries.ts";
import { TenantCard } from "./tenant-card.tsx";

const route = getRouteApi("/shell/tenant-list");

export function TenantListPage() {
  const t = useText();
  const { search = "" } = route.useSearch();
  const navigate = route.useNavigate();
  const active = activeTenantCode.use();
  const isAdmin = useIsPermitted("administer");
  const { data: tenants, error, refetch } = useQuery(tenantsQuery);
  const { data: healths } = useQuery(healthsQuery);
  const { data: ofActive } = useQuery({ ...healthQuery(active ?? ""), enabled: tenants?.some(({ code }) => code === active) === true });
  return (
    <>
      <PageHeader title={t("menu.tenants")} hint={t("tenants.activate")}>
        <AnnouncementButton />
        <CreateTenant />
      </PageHeader>
      {tenants ? (
        <Findable
          items={tenants}
          textOf={({ code, name }) => `${code} ${name}`}
          typed={search}
          onType={(typed) => void navigate({ search: { search: typed }, replace: true })}
          className="mb-4"
        >
          {(found) => (
            <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(17rem,100%),1fr))] gap-4">
              {found.map((tenant) => (
                <TenantCard
                  key={tenant.code}
                  tenant={tenant}
                  health={(tenant.code === active ? ofActive : undefined) ?? healths?.find(({ code }) => code === tenant.code)?.health}
                  isSelected={tenant.code === active}
                  onActivate={() => activeTenantCode.set(tenant.code)}
                />
              ))}
            </ul>
          )}
        </Findable>
      ) : (
        <Card>{error ? <ErrorState detail={error.message} onRetry={() => void refetch()} /> : <Loading />}</Card>
      )}
      {tenants?.length === 0 && (
        <Card>
          <EmptyState title={t("state.noRecord")} hint={t(isAdmin ? "tenants.none" : "tenants.noneGranted")} />
        </Card>
      )}
    </>
  );
}
