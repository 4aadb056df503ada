import type { ExternalMessageDetails } from "@crossdock/contract";
import { isObject, parseJson, pathOf, rootPath, type Json } from "../ui/json/json-tree.ts";

type BodyKind = "json" | "xml" | "csv" | "text" | "binary";

/** How a body is shown: by what its sender called it, or by what it looks like. */
export function bodyKindOf({
  body,
  bodyEncoding,
  contentType,
}: Pick<ExternalMessageDetails, "body" | "bodyEncoding" | "contentType">): BodyKind {
  if (bodyEncoding === "base64") return "binary";
  if (parseJson(body)) return "json";
  if (/\bxml\b/i.test(contentType ?? "") || /^\s*<[?!a-z]/i.test(body)) return "xml";
  if (/\bcsv\b/i.test(contentType ?? "")) return "csv";
  return "text";
}

/** One element per line, indented by its depth. */
export function indentXml(text: string): string {
  let depth = 0;
  const parts = text.trim().split(/(?<=>)\s*(?=<)/);
  return parts
    .map((part) => {
      const isEnd = part.startsWith("</");
      if (isEnd) depth = Math.max(0, depth - 1);
      const line = "  ".repeat(depth) + part;
      if (!isEnd && /^<[^?!]/.test(part) && !part.endsWith("/>") && !part.includes("</")) depth += 1;
      return line;
    })
    .join("\n");
}

const bytesPerLine = 16;

type Body = Pick<ExternalMessageDetails, "body" | "bodyEncoding">;

export function bytesOf({ body, bodyEncoding }: Body): Uint8Array {
  return bodyEncoding === "base64" ? Uint8Array.from(atob(body), (character) => character.charCodeAt(0)) : new TextEncoder().encode(body);
}

/** Offset, bytes and printable characters, as a hex editor has them. */
export function hexDump(all: Uint8Array, bytesMax: number): string {
  const bytes = all.subarray(0, bytesMax);
  const lines: string[] = [];
  for (let start = 0; start < bytes.length; start += bytesPerLine) {
    const line = [...bytes.subarray(start, start + bytesPerLine)];
    const hex = line.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const text = line.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : ".")).join("");
    lines.push(`${start.toString(16).padStart(8, "0")}  ${hex.padEnd(bytesPerLine * 3 - 1)}  ${text}`);
  }
  return lines.join("\n");
}

/**
 * The values that the reasons speak of, by their paths in the document. A reason's path names the translated document (`item[0].name`), so
 * it is looked for in the raw one from its start and from the start of the document at that place; the closest value that is there counts.
 */
export function faultsIn(body: string, reasons: ExternalMessageDetails["reasons"]): ReadonlyMap<string, string> {
  const root = parseJson(body);
  const faults = new Map<string, string>();
  if (!root) return faults;
  for (const { path, message } of reasons) {
    const found = placesOf(path).find((place) => valueAt(root.value, place) !== undefined);
    if (found) faults.set(jsonPathOf(root.value, found), message);
  }
  return faults;
}

/** Where a reason's path may lead, the most exact first. The document itself is no place: it would say nothing. */
function placesOf(path: string): string[][] {
  const steps = path.split(/[.[\]]+/).filter((step) => step !== "");
  const ofDocument = /^\w+\[\d+\]/.test(path) ? [steps.slice(2), steps.slice(1)] : [];
  return [steps, ...ofDocument]
    .flatMap((place) => place.map((_, index) => place.slice(0, place.length - index)))
    .toSorted((a, b) => b.length - a.length);
}

function valueAt(root: Json, steps: string[]): Json | undefined {
  return steps.reduce<Json | undefined>((value, step) => childOf(value, step), root);
}

function childOf(value: Json | undefined, step: string): Json | undefined {
  if (Array.isArray(value)) return /^\d+$/.test(step) ? value[Number(step)] : undefined;
  return value !== undefined && isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

function jsonPathOf(root: Json, steps: string[]): string {
  let path = rootPath;
  let value: Json | undefined = root;
  for (const step of steps) {
    path = Array.isArray(value) ? `${path}[${step}]` : pathOf(path, step);
    value = childOf(value, step);
  }
  return path;
}
