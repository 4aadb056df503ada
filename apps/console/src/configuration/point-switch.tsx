import type { IntegrationPoint } from "@crossdock/contract";
import { useState } from "react";
import { useFailureNotice } from "../api/failure-notice.ts";
import { useText } from "../i18n/i18n.tsx";
import { usePauseTitle } from "../targets/pause-of-point.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { Chip } from "../ui/chip.tsx";
import { Switch } from "../ui/choice.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { usePausePoint } from "./operations.ts";

/** Pauses the deliveries to a target, which a colleague may want to know the reason of, and resumes them. */
export function PointSwitch({ tenantCode, point: { id, name, isPaused } }: { tenantCode: string; point: IntegrationPoint }) {
  const t = useText();
  const pause = usePausePoint(tenantCode);
  const failed = useFailureNotice();
  const disabledReason = useRoleReason("operate");
  const [reason, setReason] = useState<string | null>(null);
  return (
    <>
      <span className="flex items-center justify-between gap-2 text-xs text-muted">
        {t("configuration.running")}
        <Switch
          label={t("text.labelled", { label: t("configuration.running"), value: name })}
          isOn={!isPaused}
          isBusy={pause.isPending}
          disabledReason={disabledReason}
          onChange={(isOn) => (isOn ? void pause.mutateAsync({ id, isPaused: false }).catch(failed) : setReason(""))}
        />
      </span>
      {reason !== null && (
        <ConfirmDialog
          onClose={() => setReason(null)}
          title={t("pause.title", { name })}
          text={t("pause.text")}
          actionLabel={t("job.pause")}
          onConfirm={async () => {
            await pause.mutateAsync({ id, isPaused: true, ...(reason.trim() !== "" && { reason }) });
            setReason(null);
          }}
        >
          <TextField
            id={`pause-reason-${id}`}
            className="mt-4"
            label={t("bulk.reasonOptional")}
            value={reason}
            maxLength={500}
            autoComplete="off"
            onChange={(event) => setReason(event.target.value)}
          />
        </ConfirmDialog>
      )}
    </>
  );
}

export function PausedChip({ pause }: Pick<IntegrationPoint, "pause">) {
  const t = useText();
  const titleOf = usePauseTitle();
  return (
    <Chip tone="warn" title={pause ? titleOf(pause) : undefined}>
      {t("subtenants.paused")}
    </Chip>
  );
}
