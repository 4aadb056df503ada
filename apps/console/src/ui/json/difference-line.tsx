import type { Difference } from "./json-diff.ts";

type DifferenceLineProps = {
  kind: Difference["kind"];
  depth?: number;
  name?: string | null;
  before: string;
  after: string;
};

/** What became of one value: the old one, the new one, or both, on the ground that tells them apart. */
export function DifferenceLine({ kind, depth = 0, name = null, before, after }: DifferenceLineProps) {
  return (
    <p
      className={`flex min-w-0 gap-2 px-1 break-all ${grounds[kind]}`}
      style={{ paddingInlineStart: `${Math.min(depth, 16) * 1.1 + 0.25}rem` }}
    >
      <span aria-hidden className="w-3 shrink-0 select-none">
        {signs[kind]}
      </span>
      <span className="min-w-0">
        {name !== null && <span className="text-primary-ink">{name}: </span>}
        {(kind === "removed" || kind === "changed") && <del className="text-bad no-underline">{before}</del>}
        {kind === "changed" && <span className="text-muted"> → </span>}
        {(kind === "added" || kind === "changed") && <ins className="text-ok no-underline">{after}</ins>}
        {(kind === "same" || kind === "branch") && <span className="text-muted">{after}</span>}
      </span>
    </p>
  );
}

const signs: Record<Difference["kind"], string> = { same: "", added: "+", removed: "−", changed: "≠", branch: "" };
const grounds: Record<Difference["kind"], string> = {
  same: "",
  added: "bg-ok-soft",
  removed: "bg-bad-soft",
  changed: "bg-warn-soft",
  branch: "",
};
