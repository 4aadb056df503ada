import { NumberField as Base } from "@base-ui/react/number-field";
import { Minus, Plus } from "lucide-react";
import { useId, useState } from "react";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";

type NumberFieldProps = {
  label: string;
  value: number | null;
  onChange: (value: number) => void;
  min: number;
  max: number;
  /** What no number means; without it a number is needed, and an emptied field that is left goes back to the one it had. */
  empty?: { means: string; onEmpty: () => void };
  error?: string | undefined;
  isDisabled?: boolean;
};

/** A number, written as the language writes it. */
export function NumberField({ label, value, onChange, min, max, empty, error, isDisabled = false }: NumberFieldProps) {
  const t = useText();
  const id = useId();
  const { locale, formatNumber } = useIntl();
  const [isEmptied, setIsEmptied] = useState(false);
  const isMissing = isEmptied && !empty;
  const fault = isMissing ? t("field.numberNeeded", { min: formatNumber(min), max: formatNumber(max) }) : error;
  const change = (next: number | null): void => {
    setIsEmptied(next === null);
    if (next !== null) onChange(next);
    else empty?.onEmpty();
  };
  const button = "grid w-9 shrink-0 place-items-center hover:bg-hover disabled:opacity-40";
  return (
    <Base.Root
      id={id}
      value={isMissing ? null : value}
      onValueChange={change}
      min={min}
      max={max}
      step={1}
      locale={locale}
      disabled={isDisabled}
    >
      <label htmlFor={id} className="mb-1 block truncate text-xs text-muted">
        {label}
      </label>
      <Base.Group className="flex min-h-9 overflow-hidden rounded-button border border-field-line bg-paper focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-primary-ink hover:border-ink">
        <Base.Decrement aria-label={t("field.less", { name: label })} className={button}>
          <Minus aria-hidden className="size-4" />
        </Base.Decrement>
        <Base.Input
          aria-invalid={Boolean(fault)}
          aria-describedby={fault ? `${id}-error` : undefined}
          placeholder={empty?.means}
          onBlur={() => setIsEmptied(false)}
          onKeyDown={(event) => isMissing && event.key === "Enter" && event.preventDefault()}
          className="w-full min-w-0 bg-transparent text-center tabular-nums outline-none placeholder:text-muted"
        />
        <Base.Increment aria-label={t("field.more", { name: label })} className={button}>
          <Plus aria-hidden className="size-4" />
        </Base.Increment>
      </Base.Group>
      {fault && (
        <p id={`${id}-error`} className="mt-1 text-xs text-bad">
          {fault}
        </p>
      )}
    </Base.Root>
  );
}
