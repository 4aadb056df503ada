import type { Attempt, RevealSource } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { Check, SquareTerminal } from "lucide-react";
import { useState } from "react";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { RevealableJson } from "../masking/revealable-json.tsx";
import { Chip, type Tone } from "../ui/chip.tsx";
import { Button } from "../ui/button.tsx";
import { useCopy } from "../ui/copy-button.tsx";
import { FoldMark } from "../ui/fold-mark.tsx";
import { JsonViewer } from "../ui/json/json-viewer.tsx";
import { Card } from "../ui/page.tsx";
import { EmptyState, ErrorState, Loading } from "../ui/states.tsx";
import { ExactTime } from "../ui/time.tsx";
import { HeaderList } from "../ui/header-list.tsx";
import { AttemptStrip } from "./attempt-strip.tsx";
import { curlOf } from "./curl.ts";
import { attemptsQuery } from "./queries.ts";
import { faultText } from "./message-states.ts";

type AttemptsProps = { tenantCode: string; messageId: string; tries: number };

/**
 * Every attempt to deliver, the latest first, with what was sent and what came back. Of `tries` attempts none may be on record: outside
 * workers leave nothing to record, and attempts may be kept for a shorter time than messages.
 */
export function Attempts({ tenantCode, messageId, tries }: AttemptsProps) {
  const t = useText();
  const { data: attempts, error, refetch } = useQuery(attemptsQuery(tenantCode, messageId));
  const latestFirst = attempts?.toReversed() ?? [];
  return (
    <Card title={t("attempts.title")}>
      {error && !attempts && <ErrorState detail={error.message} onRetry={() => void refetch()} />}
      {!error && !attempts && <Loading rows={3} />}
      {attempts?.length === 0 && <EmptyState title={t(tries > 0 ? "attempts.unrecorded" : "attempts.none")} />}
      {latestFirst.length > 1 && <AttemptStrip attempts={latestFirst} />}
      <ol className="grid">
        {latestFirst.map((attempt, index) => (
          <li key={attempt.number} className="border-t border-line first:border-t-0">
            <AttemptEntry tenantCode={tenantCode} messageId={messageId} attempt={attempt} isLatest={index === 0} />
          </li>
        ))}
      </ol>
    </Card>
  );
}

type AttemptEntryProps = { tenantCode: string; messageId: string; attempt: Attempt; isLatest: boolean };

function AttemptEntry({ tenantCode, messageId, attempt, isLatest }: AttemptEntryProps) {
  const t = useText();
  const { formatNumber } = useIntl();
  // The next one folds nothing that is being read.
  const [isOpen] = useState(isLatest);
  const { request, response, error, versions, leftOut, debug } = attempt;
  return (
    <details open={isOpen} className="group">
      <summary className="flex cursor-pointer flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3 hover:bg-hover">
        <FoldMark />
        <span className="grid size-6 place-items-center rounded-full bg-page text-xs font-semibold">{attempt.number}</span>
        {response ? (
          <Chip tone={toneOf(response.status)}>HTTP {response.status}</Chip>
        ) : (
          <Chip tone="bad">{error?.class ?? t("attempts.noAnswer")}</Chip>
        )}
        <ExactTime at={attempt.startedAt} />
        <span className="text-muted tabular-nums">
          {formatNumber(attempt.durationMs, { style: "unit", unit: "millisecond", maximumFractionDigits: 0 })}
        </span>
        {error && (
          <span dir="auto" className="rtl:text-right w-full truncate text-xs text-bad group-open:whitespace-normal">
            {faultText(t, error.message)}
          </span>
        )}
      </summary>
      <div className="grid gap-3 px-4 pb-4">
        <div className="flex flex-wrap items-center justify-between gap-x-3 text-xs text-muted">
          {versions && <p>{t("attempts.versions", { mapping: versions.mapping, configuration: versions.configuration })}</p>}
          {request && <CopyCurl request={request} />}
        </div>
        {leftOut.length > 0 && <p className="text-xs">{t("attempts.leftOut", { fields: leftOut.join(", ") })}</p>}
        {debug && <DebugExchanges tenantCode={tenantCode} exchanges={debug} />}
        {request && (
          <Exchange
            tenantCode={tenantCode}
            source={{ kind: "attempt", messageId, number: attempt.number, part: "request" }}
            title={t("attempts.sent")}
            line={`${request.method} ${request.url}`}
            headers={request.headers}
            body={request.body}
          />
        )}
        {response && (
          <Exchange
            tenantCode={tenantCode}
            source={{ kind: "attempt", messageId, number: attempt.number, part: "response" }}
            title={t("attempts.answer")}
            line={`HTTP ${response.status}`}
            headers={response.headers}
            body={response.body}
          />
        )}
      </div>
    </details>
  );
}

function CopyCurl({ request }: { request: NonNullable<Attempt["request"]> }) {
  const t = useText();
  const { isCopied, copy } = useCopy();
  const Icon = isCopied ? Check : SquareTerminal;
  return (
    <Button data-screen-only look="plain" onClick={() => copy(curlOf(request))}>
      <Icon aria-hidden className="size-4" />
      {t(isCopied ? "action.copied" : "attempts.copyCurl")}
    </Button>
  );
}

function DebugExchanges({ tenantCode, exchanges }: { tenantCode: string; exchanges: NonNullable<Attempt["debug"]> }) {
  const shared = { tenantCode, source: null };
  const t = useText();
  return (
    <details className="rounded-card bg-warn-soft p-3">
      <summary className="cursor-pointer font-medium text-warn">{t("attempts.debug", { count: exchanges.length })}</summary>
      <ol className="mt-3 grid gap-3">
        {exchanges.map(({ request, response }, index) => (
          <li key={index} className="grid min-w-0 gap-2 bg-paper">
            <Exchange
              {...shared}
              title={t("attempts.sent")}
              line={`${request.method} ${request.url}`}
              headers={request.headers}
              body={request.body}
            />
            {response && (
              <Exchange
                {...shared}
                title={t("attempts.answer")}
                line={`HTTP ${response.status}`}
                headers={response.headers}
                body={response.body}
              />
            )}
          </li>
        ))}
      </ol>
    </details>
  );
}

type ExchangeProps = {
  tenantCode: string;
  /** Where masked values can be asked for; null where they stay masked. */
  source: RevealSource | null;
  title: string;
  line: string;
  headers: Record<string, string>;
  body: string | null;
};

function Exchange({ tenantCode, source, title, line, headers, body }: ExchangeProps) {
  const t = useText();
  return (
    <section className="min-w-0 rounded-card border border-line">
      <h3 className="border-b border-line px-3 py-2 text-xs font-semibold text-muted">{title}</h3>
      <p dir="ltr" className="px-3 py-2 font-mono text-xs break-all">
        {line}
      </p>
      <details className="px-3 pb-2 text-xs">
        <summary className="cursor-pointer text-muted">{t("details.headers")}</summary>
        <HeaderList headers={headers} />
      </details>
      {body && (
        <div className="border-t border-line">
          {source === null ? (
            <JsonViewer text={body} label={title} isSearchable={false} />
          ) : (
            <RevealableJson tenantCode={tenantCode} source={source} text={body} label={title} isSearchable={false} />
          )}
        </div>
      )}
    </section>
  );
}

function toneOf(status: number): Tone {
  if (status < 400) return "ok";
  return status < 500 && status !== 429 ? "bad" : "warn";
}
