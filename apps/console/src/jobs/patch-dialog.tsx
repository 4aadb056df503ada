import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { Modal } from "../ui/modal.tsx";
import { PatchDryRun } from "./patch-dry-run.tsx";
import { emptyDraft, patchOf, type PatchDraft } from "./patch-draft.ts";
import { PatchForm } from "./patch-form.tsx";
import { patchCountQuery } from "./patch-queries.ts";
import { createJob, type JobSelection } from "./queries.ts";
import { Trial, TrialDialog, type TrialStep } from "./trial-dialog.tsx";

type PatchDialogProps = { tenantCode: string; selection: JobSelection; onStarted: () => void; onClose: () => void };

/** Changes the documents of many dead letters at once. */
export default function PatchDialog({ tenantCode, selection, onStarted, onClose }: PatchDialogProps) {
  const t = useText();
  const [draft, setDraft] = useState<PatchDraft>(emptyDraft);
  const counting = useMutation({
    mutationFn: (given: PatchDraft) => {
      const patch = patchOf(given);
      if (patch === null) throw new Error("no patch yet");
      return createJob(tenantCode, {
        kind: "patch",
        selection,
        patch,
        failureLimit: given.failureLimit,
      });
    },
  });
  return (
    <TrialDialog
      tenantCode={tenantCode}
      action={t("patch.action")}
      counting={counting}
      form={(close) => (
        <Modal title={t("patch.title")} description={t("patch.text")} onClose={close} isWide>
          <PatchForm
            draft={draft}
            onChange={setDraft}
            isBusy={counting.isPending}
            error={counting.error}
            onTry={() => counting.mutate(draft)}
          />
        </Modal>
      )}
      trial={(step) => <PatchTrial step={step} />}
      onStarted={onStarted}
      onClose={onClose}
    />
  );
}

function PatchTrial({ step }: { step: TrialStep }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const { tenantCode, job } = step;
  return (
    <Trial
      step={step}
      title={t("patch.tried", { count: job.total, shown: formatNumber(job.total) })}
      backLabel={t("patch.back")}
      startLabel={t("patch.start")}
      counts={useQuery(patchCountQuery(tenantCode, job.id))}
      canRun={({ changed, isExact }) => changed > 0 || !isExact}
      cannotRun={t("patch.changesNothing")}
      dryRun={(counts) => <PatchDryRun tenantCode={tenantCode} jobId={job.id} counts={counts} />}
    />
  );
}
