import { ChevronsDownUp, ChevronsUpDown, Eye, EyeOff } from "lucide-react";
import { useMemo, useState } from "react";
import { useText } from "../../i18n/i18n.tsx";
import { Button, IconButton } from "../button.tsx";
import { CopyButton, useCopy } from "../copy-button.tsx";
import { choose, everything, isChosen, nothing, type Selection } from "../selection.ts";
import { usePrintedAt } from "../use-printed-at.ts";
import { JsonSearch } from "./json-search.tsx";
import { JsonTree } from "./json-tree-view.tsx";
import {
  ancestorsOf,
  findPaths,
  isMaskedByServer,
  isSecret,
  linesOf,
  mask,
  parseJson,
  plainText,
  pointerOf,
  rootPath,
  writeJson,
  type Json,
  type JsonLine,
  type JsonNode,
} from "./json-tree.ts";

type JsonViewerProps = {
  text: string;
  label: string;
  isSearchable?: boolean;
  /** What is wrong with single values, by their paths. */
  faults?: ReadonlyMap<string, string>;
  /** Asks the server for a value that it masked, by its JSON pointer. */
  onReveal?: ((pointer: string) => void) | undefined;
};

const noFaults: ReadonlyMap<string, string> = new Map();

/** Shows a JSON text as a tree to fold, search and copy from; a text that isn't JSON is shown as it is. */
export function JsonViewer({ text, label, isSearchable = true, faults = noFaults, onReveal }: JsonViewerProps) {
  const root = useMemo(() => parseJson(text), [text]);
  if (root) return <Document key={text} root={root.value} label={label} isSearchable={isSearchable} faults={faults} onReveal={onReveal} />;
  return (
    <section dir="auto" aria-label={label} className="relative min-w-0">
      <CopyButton text={text} className="absolute end-1 top-1 bg-paper" />
      <pre tabIndex={0} className="max-h-[32rem] overflow-auto p-3 pe-12 font-mono text-xs break-words whitespace-pre-wrap">
        {text}
      </pre>
    </section>
  );
}

type DocumentProps = Required<Omit<JsonViewerProps, "text" | "onReveal">> & Pick<JsonViewerProps, "onReveal"> & { root: Json };

function Document({ root, label, isSearchable, faults, onReveal }: DocumentProps) {
  const t = useText();
  const [search, setSearch] = useState("");
  const [folded, setFolded] = useState<Selection>(nothing);
  const [activePath, setActivePath] = useState(rootPath);
  const [isRevealed, setIsRevealed] = useState(false);
  const allLines = useMemo(() => linesOf(root, () => false), [root]);
  const hasSecrets = allLines.some(isSecret);
  const isMasked = (node: JsonNode) => !isRevealed && isSecret(node);
  const lines = linesOf(root, (node) => isChosen(folded, node.path) || isMasked(node));
  const found = findPaths(root, search, isMasked);
  const whole = writeJson({ path: rootPath, name: null, value: root }, isMasked);
  const isPrinting = usePrintedAt() !== null;
  const active = allLines.find((line) => line.path === activePath);

  function reveal(path: string): void {
    setFolded(choose(folded, ancestorsOf(allLines, path), false));
    setActivePath(path);
  }

  return (
    <section aria-label={label} className="min-w-0">
      {isSearchable && (
        <div data-screen-only className="flex flex-wrap items-end gap-x-1 gap-y-2 border-b border-line p-3">
          <JsonSearch search={search} onSearch={setSearch} found={found} activePath={activePath} onGoTo={reveal} />
          <div className="ms-auto flex">
            <IconButton label={t("json.unfoldAll")} onClick={() => setFolded(nothing)}>
              <ChevronsUpDown aria-hidden className="size-4" />
            </IconButton>
            <IconButton label={t("json.foldAll")} onClick={() => setFolded(choose(everything, [rootPath], false))}>
              <ChevronsDownUp aria-hidden className="size-4" />
            </IconButton>
            {hasSecrets && <RevealButton isRevealed={isRevealed} onChange={setIsRevealed} />}
            <CopyButton text={whole} label={t("json.copyAll")} />
          </div>
        </div>
      )}
      <JsonTree
        label={label}
        lines={lines}
        found={new Set(found)}
        faults={faults}
        isMasked={isMasked}
        activePath={activePath}
        onActivate={setActivePath}
        onFold={(path, isFolded) => setFolded(choose(folded, [path], isFolded))}
      />
      {isPrinting && (
        <pre dir="ltr" className="p-3 font-mono text-xs break-words whitespace-pre-wrap">
          {whole}
        </pre>
      )}
      {active && <ActiveLine line={active} isMasked={isMasked} onReveal={onReveal} />}
    </section>
  );
}

function RevealButton({ isRevealed, onChange }: { isRevealed: boolean; onChange: (isRevealed: boolean) => void }) {
  const t = useText();
  const Icon = isRevealed ? EyeOff : Eye;
  return (
    <IconButton label={isRevealed ? t("json.hideSecrets") : t("json.showSecrets")} onClick={() => onChange(!isRevealed)}>
      <Icon aria-hidden className="size-4" />
    </IconButton>
  );
}

type ActiveLineProps = Pick<JsonViewerProps, "onReveal"> & { line: JsonLine; isMasked: (node: JsonNode) => boolean };

/** Where the chosen line stands, to copy from. */
function ActiveLine({ line, isMasked, onReveal }: ActiveLineProps) {
  const t = useText();
  const value = line.isBranch ? writeJson(line, isMasked) : isMasked(line) ? mask : plainText(line.value);
  return (
    <div data-screen-only className="flex items-center gap-1 border-t border-line py-1 ps-3 pe-1 text-xs">
      <bdi dir="ltr" className="min-w-0 flex-1 truncate font-mono text-muted">
        {line.path}
      </bdi>
      {onReveal && isMaskedByServer(line.value) && (
        <Button look="plain" onClick={() => onReveal(pointerOf(line.path))}>
          {t("reveal.action")}
        </Button>
      )}
      <CopyPart text={line.path} label={t("json.copyPath")} />
      {!isMasked(line) && <CopyPart text={value} label={t("json.copyValue")} />}
    </div>
  );
}

/** In words: two of them side by side look alike as icons. */
function CopyPart({ text, label }: { text: string; label: string }) {
  const t = useText();
  const { isCopied, copy } = useCopy();
  return (
    <button type="button" onClick={() => copy(text)} className="shrink-0 rounded-button px-2 py-1.5 text-primary-ink hover:bg-hover">
      {isCopied ? t("action.copied") : label}
    </button>
  );
}
