import type { EntityType } from "@crossdock/contract";
import { entityTypeLabels, entityTypes } from "./entity-types.ts";
import { useText } from "./i18n/i18n.tsx";
import { SelectField } from "./ui/field.tsx";

type TypeFieldProps = { types?: readonly EntityType[]; value: EntityType | undefined; onChange: (type: EntityType) => void };

export function EntityTypeField({ types = entityTypes, value, onChange }: TypeFieldProps) {
  const t = useText();
  return (
    <SelectField
      label={t("message.entityType")}
      value={value ?? ""}
      onChange={(chosen) => {
        const type = types.find((known) => known === chosen);
        if (type) onChange(type);
      }}
      options={types.map((type) => ({ value: type, label: t(entityTypeLabels[type]) }))}
    />
  );
}
