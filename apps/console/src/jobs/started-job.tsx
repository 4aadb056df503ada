import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { CloseFooter } from "../ui/form-footer.tsx";
import { Modal } from "../ui/modal.tsx";
import { JobCard } from "./job-card.tsx";
import { jobQuery } from "./queries.ts";

type StartedJobProps = {
  title: string;
  tenantCode: string;
  jobId: number;
  /** Said with the count when all of it has been done. */
  doneText?: TextKey | undefined;
  onClose: () => void;
};

/** The progress of a job that its dialog has started; it goes on when that is closed. */
export function StartedJob({ title, tenantCode, jobId, doneText, onClose }: StartedJobProps) {
  const t = useText();
  // What takes it back is shown in its place.
  const [undoId, setUndoId] = useState<number | null>(null);
  const shownId = undoId ?? jobId;
  const { data: job } = useQuery(jobQuery(tenantCode, shownId));
  return (
    <Modal title={title} {...((job?.state ?? "running") === "running" && { description: t("bulk.goesOn") })} onClose={onClose}>
      <div className="mt-4">
        <JobCard tenantCode={tenantCode} jobId={shownId} onUndo={({ id }) => setUndoId(id)} />
        <Link
          to="/queue"
          search={{ job: String(shownId) }}
          onClick={onClose}
          className="mt-2 inline-block text-xs text-primary-ink underline"
        >
          {t("jobs.details")}
        </Link>
        {undoId === null && (
          <p role="status" className="mt-3 font-medium text-ok empty:hidden">
            {job?.state === "done" && job.done === job.total && doneText && t(doneText, { count: job.done })}
          </p>
        )}
      </div>
      <CloseFooter onClose={onClose} />
    </Modal>
  );
}
