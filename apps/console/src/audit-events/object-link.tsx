import type { AuditEvent } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useText } from "../i18n/i18n.tsx";
import { activeTenantCode } from "../settings.ts";
import { addressIn } from "../tenant-address.ts";
import { useFollow } from "../ui/row-link.tsx";
import { tenantsQuery } from "../session/workspace.ts";
import { objectOf } from "./object-of.ts";

/** What an event is about, and the way to its screen, which is of the event's tenant. */
export function ObjectLink({ event }: { event: AuditEvent }) {
  const t = useText();
  const { data: tenants } = useQuery(tenantsQuery);
  const codes = useMemo(() => new Set(tenants?.map(({ code }) => code)), [tenants]);
  const { kind, name, href } = objectOf(event, codes);
  const follow = useFollow(href ?? "", () => event.tenantCode !== null && activeTenantCode.set(event.tenantCode));
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
    <a
      href={event.tenantCode === null ? href : addressIn(event.tenantCode, href)}
      onClick={follow}
      className="text-primary-ink hover:underline"
    >
      {label}
    </a>
  );
}
