import type { Job, JobKind, JobSubject } from "@crossdock/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { Button } from "../ui/button.tsx";
import { Modal } from "../ui/modal.tsx";
import { ErrorState, Loading } from "../ui/states.tsx";
import { ConfirmForm } from "./confirm-form.tsx";
import { JobCard } from "./job-card.tsx";
import { changeJob, jobQuery, jobsQuery, startJob, type Confirmed } from "./queries.ts";
import { questionOf } from "./texts.ts";

type BulkDialogProps = {
  tenantCode: string;
  subject: JobSubject;
  kind: JobKind;
  counted: Job | undefined;
  error: Error | null;
  /** Said when all of it has been done. */
  doneText: string | undefined;
  onStarted: () => void;
  onClose: () => void;
};

/** From the exact count over the confirmation to the progress. Closing it before the start drops the job, afterwards the job goes on. */
export default function BulkDialog({ tenantCode, subject, kind, counted, error, doneText, onStarted, onClose }: BulkDialogProps) {
  const t = useText();
  const { formatNumber } = useIntl();
  const client = useQueryClient();
  const start = useMutation({
    mutationFn: (confirmed: Confirmed) => startJob(tenantCode, counted?.id ?? 0, confirmed),
    onSuccess: () => client.invalidateQueries({ queryKey: jobsQuery(tenantCode).queryKey }),
  });
  // What takes it back is shown in its place.
  const [undoId, setUndoId] = useState<number | null>(null);
  const { title, text, action } = questionOf({ subject, kind });

  function close(): void {
    // Nothing was changed yet; a job that could not be dropped now is dropped by the server later.
    if (counted && !start.data) void changeJob(tenantCode, counted.id, "cancel").catch(() => undefined);
    // Not before: a list that drops its selection drops what stands beside it, and this dialog with it.
    if (start.data) onStarted();
    onClose();
  }

  if (start.data)
    return (
      <Modal title={t(action)} description={t("bulk.goesOn")} onClose={close}>
        <div className="mt-4">
          <JobCard tenantCode={tenantCode} jobId={undoId ?? start.data.id} onUndo={({ id }) => setUndoId(id)} />
          {doneText !== undefined && undoId === null && <Done tenantCode={tenantCode} jobId={start.data.id} text={doneText} />}
        </div>
        <Footer onClose={close} />
      </Modal>
    );
  if (error)
    return (
      <Modal title={t(action)} onClose={close}>
        <ErrorState detail={error.message} />
        <Footer onClose={close} />
      </Modal>
    );
  if (!counted)
    return (
      <Modal title={t("bulk.counting")} onClose={close}>
        <Loading rows={2} />
        <Footer onClose={close} />
      </Modal>
    );
  if (counted.total === 0)
    return (
      <Modal title={t("bulk.none")} description={t(subject === "messages" ? "bulk.noneText" : "bulk.noneExternal")} onClose={close}>
        <Footer onClose={close} />
      </Modal>
    );
  return (
    <Modal title={t(title, { count: counted.total, shown: formatNumber(counted.total) })} description={t(text)} onClose={close}>
      <ConfirmForm
        job={counted}
        tenantCode={tenantCode}
        actionLabel={t(action)}
        isBusy={start.isPending}
        error={start.error}
        onConfirm={start.mutate}
        onCancel={close}
      />
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

function Footer({ onClose }: { onClose: () => void }) {
  const t = useText();
  return (
    <div className="mt-6 flex justify-end">
      <Button onClick={onClose}>{t("action.close")}</Button>
    </div>
  );
}
