import { useId, useRef } from "react";
import { useText } from "../i18n/i18n.tsx";
import { Labelled } from "../ui/field.tsx";
import { lineOf, linesOfPaths } from "../ui/json/json-lines.ts";

type DocumentEditorProps = {
  label: string;
  text: string;
  onChange: (text: string) => void;
  errors: readonly { path: string; message: string }[];
  isChecking: boolean;
};

/** A JSON text to edit, with what is wrong with it and the way to the line of each fault. */
export function DocumentEditor({ label, text, onChange, errors, isChecking }: DocumentEditorProps) {
  const t = useText();
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const lines = linesOfPaths(text);
  const faults = errors.map((error) => ({ ...error, line: lineOf(lines, error.path) }));

  function goTo(line: number): void {
    const all = text.split("\n");
    const start = all.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    const { current } = field;
    current?.focus();
    current?.setSelectionRange(start, start + (all[line - 1]?.length ?? 0));
    if (current) current.scrollTop = (current.scrollHeight / all.length) * (line - 4);
  }

  return (
    <div className="grid min-w-0 gap-2">
      <Labelled label={label}>
        <textarea
          ref={field}
          dir="ltr"
          rows={14}
          wrap="off"
          spellCheck={false}
          value={text}
          aria-invalid={errors.length > 0}
          aria-describedby={id}
          onChange={(event) => onChange(event.target.value)}
          className="w-full resize-y rounded-button border border-field-line bg-paper px-3 py-2 font-mono text-xs leading-5 text-ink hover:border-ink aria-invalid:border-bad"
        />
      </Labelled>
      <div id={id} role="status" aria-busy={isChecking} className={`text-xs ${isChecking ? "opacity-60" : ""}`}>
        {faults.length === 0 && <p className="text-muted">{t(isChecking ? "replace.checking" : "replace.valid")}</p>}
        <ul className="grid gap-1">
          {faults.map(({ path, message, line }) => (
            <li key={`${path} ${message}`}>
              <button type="button" onClick={() => goTo(line)} className="max-w-full text-start break-words text-bad underline">
                {t("replace.fault", { line, path: path || "$" })} {message}
              </button>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
