import type { ComponentProps, ReactNode } from "react";
import { Select } from "./select.tsx";

export const control =
  "min-h-9 w-full rounded-button border border-field-line bg-paper px-3 text-ink placeholder:text-muted hover:border-ink aria-invalid:border-bad";

type LabelledProps = {
  label: string;
  children: ReactNode;
  className?: string;
  /** A long label takes further lines, where nothing beside it has to stand as high. */
  isWhole?: boolean;
};

export function Labelled({ label, children, className = "", isWhole = false }: LabelledProps) {
  return (
    <label className={`grid min-w-0 content-start gap-1 ${className}`}>
      <span className={`${isWhole ? "break-words" : "truncate"} text-xs text-muted`}>{label}</span>
      {children}
    </label>
  );
}

export type InputProps = Omit<ComponentProps<"input">, "value"> & { value?: string };

type TextFieldProps = InputProps & { label: string; error?: string | undefined; as?: "input" | ((props: InputProps) => ReactNode) };

export function TextField({ label, error, className = "", id, as: Input = "input", ...rest }: TextFieldProps) {
  const errorId = `${id}-error`;
  return (
    <div className={className}>
      <Labelled label={label} isWhole>
        <Input id={id} aria-invalid={Boolean(error)} aria-describedby={error ? errorId : undefined} className={control} {...rest} />
      </Labelled>
      {error && (
        <p id={errorId} className="mt-1 text-xs text-bad">
          {error}
        </p>
      )}
    </div>
  );
}

type SelectFieldProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  options: { value: string; label: string }[];
  className?: string;
};

export function SelectField({ label, value, onChange, options, className }: SelectFieldProps) {
  return (
    <Labelled label={label} className={className ?? ""}>
      <Select value={value} onChange={onChange} options={options} className={control} />
    </Labelled>
  );
}
