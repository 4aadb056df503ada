import type { Routes } from "@crossdock/contract";
import { useQueryClient } from "@tanstack/react-query";
import { api } from "../api/api.ts";
import type { CodeAndName } from "../code-and-name-dialog.tsx";
import { CreateByCode } from "../create-by-code.tsx";
import { useText } from "../i18n/i18n.tsx";
import { subtenantsQuery } from "../session/workspace.ts";

/** One more brand, shop or market of the tenant. */
export function CreateSubtenant({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const client = useQueryClient();
  async function create(body: CodeAndName): Promise<void> {
    await api<Routes["createSubtenant"]>("POST", "/tenants/:tenantCode/subtenants", { params: { tenantCode }, body });
    await client.invalidateQueries({ queryKey: subtenantsQuery(tenantCode).queryKey });
  }
  return <CreateByCode title={t("subtenants.create")} hint={t("subtenants.createHint")} create={create} />;
}
