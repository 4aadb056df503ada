import type { Job, JobKind, JobSubject } from "@crossdock/contract";
import { useIntl } from "react-intl";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { CloseFooter } from "../ui/form-footer.tsx";
import { Modal } from "../ui/modal.tsx";
import { ErrorState, Loading } from "../ui/states.tsx";
import { ConfirmForm } from "./confirm-form.tsx";
import { StartedJob } from "./started-job.tsx";
import { questionOf } from "./texts.ts";
import { useStart } from "./use-start.ts";

type BulkDialogProps = {
  tenantCode: string;
  subject: JobSubject;
  kind: JobKind;
  counted: Job | undefined;
  error: Error | null;
  /** Said with the count when all of it has been done. */
  doneText: TextKey | undefined;
  /** In the place of what is asked about messages as a whole. */
  title: TextKey | undefined;
  isAll: boolean | undefined;
  onStarted: () => void;
  onClose: () => void;
};

/** From the exact count over the confirmation to the progress. Closing it before the start drops the job, afterwards the job goes on. */
export default function BulkDialog({
  tenantCode,
  subject,
  kind,
  counted,
  error,
  doneText,
  title,
  isAll,
  onStarted,
  onClose,
}: BulkDialogProps) {
  const t = useText();
  const { formatNumber } = useIntl();
  const { start, close } = useStart(tenantCode, counted, onStarted, onClose);
  const { title: usual, text, action } = questionOf({ subject, kind });

  if (start.data) return <StartedJob title={t(action)} tenantCode={tenantCode} jobId={start.data.id} doneText={doneText} onClose={close} />;
  if (error)
    return (
      <Modal title={t(action)} onClose={close}>
        <ErrorState detail={error.message} />
        <CloseFooter onClose={close} />
      </Modal>
    );
  if (!counted)
    return (
      <Modal title={t("bulk.counting")} onClose={close}>
        <Loading rows={2} />
        <CloseFooter onClose={close} />
      </Modal>
    );
  if (counted.total === 0)
    return (
      <Modal title={t("bulk.none")} description={t(subject === "messages" ? "bulk.noneText" : "bulk.noneExternal")} onClose={close}>
        <CloseFooter onClose={close} />
      </Modal>
    );
  return (
    <Modal
      title={t(title ?? usual, { count: counted.total, shown: formatNumber(counted.total) })}
      description={t(text)}
      onClose={close}
      isHeld={start.isPending}
    >
      <ConfirmForm
        job={counted}
        isAll={isAll}
        tenantCode={tenantCode}
        actionLabel={t(action)}
        isBusy={start.isPending}
        error={start.error}
        onConfirm={start.mutate}
      />
    </Modal>
  );
}
