import type { ToolboxRun } from "@crossdock/contract";
import { Link } from "@tanstack/react-router";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { testTexts, toneOfTest } from "../targets/test-result.tsx";
import { Button } from "../ui/button.tsx";
import { Chip, type Tone } from "../ui/chip.tsx";
import { DataList } from "../ui/data-list.tsx";
import { EmptyState } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { useList } from "../ui/use-list.ts";
import { historyQuery, type ToolboxRow } from "./operations.ts";
import { has, operationTexts, states, would } from "./texts.ts";

/** What was run from the toolbox: operation, parameters, who, when and what came of it. */
export function History({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const list = useList(historyQuery(tenantCode));
  return (
    <DataList list={list} empty={<EmptyState title={t("state.noRecord")} hint={t("toolbox.historyEmpty")} />}>
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
    </DataList>
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
function useOutcome({
  operation,
  isDryRun,
  job,
  run,
  result,
}: Pick<ToolboxRun, "operation" | "isDryRun" | "job" | "run" | "result">): { tone: Tone; text: string } | null {
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
    const text =
      operation === "reconcile"
        ? t("toolbox.compared", { done: run.done, differing: run.differing })
        : t("toolbox.rebuiltShort", { count: run.accepted });
    return { tone: run.state === "done" ? "ok" : "info", text };
  }
  return result && outcomeOf(t, { operation, isDryRun, result });
}

type Kept = Pick<ToolboxRun, "operation" | "isDryRun"> & { result: Record<string, unknown> };

/** Of what was done at once, by what the history keeps of it. */
function outcomeOf(t: ReturnType<typeof useText>, { operation, isDryRun, result }: Kept): { tone: Tone; text: string } | null {
  const { state, way, result: test, messageIds, messageId, key, version } = result;
  const count = Array.isArray(messageIds) ? messageIds.length : 0;
  if (operation === "resend" && isOneOf(has, way))
    return { tone: isDryRun ? "info" : "ok", text: `${t((isDryRun ? would : has)[way])} ${String(messageId)}` };
  if (operation === "test-connection" && isOneOf(testTexts, test)) return { tone: toneOfTest(test), text: t(testTexts[test]) };
  if (operation === "fetch-next")
    return messageId === null ? { tone: "info", text: t("toolbox.nothingWaits") } : { tone: "ok", text: String(key) };
  if (operation === "resync" && typeof version === "number") return { tone: "ok", text: t("toolbox.resynced", { count, version }) };
  if (!isOneOf(states, state)) return null;
  if (operation === "publish-test" && !isDryRun && state === "accepted") return { tone: "ok", text: t("toolbox.published", { count }) };
  return { tone: states[state].tone, text: t(states[state].text) };
}

function isOneOf<Known extends object>(known: Known, name: unknown): name is keyof Known {
  return typeof name === "string" && Object.hasOwn(known, name);
}
