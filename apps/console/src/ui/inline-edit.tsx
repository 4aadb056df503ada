import { useRef, useState, type KeyboardEvent } from "react";

type InlineEditProps = {
  label: string;
  value: string;
  onSave: (value: string) => void;
  /** Why the value is fixed; null where it may be changed. */
  disabledReason: string | null;
  isCode?: boolean;
};

/** Its cell runs as the text in it does, but stands where the console's language begins. */
const shape = "min-h-8 w-full min-w-0 rounded-button px-2 text-left rtl:text-right";

/** Outside of the field, so that it runs once and not with every key. */
function focus(input: HTMLInputElement | null): void {
  input?.focus();
}

/** A value in a table that turns into a field when it is pressed. Enter and leaving it save, Escape takes it back. */
export function InlineText({ label, value, onSave, disabledReason, isCode = false }: InlineEditProps) {
  /** What is typed, over what, and how it is saved: a value that changes under it is another one. */
  const [edit, setEdit] = useState<(Pick<InlineEditProps, "value" | "onSave"> & { draft: string }) | null>(null);
  const button = useRef<HTMLButtonElement>(null);

  function end(isKept: boolean): void {
    if (edit === null) return;
    setEdit(null);
    if (isKept && edit.draft !== edit.value) edit.onSave(edit.draft);
  }

  function press(event: KeyboardEvent): void {
    // The table's own keys move between rows.
    event.stopPropagation();
    // With an input method both keys are about the characters that are being composed.
    if ((event.key !== "Enter" && event.key !== "Escape") || event.nativeEvent.isComposing) return;
    event.preventDefault();
    end(event.key === "Enter");
    requestAnimationFrame(() => button.current?.focus());
  }

  if (disabledReason !== null)
    return (
      <span title={disabledReason} dir={isCode ? "ltr" : "auto"} className="block truncate px-2">
        {value === "" ? "–" : value}
      </span>
    );
  if (edit !== null)
    return (
      <input
        aria-label={label}
        ref={focus}
        dir={isCode ? "ltr" : "auto"}
        value={edit.draft}
        maxLength={500}
        onFocus={(event) => event.target.select()}
        onChange={(event) => setEdit({ ...edit, draft: event.target.value })}
        onKeyDown={press}
        onBlur={() => end(true)}
        className={`${shape} border border-primary-ink bg-paper text-ink`}
      />
    );
  return (
    <button
      ref={button}
      type="button"
      aria-label={`${label}: ${value}`}
      onClick={() => setEdit({ value, onSave, draft: value })}
      className={`${shape} truncate border border-transparent hover:border-field-line`}
    >
      <span dir={isCode ? "ltr" : "auto"}>{value === "" ? "–" : value}</span>
    </button>
  );
}

type InlineSelectProps<Value extends string> = {
  label: string;
  /** One that is not among the options is shown as it is. */
  value: string;
  options: readonly { value: Value; label: string }[];
  onSave: (value: Value) => void;
  disabledReason: string | null;
};

/** The same for one of a few values. */
export function InlineSelect<Value extends string>({ label, value, onSave, disabledReason, options }: InlineSelectProps<Value>) {
  const isKnown = options.some((option) => option.value === value);
  if (disabledReason !== null)
    return (
      <span title={disabledReason} className="block truncate px-2">
        {options.find((option) => option.value === value)?.label ?? value}
      </span>
    );
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => {
        const chosen = options.find((option) => option.value === event.target.value);
        if (chosen) onSave(chosen.value);
      }}
      onKeyDown={(event) => event.stopPropagation()}
      className={`${shape} truncate border border-transparent bg-transparent rtl:[direction:rtl] text-ink hover:border-field-line`}
    >
      {!isKnown && <option value={value}>{value}</option>}
      {options.map((option) => (
        <option key={option.value} value={option.value} className="bg-paper text-ink">
          {option.label}
        </option>
      ))}
    </select>
  );
}
