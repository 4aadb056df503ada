import { useQuery } from "@tanstack/react-query";
import { useText } from "../i18n/i18n.tsx";
import { ApiError } from "./problem.ts";
import { activeTenantCode } from "../settings.ts";
import { SelectField } from "../ui/field.tsx";
import { EmptyState, ErrorState, Loading } from "../ui/states.tsx";
import { tenantsQuery } from "../session/workspace.ts";

type NotThereProps = {
  error: Error | null;
  onRetry: () => void;
  missing: string;
  /** It is of no tenant, so no other tenant can have it. */
  isOfInstallation?: boolean;
};

/** What stands in place of one thing: it is on its way, there is none (`missing` says so), or it can't be read. */
export function NotThere({ error, onRetry, missing, isOfInstallation = false }: NotThereProps) {
  const t = useText();
  if (!error) return <Loading rows={8} />;
  const isMissing = error instanceof ApiError && [400, 404].includes(error.problem.status);
  if (!isMissing) return <ErrorState detail={error.message} onRetry={onRetry} />;
  return isOfInstallation ? <EmptyState title={t("state.noRecord")} hint={missing} /> : <MissingInTenant hint={missing} />;
}

/** Whoever has several tenants may have followed a link that is about another one than the active. */
export function MissingInTenant({ hint }: { hint: string }) {
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
