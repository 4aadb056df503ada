import { useMemo, useState } from "react";
import { useIntl } from "react-intl";
import { useText } from "../../i18n/i18n.tsx";
import { Checkbox } from "../choice.tsx";
import { DifferenceLine } from "./difference-line.tsx";
import { countDifferences, diff, type Difference } from "./json-diff.ts";
import { isSecret, mask, rootPath, type Json } from "./json-tree.ts";

type JsonDiffViewerProps = { before: Json; after: Json; label: string };

/** What tells two documents apart, value by value; what they share is left out unless it is asked for. */
export default function JsonDiffViewer({ before, after, label }: JsonDiffViewerProps) {
  const t = useText();
  const { formatNumber } = useIntl();
  const [isAllShown, setIsAllShown] = useState(false);
  const difference = useMemo(() => diff(before, after), [before, after]);
  const { added, removed, changed } = countDifferences(difference);
  const isSame = added + removed + changed === 0;
  return (
    <section aria-label={label} className="min-w-0">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 border-b border-line p-3">
        <p className="flex flex-wrap gap-x-4 gap-y-1 text-xs">
          {isSame && t("diff.same")}
          {added > 0 && <span className="text-ok">{t("diff.added", { count: added, shown: formatNumber(added) })}</span>}
          {removed > 0 && <span className="text-bad">{t("diff.removed", { count: removed, shown: formatNumber(removed) })}</span>}
          {changed > 0 && <span className="text-warn">{t("diff.changed", { count: changed, shown: formatNumber(changed) })}</span>}
        </p>
        <Checkbox label={t("diff.showAll")} isOn={isAllShown} onChange={setIsAllShown} />
      </div>
      <div dir="ltr" tabIndex={0} role="group" aria-label={label} className="max-h-[40rem] overflow-auto p-3 font-mono text-xs leading-6">
        <Entry difference={difference} depth={0} isAllShown={isAllShown} />
      </div>
    </section>
  );
}

type EntryProps = { difference: Difference; depth: number; isAllShown: boolean };

function Entry({ difference, depth, isAllShown }: EntryProps) {
  const { kind, path, name, before, after, children } = difference;
  if (kind === "same" && !isAllShown && path !== rootPath) return null;
  const isMasked = isSecret({ path, name, value: after ?? before ?? null });
  return (
    <>
      <DifferenceLine
        kind={kind}
        depth={depth}
        name={name}
        before={before === undefined || kind === "branch" ? "" : shown(before, isMasked)}
        after={after === undefined ? "" : kind === "branch" ? branch(after) : shown(after, isMasked)}
      />
      {children.map((child) => (
        <Entry key={`${child.kind} ${child.path}`} difference={child} depth={depth + 1} isAllShown={isAllShown} />
      ))}
    </>
  );
}

/** Longer values are cut: a difference is read, not searched. */
const shownMax = 400;

function shown(value: Json, isMasked: boolean): string {
  const text = isMasked ? mask : JSON.stringify(value);
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
}

const branch = (value: Json): string => (Array.isArray(value) ? "[…]" : "{…}");
