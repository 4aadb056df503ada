import type { Job, Queue } from "@crossdock/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { Button } from "../ui/button.tsx";
import { ComboboxField } from "../ui/combobox-field.tsx";
import { FormFooter } from "../ui/form-footer.tsx";
import { Modal } from "../ui/modal.tsx";
import { ErrorState, Loading } from "../ui/states.tsx";
import { queuesQuery } from "../workspace.ts";
import { ConfirmForm } from "./confirm-form.tsx";
import { JobCard } from "./job-card.tsx";
import { changeJob, createJob, jobsQuery, startJob, type Confirmed, type JobSelection } from "./queries.ts";
import { RedirectDryRun } from "./redirect-dry-run.tsx";
import { redirectCountQuery } from "./redirect-queries.ts";

type RedirectDialogProps = {
  tenantCode: string;
  selection: JobSelection;
  queueIds: readonly number[];
  onStarted: () => void;
  onClose: () => void;
};

/** From the target over the dry run to the progress. Nothing is changed before the start; closing it then drops what was counted. */
export default function RedirectDialog({ tenantCode, selection, queueIds, onStarted, onClose }: RedirectDialogProps) {
  const t = useText();
  const client = useQueryClient();
  const [queueId, setQueueId] = useState("");
  const { data: queues = [] } = useQuery(queuesQuery(tenantCode));
  const trial = useMutation({
    mutationFn: (id: number) => createJob(tenantCode, { kind: "redirect", selection, queueId: id }),
  });
  const start = useMutation({
    mutationFn: (confirmed: Confirmed) => startJob(tenantCode, trial.data?.id ?? 0, confirmed),
    onSuccess: () => client.invalidateQueries({ queryKey: jobsQuery(tenantCode).queryKey }),
  });
  // What takes it back is shown in its place.
  const [undoId, setUndoId] = useState<number | null>(null);

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
      <Modal title={t("action.redirect")} description={t("bulk.goesOn")} onClose={close}>
        <div className="mt-4">
          <JobCard tenantCode={tenantCode} jobId={undoId ?? start.data.id} onUndo={({ id }) => setUndoId(id)} />
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

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (queueId !== "" && !trial.isPending) trial.mutate(Number(queueId));
  }

  return (
    <Modal title={t("redirect.title")} description={t("redirect.text")} onClose={close}>
      <form onSubmit={submit} className="mt-4 grid gap-4">
        <ComboboxField
          label={t("redirect.target")}
          value={queueId}
          onChange={setQueueId}
          options={targetOptions(queues, queueIds)}
          placeholder={t("mappings.choose")}
        />
        <FormFooter
          action={t("patch.try")}
          isBusy={trial.isPending}
          disabledReason={queueId === "" ? t("toolbox.queueFirst") : null}
          refusal={trial.error?.message}
          onCancel={close}
        />
      </form>
    </Modal>
  );
}

/** Queues of other targets. Where it is known in which queues the messages are, those of their entity types and subtenants. */
function targetOptions(queues: readonly Queue[], queueIds: readonly number[]) {
  const present = queues.filter(({ id }) => queueIds.includes(id));
  const isLike = (queue: Queue): boolean =>
    present.length === 0 ||
    present.some(({ entityType, subtenantCode }) => entityType === queue.entityType && subtenantCode === queue.subtenantCode);
  return queues
    .filter((queue) => isLike(queue) && !(queueIds.length === 1 && queueIds[0] === queue.id))
    .map(({ id, name, integrationPoint, subtenantCode }) => ({
      value: String(id),
      label: `${integrationPoint.name} · ${name} · ${subtenantCode}`,
    }));
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

/** Which messages would go, and the question whether they shall. */
function Trial({ tenantCode, job, isBusy, error, onConfirm, onBack, onClose }: TrialProps) {
  const t = useText();
  const { formatNumber } = useIntl();
  const { data: counts, error: fault, refetch } = useQuery(redirectCountQuery(tenantCode, job.id));
  const canRun = counts !== undefined && ((counts.counts.fits ?? 0) > 0 || !counts.isExact);
  const back = <Button onClick={onBack}>{t("redirect.back")}</Button>;
  const title = job.total === 0 ? t("bulk.none") : t("redirect.confirm", { count: job.total, shown: formatNumber(job.total) });
  const target = job.redirect ? `${job.redirect.integrationPointName} · ${job.redirect.queueName}` : "–";
  return (
    <Modal title={title} description={job.total === 0 ? t("bulk.noneText") : t("redirect.to", { target })} onClose={onClose} isWide>
      {job.total > 0 && !counts && !fault && <Loading rows={3} />}
      {fault && <ErrorState detail={fault.message} onRetry={() => void refetch()} />}
      {job.total > 0 && counts && <RedirectDryRun tenantCode={tenantCode} jobId={job.id} counts={counts} />}
      {canRun ? (
        <ConfirmForm
          job={job}
          tenantCode={tenantCode}
          actionLabel={t("action.redirect")}
          isBusy={isBusy}
          error={error}
          onConfirm={onConfirm}
          onCancel={onClose}
          extra={back}
        />
      ) : (
        <div className="mt-6 flex flex-wrap items-center justify-end gap-2">
          {counts && job.total > 0 && <p className="me-auto text-muted">{t("redirect.none")}</p>}
          {back}
          <Button onClick={onClose}>{t("action.close")}</Button>
        </div>
      )}
    </Modal>
  );
}
