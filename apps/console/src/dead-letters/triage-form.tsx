import type { DeadLetterGroup, Triage, TriageStatus } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { Button } from "../ui/button.tsx";
import { OptionalChoice } from "../ui/combobox-field.tsx";
import { control, Labelled, SelectField, TextField } from "../ui/field.tsx";
import { FormFooter } from "../ui/form-footer.tsx";
import { Modal } from "../ui/modal.tsx";
import { firstMomentOf, localTextOf } from "../ui/local-time.ts";
import { MomentInput } from "../ui/time-range-field.tsx";
import { operatorsQuery } from "../operators.ts";
import { conflictOf, useTriage } from "./queries.ts";
import { statuses, statusTexts, TriageLine } from "./triage-status.tsx";
import { faultText } from "../messages/message-states.ts";

type TriageFormProps = {
  tenantCode: string;
  group: Pick<DeadLetterGroup, "fingerprint" | "error" | "lastAt" | "triage">;
  onClose: () => void;
};

type Draft = { status: TriageStatus; ignoredUntil: string; ownerId: string; comment: string };

/** Says who looks into an error and how far it has come. When a colleague was faster, shows what they wrote, and neither text is lost. */
export function TriageForm({ tenantCode, group, onClose }: TriageFormProps) {
  const t = useText();
  const [base, setBase] = useState(group.triage);
  const [draft, setDraft] = useState(() => draftOf(group.triage));
  const { data: operators = [] } = useQuery(operatorsQuery(tenantCode));
  const save = useTriage(tenantCode);
  const conflict = conflictOf(save.error);
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });

  function submit(version: number): void {
    const { status, ignoredUntil, ownerId, comment } = draft;
    const until = status === "ignored" && ignoredUntil ? firstMomentOf(ignoredUntil) : null;
    const body = { fingerprint: group.fingerprint, version, status, ignoredUntil: until, seenUpTo: group.lastAt, comment };
    save.mutate({ ...body, ownerId: ownerId ? Number(ownerId) : null }, { onSuccess: onClose });
  }

  function takeTheirs(theirs: Triage): void {
    setBase(theirs);
    setDraft(draftOf(theirs));
    save.reset();
  }

  return (
    <Modal title={t("triage.title")} description={group.error === null ? "" : faultText(t, group.error)} onClose={onClose}>
      <form
        className="mt-4 grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          submit(conflict?.version ?? base.version);
        }}
      >
        <SelectField
          label={t("triage.status")}
          value={draft.status}
          onChange={(value) => change({ status: statuses.find((status) => status === value) ?? "new" })}
          options={statuses.map((status) => ({ value: status, label: t(statusTexts[status]) }))}
        />
        {draft.status === "ignored" && (
          <TextField
            id="triage-until"
            as={MomentInput}
            type="datetime-local"
            required
            label={t("triage.ignoredUntil")}
            value={draft.ignoredUntil}
            onChange={(event) => change({ ignoredUntil: event.target.value })}
          />
        )}
        <OptionalChoice
          label={t("triage.owner")}
          value={draft.ownerId}
          onChange={(ownerId) => change({ ownerId })}
          none={t("triage.nobody")}
          options={operators.map(({ id, name }) => ({ value: String(id), label: name }))}
        />
        <Labelled label={t("triage.comment")}>
          <textarea
            rows={3}
            maxLength={2000}
            value={draft.comment}
            onChange={(event) => change({ comment: event.target.value })}
            className={`${control} py-2`}
          />
        </Labelled>
        {conflict && <Conflict theirs={conflict} onTake={() => takeTheirs(conflict)} />}
        <FormFooter
          action={conflict ? t("triage.saveAnyway") : t("action.save")}
          isBusy={save.isPending}
          refusal={save.error && !conflict && save.error.message}
        />
      </form>
    </Modal>
  );
}

function Conflict({ theirs, onTake }: { theirs: Triage; onTake: () => void }) {
  const t = useText();
  return (
    <div role="alert" className="grid gap-2 rounded-card border border-warn bg-warn-soft p-3">
      <p className="font-medium text-warn">{t("triage.changedMeanwhile", { name: theirs.changedBy ?? "" })}</p>
      <TriageLine triage={theirs} />
      <div>
        <Button onClick={onTake}>{t("triage.takeTheirs")}</Button>
      </div>
    </div>
  );
}

/** Ignored until a day from now where nothing else is set. */
function draftOf({ status, ignoredUntil, owner, comment }: Triage): Draft {
  const until = localTextOf(ignoredUntil ?? new Date(Date.now() + 86_400_000));
  return { status, ignoredUntil: until, ownerId: owner ? String(owner.id) : "", comment };
}
