import type { Job } from "@crossdock/contract";
import type { ReactNode } from "react";
import { useText } from "../i18n/i18n.tsx";
import { Button } from "../ui/button.tsx";
import { CancelButton, Refusal } from "../ui/form-footer.tsx";
import { useConfirmation } from "./confirmation.tsx";
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

/** Asks before a counted job is started. */
export function ConfirmForm({ job, tenantCode, actionLabel, isBusy, error, isAll = false, onConfirm, extra }: ConfirmFormProps) {
  const t = useText();
  const timeLeft = useTimeLeft();
  const { fields, given, disabledReason } = useConfirmation({
    tenantCode,
    // Each copy keeps why it was made.
    isReasonNeeded: job.mustConfirm || job.kind === "patch" || job.kind === "redirect",
    isCodeNeeded: job.mustConfirm || isAll,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (disabledReason === null && !isBusy) onConfirm({ total: job.total, ...given });
      }}
    >
      <p className="mt-2 text-muted">
        {t(job.subject === "messages" ? "bulk.frozen" : "bulk.frozenExternal")} {timeLeft(job)}
      </p>
      <div className="mt-4 grid gap-4">{fields}</div>
      {error && <Refusal className="mt-4">{error.message}</Refusal>}
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
