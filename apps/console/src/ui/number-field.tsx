import { NumberField as Base } from "@base-ui/react/number-field";
import { Minus, Plus } from "lucide-react";
import { useId } from "react";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";

type NumberFieldProps = {
  label: string;
  value: number | null;
  onChange: (value: number | null) => void;
  min?: number;
  max?: number;
  step?: number;
  error?: string | undefined;
  isDisabled?: boolean;
};

/** A number, written as the language writes it. */
export function NumberField({ label, value, onChange, min, max, step = 1, error, isDisabled = false }: NumberFieldProps) {
  const t = useText();
  const id = useId();
  const { locale } = useIntl();
  const button = "grid w-9 shrink-0 place-items-center hover:bg-hover disabled:opacity-40";
  return (
    <Base.Root
      id={id}
      value={value}
      onValueChange={onChange}
      step={step}
      locale={locale}
      disabled={isDisabled}
      {...(min !== undefined && { min })}
      {...(max !== undefined && { max })}
    >
      <label htmlFor={id} className="mb-1 block truncate text-xs text-muted">
        {label}
      </label>
      <Base.Group className="flex min-h-9 overflow-hidden rounded-button border border-field-line bg-paper focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-primary-ink hover:border-ink">
        <Base.Decrement aria-label={t("field.less", { name: label })} className={button}>
          <Minus aria-hidden className="size-4" />
        </Base.Decrement>
        <Base.Input
          aria-invalid={Boolean(error)}
          aria-describedby={error ? `${id}-error` : undefined}
          className="w-full min-w-0 bg-transparent text-center tabular-nums outline-none"
        />
        <Base.Increment aria-label={t("field.more", { name: label })} className={button}>
          <Plus aria-hidden className="size-4" />
        </Base.Increment>
      </Base.Group>
      {error && (
        <p id={`${id}-error`} className="mt-1 text-xs text-bad">
          {error}
        </p>
      )}
    </Base.Root>
  );
}
