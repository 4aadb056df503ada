import { Check, ChevronDown, X } from "lucide-react";
import { useEffect, useId, useRef, useState, type ComponentProps, type KeyboardEvent } from "react";
import { useText } from "../i18n/i18n.tsx";
import { BarePopover } from "./bare-popover.tsx";
import { control, SelectField } from "./field.tsx";
import { hasWords } from "./find.ts";
import { isComposing } from "./is-composing.ts";

export type Choice = { value: string; label: string };

type ComboboxFieldProps = {
  label: string;
  /** Empty for none. */
  value: string;
  onChange: (value: string) => void;
  options: readonly Choice[];
  /** What it is called when nothing is chosen, as the first option of a select is. */
  placeholder?: string;
  className?: string;
};

/** A choice out of many, found by typing into its list. */
export function ComboboxField({ label, value, onChange, options, placeholder = "", className = "" }: ComboboxFieldProps) {
  const t = useText();
  const id = useId();
  const chosen = options.find((option) => option.value === value);
  return (
    <div className={`min-w-0 ${className}`}>
      <span id={`${id}-label`} className="mb-1 block truncate text-xs text-muted">
        {label}
      </span>
      <span className="relative block">
        <Combobox
          label={label}
          value={value}
          options={options}
          onChange={onChange}
          aria-labelledby={`${id}-label ${id}-value`}
          className={`${control} flex items-center justify-between gap-2 text-start pointer-coarse:text-base ${chosen ? "pe-10" : ""}`}
        >
          <bdi id={`${id}-value`} className="truncate">
            {chosen?.label ?? placeholder}
          </bdi>
          {!chosen && <ChevronDown aria-hidden className="-me-1 size-4 shrink-0" />}
        </Combobox>
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
  );
}

/** Longer than any list that the program itself brings along, such as its connectors. */
const selectMax = 20;

type OptionalChoiceProps = ComponentProps<typeof SelectField> & {
  /** What it is called when nothing is chosen. */
  none: string;
};

/** One of what an installation holds, or none: few are looked over sooner than typed for, of many one is found by its name. */
export function OptionalChoice({ none, options, ...field }: OptionalChoiceProps) {
  if (options.length > selectMax) return <ComboboxField {...field} options={options} placeholder={none} />;
  return <SelectField {...field} options={[{ value: "", label: none }, ...options]} />;
}

type ComboboxProps = Pick<ComboboxFieldProps, "label" | "value" | "options" | "onChange"> &
  Pick<ComponentProps<"button">, "aria-label" | "aria-labelledby" | "className" | "children">;

/** A button and the list that it opens. No key chooses before the list is there. */
export function Combobox({ label, value, options, onChange, ...button }: ComboboxProps) {
  const id = useId();
  const trigger = (
    <button
      type="button"
      role="combobox"
      aria-controls={`${id}-list`}
      aria-expanded={false}
      onKeyDown={(event) => {
        if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
        event.preventDefault();
        // In a table they would go to another row.
        event.stopPropagation();
        event.currentTarget.click();
      }}
      {...button}
    />
  );
  return (
    <BarePopover label={label} trigger={trigger} align="start">
      {(close) => (
        <Finder
          id={`${id}-list`}
          label={label}
          value={value}
          options={options}
          onChoose={(next) => {
            onChange(next);
            close();
          }}
        />
      )}
    </BarePopover>
  );
}

type FinderProps = Pick<ComboboxFieldProps, "label" | "value" | "options"> & { id: string; onChoose: (value: string) => void };

function Finder({ id, label, value, options, onChoose }: FinderProps) {
  const t = useText();
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState("");
  const [movedTo, setMovedTo] = useState(value);
  const found = options.filter((option) => hasWords(option.label, typed));
  const activeIndex = Math.max(
    found.findIndex((option) => option.value === movedTo),
    0,
  );
  const idOf = (index: number): string => `${id}-${index}`;

  useEffect(() => {
    // The popover shows what is in it in the next frame.
    const frame = requestAnimationFrame(() => input.current?.focus());
    return () => cancelAnimationFrame(frame);
  }, []);
  useEffect(() => {
    document.getElementById(`${id}-${activeIndex}`)?.scrollIntoView({ block: "nearest" });
  }, [id, activeIndex]);

  function followKeys(event: KeyboardEvent): void {
    const active = found[activeIndex];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (isComposing(event) || !active) return;
    if (step !== undefined) setMovedTo(found.at((activeIndex + step) % found.length)?.value ?? "");
    else if (event.key === "Enter") onChoose(active.value);
    else return;
    event.preventDefault();
  }

  return (
    <>
      <div className="sticky top-0 border-b border-line bg-paper p-2">
        <input
          ref={input}
          role="combobox"
          aria-label={label}
          aria-expanded
          aria-autocomplete="list"
          aria-controls={id}
          aria-activedescendant={found.length > 0 ? idOf(activeIndex) : undefined}
          autoComplete="off"
          placeholder={t("field.find")}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={followKeys}
          className={control}
        />
      </div>
      <p role="status" className="px-3 py-2 text-muted empty:hidden">
        {found.length === 0 && t("state.noRecord")}
      </p>
      <div role="listbox" id={id} aria-label={label} className="py-1 empty:hidden">
        {found.map((option, index) => (
          <button
            key={option.value}
            type="button"
            id={idOf(index)}
            role="option"
            tabIndex={-1}
            aria-selected={option.value === value}
            onPointerMove={() => setMovedTo(option.value)}
            // The field keeps the focus.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => onChoose(option.value)}
            className={`flex min-h-9 w-full items-center gap-2 px-3 py-1.5 text-start select-none ${index === activeIndex ? "bg-hover outline-2 -outline-offset-2 outline-primary-ink" : ""}`}
          >
            <span className="size-4 shrink-0">{option.value === value && <Check aria-hidden className="size-4 text-primary-ink" />}</span>
            <bdi className="truncate">{option.label}</bdi>
          </button>
        ))}
      </div>
    </>
  );
}
