import type { AuditEvent } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { useText } from "../i18n/i18n.tsx";
import { NotThere } from "../api/not-there.tsx";
import { Drawer } from "../ui/drawer.tsx";
import JsonDiffViewer from "../ui/json/json-diff-viewer.tsx";
import { FoldMark } from "../ui/fold-mark.tsx";
import { useNeighbours } from "../ui/neighbours.ts";
import { Card, Facts } from "../ui/page.tsx";
import { ExactTime } from "../ui/time.tsx";
import type { List } from "../ui/use-list.ts";
import { actionText } from "./action-texts.ts";
import { Outcome } from "./audit-columns.tsx";
import { documentsOf, fieldChanges } from "./changes.ts";
import { FieldChanges } from "./field-changes.tsx";
import { ObjectLink, VersionsLink } from "./object-link.tsx";
import { auditEventQuery } from "./queries.ts";

type AuditDrawerProps = { list: List<AuditEvent>; openId: string; onOpen: (id: string | undefined) => void };

/** An event in full beside the list, with the way to its neighbours there. */
export default function AuditDrawer({ list, openId, onOpen }: AuditDrawerProps) {
  const t = useText();
  const { row: listed, ...ways } = useNeighbours(list, openId, onOpen);
  const { data: event = listed, error, refetch } = useQuery({ ...auditEventQuery(openId), enabled: !listed });
  return (
    <Drawer isOpen onClose={() => onOpen(undefined)} title={event ? actionText(event.action, t) : t("audit.event")} {...ways}>
      {event && <EventBody event={event} />}
      {!event && <NotThere error={error} onRetry={() => void refetch()} missing={t("state.notThere")} isOfInstallation />}
    </Drawer>
  );
}

function EventBody({ event }: { event: AuditEvent }) {
  const t = useText();
  const { at, action, outcome, code, actorName, actorKind, tenantCode, address, userAgent, requestId, reason, before, after } = event;
  const actor = actorKind === "api-key" ? `${actorName ?? ""} (${t("audit.apiKey")})` : (actorName ?? t("audit.stranger"));
  const facts = [
    { name: t("audit.at"), value: <ExactTime at={at} /> },
    { name: t("audit.outcome"), value: <Outcome outcome={outcome} /> },
    ...(code === null ? [] : [{ name: t("audit.code"), value: <code dir="ltr">{code}</code> }]),
    { name: t("sidebar.tenant"), value: tenantCode ?? t("audit.installation") },
    ...(reason === null ? [] : [{ name: t("audit.reason"), value: <bdi>{reason}</bdi> }]),
    { name: t("audit.address"), value: <span dir="ltr">{address ?? "–"}</span> },
    { name: t("audit.userAgent"), value: <span dir="ltr">{userAgent ?? "–"}</span> },
    { name: t("audit.operation"), value: <code dir="ltr">{action}</code> },
    { name: t("audit.requestId"), value: <code dir="ltr">{requestId}</code> },
  ];
  const changes = fieldChanges(event);
  return (
    <div className="grid gap-4">
      <Card>
        <p className="px-4 pt-4 break-words [&_a]:underline">
          <bdi className="font-semibold">{actor}</bdi> · {actionText(action, t)} · <ObjectLink event={event} />
        </p>
        <Facts facts={facts} />
      </Card>
      {(before ?? after ?? null) !== null && (
        <Card title={t("audit.changes")} actions={<VersionsLink event={event} />}>
          {changes.length > 0 && <FieldChanges changes={changes} />}
          <details className="border-t border-line px-4 py-3 first:border-0">
            <summary className="flex cursor-pointer items-center gap-2 text-primary-ink">
              <FoldMark />
              {t("configuration.asJson")}
            </summary>
            <JsonDiffViewer {...documentsOf(event)} label={t("audit.changes")} />
          </details>
        </Card>
      )}
    </div>
  );
}
