import type { Routes } from "@crossdock/contract";
import { useQueryClient } from "@tanstack/react-query";
import { api } from "../api/api.ts";
import type { CodeAndName } from "../code-and-name-dialog.tsx";
import { CreateByCode } from "../create-by-code.tsx";
import { useText } from "../i18n/i18n.tsx";
import { activeTenantCode } from "../settings.ts";
import { tenantsQuery } from "../session/workspace.ts";

/** A new tenant is what its maker works on next, so it is activated. */
export function CreateTenant() {
  const t = useText();
  const client = useQueryClient();
  async function create(body: CodeAndName): Promise<void> {
    const { code } = await api<Routes["createTenant"]>("POST", "/tenants", { body });
    await client.invalidateQueries({ queryKey: tenantsQuery.queryKey });
    activeTenantCode.set(code);
  }
  return <CreateByCode title={t("tenants.create")} hint={t("tenants.createHint")} create={create} />;
}
