import { Search } from "lucide-react";
import { useEffect, useEffectEvent, useId, useRef, useState, type ClipboardEventHandler, type ComponentProps, type RefObject } from "react";
import { useText } from "../i18n/i18n.tsx";
import { OptionalChoice } from "./combobox-field.tsx";
import { control, Labelled, type SelectField } from "./field.tsx";

/** A filter by one of several values, or by none. */
export function FilterSelect(field: ComponentProps<typeof SelectField>) {
  const t = useText();
  return <OptionalChoice {...field} none={t("filter.any")} />;
}

type FilterFieldProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  placeholder?: string;
  isSearch?: boolean;
  /** The longest text that the server takes; where none is given, it doesn't get to the server. */
  maxLength?: number | undefined;
  /** Why a text does not apply; null for one that does. */
  refuse?: (text: string) => string | null;
  /** Not words: it runs from left to right in every language. */
  isCode?: boolean;
  /** The key / puts the focus here, unless somebody is typing. */
  hasSlash?: boolean;
  onPaste?: ClipboardEventHandler<HTMLInputElement>;
  className?: string;
};

/** Pause after the last key stroke before the list is asked again. */
const typingPauseMs = 300;

/** A text filter: what is typed applies after a short pause, on Enter and when the field is left at once. */
export function FilterField({
  label,
  value,
  onChange,
  placeholder,
  isSearch = false,
  maxLength = Number.POSITIVE_INFINITY,
  refuse,
  isCode = false,
  hasSlash = false,
  onPaste,
  className,
}: FilterFieldProps) {
  const t = useText();
  const refusalOf = (given: string): string | null => {
    const text = given.trim();
    if (text.length > maxLength) return t("filter.tooLong", { count: maxLength });
    if (text.includes("\0")) return t("problem.nulCharacter");
    return text === "" ? null : (refuse?.(text) ?? null);
  };
  const [typed, setTyped] = useState(value);
  const [applied, setApplied] = useState(value);
  /** An input method is at work: what stands there is not yet what is meant. */
  const [isComposing, setIsComposing] = useState(false);
  // An address may hold anything, too.
  const [refusal, setRefusal] = useState(refusalOf(value));
  const input = useRef<HTMLInputElement>(null);
  /** What was applied last, which doesn't show in `value` while the address changes or another screen is on its way. */
  const [sent, setSent] = useState(value);
  const hintId = useId();
  useSlash(hasSlash ? input : null);
  // A value set from outside (back button, "clear filters") replaces what was typed; one that was sent from here has been typed on since.
  if (applied !== value) {
    setApplied(value);
    // Who takes it may leave out the blanks around it, and the next word may be still to come.
    if (value.trim() !== sent.trim()) {
      setSent(value);
      setTyped(value);
      setRefusal(refusalOf(value));
    }
  }
  const apply = () => {
    const reason = refusalOf(typed);
    setRefusal(reason);
    if (reason !== null) return;
    setSent(typed);
    onChange(typed);
  };
  const applyOnce = () => typed !== value && typed !== sent && apply();
  const applyTyped = useEffectEvent(applyOnce);
  useEffect(() => {
    if (typed === value || isComposing) return undefined;
    const timer = setTimeout(applyTyped, typingPauseMs);
    return () => clearTimeout(timer);
  }, [typed, value, isComposing]);

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
            onKeyDown={(event) => event.key === "Enter" && !isComposing && apply()}
            onPaste={onPaste}
            onCompositionStart={() => setIsComposing(true)}
            onCompositionEnd={() => setIsComposing(false)}
            // Whoever goes on to another screen would be called back by what applies after a pause.
            onBlur={applyOnce}
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
