import type { MessageDetails } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ApiError } from "../api.ts";
import { useText } from "../i18n/i18n.tsx";
import { CopyButton, JsonViewer } from "../ui/json-viewer.tsx";
import { Card, Facts, PageHeader } from "../ui/page.tsx";
import { EmptyState, ErrorState, Loading } from "../ui/states.tsx";
import { ExactTime, Time } from "../ui/time.tsx";
import { queuesQuery, subtenantLabel, subtenantsQuery } from "../workspace.ts";
import { Attempts } from "./attempts.tsx";
import { HeaderList } from "./header-list.tsx";
import { MessageActions } from "./message-actions.tsx";
import { messageQuery } from "./queries.ts";
import { StateChip } from "./state-chip.tsx";
import { Lane, Trace } from "./trace.tsx";

type MessageDetailsViewProps = { tenantCode: string; messageId: string; back: ReactNode };

export function MessageDetailsView({ tenantCode, messageId, back }: MessageDetailsViewProps) {
  const t = useText();
  const { data: message, error, refetch } = useQuery(messageQuery(tenantCode, messageId));
  if (!message) {
    const isMissing = error instanceof ApiError && [400, 404].includes(error.problem.status);
    return (
      <>
        <PageHeader title={t("details.title")}>{back}</PageHeader>
        <Card>
          {!error && <Loading rows={8} />}
          {isMissing && <EmptyState title={t("state.noRecord")} hint={t("details.missing")} />}
          {error && !isMissing && <ErrorState detail={error.message} onRetry={() => void refetch()} />}
        </Card>
      </>
    );
  }
  return (
    <>
      <PageHeader title={message.key} hint={<StateLine message={message} />}>
        {back}
        <MessageActions tenantCode={tenantCode} message={message} />
      </PageHeader>
      <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <div className="grid min-w-0 gap-4">
          <MessageFacts tenantCode={tenantCode} message={message} />
          <Card title={t("details.document")}>
            <JsonViewer text={message.document} label={t("details.document")} />
          </Card>
        </div>
        <div className="grid min-w-0 gap-4">
          <Attempts tenantCode={tenantCode} messageId={messageId} />
          <Lane tenantCode={tenantCode} messageId={messageId} />
          <Trace tenantCode={tenantCode} messageId={messageId} />
        </div>
      </div>
    </>
  );
}

function StateLine({ message }: { message: MessageDetails }) {
  return (
    <span className="mt-1 flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
      <StateChip state={message.state} />
      <span>{message.queueName}</span>
      <Time at={message.publishedAt} />
    </span>
  );
}

function MessageFacts({ tenantCode, message }: { tenantCode: string; message: MessageDetails }) {
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
    { name: t("message.published"), value: <ExactTime at={message.publishedAt} /> },
    ...(message.finishedAt ? [{ name: t("message.finished"), value: <ExactTime at={message.finishedAt} /> }] : []),
    ...(message.nextAttemptAt ? [{ name: t("message.nextAttempt"), value: <Time at={message.nextAttemptAt} /> }] : []),
  ];
  return (
    <Card title={t("details.title")}>
      {message.error && (
        <p dir="auto" className="rtl:text-right m-4 mb-0 rounded-card bg-bad-soft px-3 py-2 break-words text-bad">
          {message.error}
        </p>
      )}
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

function MessageIdText({ id }: { id: string }) {
  return (
    <span className="flex items-center font-mono">
      {id}
      <CopyButton text={id} />
    </span>
  );
}
