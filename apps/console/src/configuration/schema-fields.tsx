import { createContext, use, useEffect, useId, useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { Checkbox } from "../ui/choice.tsx";
import { control, Labelled } from "../ui/field.tsx";
import { parseJson } from "../ui/json/json-tree.ts";
import { Select } from "../ui/select.tsx";
import { WithCode } from "../connectors/with-code.tsx";
import { useConnectorWords } from "../connectors/connector-words.ts";
import type { Field } from "../connectors/connector-schema.ts";

type SchemaFieldsProps = {
  fields: readonly Field[];
  values: Record<string, unknown>;
  onChange: (values: Record<string, unknown>) => void;
  faults: ReadonlyMap<string, string>;
  isDisabled: boolean;
};

/** A form made from a connector's own schema: names, help and what is wrong with each value. */
export function SchemaFields({ fields, values, onChange, faults, isDisabled }: SchemaFieldsProps) {
  /** A value that is taken away is left out, so that the connector's default holds. */
  function set(name: string, value: unknown): void {
    const { [name]: _before, ...others } = values;
    onChange(value === undefined ? others : { ...others, [name]: value });
  }
  return (
    <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
      {fields.map((field) => (
        <SchemaField
          key={field.name}
          field={field}
          value={values[field.name]}
          onChange={(value) => set(field.name, value)}
          fault={[...faults].find(([path]) => path === field.name || path.startsWith(`${field.name}/`))?.[1]}
          isDisabled={isDisabled}
        />
      ))}
    </div>
  );
}

type SchemaFieldProps = {
  field: Field;
  value: unknown;
  onChange: (value: unknown) => void;
  fault: string | undefined;
  isDisabled: boolean;
};

function SchemaField({ field, value, onChange, fault, isDisabled }: SchemaFieldProps) {
  const t = useText();
  const id = useId();
  const words = useConnectorWords();
  const { kind, choices, isRequired, fallback } = field;
  const label = isRequired ? `${words(field.label)} *` : words(field.label);
  const help = words(field.help);
  const described = { "aria-describedby": `${id}-help`, "aria-invalid": fault !== undefined, disabled: isDisabled };
  const shown = typeof value === "string" || typeof value === "number" ? String(value) : "";
  const placeholder = typeof fallback === "string" || typeof fallback === "number" ? String(fallback) : undefined;
  return (
    <div className={`min-w-0 ${kind === "json" ? "sm:col-span-2" : ""}`}>
      {kind === "switch" && (
        <Checkbox
          className="min-h-9 sm:mt-5"
          label={label}
          isOn={typeof value === "boolean" ? value : fallback === true}
          onChange={onChange}
          isDisabled={isDisabled}
        />
      )}
      {kind === "choice" && (
        <Labelled label={label}>
          <Select
            {...described}
            value={shown || (placeholder ?? "")}
            options={[
              ...(placeholder === undefined ? [{ value: "", label: t("mappings.choose") }] : []),
              ...choices.map((choice) => ({ value: choice, label: words(choice) })),
            ]}
            onChange={(chosen) => onChange(chosen === "" ? undefined : chosen)}
            className={control}
          />
        </Labelled>
      )}
      {(kind === "text" || kind === "number") && (
        <Labelled label={label}>
          <input
            {...described}
            dir="ltr"
            inputMode={kind === "number" ? "decimal" : undefined}
            value={shown}
            placeholder={placeholder}
            onChange={(event) => onChange(kind === "number" ? numberOf(event.target.value) : event.target.value || undefined)}
            className={`${control} rtl:text-right`}
          />
        </Labelled>
      )}
      {kind === "json" && <JsonField label={label} value={value} fallback={fallback} onChange={onChange} described={described} />}
      <p id={`${id}-help`} className="mt-1 text-xs text-muted">
        {fault !== undefined && <span className="block text-bad">{fault}</span>}
        <WithCode text={help} />
      </p>
    </div>
  );
}

/** What is no number yet stays as it was typed; the server says what is wrong with it. */
function numberOf(text: string): unknown {
  if (text.trim() === "") return undefined;
  return Number.isFinite(Number(text)) && !text.endsWith(".") ? Number(text) : text;
}

type JsonFieldProps = {
  label: string;
  value: unknown;
  fallback?: unknown;
  onChange: (value: unknown) => void;
  /** What else the value has to be. */
  isFit?: (value: unknown) => boolean;
  described?: object;
};

/** Counts the fields that hold what can't be read yet. */
export const Unreadable = createContext<(change: 1 | -1) => void>(() => undefined);

/** A value with parts, as JSON. What can't be read yet is kept in the field only, which is invalid meanwhile. */
export function JsonField({ label, value, fallback, onChange, isFit = () => true, described = {} }: JsonFieldProps) {
  const t = useText();
  const count = use(Unreadable);
  const [typed, setTyped] = useState<string | null>(null);
  const [isWrong, setIsWrong] = useState(false);
  useEffect(() => {
    if (!isWrong) return undefined;
    count(1);
    return () => count(-1);
  }, [isWrong, count]);
  const written = value === undefined ? "" : JSON.stringify(value, null, 2);
  return (
    <Labelled label={label}>
      <textarea
        rows={Math.min(12, Math.max(3, written.split("\n").length))}
        dir="ltr"
        spellCheck={false}
        value={typed ?? written}
        placeholder={fallback === undefined ? undefined : JSON.stringify(fallback)}
        onChange={(event) => {
          const read = readJson(event.target.value);
          const isUnfit = !read || !isFit(read.value);
          setTyped(event.target.value);
          setIsWrong(isUnfit);
          event.target.setCustomValidity(isUnfit ? t("configuration.noJson") : "");
          if (!isUnfit) onChange(read.value);
        }}
        onBlur={() => !isWrong && setTyped(null)}
        {...described}
        className={`${control} py-2 font-mono text-xs`}
      />
      {isWrong && <span className="text-xs text-bad">{t("configuration.noJson")}</span>}
    </Labelled>
  );
}

/** Nothing typed is no value. */
function readJson(text: string): { value: unknown } | null {
  return text.trim() === "" ? { value: undefined } : parseJson(text);
}
