export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
/** A value of a document and where it stands. */
export type JsonNode = { path: string; name: string | null; value: Json };
export type JsonLine = JsonNode & { depth: number; isBranch: boolean; isOpen: boolean };

export const rootPath = "$";

declare global {
  /** What browsers can do since 2025 (https://tc39.es/proposal-json-parse-with-source): a number that JSON.stringify writes with its digits. */
  interface JSON {
    rawJSON?: (text: string) => { rawJSON: string };
    isRawJSON?: (value: unknown) => boolean;
  }
}

/** Sixteen digits in a row are the least that a double may fail to hold; an exponent may hide more. Anything else takes the fast way. */
const longNumber = /[\d.]{16}|\d[eE][+-]?\d/;

/** Null for a text that is no JSON. A number that a double can't hold is raw JSON, no object and no number. */
export function parseJson(text: string): { value: Json } | null {
  try {
    return { value: longNumber.test(text) ? JSON.parse(text, exactly) : JSON.parse(text) };
  } catch {
    return null;
  }
}

/** A double's shortest text has at most 25 characters. */
const doubleMax = 25;

function exactly(_name: string, value: Json, context?: { source?: string }): Json {
  const { source } = context ?? {};
  if (typeof value !== "number" || source === undefined) return value;
  const isHeld = source.length <= doubleMax && digitsOf(source) === digitsOf(String(value));
  return isHeld ? value : (JSON.rawJSON?.(source) ?? value);
}

/** Those that count. */
function digitsOf(number: string): string {
  return number
    .replace(/e.*/i, "")
    .replace(/\D/g, "")
    .replace(/^0+|0+$/g, "");
}

export function isObject(value: Json): value is { [name: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !JSON.isRawJSON?.(value);
}

export function childrenOf({ path, value }: JsonNode): JsonNode[] {
  if (Array.isArray(value)) return value.map((item, index) => ({ path: `${path}[${index}]`, name: String(index), value: item }));
  if (!isObject(value)) return [];
  return Object.entries(value).map(([name, item]) => ({ path: pathOf(path, name), name, value: item }));
}

/** JSONPath (RFC 9535), in its short form where the name allows it. */
export function pathOf(parent: string, name: string): string {
  if (/^[A-Za-z_][\w]*$/.test(name)) return `${parent}.${name}`;
  return `${parent}['${name.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}']`;
}

/** RFC 6901, for what `pathOf` wrote. */
export function pointerOf(path: string): string {
  const parts = [...path.matchAll(/\.(\w+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]/g)].map(
    ([, name, index, quoted]) => name ?? index ?? (quoted ?? "").replace(/\\(.)/g, "$1"),
  );
  return parts.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** What the server answers in the place of a value that tells a person apart. */
export const isMaskedByServer = (value: Json): boolean => typeof value === "string" && /^••• [0-9a-f]{8}$/.test(value);

/** The lines to show, one per value; what stands in a folded branch has none. */
export function linesOf(root: Json, isFolded: (node: JsonNode) => boolean): JsonLine[] {
  const lines: JsonLine[] = [];
  const open: { node: JsonNode; depth: number }[] = [{ node: { path: rootPath, name: null, value: root }, depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, depth } = next;
    const children = childrenOf(node);
    const isBranch = children.length > 0;
    const isOpen = isBranch && !isFolded(node);
    lines.push({ ...node, depth, isBranch, isOpen });
    if (isOpen) for (const child of children.toReversed()) open.push({ node: child, depth: depth + 1 });
  }
  return lines;
}

/** Where a text occurs in names and plain values, folded branches included. What is masked isn't found by its value. */
export function findPaths(root: Json, wanted: string, isMasked: (node: JsonNode) => boolean): string[] {
  const text = wanted.trim().toLowerCase();
  if (text === "") return [];
  return linesOf(root, isMasked).flatMap((line) => {
    const value = line.isBranch || isMasked(line) ? "" : plainText(line.value);
    return `${line.name ?? ""}\n${value}`.toLowerCase().includes(text) ? [line.path] : [];
  });
}

/** The branches around a value, the outermost first. */
export function ancestorsOf(lines: JsonLine[], path: string): string[] {
  const index = lines.findIndex((line) => line.path === path);
  const ancestors: string[] = [];
  let depth = lines[index]?.depth ?? 0;
  for (let at = index - 1; at >= 0 && depth > 0; at -= 1) {
    const line = lines[at];
    if (line && line.depth < depth) {
      ancestors.unshift(line.path);
      depth = line.depth;
    }
  }
  return ancestors;
}

/** A document as text, with the masked values left out. */
export function writeJson(node: JsonNode, isMasked: (node: JsonNode) => boolean): string {
  return JSON.stringify(masked(node, isMasked), null, 2);
}

export const mask = "••••••";

function masked(node: JsonNode, isMasked: (node: JsonNode) => boolean): Json {
  if (isMasked(node)) return mask;
  if (Array.isArray(node.value)) return childrenOf(node).map((child) => masked(child, isMasked));
  if (!isObject(node.value)) return node.value;
  return Object.fromEntries(childrenOf(node).map((child) => [child.name ?? "", masked(child, isMasked)]));
}

export function plainText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Names under which systems keep what nobody should read over a shoulder. */
const secretNames =
  /^(password|passwd|secret|token|authorization|cookie|set-cookie|x-api-key)$|(api|access|private|shared)[_-]?(key|secret|token)$/i;

export function isSecret({ name, value }: JsonNode): boolean {
  return name !== null && value !== null && value !== "" && secretNames.test(name);
}
