import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { CloseFooter } from "../ui/form-footer.tsx";
import { Modal } from "../ui/modal.tsx";
import { JobCard } from "./job-card.tsx";
import { useJobWatch } from "./job-watch.tsx";
import { jobQuery } from "./queries.ts";

type StartedJobProps = {
  title: string;
  tenantCode: string;
  jobId: number;
  /** Said with the count when all of it has been done. */
  doneText?: TextKey | undefined;
  onClose: () => void;
};

/** The progress of a job that its dialog has started; it goes on when that is closed, and a notice tells of its end. */
export function StartedJob({ title, tenantCode, jobId, doneText, onClose }: StartedJobProps) {
  const t = useText();
  // What takes it back is shown in its place.
  const [undoId, setUndoId] = useState<number | null>(null);
  const shownId = undoId ?? jobId;
  const { data: job } = useQuery(jobQuery(tenantCode, shownId));
  const { takeOver, giveBack } = useJobWatch();
  const shownText = undoId === null ? doneText : undefined;
  const isOver = job?.state === "done" || job?.state === "cancelled";
  useEffect(() => {
    // What is over has told of itself here.
    giveBack(shownId);
    return isOver ? undefined : () => takeOver({ tenantCode, jobId: shownId, doneText: shownText });
  }, [tenantCode, shownId, shownText, isOver, takeOver, giveBack]);
  return (
    <Modal title={title} {...((job?.state ?? "running") === "running" && { description: t("bulk.goesOn") })} onClose={onClose}>
      <div className="mt-4">
        <JobCard tenantCode={tenantCode} jobId={shownId} onUndo={({ id }) => setUndoId(id)} onLeave={onClose} />
        <Link
          to="/queue"
          search={{ job: String(shownId) }}
          onClick={onClose}
          className="mt-2 inline-block text-xs text-primary-ink underline"
        >
          {t("jobs.details")}
        </Link>
        <p role="status" className="mt-3 font-medium text-ok empty:hidden">
          {job?.state === "done" && job.done === job.total && shownText && t(shownText, { count: job.done })}
        </p>
      </div>
      <CloseFooter onClose={onClose} />
    </Modal>
  );
}
