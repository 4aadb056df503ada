import type { AuditEvent } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { useMemo, type ReactNode } from "react";
import { useText } from "../i18n/i18n.tsx";
import { activeTenantCode } from "../settings.ts";
import { addressIn } from "../tenant-address.ts";
import { useFollow } from "../ui/row-link.tsx";
import { tenantsQuery } from "../session/workspace.ts";
import { objectOf } from "./object-of.ts";

/** What an event is about, and the way to its screen. */
export function ObjectLink({ event }: { event: AuditEvent }) {
  const t = useText();
  const { kind, name, href } = useObject(event);
  const label = (
    <>
      {kind === null ? event.targetKind : t(kind)}
      {name !== null && (
        <>
          {" "}
          <bdi>{name}</bdi>
        </>
      )}
    </>
  );
  if (kind === null && event.targetKind === null) return "–";
  if (href === null) return <span>{label}</span>;
  return (
    <TenantLink tenantCode={event.tenantCode} href={href}>
      {label}
    </TenantLink>
  );
}

/** The way to where a change can be taken back; nothing where it made no version. */
export function VersionsLink({ event }: { event: AuditEvent }) {
  const t = useText();
  const { versions } = useObject(event);
  if (versions === null) return null;
  return (
    <TenantLink tenantCode={event.tenantCode} href={versions}>
      {t("version.all")}
    </TenantLink>
  );
}

function useObject(event: AuditEvent): ReturnType<typeof objectOf> {
  const { data: tenants } = useQuery(tenantsQuery);
  const codes = useMemo(() => new Set(tenants?.map(({ code }) => code)), [tenants]);
  return objectOf(event, codes);
}

/** The screen is of the event's tenant. */
function TenantLink({ tenantCode, href, children }: { tenantCode: string | null; href: string; children: ReactNode }) {
  const follow = useFollow(href, () => tenantCode !== null && activeTenantCode.set(tenantCode));
  return (
    <a href={tenantCode === null ? href : addressIn(tenantCode, href)} onClick={follow} className="text-primary-ink hover:underline">
      {children}
    </a>
  );
}
