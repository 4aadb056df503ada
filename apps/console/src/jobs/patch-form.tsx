import { useId, useState, type FormEvent } from "react";
import { useText } from "../i18n/i18n.tsx";
import { control, Labelled, SelectField, TextField } from "../ui/field.tsx";
import { FormFooter } from "../ui/form-footer.tsx";
import { NumberField } from "../ui/number-field.tsx";
import { patchOf, type PatchDraft } from "./patch-draft.ts";

type PatchFormProps = {
  draft: PatchDraft;
  onChange: (draft: PatchDraft) => void;
  isBusy: boolean;
  error: Error | null;
  onTry: () => void;
};

/** What is to be changed in each document, and how many failures are borne. */
export function PatchForm({ draft, onChange, isBusy, error, onTry }: PatchFormProps) {
  const t = useText();
  const id = useId();
  const [isTouched, setIsTouched] = useState(false);
  const set = (change: Partial<PatchDraft>) => onChange({ ...draft, ...change });
  const isReady = patchOf(draft) !== null;
  const needed = t(draft.kind === "mapping" ? "patch.mappingNeeded" : "patch.mergeNeeded");

  function submit(event: FormEvent): void {
    event.preventDefault();
    setIsTouched(true);
    if (isReady && !isBusy) onTry();
  }

  return (
    <form onSubmit={submit} className="mt-4 grid gap-4">
      <SelectField
        label={t("patch.kind")}
        value={draft.kind}
        onChange={(kind) => set({ kind: kind === "merge" ? "merge" : "mapping" })}
        options={[
          { value: "mapping", label: t("patch.mapping") },
          { value: "merge", label: t("patch.merge") },
        ]}
      />
      {draft.kind === "mapping" ? (
        <div className="grid grid-cols-1 gap-3 sm:grid-cols-3">
          <TextField
            id={`${id}-path`}
            label={t("patch.path")}
            value={draft.path}
            placeholder="$.lines[*].sku"
            dir="ltr"
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => set({ path: event.target.value })}
          />
          <TextField
            id={`${id}-from`}
            label={t("patch.from")}
            value={draft.from}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => set({ from: event.target.value })}
          />
          <TextField
            id={`${id}-to`}
            label={t("patch.to")}
            value={draft.to}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => set({ to: event.target.value })}
          />
        </div>
      ) : (
        <Labelled label={t("patch.mergeText")}>
          <textarea
            dir="ltr"
            rows={6}
            spellCheck={false}
            value={draft.merge}
            onChange={(event) => set({ merge: event.target.value })}
            className={`${control} resize-y py-2 font-mono text-xs leading-5`}
          />
        </Labelled>
      )}
      <div className="max-w-60">
        <NumberField
          label={t("patch.failureLimit")}
          value={draft.failureLimit}
          min={0}
          max={100}
          onChange={(failureLimit) => set({ failureLimit })}
        />
      </div>
      <p className="text-xs text-muted">{t("patch.stages")}</p>
      <FormFooter
        action={t("patch.try")}
        isBusy={isBusy}
        disabledReason={isReady ? null : needed}
        refusal={error?.message ?? (isTouched && !isReady && needed)}
      />
    </form>
  );
}
