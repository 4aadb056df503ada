import { useQuery } from "@tanstack/react-query";
import { useText } from "../i18n/i18n.tsx";
import { Checkbox } from "../ui/choice.tsx";
import { tenantsQuery } from "../workspace.ts";

type GrantsFieldProps = { granted: readonly string[]; onChange: (granted: string[]) => void; isDisabled?: boolean };

/** The tenants that a person may see. */
export function GrantsField({ granted, onChange, isDisabled = false }: GrantsFieldProps) {
  const t = useText();
  const { data: tenants = [] } = useQuery(tenantsQuery);
  return (
    <fieldset className="grid gap-1.5" disabled={isDisabled}>
      <legend className="mb-1 text-xs text-muted">{t("menu.tenants")}</legend>
      <div className="grid max-h-60 gap-1.5 overflow-y-auto sm:grid-cols-2">
        {tenants.map(({ code, name }) => (
          <Checkbox
            key={code}
            label={name}
            isOn={granted.includes(code)}
            isDisabled={isDisabled}
            onChange={(isOn) => onChange(isOn ? [...granted, code] : granted.filter((one) => one !== code))}
          />
        ))}
      </div>
    </fieldset>
  );
}
