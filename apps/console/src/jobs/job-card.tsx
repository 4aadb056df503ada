import type { Job } from "@crossdock/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useText } from "../i18n/i18n.tsx";
import { NotThere } from "../api/not-there.tsx";
import { ApiError } from "../api/problem.ts";
import { useRoleReason } from "../session/role-texts.ts";
import { BulkJob, jobStateTexts, type JobState } from "../ui/bulk-job.tsx";
import { noticeError } from "../ui/notice.tsx";
import { Loading } from "../ui/states.tsx";
import { useRefresh } from "../live/use-refresh.ts";
import { changeJob, jobQuery, unusualItemsQuery, type JobVerb } from "./queries.ts";
import { doneTexts, questionOf, useAboutTexts, useStageText, useTimeLeft, whyText } from "./texts.ts";

type JobCardProps = {
  tenantCode: string;
  jobId: number;
  onUndo?: (undo: Job) => void;
  /** The way to another job is taken: what lies over the screen gives way. */
  onLeave?: () => void;
};

/** A job as it is now, with what can be done about it. */
export function JobCard({ tenantCode, jobId, ...ways }: JobCardProps) {
  const t = useText();
  const { data: job, error, refetch } = useQuery(jobQuery(tenantCode, jobId));
  if (job) return <KnownJob tenantCode={tenantCode} job={job} {...ways} />;
  if (!error) return <Loading rows={3} />;
  return <NotThere error={error} onRetry={() => void refetch()} missing={t("state.notThere")} />;
}

type KnownJobProps = Omit<JobCardProps, "jobId"> & { job: Job };

/** One that a list has read already. */
export function KnownJob({ tenantCode, job, onUndo, onLeave }: KnownJobProps) {
  const t = useText();
  const client = useQueryClient();
  const refresh = useRefresh(tenantCode);
  const timeLeft = useTimeLeft();
  const stageText = useStageText();
  const aboutTexts = useAboutTexts();
  const disabledReason = useRoleReason("operate");
  const { data: unusual = [] } = useQuery(unusualItemsQuery(tenantCode, job));
  /** A colleague who was faster has brought the job where it is now. */
  function refusalOf(error: Error): string {
    const { state, stateBy: by } = (error instanceof ApiError ? error.problem.current : undefined) ?? {};
    const label = Object.entries(jobStateTexts).find(([known]) => known === state)?.[1];
    return label && typeof by === "string" ? t("job.tooLate", { by, state: t(label) }) : error.message;
  }
  const change = useMutation({
    mutationFn: (verb: JobVerb) => changeJob(tenantCode, job.id, verb),
    onSuccess: (changed, verb) => {
      client.setQueryData(jobQuery(tenantCode, changed.id).queryKey, changed);
      if (verb === "undo") onUndo?.(changed);
      return refresh();
    },
    onError: (error) => {
      noticeError(refusalOf(error));
      return refresh();
    },
  });
  const facts = [
    stageText(job),
    job.redirect && t("redirect.to", { target: `${job.redirect.integrationPointName} · ${job.redirect.queueName}` }),
    job.reason,
    job.createdByName,
    job.stateBy !== null && job.stateBy !== job.createdByName && (job.state === "paused" || job.state === "cancelled")
      ? t("text.labelled", { label: t(jobStateTexts[job.state]), value: job.stateBy })
      : null,
  ];
  const about = aboutTexts(job);
  const others = [
    { id: job.undoOf, text: "job.undoes" as const },
    { id: job.undoneBy, text: "job.undone" as const },
  ].flatMap(({ id, text }) => (id === null ? [] : [{ id: String(id), text }]));
  return (
    <BulkJob
      title={t(questionOf(job).action)}
      state={shownState(job)}
      stateText={job.state === "done" && job.done > 0 ? doneTexts[job.kind] : undefined}
      done={job.done + job.skipped + job.failed}
      total={job.total}
      failed={job.failed}
      skipped={job.skipped}
      note={[...facts.filter(Boolean), job.state === "running" ? timeLeft(job) : "", job.fault].filter(Boolean).join(" · ")}
      results={unusual.map((item) => ({
        id: item.messageId,
        label: item.key ?? item.messageId,
        reason: whyText(item, t),
        isSkipped: item.outcome === "skipped",
      }))}
      disabledReason={disabledReason}
      onPause={() => change.mutate("pause")}
      onCancel={() => change.mutate("cancel")}
      {...(job.canResume && { onResume: () => change.mutate("resume") })}
      {...(job.canUndo && { onUndo: () => change.mutate("undo") })}
    >
      {about.length > 0 && <p className="mt-1 text-xs break-words text-muted">{about.join(" · ")}</p>}
      {others.map(({ id, text }) => (
        <Link
          key={text}
          to="/queue"
          search={{ job: id }}
          {...(onLeave && { onClick: onLeave })}
          className="mt-1 block w-fit text-xs text-primary-ink underline"
        >
          {t(text, { id })}
        </Link>
      ))}
    </BulkJob>
  );
}

/** A job that is only counted is on no screen but the one that asks about it. */
const shownState = ({ state }: Job): JobState => (state === "ready" ? "paused" : state);
