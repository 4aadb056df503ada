import { useId } from "react";

type CheckboxProps = {
  label: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  isDisabled?: boolean;
  disabledReason?: string | null;
  className?: string;
};

export function Checkbox({ label, isOn, onChange, isDisabled = false, disabledReason = null, className = "" }: CheckboxProps) {
  return (
    <label className={`flex items-center gap-2 ${className}`}>
      <input
        type="checkbox"
        className="size-4 shrink-0 accent-primary-ink aria-disabled:opacity-60"
        checked={isOn}
        disabled={isDisabled}
        aria-disabled={disabledReason !== null || undefined}
        title={disabledReason ?? undefined}
        onChange={(event) => disabledReason === null && onChange(event.target.checked)}
      />
      <span className="min-w-0 break-words">{label}</span>
    </label>
  );
}

type RadioGroupProps<Value extends string> = {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  options: readonly { value: Value; label: string; hint?: string }[];
  isDisabled?: boolean;
};

export function RadioGroup<Value extends string>({ label, value, onChange, options, isDisabled = false }: RadioGroupProps<Value>) {
  const name = useId();
  return (
    <fieldset disabled={isDisabled} className="grid content-start gap-1.5">
      <legend className="mb-1 text-xs text-muted">{label}</legend>
      {options.map((option) => (
        <label key={option.value} className="flex items-start gap-2">
          <input
            type="radio"
            name={name}
            className="mt-0.5 size-4 shrink-0 accent-primary-ink"
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span>
            {option.label}
            {option.hint && <span className="block text-xs text-muted">{option.hint}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

type SwitchProps = { label: string; isOn: boolean; onChange: (isOn: boolean) => void; disabledReason?: string | null; isBusy?: boolean };

export function Switch({ label, isOn, onChange, disabledReason, isBusy = false }: SwitchProps) {
  const isOff = isBusy || Boolean(disabledReason);
  return (
    <button
      type="button"
      role="switch"
      aria-checked={isOn}
      aria-label={label}
      aria-disabled={isOff || undefined}
      title={disabledReason ?? label}
      onClick={() => !isOff && onChange(!isOn)}
      className={`inline-flex h-5 w-9 shrink-0 items-center rounded-full border-2 px-0.5 transition-colors ${
        isOn ? "justify-end border-primary-ink bg-primary-ink" : "justify-start border-field-line bg-transparent"
      } ${disabledReason ? "opacity-60" : ""}`}
    >
      <span className={`size-3 rounded-full ${isOn ? "bg-paper" : "bg-field-line"}`} />
    </button>
  );
}
