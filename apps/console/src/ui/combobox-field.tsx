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

/** A choice out of many, found by typing into its list. For a handful, SelectField is quicker. */
export function ComboboxField({ label, value, onChange, options, placeholder = "" }: ComboboxFieldProps) {
  const t = useText();
  const id = useId();
  const chosen = options.find((option) => option.value === value) ?? null;
  return (
    <Combobox.Root items={options} value={chosen} onValueChange={(next: Choice | null) => onChange(next?.value ?? "")}>
      <div className="min-w-0">
        <span id={`${id}-label`} className="mb-1 block truncate text-xs text-muted">
          {label}
        </span>
        <span className="relative block">
          <Combobox.Trigger
            aria-labelledby={`${id}-label ${id}-value`}
            className={`${control} flex items-center justify-between gap-2 text-start ${chosen ? "pe-10" : ""}`}
          >
            <span id={`${id}-value`} className={`truncate ${chosen ? "" : "text-muted"}`}>
              {chosen?.label ?? placeholder}
            </span>
            {!chosen && <ChevronDown aria-hidden className="size-4 shrink-0" />}
          </Combobox.Trigger>
          {chosen && (
            <button
              type="button"
              aria-label={t("field.clear", { name: label })}
              onClick={() => onChange("")}
              className="absolute inset-y-0 end-1.5 my-auto grid size-7 place-items-center rounded-full hover:bg-hover"
            >
              <X aria-hidden className="size-3.5" />
            </button>
          )}
        </span>
      </div>
      <Combobox.Portal>
        <Combobox.Positioner sideOffset={4} align="start" className="z-40">
          <Combobox.Popup className="w-(--anchor-width) min-w-56 animate-appear rounded-card border border-line bg-paper text-ink shadow-xl">
            <div className="border-b border-line p-2">
              <Combobox.Input aria-label={label} placeholder={t("field.find")} className={control} />
            </div>
            <Combobox.Empty className="px-3 py-2 text-muted empty:hidden">{t("state.noRecord")}</Combobox.Empty>
            <Combobox.List className="max-h-64 overflow-y-auto py-1">
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
