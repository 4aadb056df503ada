import { getRouteApi } from "@tanstack/react-router";
import { useText } from "../i18n/i18n.tsx";
import { WithTenant } from "../layouts/with-tenant.tsx";
import { useIsPermitted } from "../session/session.ts";
import { activeTenantCode } from "../settings.ts";
import { SelectField } from "../ui/field.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { AlertList } from "./alert-list.tsx";
import { Channels } from "./channels.tsx";
import { FiringTenants, useFiringTenants } from "./firing-tenants.tsx";
import { Rules } from "./rules.tsx";
import type { AlertSearch } from "./search.ts";

const route = getRouteApi("/shell/alerts");

export function AlertsPage() {
  const mayAdminister = useIsPermitted("administer");
  // Where no tenant is active, the installation's own lead to those of each.
  if (activeTenantCode.use() === null && mayAdminister) return <Alerts tenantCode={null} />;
  return <WithTenant>{(tenantCode) => <Alerts key={tenantCode} tenantCode={tenantCode} />}</WithTenant>;
}

const views = ["alerts", "rules", "channels"] as const;
const installation = "installation";

function Alerts({ tenantCode }: { tenantCode: string | null }) {
  const t = useText();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const mayAdminister = useIsPermitted("administer");
  const isInstallation = mayAdminister && (tenantCode === null || search.of === installation);
  const view = views.find((known) => known === search.view) ?? "alerts";
  const place = { tenantCode: tenantCode ?? "", isInstallation };
  const show = (next: AlertSearch): void => void navigate({ search: next, replace: true });
  const of = isInstallation ? installation : "";
  return (
    <>
      <PageHeader title={t("menu.alerts")} hint={t("alerts.hint")}>
        {mayAdminister && tenantCode !== null && (
          <SelectField
            className="min-w-44"
            label={t("alerts.of")}
            value={of}
            onChange={(next) => show({ ...(search.view && { view: search.view }), of: next })}
            options={[
              { value: "", label: t("alerts.ofTenant") },
              { value: installation, label: t("alerts.ofInstallation") },
            ]}
          />
        )}
      </PageHeader>
      <Tabs
        label={t("alerts.tab")}
        value={view}
        onChange={(next) => show({ of, view: next === "alerts" ? "" : next })}
        tabs={[
          {
            value: "alerts",
            label: t("menu.alerts"),
            content: (
              <>
                {isInstallation && <OfTenants />}
                <AlertList key={of} place={place} search={search} onChange={show} />
              </>
            ),
          },
          {
            value: "rules",
            label: t("alerts.rules"),
            content: (
              <Rules
                key={of}
                place={place}
                wanted={search.rule}
                typed={search.search ?? ""}
                onType={(typed) => show({ ...search, search: typed })}
              />
            ),
          },
          { value: "channels", label: t("alerts.channels"), content: <Channels key={of} place={place} /> },
        ]}
      />
    </>
  );
}

/** Not among the installation's own: each is looked after in its tenant. */
function OfTenants() {
  const t = useText();
  const { tenants } = useFiringTenants();
  return (
    tenants.length > 0 && (
      <Card title={t("alerts.ofTenants")} className="mb-4">
        <FiringTenants tenants={tenants} />
      </Card>
    )
  );
}
