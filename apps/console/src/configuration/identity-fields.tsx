import type { Connector, IntegrationPoint } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { OptionalChoice } from "../ui/combobox-field.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { subtenantOptions, subtenantsQuery } from "../session/workspace.ts";
import type { Draft } from "./draft.ts";

export const environmentTexts: Record<IntegrationPoint["environment"], TextKey> = {
  production: "configuration.environment.production",
  development: "configuration.environment.development",
};

type FieldsProps = {
  tenantCode: string;
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
  connectors: readonly Connector[];
};

/** What an integration point is, which is said once: queues, paths and references go by it. */
export function IdentityFields({ tenantCode, draft, onChange, connectors }: FieldsProps) {
  const t = useText();
  const { data: subtenants = [] } = useQuery(subtenantsQuery(tenantCode));
  return (
    <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
      <OptionalChoice
        label={`${t("filter.subtenant")} *`}
        none={t("mappings.choose")}
        value={draft.subtenantCode}
        onChange={(subtenantCode) => onChange({ subtenantCode })}
        options={subtenantOptions(subtenants)}
      />
      <SelectField
        label={`${t("configuration.connector")} *`}
        value={draft.connector}
        onChange={(code) => {
          const connector = connectors.find((known) => known.code === code);
          onChange({ connector: connector?.code ?? "", settings: connector?.profile ?? {}, secrets: {}, sourceTypes: [], targetTypes: [] });
        }}
        options={[{ value: "", label: t("mappings.choose") }, ...connectors.map(({ code, name }) => ({ value: code, label: name }))]}
      />
      <TextField
        id="point-code"
        label={`${t("configuration.code")} *`}
        dir="ltr"
        maxLength={63}
        value={draft.code}
        onChange={(event) => onChange({ code: event.target.value })}
      />
      <SelectField
        label={t("configuration.environment")}
        value={draft.environment}
        onChange={(value) => onChange({ environment: value === "development" ? "development" : "production" })}
        options={(["production", "development"] as const).map((value) => ({ value, label: t(environmentTexts[value]) }))}
      />
    </div>
  );
}
