import type { ComponentProps } from "react";

/** Whether a text begins with a letter that is written from right to left. */
const isFromRight = (text: string): boolean => /^\P{L}*[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(text);

type SelectProps = Omit<ComponentProps<"select">, "onChange"> & {
  value: string;
  options: readonly { value: string; label: string }[];
  onChange: (value: string) => void;
};

/** One of a few. It runs as what is chosen does, so that a long name is cut at its end; its arrow stays where the language puts it. */
export function Select({ value, options, onChange, className = "", ...rest }: SelectProps) {
  const chosen = options.find((option) => option.value === value)?.label ?? "";
  return (
    <select
      {...rest}
      dir={isFromRight(chosen) ? "rtl" : "ltr"}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className={`truncate pr-7 pl-3 [[dir=rtl]_&]:pr-3 [[dir=rtl]_&]:pl-7 ${className}`}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value} className="bg-paper text-ink">
          {option.label}
        </option>
      ))}
    </select>
  );
}
