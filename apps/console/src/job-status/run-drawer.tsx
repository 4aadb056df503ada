import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Download } from "lucide-react";
import { Suspense, useState } from "react";
import { useFailureNotice } from "../api/failure-notice.ts";
import { lazyPart } from "../lazy-screen.ts";
import { entityTypeText } from "../entity-types.ts";
import { useText } from "../i18n/i18n.tsx";
import { NotThere } from "../api/not-there.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { useIsPermitted } from "../session/session.ts";
import { runKindTexts, RunStateChip, useCountsText } from "../runs/run-labels.tsx";
import { type RunDetails, runQuery } from "../runs/run-query.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Drawer } from "../ui/drawer.tsx";
import { Card, Facts } from "../ui/page.tsx";
import { Loading } from "../ui/states.tsx";
import { ExactTime } from "../ui/time.tsx";
import { useRefresh } from "../live/use-refresh.ts";
import { queuesQuery, subtenantLabel, subtenantsQuery } from "../session/workspace.ts";
import { type RunChange, changeRun, runContent } from "./queries.ts";
import type { JobStatusSearch } from "./search.ts";

const RunLines = lazyPart(() => import("./run-lines.tsx"));
const RejectedRowsDialog = lazyPart(() => import("./rejected-rows-dialog.tsx"));
const ExportDialog = lazyPart(() => import("../ui/export/export-dialog.tsx"));

type RunDrawerProps = {
  tenantCode: string;
  runId: number;
  onClose: () => void;
  /** Where its differences stand. */
  differences: JobStatusSearch;
};

/** A run with its progress and what it has to tell, beside the list. */
export function RunDrawer({ tenantCode, runId, onClose, differences }: RunDrawerProps) {
  const t = useText();
  const { data: run, error, refetch } = useQuery(runQuery(tenantCode, runId));
  return (
    <Drawer isOpen onClose={onClose} title={t("jobStatus.run", { id: String(runId) })}>
      {!run && <NotThere error={error} onRetry={() => void refetch()} missing={t("state.notThere")} />}
      {run && <RunCard tenantCode={tenantCode} run={run} differences={differences} />}
      {(run ?? !error) && (
        <div className="mt-4">
          <Suspense fallback={<Loading rows={2} />}>
            <RunLines key={run?.finishedAt ?? ""} tenantCode={tenantCode} runId={runId} />
          </Suspense>
        </div>
      )}
    </Drawer>
  );
}

/** What a run leaves behind: differences to look at, or a file. */
function Result({ tenantCode, run, differences }: RunCardProps) {
  const t = useText();
  const [isSaving, setIsSaving] = useState(false);
  const { data: subtenants } = useQuery(subtenantsQuery(tenantCode));
  if (run.differing > 0)
    return (
      <p className="px-4 pb-4">
        <Link to="/jobstatus-list" search={differences} className={buttonClass("primary")}>
          {t("jobStatus.showDifferences", { count: run.differing })}
        </Link>
      </p>
    );
  if (run.kind === "resync") return <Queued tenantCode={tenantCode} run={run} />;
  if (run.kind === "import") return <Published tenantCode={tenantCode} run={run} />;
  if (run.kind !== "export" || run.state !== "done") return null;
  return (
    <p className="px-4 pb-4">
      <Button look="primary" onClick={() => setIsSaving(true)}>
        <Download aria-hidden className="size-4" />
        {t("jobStatus.download")}
      </Button>
      <Suspense fallback={null}>
        {isSaving && (
          <ExportDialog
            label={`${subtenantLabel(subtenants, run.subtenantCode)} · ${entityTypeText(t, run.entityType)}`}
            source={runContent(tenantCode, run.id)}
            onClose={() => setIsSaving(false)}
          />
        )}
      </Suspense>
    </p>
  );
}

/** Queued is not arrived: the way to what its target's queue took in while the run went on. */
function Queued({ tenantCode, run }: Pick<RunCardProps, "tenantCode" | "run">) {
  const t = useText();
  const { data: queues } = useQuery(queuesQuery(tenantCode, run.subtenantCode));
  const queue = queues?.find(
    ({ integrationPoint, entityType }) => integrationPoint.id === run.integrationPointId && entityType === run.entityType,
  );
  if (!queue || run.startedAt === null || run.accepted === 0) return null;
  return (
    <p className="px-4 pb-4">
      <Link
        to="/queue"
        search={{ queue: String(queue.id), from: run.startedAt, ...(run.finishedAt !== null && { to: run.finishedAt }) }}
        className={buttonClass()}
      >
        {t("jobStatus.queuedMessages")}
      </Link>
    </p>
  );
}

/** What it brought went to the queues of all targets that want it. */
function Published({ tenantCode, run }: Pick<RunCardProps, "tenantCode" | "run">) {
  const { id, subtenantCode, entityType, accepted, startedAt, finishedAt, file } = run;
  const t = useText();
  const disabledReason = useRoleReason("operate");
  return (
    <p className="flex flex-wrap gap-2 px-4 pb-4 empty:hidden">
      {startedAt !== null && accepted > 0 && (
        <Link
          to="/queue"
          search={{ subtenant: subtenantCode, entity: entityType, from: startedAt, ...(finishedAt !== null && { to: finishedAt }) }}
          className={buttonClass()}
        >
          {t("jobStatus.queuedMessages")}
        </Link>
      )}
      {file !== null && finishedAt !== null && disabledReason === null && (
        <Link to="/jobstatus-list" search={{ again: String(id) }} className={buttonClass()}>
          {t("import.again")}
        </Link>
      )}
      {file?.hasRejectedRows && file.format !== "xml" && finishedAt !== null && (
        <RejectedRows tenantCode={tenantCode} runId={id} format={file.format} />
      )}
    </p>
  );
}

type RejectedRowsProps = { tenantCode: string; runId: number; format: "csv" | "ndjson" };

function RejectedRows(props: RejectedRowsProps) {
  const t = useText();
  const mayReveal = useIsPermitted("reveal");
  const [isSaving, setIsSaving] = useState(false);
  if (!mayReveal) return null;
  return (
    <>
      <Button onClick={() => setIsSaving(true)}>
        <Download aria-hidden className="size-4" />
        {t("import.rejectedRows")}
      </Button>
      <Suspense fallback={null}>{isSaving && <RejectedRowsDialog {...props} onClose={() => setIsSaving(false)} />}</Suspense>
    </>
  );
}

type RunCardProps = Pick<RunDrawerProps, "tenantCode" | "differences"> & { run: RunDetails };

function RunCard({ tenantCode, run, differences }: RunCardProps) {
  const t = useText();
  const refresh = useRefresh(tenantCode);
  const disabledReason = useRoleReason("operate");
  const { data: subtenants } = useQuery(subtenantsQuery(tenantCode));
  const counts = useCountsText();
  const onError = useFailureNotice();
  const change = useMutation({
    mutationFn: (wanted: RunChange) => changeRun(tenantCode, run.id, wanted),
    onError,
    onSettled: refresh,
  });
  const facts = [
    { name: t("jobStatus.state"), value: <RunStateChip run={run} /> },
    { name: t("filter.subtenant"), value: <bdi>{subtenantLabel(subtenants, run.subtenantCode)}</bdi> },
    ...(run.integrationPointName === null ? [] : [{ name: t("external.integrationPoint"), value: <bdi>{run.integrationPointName}</bdi> }]),
    { name: t("message.entityType"), value: entityTypeText(t, run.entityType) },
    { name: t("jobStatus.progress"), value: counts(run) },
    { name: t("jobStatus.startedBy"), value: run.startedBy ?? t("jobStatus.bySchedule") },
    ...(run.reason === null ? [] : [{ name: t("version.reason"), value: <bdi>{run.reason}</bdi> }]),
    { name: t("jobStatus.startedAt"), value: run.startedAt === null ? "–" : <ExactTime at={run.startedAt} /> },
    { name: t("jobStatus.finishedAt"), value: run.finishedAt === null ? "–" : <ExactTime at={run.finishedAt} /> },
  ];
  const action = (wanted: RunChange) => ({
    isBusy: change.isPending && change.variables === wanted,
    disabledReason,
    onClick: () => change.mutate(wanted),
  });
  return (
    <Card title={t(runKindTexts[run.kind])}>
      <Facts facts={facts} />
      {run.failure && (
        <div className="p-4 pt-0">
          <p className="rounded-card bg-bad-soft p-3 break-words text-bad">
            {run.failure.line !== undefined && t("externalItems.line", { line: run.failure.line })} <bdi>{run.failure.message}</bdi>
          </p>
        </div>
      )}
      <Result tenantCode={tenantCode} run={run} differences={differences} />
      {run.finishedAt === null && (
        <div className="flex flex-wrap items-center gap-3 p-4">
          <Button {...action("cancel")}>{t("jobStatus.cancelRun")}</Button>
          {run.state === "paused" || run.isPausing ? (
            <Button {...action("resume")}>{t("jobStatus.resumeRun")}</Button>
          ) : (
            <Button {...action("pause")}>{t("jobStatus.pauseRun")}</Button>
          )}
          {run.isCancelling && <span role="status">{t("jobStatus.cancelling")}</span>}
          {run.isPausing && !run.isCancelling && <span role="status">{t("jobStatus.pausing")}</span>}
        </div>
      )}
    </Card>
  );
}
