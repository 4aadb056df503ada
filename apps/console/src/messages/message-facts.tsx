import type { MessageDetails } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { entityTypeText } from "../entity-types.ts";
import { useText } from "../i18n/i18n.tsx";
import { TargetLink } from "../targets/target-failure.tsx";
import { CopyableId } from "../ui/copyable-id.tsx";
import { CopyableTime } from "../ui/copyable-time.tsx";
import { HeaderList } from "../ui/header-list.tsx";
import { Card, Facts } from "../ui/page.tsx";
import { ExactTime } from "../ui/time.tsx";
import { queuesQuery, subtenantLabel, subtenantsQuery } from "../session/workspace.ts";
import { wayTo } from "./event-way.ts";
import { traceQuery } from "./object-trace.ts";

const linkClass = "text-primary-ink underline";

type MessageFactsProps = { tenantCode: string; message: MessageDetails };

/** Where a message goes and what it came of, with the way to each. */
export function MessageFacts({ tenantCode, message }: MessageFactsProps) {
  const t = useText();
  const { data: subtenants } = useQuery(subtenantsQuery(tenantCode));
  const { externalMessageId: externalId } = message;
  const facts = [
    { name: t("message.target"), value: <Target tenantCode={tenantCode} message={message} /> },
    { name: t("message.entityType"), value: <CarriedObject tenantCode={tenantCode} message={message} /> },
    { name: t("filter.subtenant"), value: subtenantLabel(subtenants, message.subtenantCode) },
    { name: t("message.source"), value: message.source ?? "–" },
    { name: t("trace.externalMessage"), value: externalId === null ? "–" : <CameIn id={externalId} /> },
    { name: t("message.attempts"), value: message.attempts },
    { name: t("message.published"), value: <CopyableTime at={message.publishedAt} /> },
    ...(message.finishedAt ? [{ name: t("message.finished"), value: <CopyableTime at={message.finishedAt} /> }] : []),
    { name: t("message.id"), value: <CopyableId id={message.id} /> },
  ];
  return (
    <Card>
      <Links message={message} />
      <Facts facts={facts} />
      {Object.keys(message.headers).length > 0 && (
        <details className="border-t border-line px-4 py-3">
          <summary className="cursor-pointer font-medium">{t("details.headers")}</summary>
          <HeaderList headers={message.headers} />
        </details>
      )}
    </Card>
  );
}

function Target({ tenantCode, message }: MessageFactsProps) {
  const { data: queues } = useQuery(queuesQuery(tenantCode));
  const queue = queues?.find(({ id }) => id === message.queueId);
  return queue ? <TargetLink point={queue.integrationPoint} className={linkClass} /> : "–";
}

/** What kind of object the message carries, with the way to the version that it does. */
function CarriedObject({ tenantCode, message }: MessageFactsProps) {
  const t = useText();
  const { data: trace } = useQuery(traceQuery(tenantCode, { messageId: message.id }));
  const { entityVersion: version } = message;
  const entityType = entityTypeText(t, message.entityType);
  if (!trace?.key || version === null) return entityType;
  return (
    <Link {...wayTo(trace, { kind: "version", id: `version ${version}` })} className={linkClass}>
      {entityType} · {t("trace.version", { version })}
    </Link>
  );
}

function CameIn({ id }: { id: string }) {
  return (
    <Link to="/externalmessages/details/$messageId" params={{ messageId: id }} className={`font-mono ${linkClass}`}>
      {id}
    </Link>
  );
}

/** The copy that took the message's place, and the one whose place it took; with who did it and why. */
function Links({ message: { successor, predecessor } }: { message: MessageDetails }) {
  const t = useText();
  const links = [
    { label: t("replace.successor"), link: successor },
    { label: t("replace.predecessor"), link: predecessor },
  ];
  return links.map(
    ({ label, link }) =>
      link && (
        <p key={label} className="m-4 mb-0 rounded-card bg-info-soft px-3 py-2 break-words">
          {label}{" "}
          <Link to="/queue/details/$messageId" params={{ messageId: link.id }} className="font-mono text-primary-ink underline">
            {link.id}
          </Link>
          {link.by && <span className="text-muted"> · {link.by}</span>}
          {link.at && <span className="text-muted"> · {<ExactTime at={link.at} />}</span>}
          {link.reason && (
            <span dir="auto" className="block">
              {link.reason}
            </span>
          )}
        </p>
      ),
  );
}
