import type { IntegrationPoint } from "@crossdock/contract";
import { useText } from "../i18n/i18n.tsx";
import { ComboboxField } from "../ui/combobox-field.tsx";
import { integrationPointOptions } from "../session/workspace.ts";

type PointFieldProps = { label: string; points: readonly IntegrationPoint[]; value: string; onChange: (pointId: string) => void };

export function PointField({ label, points, value, onChange }: PointFieldProps) {
  const t = useText();
  return (
    <ComboboxField
      label={label}
      value={value}
      onChange={onChange}
      options={integrationPointOptions(points)}
      placeholder={t("mappings.choose")}
    />
  );
}
