import type { Tenant } from "@crossdock/contract";
import { Link, useMatches } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useText } from "../i18n/i18n.tsx";
import { activeTenantCode } from "../settings.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { EmptyState, ErrorState } from "../ui/states.tsx";
import { tenantsQuery } from "../session/workspace.ts";

/** Renders a screen of the active tenant, which brings its own heading, or says that one has to be activated first, or that a link names one that isn't theirs. */
export function WithTenant({ children }: { children: (tenantCode: string) => ReactNode }) {
  const t = useText();
  const code = activeTenantCode.use();
  const { data: tenants, error, refetch } = useQuery(tenantsQuery);
  // The remembered tenant is trusted until the list says otherwise, so that the screen doesn't wait for it.
  if (code !== null && (tenants === undefined || tenants.some((tenant) => tenant.code === code))) return children(code);
  return (
    <>
      <Heading />
      {error && tenants === undefined ? (
        <ErrorState detail={error.message} onRetry={() => void refetch()} />
      ) : (
        <NoTenant hint={code === null ? t("tenants.activateFirst") : t("tenants.notYours", { code })} offered={tenants} />
      )}
    </>
  );
}

function Heading() {
  const t = useText();
  const title = useMatches({ select: (matches) => matches.at(-1)?.staticData.rule?.title });
  return title && <PageHeader title={t(title)} />;
}

/** So many tenants are offered at once; the others stand in the list. */
const offeredMax = 6;

type NoTenantProps = { hint: string; offered?: readonly Pick<Tenant, "code" | "name">[] | undefined };

export function NoTenant({ hint, offered = [] }: NoTenantProps) {
  const t = useText();
  return (
    <Card>
      <EmptyState
        title={t("sidebar.noTenant")}
        hint={hint}
        action={
          <div className="flex flex-wrap justify-center gap-2">
            {offered.slice(0, offeredMax).map(({ code, name }) => (
              <Button key={code} title={name} className="max-w-60" onClick={() => activeTenantCode.set(code)}>
                <bdi className="truncate">{name}</bdi>
              </Button>
            ))}
            <Link to="/tenant-list" className={buttonClass("primary")}>
              {t("menu.tenants")}
            </Link>
          </div>
        }
      />
    </Card>
  );
}
