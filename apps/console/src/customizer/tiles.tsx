import { useId, type ReactNode } from "react";

type TilesProps<Value extends string> = {
  label: string;
  value: Value | null;
  onChange: (value: Value) => void;
  options: readonly { value: Value; label: string; picture?: ReactNode; isLabelHidden?: boolean }[];
  /** Classes of the grid, which decide how many stand side by side. */
  columns: string;
};

/** One choice of several, each a tile with its picture. */
export function Tiles<Value extends string>({ label, value, onChange, options, columns }: TilesProps<Value>) {
  const name = useId();
  return (
    <fieldset className="min-w-0">
      <legend className="mb-2 font-semibold">{label}</legend>
      <div className={`grid gap-2 ${columns}`}>
        {options.map(({ value: optionValue, label: optionLabel, picture, isLabelHidden = false }) => (
          <label
            key={optionValue}
            title={isLabelHidden ? optionLabel : undefined}
            className="relative grid min-w-0 content-center justify-items-center gap-1.5 rounded-lg border border-line p-2 text-center text-xs text-muted inset-ring-primary-ink hover:bg-hover has-checked:border-primary-ink has-checked:font-medium has-checked:text-primary-ink has-checked:inset-ring has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-(--focus)"
          >
            <input
              type="radio"
              name={name}
              checked={optionValue === value}
              onChange={() => onChange(optionValue)}
              aria-label={isLabelHidden ? optionLabel : undefined}
              className="absolute inset-0 z-1 size-full cursor-pointer appearance-none opacity-0"
            />
            {picture}
            {!isLabelHidden && <span className="max-w-full wrap-anywhere hyphens-auto">{optionLabel}</span>}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
