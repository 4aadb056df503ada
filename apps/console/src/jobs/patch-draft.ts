import type { DocumentPatch } from "@crossdock/contract";

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
  try {
    const parsed: unknown = JSON.parse(merge, exactly);
    return isMembers(parsed) && Object.keys(parsed).length > 0 ? { kind, merge: parsed } : null;
  } catch {
    return null;
  }
}

/** As the server does: a number with more digits than a double keeps becomes a text with all of them. */
function exactly(_name: string, value: unknown, context?: { source?: string }): unknown {
  const { source = "" } = context ?? {};
  const digits = source.replace(/[eE].*|\D/g, "").length;
  return typeof value === "number" && digits > 15 && !Number.isSafeInteger(value) ? source : value;
}

type Members = Extract<DocumentPatch, { kind: "merge" }>["merge"];

function isMembers(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
