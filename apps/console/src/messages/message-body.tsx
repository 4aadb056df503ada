import type { MessageDetails } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ApiError } from "../api.ts";
import { useText } from "../i18n/i18n.tsx";
import { MessageNotes } from "../notes/message-notes.tsx";
import { RevealableJson } from "../revealable-json.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Card, Facts } from "../ui/page.tsx";
import { EmptyState, ErrorState, Loading } from "../ui/states.tsx";
import { CopyableTime } from "../ui/copyable-time.tsx";
import { ExactTime, Time } from "../ui/time.tsx";
import { queuesQuery, subtenantLabel, subtenantsQuery } from "../workspace.ts";
import { Attempts } from "./attempts.tsx";
import { HeaderList } from "../ui/header-list.tsx";
import { Comparison } from "./comparison.tsx";
import { MessageActions } from "./message-actions.tsx";
import { messageQuery } from "./queries.ts";
import { StateChip } from "./state-chip.tsx";
import { Lane, Trace } from "./trace.tsx";

/** A message in one column, for the drawer beside a list. */
export function MessageBody({ tenantCode, messageId }: { tenantCode: string; messageId: string }) {
  const { data: message } = useQuery(messageQuery(tenantCode, messageId));
  if (!message) return <NoMessage tenantCode={tenantCode} messageId={messageId} />;
  return (
    <div className="grid min-w-0 grid-cols-1 gap-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <StateLine message={message} />
        <div className="flex flex-wrap gap-2">
          <MessageActions tenantCode={tenantCode} message={message} />
        </div>
      </div>
      <MessageFacts tenantCode={tenantCode} message={message} />
      <MessageDocument tenantCode={tenantCode} message={message} />
      <MessageHistory tenantCode={tenantCode} messageId={messageId} />
    </div>
  );
}

/** What stands in place of a message: it is on its way, it is gone, or it can't be read. */
export function NoMessage({ tenantCode, messageId }: { tenantCode: string; messageId: string }) {
  const t = useText();
  const { error, refetch } = useQuery(messageQuery(tenantCode, messageId));
  const isMissing = error instanceof ApiError && [400, 404].includes(error.problem.status);
  return (
    <Card>
      {!error && <Loading rows={8} />}
      {isMissing && <EmptyState title={t("state.noRecord")} hint={t("details.missing")} />}
      {error && !isMissing && <ErrorState detail={error.message} onRetry={() => void refetch()} />}
    </Card>
  );
}

export function StateLine({ message }: { message: MessageDetails }) {
  return (
    <span className="mt-1 flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
      <StateChip state={message.state} />
      <span>{message.queueName}</span>
      <Time at={message.publishedAt} />
    </span>
  );
}

export function MessageDocument({ tenantCode, message }: { tenantCode: string; message: MessageDetails }) {
  const t = useText();
  return (
    <Card title={t("details.document")}>
      <RevealableJson
        tenantCode={tenantCode}
        source={{ kind: "message", messageId: message.id }}
        text={message.document}
        label={t("details.document")}
      />
    </Card>
  );
}

export function MessageHistory({ tenantCode, messageId }: { tenantCode: string; messageId: string }) {
  return (
    <>
      <MessageNotes tenantCode={tenantCode} messageId={messageId} />
      <Attempts tenantCode={tenantCode} messageId={messageId} />
      <Comparison tenantCode={tenantCode} messageId={messageId} />
      <Lane tenantCode={tenantCode} messageId={messageId} />
      <Trace tenantCode={tenantCode} messageId={messageId} />
    </>
  );
}

export function MessageFacts({ tenantCode, message }: { tenantCode: string; message: MessageDetails }) {
  const t = useText();
  const { data: queues } = useQuery(queuesQuery(tenantCode));
  const { data: subtenants } = useQuery(subtenantsQuery(tenantCode));
  const target = queues?.find((queue) => queue.id === message.queueId)?.integrationPoint.name;
  const facts = [
    { name: t("message.id"), value: <MessageIdText id={message.id} /> },
    { name: t("message.target"), value: target ?? "–" },
    { name: t("filter.subtenant"), value: subtenantLabel(subtenants, message.subtenantCode) },
    { name: t("message.source"), value: message.source ?? "–" },
    { name: t("message.entityType"), value: message.entityType },
    { name: t("message.attempts"), value: message.attempts },
    { name: t("message.published"), value: <CopyableTime at={message.publishedAt} /> },
    ...(message.finishedAt ? [{ name: t("message.finished"), value: <CopyableTime at={message.finishedAt} /> }] : []),
    ...(message.nextAttemptAt ? [{ name: t("message.nextAttempt"), value: <CopyableTime at={message.nextAttemptAt} isRelative /> }] : []),
  ];
  return (
    <Card title={t("details.title")}>
      {message.error && (
        <p dir="auto" className="m-4 mb-0 rounded-card bg-bad-soft px-3 py-2 break-words text-bad rtl:text-right">
          {message.error}
        </p>
      )}
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

function MessageIdText({ id }: { id: string }) {
  return (
    <span className="flex items-center font-mono">
      {id}
      <CopyButton text={id} />
    </span>
  );
}
