import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { Checkbox } from "../ui/choice.tsx";
import { Findable } from "../ui/findable.tsx";
import { tenantsQuery } from "../session/workspace.ts";

type GrantsFieldProps = { granted: readonly string[]; onChange: (granted: string[]) => void; isDisabled?: boolean };

/** The tenants that a person may see. */
export function GrantsField({ granted, onChange, isDisabled = false }: GrantsFieldProps) {
  const t = useText();
  const { data: tenants = [] } = useQuery(tenantsQuery);
  const [typed, setTyped] = useState("");
  return (
    // Enter looks for the tenant and sends off nothing yet.
    <fieldset className="grid gap-1.5" disabled={isDisabled} onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}>
      <legend className="mb-1 text-xs text-muted">{t("menu.tenants")}</legend>
      <Findable items={tenants} textOf={({ code, name }) => `${code} ${name}`} typed={typed} onType={setTyped}>
        {(found) => (
          <div className="grid grid-cols-1 max-h-60 gap-1.5 overflow-y-auto sm:grid-cols-2">
            {found.map(({ code, name }) => (
              <Checkbox
                key={code}
                label={name}
                isOn={granted.includes(code)}
                isDisabled={isDisabled}
                onChange={(isOn) => onChange(isOn ? [...granted, code] : granted.filter((one) => one !== code))}
              />
            ))}
          </div>
        )}
      </Findable>
      {granted.length === 0 && <p className="text-warn">{t("users.noTenants")}</p>}
    </fieldset>
  );
}
