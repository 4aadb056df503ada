import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { CloseFooter } from "../ui/form-footer.tsx";
import { Modal } from "../ui/modal.tsx";
import { JobCard } from "./job-card.tsx";
import { jobQuery } from "./queries.ts";

type StartedJobProps = {
  title: string;
  tenantCode: string;
  jobId: number;
  /** Said when all of it has been done. */
  doneText?: string | undefined;
  onClose: () => void;
};

/** The progress of a job that its dialog has started; it goes on when that is closed. */
export function StartedJob({ title, tenantCode, jobId, doneText, onClose }: StartedJobProps) {
  const t = useText();
  // What takes it back is shown in its place.
  const [undoId, setUndoId] = useState<number | null>(null);
  return (
    <Modal title={title} description={t("bulk.goesOn")} onClose={onClose}>
      <div className="mt-4">
        <JobCard tenantCode={tenantCode} jobId={undoId ?? jobId} onUndo={({ id }) => setUndoId(id)} />
        <Link
          to="/queue"
          search={{ job: String(undoId ?? jobId) }}
          onClick={onClose}
          className="mt-2 inline-block text-xs text-primary-ink underline"
        >
          {t("jobs.details")}
        </Link>
        {doneText !== undefined && undoId === null && <Done tenantCode={tenantCode} jobId={jobId} text={doneText} />}
      </div>
      <CloseFooter onClose={onClose} />
    </Modal>
  );
}

function Done({ tenantCode, jobId, text }: { tenantCode: string; jobId: number; text: string }) {
  const { data: job } = useQuery(jobQuery(tenantCode, jobId));
  return (
    <p role="status" className="mt-3 font-medium text-ok empty:hidden">
      {job?.state === "done" && job.done === job.total && text}
    </p>
  );
}
