import type { Job } from "@crossdock/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useEffectEvent } from "react";
import { useIntl } from "react-intl";
import { useFailureNotice } from "../api/failure-notice.ts";
import { useText } from "../i18n/i18n.tsx";
import { noticeError, noticeSuccess } from "../ui/notice.tsx";
import { useRefresh } from "../live/use-refresh.ts";
import { useJobWatch, type Watched } from "./job-watch.tsx";
import { changeJob, jobQuery } from "./queries.ts";
import { questionOf } from "./texts.ts";

/** Waits for a job that no dialog shows any more, and tells with a notice what it has done, with the way back where there is one, or else to its results. */
export default function WatchedJob({ tenantCode, jobId, doneText }: Watched) {
  const t = useText();
  const { formatNumber } = useIntl();
  const refresh = useRefresh(tenantCode);
  const navigate = useNavigate();
  const { takeOver, giveBack } = useJobWatch();
  const { data: job } = useQuery(jobQuery(tenantCode, jobId));
  const undo = useMutation({
    mutationFn: () => changeJob(tenantCode, jobId, "undo"),
    onSuccess: (made) => {
      takeOver({ tenantCode, jobId: made.id });
      return refresh();
    },
    onError: useFailureNotice(),
  });

  function textOf({ kind, subject, total, done, skipped, failed }: Job): string {
    if (doneText && done === total) return t(doneText, { count: done });
    const parts = [
      t("notice.jobDone", { action: t(questionOf({ kind, subject }).action), done: formatNumber(done), total: formatNumber(total) }),
      skipped > 0 && t("job.skipped", { count: skipped, shown: formatNumber(skipped) }),
      failed > 0 && t("job.failed", { count: failed, shown: formatNumber(failed) }),
    ];
    return parts.filter(Boolean).join(" · ");
  }

  const end = useEffectEvent(() => {
    giveBack(jobId);
    if (job?.state !== "done") return;
    const isWayBack = job.undoOf !== null;
    if (job.done === 0) noticeError(textOf(job));
    else {
      const show = (): void => void navigate({ to: "/queue", search: { job: String(jobId) } });
      noticeSuccess(
        textOf(job),
        job.canUndo && !isWayBack ? { label: t("action.undo"), run: undo.mutate } : { label: t("action.show"), run: show },
      );
    }
  });
  const isOver = job?.state === "done" || job?.state === "cancelled";
  useEffect(() => {
    if (isOver) end();
  }, [isOver]);
  return null;
}
