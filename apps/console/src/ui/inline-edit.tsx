import { ChevronDown } from "lucide-react";
import { useRef, useState, type KeyboardEvent } from "react";
import { useText } from "../i18n/i18n.tsx";
import { Combobox } from "./combobox-field.tsx";
import { isComposing } from "./is-composing.ts";

type InlineEditProps = {
  label: string;
  value: string;
  /** Ends when it is stored, and fails when it was refused, which whoever gives this tells. */
  onSave: (value: string) => Promise<unknown>;
  /** Why the value is fixed; null where it may be changed. */
  disabledReason: string | null;
  isCode?: boolean;
};

/** What is typed, over what, and how it is saved: a value that changes under it is another one. */
type Edit = Pick<InlineEditProps, "value" | "onSave"> & { draft: string; state: "typing" | "saving" | "refused" };

/** Its cell runs as the text in it does, but stands where the console's language begins; the cell would cut an outline beside it. */
const shape = "min-h-8 w-full min-w-0 rounded-button px-2 text-left outline-offset-[-2px] rtl:text-right";

/** Outside of the field, so that it runs once and not with every key. One that comes back takes the focus from nothing that was begun meanwhile. */
function focus(input: HTMLInputElement | null): void {
  if (document.activeElement === document.body) input?.focus();
}

/**
 * A value in a table that turns into a field when it is pressed. Enter and leaving it save, Escape takes it back. What was refused stays in
 * the field, to be saved over what is stored by then.
 */
export function InlineText({ label, value, onSave, disabledReason, isCode = false }: InlineEditProps) {
  const t = useText();
  const [edit, setEdit] = useState<Edit | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const isRefused = edit?.state === "refused";

  function end(isKept: boolean): void {
    if (edit === null || edit.state === "saving") return;
    const over = isRefused ? { value, onSave } : edit;
    if (isKept && edit.draft !== over.value) void save({ ...over, draft: edit.draft, state: "saving" });
    else setEdit(null);
  }

  async function save(saving: Edit): Promise<void> {
    setEdit(saving);
    try {
      await saving.onSave(saving.draft);
      setEdit(null);
    } catch {
      setEdit({ ...saving, state: "refused" });
    }
  }

  function press(event: KeyboardEvent): void {
    // The table's own keys move between rows.
    event.stopPropagation();
    if ((event.key !== "Enter" && event.key !== "Escape") || isComposing(event)) return;
    event.preventDefault();
    end(event.key === "Enter");
    requestAnimationFrame(() => button.current?.focus());
  }

  if (edit !== null && edit.state !== "saving")
    return (
      <input
        aria-label={label}
        ref={focus}
        dir={isCode ? "ltr" : "auto"}
        value={edit.draft}
        maxLength={500}
        aria-invalid={isRefused}
        title={isRefused ? t("field.notSaved", { value: value === "" ? "–" : value }) : undefined}
        onFocus={(event) => event.target.select()}
        onChange={(event) => setEdit({ ...(isRefused ? { value, onSave } : edit), draft: event.target.value, state: "typing" })}
        onKeyDown={press}
        onBlur={() => !isRefused && end(true)}
        className={`${shape} border border-primary-ink bg-paper text-ink aria-invalid:border-bad`}
      />
    );
  const shown = edit?.draft ?? value;
  return (
    <button
      ref={button}
      type="button"
      dir={isCode ? "ltr" : "auto"}
      aria-label={`${label}: ${shown}`}
      aria-busy={edit !== null}
      aria-disabled={disabledReason !== null || undefined}
      title={disabledReason ?? undefined}
      onClick={() => edit === null && disabledReason === null && setEdit({ value, onSave, draft: value, state: "typing" })}
      className={`${shape} truncate border border-transparent not-aria-disabled:hover:border-field-line aria-busy:opacity-60`}
    >
      {shown === "" ? "–" : shown}
    </button>
  );
}

type InlineSelectProps<Value extends string> = {
  label: string;
  /** One that is not among the options is shown as it is. */
  value: string;
  options: readonly { value: Value; label: string }[];
  onSave: (value: Value) => Promise<unknown>;
  disabledReason: string | null;
};

/** The same for one of a few values: it is chosen, or Enter is pressed, in the list that opens. */
export function InlineSelect<Value extends string>({ label, value, onSave, disabledReason, options }: InlineSelectProps<Value>) {
  const shown = options.find((option) => option.value === value)?.label ?? value;
  if (disabledReason !== null)
    return (
      <button type="button" aria-label={`${label}: ${shown}`} aria-disabled title={disabledReason} className={`${shape} truncate`}>
        {shown}
      </button>
    );
  return (
    <Combobox
      label={label}
      aria-label={`${label}: ${shown}`}
      value={value}
      options={options}
      onChange={(next) => {
        const chosen = options.find((option) => option.value === next);
        // Refused, it shows what is stored again.
        if (chosen && next !== value) onSave(chosen.value).catch(() => undefined);
      }}
      className={`${shape} relative truncate border border-transparent pr-6 hover:border-field-line rtl:pr-2 rtl:pl-6`}
    >
      {shown}
      <ChevronDown aria-hidden className="absolute inset-y-0 right-1 my-auto size-4 text-muted rtl:right-auto rtl:left-1" />
    </Combobox>
  );
}
