import type { AuditEvent } from "@crossdock/contract";
import { diff, type Difference } from "../ui/json/json-diff.ts";
import { childrenOf, isObject, isSecret, mask, parseJson, plainText, rootPath, type Json, type JsonNode } from "../ui/json/json-tree.ts";

/** One field as it was and as it is; null where there was or is nothing: a missing field and an empty one read alike. */
export type FieldChange = { field: string; before: string | null; after: string | null };

type Documents = Pick<AuditEvent, "before" | "after">;

/** Every change counts these on. */
const counters = new Set(["version", "changedAt", "updatedAt"]);

/** What an event tells of single fields, whatever the shape of its documents. */
export function fieldChanges(event: Documents): FieldChange[] {
  const { before, after } = documentsOf(event);
  const isChange = event.before !== null && event.after !== null;
  return changesIn(diff(before, after)).filter(
    (change) => (change.before ?? change.after) !== null && !(isChange && counters.has(change.field)),
  );
}

/** Both sides as JSON. Nothing stands for an empty document of the other's kind, so that all of the other is added or removed. */
export function documentsOf({ before, after }: Documents): { before: Json; after: Json } {
  const nothing = Array.isArray(before ?? after) ? [] : {};
  return { before: toJson(before ?? nothing), after: toJson(after ?? nothing) };
}

const toJson = (value: unknown): Json => parseJson(JSON.stringify(value))?.value ?? {};

function changesIn(difference: Difference): FieldChange[] {
  const { kind, children, path, name, before = null, after = null } = difference;
  if (kind === "same") return [];
  const node = { path, name, value: after ?? before };
  const isWhole = isSecret(node) || (isPlain(before ?? []) && isPlain(after ?? []));
  if (isWhole) return [{ field: fieldOf(path), before: textOf({ ...node, value: before }), after: textOf({ ...node, value: after }) }];
  if (kind === "branch") return children.flatMap(changesIn);
  const [old, current] = [before, after].map((value) => (value === null ? [] : endsOf({ ...node, value })));
  return [
    ...(old ?? []).map(({ field, text }) => ({ field, before: text, after: null })),
    ...(current ?? []).map(({ field, text }) => ({ field, before: null, after: text })),
  ];
}

/** The values in a document, each with its own place. */
function endsOf(node: JsonNode): { field: string; text: string | null }[] {
  if (isSecret(node) || isPlain(node.value)) return [{ field: fieldOf(node.path), text: textOf(node) }];
  return childrenOf(node).flatMap(endsOf);
}

const fieldOf = (path: string): string => path.slice(rootPath.length).replace(/^\./, "");

/** A value that is read in one go: a list of texts or numbers is, too. */
const isPlain = (value: Json): boolean =>
  Array.isArray(value) ? value.every((item) => !Array.isArray(item) && !isObject(item)) : !isObject(value);

function textOf(node: JsonNode): string | null {
  const { value } = node;
  if (isSecret(node)) return mask;
  const text = Array.isArray(value) ? value.map(plainText).join(", ") : plainText(value ?? "");
  return text === "" ? null : text;
}
