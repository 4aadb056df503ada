import type { Routes } from "@crossdock/contract";
import { queryOptions, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useIntl } from "react-intl";
import { rulesQuery } from "../alerts/alert-rules.ts";
import { api } from "../api/api.ts";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { addressIn } from "../tenant-address.ts";
import { Card, Facts } from "../ui/page.tsx";
import { subtenantsQuery } from "../session/workspace.ts";

/** Of people the server answers no more at once. */
const peopleMax = 500;

function peopleQuery(tenantCode: string) {
  return queryOptions({
    queryKey: ["users", "of", tenantCode],
    queryFn: ({ signal }) => api<Routes["listUsers"]>("GET", "/users", { query: { tenant: tenantCode, limit: peopleMax }, signal }),
  });
}

/** What belongs to a tenant and is looked at and changed on screens of its own, with how much there is of it. */
export function PartsCard({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const adminOnly = useRoleReason("administer");
  const subtenants = useQuery(subtenantsQuery(tenantCode));
  const rules = useQuery(rulesQuery({ tenantCode, isInstallation: false }));
  const people = useQuery({ ...peopleQuery(tenantCode), enabled: adminOnly === null });

  function fact<Answer>(name: TextKey, address: string, { data, error }: UseQueryResult<Answer>, textOf: (answer: Answer) => string) {
    const value =
      data === undefined ? (
        (error?.message ?? "…")
      ) : (
        <a href={addressIn(tenantCode, address)} className="font-medium text-primary-ink hover:underline">
          {textOf(data)}
        </a>
      );
    return { name: t(name), value };
  }
  const ofThem = (items: readonly { isActive: boolean }[]): string =>
    t("tenants.ofThemActive", { count: items.length, active: items.filter(({ isActive }) => isActive).length });
  return (
    <Card title={t("tenants.parts")}>
      <Facts
        facts={[
          fact("menu.subtenants", "/subtenant-list", subtenants, ofThem),
          adminOnly === null
            ? fact("tenants.people", `/users?tenant=${tenantCode}`, people, ({ items, nextCursor }) =>
                nextCursor === null ? formatNumber(items.length) : `${formatNumber(items.length)}+`,
              )
            : { name: t("tenants.people"), value: adminOnly },
          fact("tenants.alertRules", "/alerts?view=rules", rules, ofThem),
        ]}
      />
    </Card>
  );
}
