import type { Job } from "@crossdock/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { Button } from "../ui/button.tsx";
import { Modal } from "../ui/modal.tsx";
import { ErrorState, Loading } from "../ui/states.tsx";
import { ConfirmForm } from "./confirm-form.tsx";
import { DryRun } from "./dry-run.tsx";
import { JobCard } from "./job-card.tsx";
import { emptyDraft, PatchForm, patchOf, type PatchDraft } from "./patch-form.tsx";
import { dryRunCountQuery } from "./patch-queries.ts";
import { changeJob, createJob, jobsQuery, startJob, type Confirmed, type JobSelection } from "./queries.ts";

type PatchDialogProps = { tenantCode: string; selection: JobSelection; onStarted: () => void; onClose: () => void };

/** From the patch over its dry run to the progress. Nothing is changed before the start; closing it then drops what was counted. */
export default function PatchDialog({ tenantCode, selection, onStarted, onClose }: PatchDialogProps) {
  const t = useText();
  const client = useQueryClient();
  const [draft, setDraft] = useState<PatchDraft>(emptyDraft);
  const trial = useMutation({
    mutationFn: (given: PatchDraft) => {
      const patch = patchOf(given);
      if (patch === null) throw new Error("no patch yet");
      return createJob(tenantCode, {
        kind: "patch",
        selection,
        patch,
        ...(given.failureLimit !== null && { failureLimit: given.failureLimit }),
      });
    },
  });
  const start = useMutation({
    mutationFn: (confirmed: Confirmed) => startJob(tenantCode, trial.data?.id ?? 0, confirmed),
    onSuccess: () => client.invalidateQueries({ queryKey: jobsQuery(tenantCode).queryKey }),
  });

  /** Nothing was changed yet; a job that could not be dropped now is dropped by the server later. */
  function dropTrial(): void {
    if (trial.data && !start.data) void changeJob(tenantCode, trial.data.id, "cancel").catch(() => undefined);
  }

  function close(): void {
    dropTrial();
    // Not before: a list that drops its selection drops what stands beside it, and this dialog with it.
    if (start.data) onStarted();
    onClose();
  }

  if (start.data)
    return (
      <Modal title={t("patch.action")} description={t("bulk.goesOn")} onClose={close}>
        <div className="mt-4">
          <JobCard tenantCode={tenantCode} jobId={start.data.id} />
        </div>
        <div className="mt-6 flex justify-end">
          <Button onClick={close}>{t("action.close")}</Button>
        </div>
      </Modal>
    );
  if (trial.data)
    return (
      <Trial
        tenantCode={tenantCode}
        job={trial.data}
        isBusy={start.isPending}
        error={start.error}
        onConfirm={start.mutate}
        onBack={() => {
          dropTrial();
          trial.reset();
        }}
        onClose={close}
      />
    );
  return (
    <Modal title={t("patch.title")} description={t("patch.text")} onClose={close} isWide>
      <PatchForm
        draft={draft}
        onChange={setDraft}
        isBusy={trial.isPending}
        error={trial.error}
        onTry={() => trial.mutate(draft)}
        onCancel={close}
      />
    </Modal>
  );
}

type TrialProps = {
  tenantCode: string;
  job: Job;
  isBusy: boolean;
  error: Error | null;
  onConfirm: (confirmed: Confirmed) => void;
  onBack: () => void;
  onClose: () => void;
};

/** What would become of each message, and the question whether it shall. */
function Trial({ tenantCode, job, isBusy, error, onConfirm, onBack, onClose }: TrialProps) {
  const t = useText();
  const { formatNumber } = useIntl();
  const { data: counts, error: fault, refetch } = useQuery(dryRunCountQuery(tenantCode, job.id));
  const canRun = counts !== undefined && (counts.changed > 0 || !counts.isExact);
  const back = <Button onClick={onBack}>{t("patch.back")}</Button>;
  const title = job.total === 0 ? t("bulk.none") : t("patch.confirm", { count: job.total, shown: formatNumber(job.total) });
  return (
    <Modal title={title} {...(job.total === 0 && { description: t("bulk.noneText") })} onClose={onClose} isWide>
      {job.total > 0 && !counts && !fault && <Loading rows={3} />}
      {fault && <ErrorState detail={fault.message} onRetry={() => void refetch()} />}
      {job.total > 0 && counts && <DryRun tenantCode={tenantCode} jobId={job.id} counts={counts} />}
      {canRun ? (
        <ConfirmForm
          job={job}
          tenantCode={tenantCode}
          actionLabel={t("patch.start")}
          isBusy={isBusy}
          error={error}
          onConfirm={onConfirm}
          onCancel={onClose}
          extra={back}
        />
      ) : (
        <div className="mt-6 flex flex-wrap items-center justify-end gap-2">
          {counts && job.total > 0 && <p className="me-auto text-muted">{t("patch.changesNothing")}</p>}
          {back}
          <Button onClick={onClose}>{t("action.close")}</Button>
        </div>
      )}
    </Modal>
  );
}
