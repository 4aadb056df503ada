import { useQuery } from "@tanstack/react-query";
import { ApiError } from "./api.ts";
import { useText } from "./i18n/i18n.tsx";
import { activeTenantCode } from "./settings.ts";
import { SelectField } from "./ui/field.tsx";
import { EmptyState, ErrorState, Loading } from "./ui/states.tsx";
import { tenantsQuery } from "./workspace.ts";

type NotThereProps = { error: Error | null; onRetry: () => void; missing: string };

/** What stands in place of one thing of the active tenant: it is on its way, there is none (`missing` says so), or it can't be read. */
export function NotThere({ error, onRetry, missing }: NotThereProps) {
  if (!error) return <Loading rows={8} />;
  const isMissing = error instanceof ApiError && [400, 404].includes(error.problem.status);
  return isMissing ? <Missing hint={missing} /> : <ErrorState detail={error.message} onRetry={onRetry} />;
}

/** Whoever has several tenants may have followed a link that is about another one than the active. */
function Missing({ hint }: { hint: string }) {
  const t = useText();
  const code = activeTenantCode.use();
  const { data: tenants = [] } = useQuery(tenantsQuery);
  const look = (
    <SelectField
      label={t("tenants.lookIn")}
      value={code ?? ""}
      onChange={(chosen) => activeTenantCode.set(chosen)}
      options={tenants.map((tenant) => ({ value: tenant.code, label: tenant.name }))}
      className="w-60 text-start"
    />
  );
  return <EmptyState title={t("state.noRecord")} hint={hint} action={tenants.length > 1 && look} />;
}
