import type { RevealSource, Routes } from "@crossdock/contract";
import { useMutation } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { api } from "../api/api.ts";
import { useText } from "../i18n/i18n.tsx";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { TextField } from "../ui/field.tsx";
import { CancelButton } from "../ui/form-footer.tsx";
import { Modal } from "../ui/modal.tsx";

type RevealDialogProps = { tenantCode: string; source: RevealSource; pointer: string; onClose: () => void };

/** Asks why, and shows one value for as long as the dialog is open. */
export default function RevealDialog({ tenantCode, source, pointer, onClose }: RevealDialogProps) {
  const t = useText();
  const [reason, setReason] = useState("");
  const [isReasonAsked, setIsReasonAsked] = useState(false);
  const reveal = useMutation({
    mutationFn: () =>
      api<Routes["revealValue"]>("POST", "/tenants/:tenantCode/reveals", { params: { tenantCode }, body: { source, pointer, reason } }),
    gcTime: 0,
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    setIsReasonAsked(true);
    if (reason.trim() !== "") reveal.mutate();
  }

  return (
    <Modal title={t("reveal.title")} description={t("reveal.hint")} onClose={onClose}>
      <form noValidate onSubmit={submit} className="mt-4 grid gap-4">
        {pointer !== "" && (
          <code dir="ltr" className="text-xs break-all text-muted rtl:text-right">
            {pointer}
          </code>
        )}
        {reveal.data ? (
          <p className="flex items-start gap-2 rounded-card bg-page p-3">
            <bdi className="max-h-[40dvh] min-w-0 flex-1 overflow-y-auto break-words whitespace-pre-wrap">{reveal.data.value}</bdi>
            <CopyButton text={reveal.data.value} label={t("json.copyValue")} className="size-8" />
          </p>
        ) : (
          <TextField
            id="reveal-reason"
            label={t("audit.reason")}
            value={reason}
            maxLength={500}
            onChange={(event) => setReason(event.target.value)}
            error={isReasonAsked && reason.trim() === "" ? t("reveal.reasonRequired") : undefined}
          />
        )}
        <p role="status" className="text-bad empty:hidden">
          {reveal.error?.message}
        </p>
        <div className="flex flex-wrap justify-end gap-2">
          <CancelButton label="action.close" />
          {!reveal.data && (
            <Button type="submit" look="primary" isBusy={reveal.isPending}>
              {t("reveal.action")}
            </Button>
          )}
        </div>
      </form>
    </Modal>
  );
}
