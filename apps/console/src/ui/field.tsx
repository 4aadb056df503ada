import { Search } from "lucide-react";
import { useEffect, useEffectEvent, useId, useRef, useState, type ComponentProps, type ReactNode, type RefObject } from "react";

export const control =
  "min-h-9 w-full rounded-button border border-field-line bg-paper px-3 text-ink placeholder:text-muted hover:border-ink aria-invalid:border-bad";

export function Labelled({ label, children, className = "" }: { label: string; children: ReactNode; className?: string }) {
  return (
    <label className={`grid min-w-0 content-start gap-1 ${className}`}>
      <span className="truncate text-xs text-muted">{label}</span>
      {children}
    </label>
  );
}

type TextFieldProps = ComponentProps<"input"> & { label: string; error?: string | undefined };

export function TextField({ label, error, className = "", id, ...rest }: TextFieldProps) {
  const errorId = `${id}-error`;
  return (
    <div className={className}>
      <Labelled label={label}>
        <input id={id} aria-invalid={Boolean(error)} aria-describedby={error ? errorId : undefined} className={control} {...rest} />
      </Labelled>
      {error && (
        <p id={errorId} className="mt-1 text-xs text-bad">
          {error}
        </p>
      )}
    </div>
  );
}

type SelectFieldProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  options: { value: string; label: string }[];
  className?: string;
};

export function SelectField({ label, value, onChange, options, className }: SelectFieldProps) {
  return (
    <Labelled label={label} className={className ?? ""}>
      <select value={value} onChange={(event) => onChange(event.target.value)} className={`${control} truncate ps-2 pe-1`}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

type FilterFieldProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  placeholder?: string;
  isSearch?: boolean;
  /** Why a text does not apply; null for one that does. */
  refuse?: (text: string) => string | null;
  /** Not words: it runs from left to right in every language. */
  isCode?: boolean;
  /** The key / puts the focus here, unless somebody is typing. */
  hasSlash?: boolean;
  className?: string;
};

/** Pause after the last key stroke before the list is asked again. */
const typingPauseMs = 300;

/** A text filter: what is typed applies after a short pause, on Enter at once. */
export function FilterField({
  label,
  value,
  onChange,
  placeholder,
  isSearch = false,
  refuse,
  isCode = false,
  hasSlash = false,
  className,
}: FilterFieldProps) {
  const [typed, setTyped] = useState(value);
  const [applied, setApplied] = useState(value);
  const [refusal, setRefusal] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const hintId = useId();
  useSlash(hasSlash ? input : null);
  // A value set from outside (back button, "clear filters") replaces what was typed.
  if (applied !== value) {
    setApplied(value);
    setTyped(value);
    setRefusal(null);
  }
  const apply = () => {
    const text = typed.trim();
    const reason = text === "" ? null : (refuse?.(text) ?? null);
    setRefusal(reason);
    if (reason === null) onChange(typed);
  };
  const applyTyped = useEffectEvent(apply);
  useEffect(() => {
    if (typed === value) return undefined;
    const timer = setTimeout(applyTyped, typingPauseMs);
    return () => clearTimeout(timer);
  }, [typed, value]);

  return (
    <div className={className}>
      <Labelled label={label}>
        <span className="relative">
          {isSearch && <Search aria-hidden className="pointer-events-none absolute inset-y-0 start-2.5 my-auto size-4 text-muted" />}
          <input
            ref={input}
            type={isSearch ? "search" : "text"}
            dir={isCode ? "ltr" : undefined}
            value={typed}
            placeholder={placeholder}
            aria-describedby={refusal === null ? undefined : hintId}
            aria-keyshortcuts={hasSlash ? "/" : undefined}
            onChange={(event) => {
              setTyped(event.target.value);
              setRefusal(null);
            }}
            onKeyDown={(event) => event.key === "Enter" && apply()}
            className={`${control} ${isSearch ? "ps-8" : ""}`}
          />
        </span>
      </Labelled>
      <p id={hintId} role="status" className="mt-1 text-xs text-muted empty:hidden">
        {refusal}
      </p>
    </div>
  );
}

function useSlash(input: RefObject<HTMLInputElement | null> | null): void {
  useEffect(() => {
    if (input === null) return undefined;
    const focus = (event: KeyboardEvent): void => {
      const { target } = event;
      const isTyping =
        target instanceof HTMLElement && (target.isContentEditable || target.matches("input, select, textarea, [role=dialog] *"));
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    };
    document.addEventListener("keydown", focus);
    return () => document.removeEventListener("keydown", focus);
  }, [input]);
}
