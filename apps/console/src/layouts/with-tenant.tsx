import { Link } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useText } from "../i18n/i18n.tsx";
import { activeTenantCode } from "../settings.ts";
import { buttonClass } from "../ui/button.tsx";
import { Card } from "../ui/page.tsx";
import { EmptyState, ErrorState, Loading } from "../ui/states.tsx";
import { tenantsQuery } from "../workspace.ts";

/** Renders a screen of the active tenant, or says that one has to be activated first. */
export function WithTenant({ children }: { children: (tenantCode: string) => ReactNode }) {
  const t = useText();
  const code = activeTenantCode.use();
  const { data: tenants, error, refetch } = useQuery(tenantsQuery);
  // The remembered tenant is trusted until the list says otherwise, so that the screen doesn't wait for it.
  if (code !== null && (tenants === undefined || tenants.some((tenant) => tenant.code === code))) return children(code);
  if (error && tenants === undefined) return <ErrorState detail={error.message} onRetry={() => void refetch()} />;
  if (code !== null && tenants === undefined) return <Loading />;
  return (
    <Card>
      <EmptyState
        title={t("sidebar.noTenant")}
        hint={t("tenants.activateFirst")}
        action={
          <Link to="/tenant-list" className={buttonClass("primary")}>
            {t("menu.tenants")}
          </Link>
        }
      />
    </Card>
  );
}
