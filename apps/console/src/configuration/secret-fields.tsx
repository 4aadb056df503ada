import { useId } from "react";
import { useText } from "../i18n/i18n.tsx";
import { Button } from "../ui/button.tsx";
import { control, Labelled } from "../ui/field.tsx";
import { WithCode } from "../connectors/with-code.tsx";
import { useConnectorWords } from "../connectors/connector-words.ts";
import type { Field } from "../connectors/connector-schema.ts";

/** New values by name; null takes one away. */
export type Secrets = Record<string, string | null>;

type SecretFieldsProps = {
  fields: readonly Field[];
  /** Names of those that are set. */
  stored: readonly string[];
  secrets: Secrets;
  onChange: (secrets: Secrets) => void;
  faults: ReadonlyMap<string, string>;
  isDisabled: boolean;
};

/** Credentials are written and never read: of one that is set only that is shown. */
export function SecretFields({ fields, stored, secrets, onChange, faults, isDisabled }: SecretFieldsProps) {
  const t = useText();
  const id = useId();
  const words = useConnectorWords();
  function set(name: string, value: string | null): void {
    const { [name]: _before, ...others } = secrets;
    onChange(value === "" ? others : { ...others, [name]: value });
  }
  return (
    <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
      {fields.map(({ name, label, help }) => {
        const isStored = stored.includes(name);
        const isTakenAway = secrets[name] === null;
        const state = isTakenAway ? t("configuration.secretGoes") : isStored ? t("configuration.secretSet") : "";
        return (
          <div key={name} className="min-w-0">
            <div className="flex items-end gap-2">
              <Labelled label={words(label)} className="flex-1">
                <input
                  type="password"
                  autoComplete="new-password"
                  dir="ltr"
                  disabled={isDisabled}
                  value={secrets[name] ?? ""}
                  placeholder={state}
                  aria-invalid={faults.has(name)}
                  aria-describedby={`${id}-${name}`}
                  onChange={(event) => set(name, event.target.value)}
                  className={control}
                />
              </Labelled>
              {isStored && !isDisabled && (
                <Button onClick={() => set(name, isTakenAway ? "" : null)}>
                  {isTakenAway ? t("configuration.keepSecret") : t("action.remove")}
                </Button>
              )}
            </div>
            <p id={`${id}-${name}`} className="mt-1 text-xs text-muted">
              {faults.has(name) && <span className="block text-bad">{faults.get(name)}</span>}
              <WithCode text={words(help)} />
            </p>
          </div>
        );
      })}
    </div>
  );
}
