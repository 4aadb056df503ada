import type { Job } from "@crossdock/contract";
import { useId, useState, type ReactNode } from "react";
import { useText } from "../i18n/i18n.tsx";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { CancelButton } from "../ui/form-footer.tsx";
import type { Confirmed } from "./queries.ts";
import { useTimeLeft } from "./texts.ts";

type ConfirmFormProps = {
  job: Job;
  tenantCode: string;
  actionLabel: string;
  isBusy: boolean;
  error: Error | null;
  /** All that a list has: its code is typed, even where the server would not ask for it. */
  isAll?: boolean | undefined;
  onConfirm: (confirmed: Confirmed) => void;
  /** Stands with the buttons. */
  extra?: ReactNode;
};

/** Reason and, for a large job, the tenant's code: what a click alone would do too quickly. */
export function ConfirmForm({ job, tenantCode, actionLabel, isBusy, error, isAll = false, onConfirm, extra }: ConfirmFormProps) {
  const t = useText();
  const id = useId();
  const timeLeft = useTimeLeft();
  const [reason, setReason] = useState("");
  const [typed, setTyped] = useState("");
  const isCodeNeeded = job.mustConfirm || isAll;
  const isTyped = !isCodeNeeded || typed.trim() === tenantCode;
  // Each copy keeps why it was made.
  const isReasonNeeded = job.mustConfirm || job.kind === "patch" || job.kind === "redirect";
  const isReasoned = !isReasonNeeded || reason.trim() !== "";
  const disabledReason = !isReasoned ? t("bulk.reasonFirst") : isTyped ? null : t("confirm.typeFirst");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (disabledReason !== null || isBusy) return;
        onConfirm({
          total: job.total,
          ...(reason.trim() !== "" && { reason: reason.trim() }),
          ...(isCodeNeeded && { confirmation: typed.trim() }),
        });
      }}
    >
      <p className="mt-2 text-muted">
        {t(job.subject === "messages" ? "bulk.frozen" : "bulk.frozenExternal")} {timeLeft(job)}
      </p>
      <TextField
        id={`${id}-reason`}
        className="mt-4"
        label={isReasonNeeded ? `${t("bulk.reason")} *` : t("bulk.reasonOptional")}
        value={reason}
        maxLength={500}
        autoComplete="off"
        onChange={(event) => setReason(event.target.value)}
      />
      {isCodeNeeded && (
        <TextField
          id={`${id}-word`}
          className="mt-4"
          label={t("confirm.type", { word: tenantCode })}
          value={typed}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
      {error && (
        <p role="alert" className="mt-4 text-bad">
          {error.message}
        </p>
      )}
      <div className="mt-6 flex flex-wrap justify-end gap-2">
        {extra}
        <CancelButton />
        <Button type="submit" look={job.kind === "remove" ? "danger" : "primary"} isBusy={isBusy} disabledReason={disabledReason}>
          {actionLabel}
        </Button>
      </div>
    </form>
  );
}
