import type { MessageTrace } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { entityTypeText } from "../entity-types.ts";
import { useText } from "../i18n/i18n.tsx";
import { Card } from "../ui/page.tsx";
import { ErrorState, Loading } from "../ui/states.tsx";
import { ExactTime } from "../ui/time.tsx";
import { messageTraceQuery } from "./queries.ts";
import { StateChip } from "./state-chip.tsx";
import { HeldBy } from "./verdict.tsx";

const linkClass = "min-w-0 break-words text-primary-ink underline";

type TraceProps = { tenantCode: string; messageId: string };

/** Who goes before and after this message among those with the same key. */
export function Lane({ tenantCode, messageId }: TraceProps) {
  const t = useText();
  const { data: trace } = useQuery(messageTraceQuery(tenantCode, messageId));
  if (!trace) return null;
  const { ahead, behind } = trace.lane;
  return (
    <Card title={t("lane.title")}>
      <div className="flex flex-wrap items-center gap-x-6 gap-y-2 p-4">
        <span>{t("lane.ahead", { count: ahead })}</span>
        <span>{t("lane.behind", { count: behind })}</span>
        <HeldBy tenantCode={tenantCode} messageId={messageId} />
      </div>
      {trace.lane.waiting.length > 1 && (
        <ol className="grid gap-2 border-t border-line p-4">
          {trace.lane.waiting.map((message) => (
            <li
              key={message.id}
              aria-current={message.id === messageId || undefined}
              className="flex flex-wrap items-center gap-x-3 gap-y-1 aria-[current]:font-semibold"
            >
              <StateChip state={message.state} />
              {message.id === messageId ? (
                <span className="font-mono">{message.id}</span>
              ) : (
                <Link to="/queue/details/$messageId" params={{ messageId: message.id }} className={`font-mono ${linkClass}`}>
                  {message.id}
                </Link>
              )}
              <ExactTime at={message.publishedAt} />
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}

/** Where the message came from and what else came of it. */
export function Trace({ tenantCode, messageId }: TraceProps) {
  const t = useText();
  const { data: trace, error, refetch } = useQuery(messageTraceQuery(tenantCode, messageId));
  return (
    <Card title={t("trace.title")}>
      {error && !trace && <ErrorState detail={error.message} onRetry={() => void refetch()} />}
      {!error && !trace && <Loading rows={3} />}
      {trace && <Chain trace={trace} messageId={messageId} />}
      {trace && (
        <p className="border-t border-line px-4 py-3">
          <Link to="/queue/details/$messageId" params={{ messageId }} search={{ view: "trace" }} className={linkClass}>
            {t("trace.open", { key: trace.messages.find(({ id }) => id === messageId)?.key ?? "" })}
          </Link>
        </p>
      )}
    </Card>
  );
}

function Chain({ trace, messageId }: { trace: MessageTrace; messageId: string }) {
  const t = useText();
  const { externalMessage, entity, messages } = trace;
  return (
    <ol className="grid gap-0 p-4">
      {externalMessage && (
        <Step title={t("trace.externalMessage")}>
          <Link to="/externalmessages/details/$messageId" params={{ messageId: externalMessage.id }} className={`font-mono ${linkClass}`}>
            {externalMessage.id}
          </Link>
          {externalMessage.source && <span>{externalMessage.source}</span>}
          <ExactTime at={externalMessage.receivedAt} />
        </Step>
      )}
      {entity && (
        <Step title={t("trace.entity")}>
          <span>
            {entityTypeText(t, entity.entityType)} <bdi className="font-medium">{entity.key}</bdi>
          </span>
          <span>{t("trace.version", { version: entity.version })}</span>
        </Step>
      )}
      <Step title={t("trace.messages", { count: messages.length })}>
        <ul className="grid w-full gap-2">
          {messages.map((message) => (
            <li key={message.id} className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <StateChip state={message.state} />
              {message.id === messageId ? (
                <span className="font-medium">
                  {message.queueName} · {message.key}
                </span>
              ) : (
                <Link to="/queue/details/$messageId" params={{ messageId: message.id }} className="text-primary-ink underline">
                  {message.queueName} · {message.key}
                </Link>
              )}
            </li>
          ))}
        </ul>
      </Step>
    </ol>
  );
}

function Step({ title, children }: { title: string; children: ReactNode }) {
  return (
    <li className="relative ps-6 pb-5 last:pb-0">
      <span aria-hidden className="absolute start-0 top-1.5 size-2.5 rounded-full bg-primary" />
      <span aria-hidden className="absolute start-1 top-4 bottom-0 w-0.5 bg-line [li:last-child>&]:hidden" />
      <p className="text-xs text-muted">{title}</p>
      <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1">{children}</div>
    </li>
  );
}
