import type { Routes } from "@crossdock/contract";
import { useState, type FormEvent } from "react";
import { addressOf, authorisedFetch } from "../api/api.ts";
import { useText } from "../i18n/i18n.tsx";
import { Button } from "../ui/button.tsx";
import { ExportProgress } from "../ui/export/export-progress.tsx";
import { useExport } from "../ui/export/use-export.ts";
import { TextField } from "../ui/field.tsx";
import { CancelButton } from "../ui/form-footer.tsx";
import { Modal } from "../ui/modal.tsx";

type RejectedRowsDialogProps = { tenantCode: string; runId: number; format: "csv" | "ndjson"; onClose: () => void };

/** Asks why, and saves what of an import's file did not fit. */
export default function RejectedRowsDialog({ tenantCode, runId, format, onClose }: RejectedRowsDialogProps) {
  const t = useText();
  const [reason, setReason] = useState("");
  const [isReasonAsked, setIsReasonAsked] = useState(false);
  const { state, start, cancel } = useExport({
    hasDocuments: false,
    open: (_, signal) => {
      const input = { params: { tenantCode, runId }, query: { reason: reason.trim() } };
      return authorisedFetch(addressOf<Routes["downloadRejectedRows"]>("/tenants/:tenantCode/imports/:runId/rejected-rows", input), {
        signal,
      });
    },
  });
  const isRunning = state.kind === "running";

  function submit(event: FormEvent): void {
    event.preventDefault();
    setIsReasonAsked(true);
    if (reason.trim() !== "") start({ format });
  }

  return (
    <Modal title={t("import.rejectedRows")} description={t("import.rejectedRowsHint")} isDraft={false} onClose={onClose}>
      <form noValidate onSubmit={submit} className="mt-4 grid gap-4">
        <TextField
          id="rejected-rows-reason"
          label={t("audit.reason")}
          value={reason}
          maxLength={500}
          autoComplete="off"
          disabled={isRunning}
          onChange={(event) => setReason(event.target.value)}
          error={isReasonAsked && reason.trim() === "" ? t("reveal.reasonRequired") : undefined}
        />
        <ExportProgress state={state} />
        <div className="flex flex-wrap justify-end gap-2">
          {isRunning ? <Button onClick={cancel}>{t("action.cancel")}</Button> : <CancelButton label="action.close" />}
          <Button type="submit" look="primary" isBusy={isRunning}>
            {t("export.start")}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
