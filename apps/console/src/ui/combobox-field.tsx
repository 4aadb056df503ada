import { Combobox } from "@base-ui/react/combobox";
import { Check, ChevronDown, X } from "lucide-react";
import { useId } from "react";
import { useText } from "../i18n/i18n.tsx";
import { control } from "./field.tsx";

export type Choice = { value: string; label: string };

type ComboboxFieldProps = {
  label: string;
  /** Empty for none. */
  value: string;
  onChange: (value: string) => void;
  options: readonly Choice[];
  placeholder?: string;
};

/** A choice out of many, found by typing. For a handful, SelectField is quicker. */
export function ComboboxField({ label, value, onChange, options, placeholder }: ComboboxFieldProps) {
  const t = useText();
  const id = useId();
  const chosen = options.find((option) => option.value === value) ?? null;
  return (
    <Combobox.Root items={options} value={chosen} onValueChange={(next: Choice | null) => onChange(next?.value ?? "")}>
      <div className="min-w-0">
        <label htmlFor={id} className="mb-1 block truncate text-xs text-muted">
          {label}
        </label>
        <span className="relative block">
          <Combobox.Input id={id} placeholder={placeholder} className={`${control} pe-16`} />
          <span className="absolute inset-y-0 end-1 flex items-center">
            {chosen && (
              <Combobox.Clear
                aria-label={t("field.clear", { name: label })}
                className="grid size-7 place-items-center rounded-full hover:bg-hover"
              >
                <X aria-hidden className="size-3.5" />
              </Combobox.Clear>
            )}
            <Combobox.Trigger
              aria-label={t("field.open", { name: label })}
              className="grid size-7 place-items-center rounded-full hover:bg-hover"
            >
              <ChevronDown aria-hidden className="size-4" />
            </Combobox.Trigger>
          </span>
        </span>
      </div>
      <Combobox.Portal>
        <Combobox.Positioner sideOffset={4} className="z-40">
          <Combobox.Popup className="max-h-72 w-(--anchor-width) min-w-48 animate-appear overflow-y-auto rounded-card border border-line bg-paper py-1 text-ink shadow-xl">
            <Combobox.Empty className="px-3 py-2 text-muted empty:hidden">{t("state.noRecord")}</Combobox.Empty>
            <Combobox.List>
              {(option: Choice) => (
                <Combobox.Item
                  key={option.value}
                  value={option}
                  className="flex min-h-9 cursor-pointer items-center gap-2 px-3 py-1.5 select-none data-[highlighted]:bg-hover"
                >
                  <span className="size-4 shrink-0">
                    <Combobox.ItemIndicator>
                      <Check aria-hidden className="size-4 text-primary-ink" />
                    </Combobox.ItemIndicator>
                  </span>
                  <span className="truncate">{option.label}</span>
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}
