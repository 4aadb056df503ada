import type { ConnectorCode } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { useId, useState, type FormEvent } from "react";
import { entityTypeLabels } from "../entity-types.ts";
import { useText } from "../i18n/i18n.tsx";
import { ImpactView } from "../impact-view.tsx";
import { Button } from "../ui/button.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { FormFooter } from "../ui/form-footer.tsx";
import { Modal } from "../ui/modal.tsx";
import { noticeSuccess } from "../ui/notice.tsx";
import { subtenantOptions, subtenantsQuery } from "../session/workspace.ts";
import { knownFields } from "../canonical-fields.ts";
import { useConnectorChoices } from "./connector-choices.ts";
import { useCreateMapping, useFault, usePreviewMappings, type NewMapping } from "./operations.ts";

type Values = { fieldName: string; source: string; sourceValue: string; target: string; targetValue: string; subtenantCode: string };
const fields = knownFields();
const blank: Values = { fieldName: "", source: "", sourceValue: "", target: "", targetValue: "", subtenantCode: "" };

/** A new mapping, with what it would have done to the last messages before it is saved. */
export default function MappingForm({ tenantCode, onClose }: { tenantCode: string; onClose: () => void }) {
  const t = useText();
  const id = useId();
  const [values, setValues] = useState(blank);
  const { data: subtenants = [] } = useQuery(subtenantsQuery(tenantCode));
  const { sources, targets } = useConnectorChoices();
  const preview = usePreviewMappings(tenantCode);
  const create = useCreateMapping(tenantCode);
  const fault = useFault();
  const mapping = complete(values, sources, targets);
  const reason = mapping ? null : t("mappings.incomplete");
  const error = create.error ?? preview.error;
  const set = (change: Partial<Values>) => {
    setValues({ ...values, ...change });
    create.reset();
    preview.reset();
  };
  const choose = { value: "", label: t("mappings.choose") };

  function save(event: FormEvent): void {
    event.preventDefault();
    if (!mapping) return;
    create.mutate(mapping, {
      onSuccess: () => {
        noticeSuccess(t("notice.saved"));
        onClose();
      },
    });
  }

  return (
    <Modal title={t("mappings.add")} description={t("mappings.formHint")} onClose={onClose} isWide>
      <form onSubmit={save} className="mt-4 grid gap-4">
        <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
          <TextField
            id={`${id}-field`}
            label={t("mappings.fieldName")}
            dir="ltr"
            maxLength={500}
            value={values.fieldName}
            list={`${id}-fields`}
            autoComplete="off"
            onChange={(event) => set({ fieldName: event.target.value })}
          />
          {/* Suggestions that are found by typing; a name that is found anywhere, and options, are typed freely. */}
          <datalist id={`${id}-fields`}>
            {fields.map(({ field, entityTypes }) => (
              <option key={field} value={field}>
                {entityTypes.map((type) => t(entityTypeLabels[type])).join(", ")}
              </option>
            ))}
          </datalist>
          <SelectField
            label={t("filter.subtenant")}
            value={values.subtenantCode}
            onChange={(subtenantCode) => set({ subtenantCode })}
            options={[{ value: "", label: t("mappings.allSubtenants") }, ...subtenantOptions(subtenants)]}
          />
          <SelectField
            label={t("mappings.source")}
            value={values.source}
            onChange={(source) => set({ source })}
            options={[choose, ...sources]}
          />
          <TextField
            id={`${id}-source-value`}
            label={t("mappings.sourceValue")}
            maxLength={500}
            value={values.sourceValue}
            onChange={(event) => set({ sourceValue: event.target.value })}
          />
          <SelectField
            label={t("mappings.target")}
            value={values.target}
            onChange={(target) => set({ target })}
            options={[choose, ...targets]}
          />
          <TextField
            id={`${id}-target-value`}
            label={t("mappings.targetValue")}
            maxLength={500}
            value={values.targetValue}
            onChange={(event) => set({ targetValue: event.target.value })}
          />
        </div>
        <p className="text-xs text-muted">{t("mappings.wildcards")}</p>
        {preview.data && <ImpactView impact={preview.data} />}
        <FormFooter action={t("action.save")} isBusy={create.isPending} disabledReason={reason} refusal={error && fault(error)}>
          <Button
            isBusy={preview.isPending}
            disabledReason={reason}
            onClick={() => mapping && preview.mutate({ draft: { upsert: [mapping] }, size: 1000 })}
          >
            {t("impact.preview")}
          </Button>
        </FormFooter>
      </form>
    </Modal>
  );
}

type Choices<Value> = readonly { value: Value }[];

/** What can be saved, or null while something is missing. */
function complete(values: Values, sources: Choices<ConnectorCode | "*">, targets: Choices<ConnectorCode>): NewMapping | null {
  const source = sources.find(({ value }) => value === values.source)?.value;
  const target = targets.find(({ value }) => value === values.target)?.value;
  const fieldName = values.fieldName.trim();
  if (fieldName === "" || source === undefined || target === undefined) return null;
  const { sourceValue, targetValue, subtenantCode } = values;
  return { fieldName, source, sourceValue, target, targetValue, subtenantCode: subtenantCode === "" ? null : subtenantCode };
}
