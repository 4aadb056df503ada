import { useQuery } from "@tanstack/react-query";
import { useId, useRef, useState, type KeyboardEvent } from "react";
import { useText } from "../i18n/i18n.tsx";
import { operatorsQuery } from "../operators.ts";
import { isComposing } from "../ui/is-composing.ts";
import { mentionAt, mentionName } from "./mentions.ts";

const shownMax = 6;
const lengthMax = 2000;

type MentionFieldProps = {
  tenantCode: string;
  text: string;
  onChange: (text: string) => void;
  onSubmit: () => void;
  label: string;
  describedBy: string;
  /** Why nothing can be written. */
  readOnlyReason: string | null;
};

/** A text in which an @ offers the colleagues whose names go on as it does. */
export function MentionField({ tenantCode, text, onChange, onSubmit, label, describedBy, readOnlyReason }: MentionFieldProps) {
  const t = useText();
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [caret, setCaret] = useState(0);
  const [index, setIndex] = useState(0);
  /** Where the @ stands whose colleagues were waved away. */
  const [closedAt, setClosedAt] = useState<number | null>(null);
  const mention = mentionAt(text, caret);
  const isAsked = mention !== null && mention.start !== closedAt && readOnlyReason === null;
  const { data: operators = [] } = useQuery({ ...operatorsQuery(tenantCode), enabled: isAsked });
  const offered = isAsked ? operators.filter(({ name }) => isMeant(name, mention.begun)).slice(0, shownMax) : [];
  const active = offered[Math.min(index, offered.length - 1)];

  function choose(name: string): void {
    if (!mention) return;
    const before = `${text.slice(0, mention.start)}@${mentionName(name)} `;
    onChange(before + text.slice(caret).replace(/^ /, ""));
    setCaret(before.length);
    setIndex(0);
    // The text is the new one by then.
    requestAnimationFrame(() => {
      field.current?.focus();
      field.current?.setSelectionRange(before.length, before.length);
    });
  }

  function press(event: KeyboardEvent): void {
    if (isComposing(event)) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) return onSubmit();
    if (!active) return;
    if (event.key === "Enter" || event.key === "Tab") choose(active.name);
    else if (event.key === "ArrowDown") setIndex((index + 1) % offered.length);
    else if (event.key === "ArrowUp") setIndex((index + offered.length - 1) % offered.length);
    else if (event.key === "Escape") setClosedAt(mention?.start ?? null);
    else return;
    event.preventDefault();
    // The drawer would close.
    event.stopPropagation();
  }

  return (
    <div className="grid gap-2">
      <label htmlFor={id} className="text-xs text-muted">
        {label}
      </label>
      <textarea
        ref={field}
        id={id}
        dir="auto"
        rows={2}
        value={text}
        maxLength={lengthMax}
        readOnly={readOnlyReason !== null}
        title={readOnlyReason ?? undefined}
        aria-describedby={describedBy}
        aria-autocomplete="list"
        aria-controls={active ? `${id}-list` : undefined}
        aria-activedescendant={active ? `${id}-${active.id}` : undefined}
        onChange={(event) => {
          onChange(event.target.value);
          setCaret(event.target.selectionStart);
          setIndex(0);
        }}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
        onKeyDown={press}
        className="field-sizing-content max-h-60 min-h-16 w-full resize-y rounded-button border border-field-line bg-paper px-3 py-2 hover:border-ink read-only:opacity-60"
      />
      {active && (
        <div id={`${id}-list`} role="listbox" aria-label={t("notes.colleagues")} className="grid rounded-card border border-line py-1">
          {offered.map((operator) => (
            <button
              type="button"
              key={operator.id}
              id={`${id}-${operator.id}`}
              role="option"
              tabIndex={-1}
              aria-selected={operator === active}
              // The text keeps the focus.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => choose(operator.name)}
              className="flex min-h-9 cursor-pointer items-center px-3 hover:bg-hover aria-selected:bg-primary-soft aria-selected:outline-2 aria-selected:-outline-offset-2 aria-selected:outline-primary-ink"
            >
              <bdi className="truncate">{operator.name}</bdi>
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

/** Whether one of the name's words begins as it was typed. */
function isMeant(name: string, begun: string): boolean {
  const wanted = begun.toLocaleLowerCase();
  const words = name.toLocaleLowerCase().split(/\s+/);
  return words.some((word) => word.startsWith(wanted)) || words.join("").startsWith(wanted);
}
