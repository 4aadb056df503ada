import type { ToolboxRun } from "@crossdock/contract";
import { Link } from "@tanstack/react-router";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { Button } from "../ui/button.tsx";
import { Chip, type Tone } from "../ui/chip.tsx";
import { EmptyState, ErrorState, Loading } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { useList } from "../ui/use-list.ts";
import { historyQuery, type ToolboxRow } from "./operations.ts";
import { operationTexts } from "./texts.ts";

/** What was run from the toolbox: operation, parameters, who, when and what came of it. */
export function History({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const list = useList(historyQuery(tenantCode));
  if (list.error) return <ErrorState detail={list.error.message} onRetry={list.restart} />;
  if (list.isPending) return <Loading rows={4} />;
  if (list.rows.length === 0) return <EmptyState title={t("state.noRecord")} hint={t("toolbox.historyEmpty")} />;
  return (
    <>
      <ul>
        {list.rows.map((run) => (
          <li key={run.id} className="border-t border-line px-4 py-3 first:border-t-0">
            <Used run={run} />
          </li>
        ))}
      </ul>
      {list.hasMore && (
        <div className="p-4">
          <Button isBusy={list.isLoadingMore} onClick={list.loadMore}>
            {t("toolbox.more")}
          </Button>
        </div>
      )}
    </>
  );
}

function Used({ run }: { run: ToolboxRow }) {
  const t = useText();
  const { operation, isDryRun, parameters, startedBy, createdAt } = run;
  const outcome = useOutcome(run);
  return (
    <>
      <p className="flex flex-wrap items-center gap-2">
        <Link to="/toolbox" search={{ operation }} className="font-medium underline-offset-2 hover:underline">
          {t(operationTexts[operation].name)}
        </Link>
        {isDryRun && <Chip tone="neutral">{t("toolbox.dryRun")}</Chip>}
        {outcome && <Chip tone={outcome.tone}>{outcome.text}</Chip>}
      </p>
      <p className="mt-1 flex flex-wrap gap-x-3 text-xs text-muted">
        <bdi>{startedBy}</bdi>
        <Time at={createdAt} />
        {run.run && (
          <Link to="/jobstatus-list" search={{ run: String(run.run.id) }} className="underline">
            {t("jobs.details")}
          </Link>
        )}
        {run.job && (
          <Link to="/queue" search={{ job: String(run.job.id) }} className="underline">
            {t("jobs.details")}
          </Link>
        )}
      </p>
      <details className="mt-1 text-xs">
        <summary className="cursor-pointer text-muted">{t("toolbox.parameters")}</summary>
        <Values values={parameters} />
        {run.result && (
          <>
            <p className="mt-2 text-muted">{t("toolbox.result")}</p>
            <Values values={run.result} />
          </>
        )}
      </details>
    </>
  );
}

function Values({ values }: { values: Record<string, unknown> }) {
  return (
    <dl dir="ltr" className="mt-1 grid grid-cols-[auto_1fr] gap-x-3 gap-y-1">
      {Object.entries(values).map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 font-mono break-words whitespace-pre-wrap">{typeof value === "string" ? value : JSON.stringify(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** What came of it, in a word or a number. */
function useOutcome({ job, run, result }: Pick<ToolboxRun, "job" | "run" | "result">): { tone: Tone; text: string } | null {
  const t = useText();
  const { formatNumber } = useIntl();
  if (job) {
    if (job.state === "ready") return { tone: "neutral", text: t("toolbox.counted", { count: job.total }) };
    const tone: Tone = job.failed > 0 || job.state === "stopped" ? "bad" : job.state === "done" ? "ok" : "info";
    return { tone, text: `${formatNumber(job.done)} / ${formatNumber(job.total)}` };
  }
  if (run) {
    if (run.state === "failed") return { tone: "bad", text: t("jobStatus.state.failed") };
    if (run.state === "cancelled") return { tone: "neutral", text: t("jobStatus.state.cancelled") };
    return { tone: run.state === "done" ? "ok" : "info", text: t("toolbox.rebuiltShort", { count: run.accepted }) };
  }
  const state = result?.["state"] ?? result?.["result"];
  if (state === "rejected" || (typeof state === "string" && result?.["url"] !== undefined && state !== "connected"))
    return { tone: "bad", text: state };
  return typeof state === "string" ? { tone: "ok", text: state } : null;
}
