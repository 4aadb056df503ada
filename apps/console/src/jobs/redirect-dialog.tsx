import type { Queue } from "@crossdock/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { ComboboxField } from "../ui/combobox-field.tsx";
import { FormFooter } from "../ui/form-footer.tsx";
import { Modal } from "../ui/modal.tsx";
import { queuesQuery } from "../session/workspace.ts";
import { createJob, type JobSelection } from "./queries.ts";
import { RedirectDryRun } from "./redirect-dry-run.tsx";
import { redirectCountQuery } from "./redirect-queries.ts";
import { Trial, TrialDialog, type TrialStep } from "./trial-dialog.tsx";

type RedirectDialogProps = {
  tenantCode: string;
  selection: JobSelection;
  queueIds: readonly number[];
  onStarted: () => void;
  onClose: () => void;
};

/** Sends many messages to another target. */
export default function RedirectDialog({ tenantCode, selection, queueIds, onStarted, onClose }: RedirectDialogProps) {
  const t = useText();
  const [queueId, setQueueId] = useState("");
  const { data: queues = [] } = useQuery(queuesQuery(tenantCode));
  const counting = useMutation({
    mutationFn: (id: number) => createJob(tenantCode, { kind: "redirect", selection, queueId: id }),
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (queueId !== "" && !counting.isPending) counting.mutate(Number(queueId));
  }

  return (
    <TrialDialog
      tenantCode={tenantCode}
      action={t("action.redirect")}
      counting={counting}
      form={(close) => (
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
              isBusy={counting.isPending}
              disabledReason={queueId === "" ? t("toolbox.queueFirst") : null}
              refusal={counting.error?.message}
            />
          </form>
        </Modal>
      )}
      trial={(step) => <RedirectTrial step={step} />}
      onStarted={onStarted}
      onClose={onClose}
    />
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

function RedirectTrial({ step }: { step: TrialStep }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const { tenantCode, job } = step;
  const target = job.redirect ? `${job.redirect.integrationPointName} · ${job.redirect.queueName}` : "–";
  return (
    <Trial
      step={step}
      title={t("redirect.confirm", { count: job.total, shown: formatNumber(job.total) })}
      description={t("redirect.to", { target })}
      backLabel={t("redirect.back")}
      startLabel={t("action.redirect")}
      counts={useQuery(redirectCountQuery(tenantCode, job.id))}
      canRun={({ counts, isExact }) => (counts.fits ?? 0) > 0 || !isExact}
      cannotRun={t("redirect.none")}
      dryRun={(counts) => <RedirectDryRun tenantCode={tenantCode} jobId={job.id} counts={counts} />}
    />
  );
}
