import { useId, useRef } from "react";
import { useText } from "../i18n/i18n.tsx";
import { Labelled } from "../ui/field.tsx";
import { lineOf, linesOfPaths } from "../ui/json/json-lines.ts";
import { syntaxFaultOf } from "../ui/json/json-syntax.ts";

type DocumentEditorProps = {
  label: string;
  text: string;
  onChange: (text: string) => void;
  errors: readonly { path: string; message: string }[];
  isChecking: boolean;
};

/** What is wrong with a text, in words; without a line it is wrong as a whole. */
type TextFault = { text: string; line?: number; column?: number };

/** A JSON text to edit, with what is wrong with it and the way to the place of each fault. */
export function DocumentEditor({ label, text, onChange, errors, isChecking }: DocumentEditorProps) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const faults = useFaults(text, errors);

  /** Marks the line, or the character in it. */
  function goTo(line: number, column?: number): void {
    const all = text.split("\n");
    const start = all.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    const { current } = field;
    current?.focus();
    if (column === undefined) current?.setSelectionRange(start, start + (all[line - 1]?.length ?? 0));
    else current?.setSelectionRange(start + column - 1, start + column);
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
          aria-invalid={faults.length > 0}
          aria-describedby={id}
          onChange={(event) => onChange(event.target.value)}
          className="w-full resize-y rounded-button border border-field-line bg-paper px-3 py-2 font-mono text-xs leading-5 text-ink hover:border-ink aria-invalid:border-bad"
        />
      </Labelled>
      <Faults id={id} faults={faults} isChecking={isChecking} onGo={goTo} />
    </div>
  );
}

/** Of a text that is no JSON the server knows no more than that, and only after a while. */
function useFaults(text: string, errors: DocumentEditorProps["errors"]): TextFault[] {
  const t = useText();
  const broken = syntaxFaultOf(text);
  if (broken) return [{ ...broken, text: t("replace.syntaxFault", broken) }];
  const lines = linesOfPaths(text);
  return errors.map(({ path, message }) => {
    if (path === "") return { text: message };
    const line = lineOf(lines, path);
    return { line, text: `${t("replace.fault", { line, path })} ${message}` };
  });
}

type FaultsProps = {
  id: string;
  faults: readonly TextFault[];
  isChecking: boolean;
  onGo: (line: number, column?: number) => void;
};

function Faults({ id, faults, isChecking, onGo }: FaultsProps) {
  const t = useText();
  return (
    <div id={id} role="status" aria-busy={isChecking} className={`text-xs ${isChecking ? "opacity-60" : ""}`}>
      {faults.length === 0 && <p className="text-muted">{t(isChecking ? "replace.checking" : "replace.valid")}</p>}
      <ul className="grid gap-1">
        {faults.map(({ text, line, column }) => (
          <li key={text} className="break-words text-bad">
            {line === undefined ? (
              text
            ) : (
              <button type="button" onClick={() => onGo(line, column)} className="max-w-full text-start underline">
                {text}
              </button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
