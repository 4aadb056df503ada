import { useQuery } from "@tanstack/react-query";
import { useText } from "../i18n/i18n.tsx";
import { tenantsQuery, useActiveTenant } from "../session/workspace.ts";
import { activeTenantCode } from "../settings.ts";

/** What the active tenant is called, by its code until its name is read, and its colour. */
export function useTenantSign(): { name: string; colour: string | null | undefined } {
  const t = useText();
  const code = activeTenantCode.use();
  const { data: tenants } = useQuery(tenantsQuery);
  const tenant = useActiveTenant();
  if (tenant) return { name: tenant.name || tenant.code, colour: tenant.colour };
  return { name: (tenants ? null : code) ?? t("sidebar.noTenant"), colour: null };
}
