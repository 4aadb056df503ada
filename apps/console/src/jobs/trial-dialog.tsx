import type { Job } from "@crossdock/contract";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useText } from "../i18n/i18n.tsx";
import { Button } from "../ui/button.tsx";
import { CancelButton } from "../ui/form-footer.tsx";
import { Modal } from "../ui/modal.tsx";
import { ErrorState, Loading } from "../ui/states.tsx";
import { ConfirmForm } from "./confirm-form.tsx";
import type { Confirmed } from "./queries.ts";
import { StartedJob } from "./started-job.tsx";
import { useStart } from "./use-start.ts";

type TrialDialogProps = {
  tenantCode: string;
  /** What is done, as the dialog is called while it is. */
  action: string;
  counting: { data: Job | undefined; reset: () => void };
  /** What shall be done to the messages; it counts them. */
  form: (close: () => void) => ReactNode;
  /** What that would do to them, in a `Trial`. */
  trial: (step: TrialStep) => ReactNode;
  onStarted: () => void;
  onClose: () => void;
};

/** From what shall be done over its dry run to the progress. Nothing is changed before the start; closing it then drops what was counted. */
export function TrialDialog({ tenantCode, action, counting, form, trial, onStarted, onClose }: TrialDialogProps) {
  const { start, drop, close } = useStart(tenantCode, counting.data, onStarted, onClose);
  if (start.data) return <StartedJob title={action} tenantCode={tenantCode} jobId={start.data.id} onClose={close} />;
  if (!counting.data) return form(close);
  return trial({
    tenantCode,
    job: counting.data,
    isBusy: start.isPending,
    error: start.error,
    onConfirm: start.mutate,
    onBack: () => {
      drop();
      counting.reset();
    },
    onClose: close,
  });
}

export type TrialStep = {
  tenantCode: string;
  job: Job;
  isBusy: boolean;
  error: Error | null;
  onConfirm: (confirmed: Confirmed) => void;
  onBack: () => void;
  onClose: () => void;
};

type TrialProps<Counts> = {
  step: TrialStep;
  title: string;
  description?: string;
  backLabel: string;
  startLabel: string;
  counts: UseQueryResult<Counts>;
  canRun: (counts: Counts) => boolean;
  /** Said in place of the start. */
  cannotRun: string;
  dryRun: (counts: Counts) => ReactNode;
};

/** What would become of each message, and the question whether it shall. */
export function Trial<Counts>({ step, title, description, backLabel, startLabel, counts, canRun, cannotRun, dryRun }: TrialProps<Counts>) {
  const t = useText();
  const { job, onBack, onClose } = step;
  const { data, error, refetch } = counts;
  // What a patch is was typed in the step before.
  const isUnsaved = job.kind === "patch";
  const back = (
    <Button isBusy={step.isBusy} onClick={onBack}>
      {backLabel}
    </Button>
  );
  if (job.total === 0)
    return (
      <Modal title={t("bulk.none")} description={t("bulk.noneText")} onClose={onClose} isUnsaved={isUnsaved} isWide>
        <Ending back={back} />
      </Modal>
    );
  return (
    <Modal title={title} {...(description && { description })} onClose={onClose} isUnsaved={isUnsaved} isHeld={step.isBusy} isWide>
      {!data && !error && <Loading rows={3} />}
      {error && <ErrorState detail={error.message} onRetry={() => void refetch()} />}
      {data && dryRun(data)}
      {data && canRun(data) ? (
        <ConfirmForm
          job={job}
          tenantCode={step.tenantCode}
          actionLabel={startLabel}
          isBusy={step.isBusy}
          error={step.error}
          onConfirm={step.onConfirm}
          extra={back}
        />
      ) : (
        <Ending text={data && cannotRun} back={back} />
      )}
    </Modal>
  );
}

function Ending({ text, back }: { text?: string | undefined; back: ReactNode }) {
  return (
    <div className="mt-6 flex flex-wrap items-center justify-end gap-2">
      {text && <p className="me-auto text-muted">{text}</p>}
      {back}
      <CancelButton label="action.close" />
    </div>
  );
}
