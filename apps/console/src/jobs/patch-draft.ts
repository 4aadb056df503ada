import type { DocumentPatch } from "@crossdock/contract";
import { isObject, parseJson } from "../ui/json/json-tree.ts";

/** What is typed; both kinds keep theirs while one changes between them. */
export type PatchDraft = {
  kind: DocumentPatch["kind"];
  path: string;
  from: string;
  to: string;
  merge: string;
  failureLimit: number;
};

export const emptyDraft: PatchDraft = { kind: "mapping", path: "", from: "", to: "", merge: "{\n  \n}", failureLimit: 10 };

/** Null while it is not yet a patch. */
export function patchOf({ kind, path, from, to, merge }: PatchDraft): DocumentPatch | null {
  if (kind === "mapping") return path.trim().startsWith("$") && from !== "" ? { kind, path: path.trim(), from, to } : null;
  const members = parseJson(merge)?.value ?? null;
  return isObject(members) && Object.keys(members).length > 0 ? { kind, merge: members } : null;
}
