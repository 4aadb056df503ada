import { useMutation } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { DraftWatch, useDraft } from "../draft.tsx";
import { useText } from "../i18n/i18n.tsx";
import { useRunName } from "../runs/run-labels.tsx";
import { Checkbox } from "../ui/choice.tsx";
import { FormFooter } from "../ui/form-footer.tsx";
import { Modal } from "../ui/modal.tsx";
import { noticeSuccess } from "../ui/notice.tsx";
import { useRefresh } from "../live/use-refresh.ts";
import { type ScheduleRow, updateSchedule } from "./queries.ts";
import { type TimingDraft, TimingFields, timingOf, usualCron } from "./timing-fields.tsx";

type Draft = { timing: TimingDraft; isFromStart: boolean };

const draftOf = ({ everySeconds, cron }: ScheduleRow): Draft => ({
  timing: { everySeconds, cron: cron ?? usualCron },
  isFromStart: false,
});

type ScheduleDialogProps = { tenantCode: string; schedule: ScheduleRow; onClose: () => void };

/** Changes when a schedule runs. How far it has read and its runs stay, unless a poll shall begin anew. */
export default function ScheduleDialog({ tenantCode, schedule, onClose }: ScheduleDialogProps) {
  const t = useText();
  const refresh = useRefresh(tenantCode);
  const nameOf = useRunName();
  const { base, draft, setDraft, saved: _saved, ...watch } = useDraft(schedule, draftOf);
  const { timing, isFromStart } = draft;
  const save = useMutation({
    mutationFn: () => updateSchedule(tenantCode, base, { ...timingOf(timing), ...(isFromStart && { fromStart: true }) }),
    onSuccess: () => noticeSuccess(t("notice.saved")),
    // Not waited for: the dialog would take its own version for somebody else's.
    onSettled: () => void refresh(),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!save.isPending) save.mutate(undefined, { onSuccess: onClose });
  };
  return (
    <Modal title={t("jobStatus.editSchedule")} description={nameOf(base)} onClose={onClose}>
      <form noValidate onSubmit={submit} className="mt-4 grid gap-4">
        <TimingFields timing={timing} present={base.everySeconds} onChange={(next) => setDraft({ timing: next, isFromStart })} />
        {base.kind === "poll" && (
          <Checkbox label={t("jobStatus.fromStart")} isOn={isFromStart} onChange={(isOn) => setDraft({ timing, isFromStart: isOn })} />
        )}
        <DraftWatch {...watch} />
        <FormFooter action={t("action.save")} isBusy={save.isPending} refusal={!watch.isChangedElsewhere && save.error?.message} />
      </form>
    </Modal>
  );
}
