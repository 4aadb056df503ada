import { parseJson } from "@crossdock/connectors";
import type { DocumentPatch, Fault, JsonValue } from "@crossdock/contract";
import { parsePayloadPath, QueueError, type DeadDocument, type PathStep } from "@crossdock/queue";
import { checkDocument } from "../messages/edited-document.ts";
import { ApiError } from "../errors/errors.ts";
import { because, faultBecause } from "../errors/faults.ts";
import { pathDepthMax } from "../masking/json-scalars.ts";
import type { Masking } from "../masking/masking.ts";

/** `invalid` has no `after` where the present document is no JSON. */
export type Patched =
  | { verdict: "unchanged" }
  | { verdict: "changed"; document: string }
  | { verdict: "invalid"; after: string | null; errors: Fault[] };

/** Throws validation-failed for an invalid path. */
export function checkPatch(patch: DocumentPatch): void {
  if (patch.kind === "merge") return;
  try {
    parsePayloadPath(patch.path);
  } catch (error) {
    if (!(error instanceof QueueError)) throw error;
    throw new ApiError("validation-failed", {
      ...because("payload-filter", { fault: error.message }),
      errors: [faultBecause("/patch/path", "payload-filter", { fault: error.message })],
      cause: error,
    });
  }
}

/** Throws permission-missing for a patch by which a masked value could be found out: whether it changes anything tells if it is the one named. */
export function refuseConcealed(patch: DocumentPatch, concealing: Masking): void {
  const paths = patch.kind === "merge" ? membersOf(patch.merge) : [parsePayloadPath(patch.path)];
  if (paths.some((path) => concealing.conceals(path))) throw new ApiError("permission-missing", because("field-masked"));
}

/** The paths of all values; lists are left out of them, as they are of what is masked. No document is deeper than so many of them. */
function membersOf(merge: JsonValue): PathStep[][] {
  const paths: PathStep[][] = [];
  const left: { path: PathStep[]; value: JsonValue }[] = [{ path: [], value: merge }];
  for (let next = left.pop(); next; next = left.pop()) {
    const { path, value } = next;
    if (Array.isArray(value)) left.push(...value.map((element) => ({ path, value: element })));
    else if (isObject(value) && path.length < pathDepthMax)
      left.push(...Object.entries(value).map(([name, member]) => ({ path: [...path, { kind: "member" as const, name }], value: member })));
    else paths.push(path);
  }
  return paths;
}

/** What a patch makes of a dead letter, checked against the canonical schema. */
export function patchDead(patch: DocumentPatch, { entityType, key, document }: Omit<DeadDocument, "queueId" | "messageId">): Patched {
  let before: JsonValue;
  try {
    before = JSON.parse(document) as JsonValue;
  } catch (error) {
    return {
      verdict: "invalid",
      after: null,
      errors: [faultBecause("", "not-json", { fault: error instanceof Error ? error.message : "It is not JSON." })],
    };
  }
  const after = applyPatch(patch, before);
  const text = JSON.stringify(after);
  // An object keeps the order of its members where nothing is added.
  if (text === JSON.stringify(before)) return { verdict: "unchanged" };
  const checked = checkDocument(entityType, key, text);
  return "errors" in checked ? { verdict: "invalid", after: text, errors: checked.errors } : { verdict: "changed", ...checked };
}

export function applyPatch(patch: DocumentPatch, document: JsonValue): JsonValue {
  if (patch.kind === "merge") return merge(document, patch.merge);
  return mapped(document, parsePayloadPath(patch.path), patch);
}

const isObject = (value: JsonValue | undefined): value is { [name: string]: JsonValue } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** JSON merge patch, https://www.rfc-editor.org/rfc/rfc7396#section-2. */
function merge(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isObject(patch)) return patch;
  const members = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name);
    else members.set(name, merge(members.get(name), value));
  }
  // Not by assignment: a member may be called __proto__.
  return Object.fromEntries(members);
}

type Values = { from: string; to: string };

/** As the payload filter reads paths: a member asked of a list is asked of each of its elements. */
function mapped(value: JsonValue, path: readonly PathStep[], values: Values): JsonValue {
  const [step, ...rest] = path;
  if (step === undefined) return mappedValue(value, values);
  if (Array.isArray(value)) {
    if (step.kind === "member") return value.map((element) => mapped(element, path, values));
    return value.map((element, index) => (step.kind === "every" || step.index === index ? mapped(element, rest, values) : element));
  }
  if (step.kind !== "member" || !isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, name === step.name ? mapped(member, rest, values) : member]),
  );
}

function mappedValue(value: JsonValue, { from, to }: Values): JsonValue {
  if (typeof value === "object" && value !== null) return value;
  if (String(value) !== from) return value;
  if (typeof value === "number" && /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(to)) return parseJson(to) as number | string;
  return typeof value === "boolean" && (to === "true" || to === "false") ? to === "true" : to;
}
