import { Check, ChevronDown, ChevronRight, Copy } from "lucide-react";
import { useMemo, useState } from "react";
import { useText } from "../../i18n/i18n.tsx";
import { IconButton } from "../button.tsx";
import { FilterField } from "../field.tsx";

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
type Line = { path: string; depth: number; name: string | null; value: Json; isOpen: boolean; isBranch: boolean };

/** Shows a JSON text as a tree to fold and search; a text that isn't JSON is shown as it is. */
export function JsonViewer({ text, label, isSearchable = true }: { text: string; label: string; isSearchable?: boolean }) {
  const t = useText();
  const [search, setSearch] = useState("");
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const root = useMemo(() => parseJson(text), [text]);
  const wanted = search.trim().toLowerCase();
  const lines = root === undefined ? [] : linesOf(root.value, wanted === "" ? folded : new Set());
  const found = wanted === "" ? 0 : lines.filter((line) => isMatch(line, wanted)).length;

  function toggle(path: string): void {
    const next = new Set(folded);
    if (!next.delete(path)) next.add(path);
    setFolded(next);
  }

  return (
    <div className="min-w-0">
      {isSearchable && (
        <div className="flex flex-wrap items-end gap-2 border-b border-line p-3">
          <FilterField label={t("json.search")} value={search} onChange={setSearch} isSearch className="min-w-40 flex-1" />
          <span role="status" className="pb-2 text-xs text-muted">
            {wanted !== "" && t("json.found", { count: found })}
          </span>
          <CopyButton text={text} />
        </div>
      )}
      {root === undefined ? (
        <pre aria-label={label} tabIndex={0} className="max-h-[32rem] overflow-auto p-3 font-mono text-xs break-words whitespace-pre-wrap">
          {text}
        </pre>
      ) : (
        <div
          aria-label={label}
          role="region"
          tabIndex={0}
          className="max-h-[40rem] overflow-auto p-3 font-mono text-xs leading-6"
          dir="ltr"
        >
          {lines.map((line) => (
            <JsonLine key={line.path} line={line} isFound={wanted !== "" && isMatch(line, wanted)} onToggle={() => toggle(line.path)} />
          ))}
        </div>
      )}
    </div>
  );
}

function JsonLine({ line, isFound, onToggle }: { line: Line; isFound: boolean; onToggle: () => void }) {
  const t = useText();
  const Fold = line.isOpen ? ChevronDown : ChevronRight;
  return (
    <div
      title={line.path}
      className={`flex min-w-0 items-start ${isFound ? "bg-warn-soft" : ""}`}
      style={{ paddingInlineStart: `${line.depth * 1.1}rem` }}
    >
      {line.isBranch ? (
        <button
          type="button"
          aria-expanded={line.isOpen}
          aria-label={t("json.fold", { path: line.path })}
          onClick={onToggle}
          className="mt-1 shrink-0"
        >
          <Fold aria-hidden className="size-4 text-muted" />
        </button>
      ) : (
        <span className="w-4 shrink-0" />
      )}
      <span className="min-w-0 break-all">
        {line.name !== null && <span className="text-primary-ink">{line.name}: </span>}
        <JsonValue value={line.value} isOpen={line.isOpen} />
      </span>
    </div>
  );
}

function JsonValue({ value, isOpen }: { value: Json; isOpen: boolean }) {
  if (Array.isArray(value)) return <span className="text-muted">{isOpen ? `[${value.length}]` : `[… ${value.length}]`}</span>;
  if (typeof value === "object" && value !== null)
    return <span className="text-muted">{isOpen ? `{${Object.keys(value).length}}` : `{… ${Object.keys(value).length}}`}</span>;
  if (typeof value === "string") return <span className="text-ok">{JSON.stringify(value)}</span>;
  return <span className="text-warn">{String(value)}</span>;
}

export function CopyButton({ text }: { text: string }) {
  const t = useText();
  const [isCopied, setIsCopied] = useState(false);
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(text);
    setIsCopied(true);
    setTimeout(() => setIsCopied(false), 2000);
  }
  const Icon = isCopied ? Check : Copy;
  return (
    <IconButton label={isCopied ? t("action.copied") : t("action.copy")} onClick={() => void copy()}>
      <Icon aria-hidden className="size-4" />
    </IconButton>
  );
}

function parseJson(text: string): { value: Json } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function linesOf(value: Json, folded: ReadonlySet<string>, path = "$", name: string | null = null, depth = 0): Line[] {
  const children = childrenOf(value, path);
  const isOpen = !folded.has(path);
  const line = { path, depth, name, value, isOpen, isBranch: children.length > 0 };
  if (!isOpen) return [line];
  return [line, ...children.flatMap((child) => linesOf(child.value, folded, child.path, child.name, depth + 1))];
}

function childrenOf(value: Json, path: string): { path: string; name: string; value: Json }[] {
  if (Array.isArray(value)) return value.map((item, index) => ({ path: `${path}[${index}]`, name: String(index), value: item }));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).map(([name, item]) => ({ path: `${path}.${name}`, name, value: item }));
}

function isMatch({ name, value }: Line, wanted: string): boolean {
  const text = typeof value === "object" && value !== null ? "" : String(value);
  return `${name ?? ""} ${text}`.toLowerCase().includes(wanted);
}
