import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import { ChevronDown, ChevronRight } from "lucide-react";
import { useEffect, useId, useRef, type KeyboardEvent, type MouseEvent } from "react";
import { isObject, mask, plainText, type Json, type JsonLine, type JsonNode } from "./json-tree.ts";

type JsonTreeProps = {
  label: string;
  lines: JsonLine[];
  found: ReadonlySet<string>;
  faults: ReadonlyMap<string, string>;
  isMasked: (node: JsonNode) => boolean;
  activePath: string;
  onActivate: (path: string) => void;
  onFold: (path: string, isFolded: boolean) => void;
};

/** Pixels of a line that doesn't wrap. */
const lineHeight = 24;

/** The lines of a document, of which only the visible ones are rendered, so not for paper. Keys as in any tree (https://www.w3.org/WAI/ARIA/apg/patterns/treeview/). */
export function JsonTree({ label, lines, found, faults, isMasked, activePath, onActivate, onFold }: JsonTreeProps) {
  const frame = useRef<HTMLDivElement>(null);
  const id = useId();
  const active = Math.max(
    0,
    lines.findIndex((line) => line.path === activePath),
  );
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => frame.current,
    estimateSize: () => lineHeight,
    getItemKey: (index) => lines[index]?.path ?? index,
    overscan: 8,
    rangeExtractor: (range) => [...new Set([...defaultRangeExtractor(range), active])].toSorted((one, other) => one - other),
  });
  useEffect(() => virtualizer.scrollToIndex(active, { align: "auto" }), [virtualizer, active]);

  function goTo(index: number): void {
    const line = lines[Math.min(Math.max(index, 0), lines.length - 1)];
    if (line) onActivate(line.path);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const line = lines[active];
    if (!line || event.ctrlKey || event.metaKey || event.altKey) return;
    const parent = lines.slice(0, active).findLastIndex((other) => other.depth < line.depth);
    const moves: Record<string, () => void> = {
      ArrowDown: () => goTo(active + 1),
      ArrowUp: () => goTo(active - 1),
      Home: () => goTo(0),
      End: () => goTo(lines.length - 1),
      ArrowRight: () => (line.isBranch && !line.isOpen ? onFold(line.path, false) : goTo(active + 1)),
      ArrowLeft: () => (line.isOpen ? onFold(line.path, true) : goTo(parent)),
      Enter: () => line.isBranch && onFold(line.path, line.isOpen),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    move();
  }

  /** One listener for all lines: the tree keeps the focus, its lines only show which one is meant. */
  function onClick({ target, currentTarget }: MouseEvent<HTMLElement>): void {
    const index = target instanceof Element ? target.closest<HTMLElement>("[data-index]")?.dataset["index"] : undefined;
    if (index === undefined) return;
    goTo(Number(index));
    currentTarget.focus({ preventScroll: true });
  }

  return (
    <div
      ref={frame}
      role="tree"
      data-screen-only
      aria-label={label}
      tabIndex={0}
      dir="ltr"
      aria-activedescendant={`${id}-${active}`}
      onKeyDown={onKeyDown}
      onClick={onClick}
      className="group/tree max-h-[40rem] overflow-auto p-3 font-mono text-xs leading-6"
    >
      <div role="presentation" className="relative" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const line = lines[index];
          if (!line) return null;
          return (
            <div
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              id={`${id}-${index}`}
              role="treeitem"
              tabIndex={-1}
              aria-level={line.depth + 1}
              aria-expanded={line.isBranch ? line.isOpen : undefined}
              aria-selected={index === active}
              style={{ transform: `translateY(${start}px)`, paddingInlineStart: `${Math.min(line.depth, 16) * 1.1}rem` }}
              className={`absolute inset-x-0 top-0 flex min-w-0 items-start ${groundOf(line.path, found, faults)} ${
                index === active
                  ? "outline -outline-offset-1 outline-line group-focus-visible/tree:outline-2 group-focus-visible/tree:outline-primary-ink"
                  : ""
              }`}
            >
              <LineText line={line} fault={faults.get(line.path)} isMasked={isMasked(line)} onFold={() => onFold(line.path, line.isOpen)} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function groundOf(path: string, found: ReadonlySet<string>, faults: ReadonlyMap<string, string>): string {
  if (found.has(path)) return "bg-warn-soft";
  return faults.has(path) ? "bg-bad-soft" : "";
}

type LineTextProps = { line: JsonLine; fault: string | undefined; isMasked: boolean; onFold: () => void };

function LineText({ line, fault, isMasked, onFold }: LineTextProps) {
  const Fold = line.isOpen ? ChevronDown : ChevronRight;
  return (
    <>
      {line.isBranch && !isMasked ? (
        // The tree itself takes the keys; this is for the pointer.
        <span aria-hidden onClick={onFold} className="grid h-6 w-5 shrink-0 cursor-pointer place-items-center">
          <Fold className="size-4 text-muted" />
        </span>
      ) : (
        <span className="w-5 shrink-0" />
      )}
      <span className="min-w-0 break-all">
        {line.name !== null && <span className="text-primary-ink">{line.name}: </span>}
        {isMasked ? <span className="text-muted">{mask}</span> : <JsonValue value={line.value} isOpen={line.isOpen || !line.isBranch} />}
        {fault !== undefined && <span className="ms-3 font-sans font-medium text-bad">← {fault}</span>}
      </span>
    </>
  );
}

function JsonValue({ value, isOpen }: { value: Json; isOpen: boolean }) {
  if (Array.isArray(value)) return <span className="text-muted">{isOpen ? `[${value.length}]` : `[… ${value.length}]`}</span>;
  if (isObject(value))
    return <span className="text-muted">{isOpen ? `{${Object.keys(value).length}}` : `{… ${Object.keys(value).length}}`}</span>;
  if (typeof value === "string") return <span className="text-ok">{JSON.stringify(value)}</span>;
  return <span className="text-warn">{plainText(value)}</span>;
}
